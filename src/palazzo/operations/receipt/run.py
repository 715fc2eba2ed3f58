"""Operations on attachment receipts.

Owns the way from arguments to receipts. Invariants: only the operator names paths of the machine; what is kept of a
text passes the gate like anything else.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from palazzo.errors import InvalidInput, NotPermitted, StorageError
from palazzo.model.message import Message
from palazzo.model.slip import Slip
from palazzo.operations.context import CallContext
from palazzo.operations.receipt import spec
from palazzo.operations.shared import moment
from palazzo.persona.receipts import ReceiptLink, Receipts, line_of, receipt_of, state_of


def _receipts(context: CallContext) -> Receipts:
    return Receipts(context.engine.store, context.scope, context.subject)


def attach(context: CallContext, asked: spec.AttachParameters) -> spec.ShownReceipt:
    link = ReceiptLink(asked.thread, asked.session, context.engine.clock.now_us())
    if asked.content:
        try:
            content = base64.b64decode(asked.content, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidInput("the content is no base64", field="content") from error
        return _shown(_receipts(context).attach(Path(asked.name).name, content, link))
    if not context.access.is_operator:
        raise NotPermitted("only the operator names paths", hint="hand the content over in base64")
    try:
        return _shown(_receipts(context).attach_file(Path(asked.name).expanduser(), link))
    except OSError as error:
        raise StorageError(f"the file cannot be read: {error.strerror}") from error


def receipts(context: CallContext, asked: spec.ReceiptsParameters) -> spec.ReceiptList:
    found = _receipts(context).every(asked.thread, asked.limit)
    return spec.ReceiptList(receipts=tuple(_shown(one) for one in found))


def receipt_check(context: CallContext, asked: spec.ReceiptCheckParameters) -> spec.ShownReceipt:
    return _shown(_receipts(context).get(asked.receipt))


def observe_attachment(context: CallContext, asked: spec.ObserveAttachmentParameters) -> spec.ShownReceipt:
    context.engine.intake.read(Message(text=asked.text, author=context.subject, scope=context.scope))
    return _shown(_receipts(context).observe(asked.receipt, asked.text))


def _shown(slip: Slip) -> spec.ShownReceipt:
    told = receipt_of(slip)
    return spec.ShownReceipt(
        receipt=slip.name, kind=told.kind, filename=told.filename, media_type=told.media_type, size=told.size,
        sha256=told.sha256, source=told.source, state=state_of(told), excerpt=told.excerpt,
        observation=told.observations[-1] if told.observations else "",
        threads=tuple(dict.fromkeys(link.thread for link in told.links if link.thread)),
        line=line_of(slip.name, told), at=moment(slip.changed_us),
    )  # fmt: skip
