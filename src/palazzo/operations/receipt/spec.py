"""Operations on attachment receipts: parameters, results and declarations. Owns no behaviour."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, told, tool
from palazzo.operations.shared import Listing

A_RECEIPT = "The id of the receipt, att_..."


@arguments
class AttachParameters(Scoped):
    name: str = told("The file's path, or its name where its content is handed over.")
    content: str = told("The content in base64, instead of a path; only the operator names paths.", "")
    thread: str = told("The thread it is shown in.", "")
    session: str = told("The session it is shown in.", "")


class ShownReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an attachment after the turn it was shown in. `state` says whether its source still is what
    it was; `line` is how a model is told of it."""

    receipt: str
    kind: str
    filename: str
    media_type: str
    size: int
    sha256: str
    source: str
    state: str
    excerpt: str
    observation: str
    threads: tuple[str, ...]
    line: str
    at: datetime


@arguments
class ReceiptsParameters(Scoped):
    thread: str = told("Only those shown in this thread.", "")
    limit: int = told("How many at most, the last changed first.", 50, low=1, high=1000)


class ReceiptList(Listing[ShownReceipt], frozen=True, kw_only=True):
    """Receipts, the last changed first."""

    receipts: tuple[ShownReceipt, ...]


@arguments
class ReceiptCheckParameters(Scoped):
    receipt: str = told(A_RECEIPT)


@arguments
class ObserveAttachmentParameters(Scoped):
    receipt: str = told(A_RECEIPT)
    text: str = told("What was seen in it.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "attach", AttachParameters, ShownReceipt, Level.write, writes=True, idempotent=True,
        people="Keep a receipt of a file before a model is shown it; the file is not copied.",
        models="Keep a receipt of something you are shown, so that later turns know what it was.",
    ),
    tool(
        "receipts", ReceiptsParameters, ReceiptList, Level.read_public,
        people="List what was attached, and whether its sources still are what they were.",
        models="See what was attached before. You do not see the files themselves.",
    ),
    tool(
        "receipt_check", ReceiptCheckParameters, ShownReceipt, Level.read_public,
        people="Look whether the source of a receipt is unchanged, changed or missing.",
        models="Check whether the source of a receipt still is what you were shown.",
    ),
    tool(
        "observe_attachment", ObserveAttachmentParameters, ShownReceipt, Level.write, writes=True,
        people="Keep what was seen in an attachment.",
        models="Keep what you saw in an attachment: later turns carry that instead of the file.",
    ),
)  # fmt: skip
