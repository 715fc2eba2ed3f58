"""Operations on attachment receipts: parameters, results and declarations. Owns no behaviour."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, told
from palazzo.operations.shared import Listing

A_RECEIPT = "The id of the receipt, att_..."


@arguments
class AttachParameters(Scoped):
    """Arguments of `attach`."""

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
    """Arguments of `receipts`."""

    thread: str = told("Only those shown in this thread.", "")
    limit: int = told("How many at most, the last changed first.", 50, low=1, high=1000)


class ReceiptList(Listing[ShownReceipt], frozen=True, kw_only=True):
    """Receipts, the last changed first."""

    listed: ClassVar[str] = "receipts"
    receipts: tuple[ShownReceipt, ...]


@arguments
class ReceiptCheckParameters(Scoped):
    """Arguments of `receipt_check`."""

    receipt: str = told(A_RECEIPT)


@arguments
class ObserveAttachmentParameters(Scoped):
    """Arguments of `observe_attachment`."""

    receipt: str = told(A_RECEIPT)
    text: str = told("What was seen in it.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="attach", arguments=AttachParameters, result=ShownReceipt, level=Level.write, where="reach", writes=True,
        idempotent=True, toolset="full",
        people="Keep a receipt of a file before a model is shown it; the file is not copied.",
        models="Keep a receipt of something you are shown, so that later turns know what it was.",
    ),
    Operation(
        name="receipts", arguments=ReceiptsParameters, result=ReceiptList, level=Level.read_public, where="reach",
        toolset="full",
        people="List what was attached, and whether its sources still are what they were.",
        models="See what was attached before. You do not see the files themselves.",
    ),
    Operation(
        name="receipt_check", arguments=ReceiptCheckParameters, result=ShownReceipt, level=Level.read_public,
        where="reach", toolset="full",
        people="Look whether the source of a receipt is unchanged, changed or missing.",
        models="Check whether the source of a receipt still is what you were shown.",
    ),
    Operation(
        name="observe_attachment", arguments=ObserveAttachmentParameters, result=ShownReceipt, level=Level.write,
        where="reach", writes=True, toolset="full",
        people="Keep what was seen in an attachment.",
        models="Keep what you saw in an attachment: later turns carry that instead of the file.",
    ),
)  # fmt: skip
