"""Operations on identity files.

Owns the way from arguments to plans. Invariants: a proposed text is screened like anything that is taken in; nothing is
applied that nobody said yes to; in a palace with a key there are no such files, for they lie in clear.
"""

from __future__ import annotations

from palazzo.errors import Refused, StorageError
from palazzo.model.message import Message
from palazzo.model.slip import Slip
from palazzo.operations.context import CallContext
from palazzo.operations.identity import spec
from palazzo.operations.shared import moment, require_yes
from palazzo.persona.identity import TAGS, Identity, digest_of, plan_of


def _identity(context: CallContext) -> Identity:
    return Identity(context.engine.folder, context.engine.store, context.subject)


def identity_show(context: CallContext, _asked: spec.IdentityShowParameters) -> spec.IdentityFiles:
    found = _identity(context)
    texts = ((file, tag, found.read(file)) for file, tag in TAGS.items())
    return spec.IdentityFiles(
        files=tuple(
            spec.ShownIdentity(file=file, tag=tag, text=text, sha256=digest_of(text))
            for file, tag, text in texts
            if text is not None
        )
    )


def identity_plan(context: CallContext, asked: spec.IdentityPlanParameters) -> spec.ShownIdentityPlan:
    if context.engine.store.cipher is not None:
        raise Refused(
            "identity files lie in clear beside a palace that has a key", reason="unencrypted",
            hint="keep who the agent is as memories of kind identity instead",
        )  # fmt: skip
    for text in (asked.text, asked.reason):
        if text:
            context.engine.intake.read(Message(text=text, author=context.subject, scope=context.scope))
    return _shown(_identity(context).plan(asked.file, asked.text, asked.reason))


def identity_plans(context: CallContext, asked: spec.IdentityPlansParameters) -> spec.IdentityPlanList:
    return spec.IdentityPlanList(plans=tuple(_shown(one) for one in _identity(context).every(asked.limit)))


def _meant(asked: spec.OneIdentityPlanParameters) -> str:
    require_yes(asked.yes, "this changes who somebody is", "palazzo identity plans")
    return asked.plan


def identity_apply(context: CallContext, asked: spec.OneIdentityPlanParameters) -> spec.ShownIdentityPlan:
    try:
        return _shown(_identity(context).apply(_meant(asked)))
    except OSError as error:
        raise StorageError(f"the identity file cannot be written: {error.strerror}") from error


def identity_rollback(context: CallContext, asked: spec.OneIdentityPlanParameters) -> spec.ShownIdentityPlan:
    try:
        return _shown(_identity(context).rollback(_meant(asked)))
    except OSError as error:
        raise StorageError(f"the identity file cannot be written: {error.strerror}") from error


def _shown(slip: Slip) -> spec.ShownIdentityPlan:
    told = plan_of(slip)
    return spec.ShownIdentityPlan(
        plan=slip.name, file=told.file, state=slip.state, by=slip.subject, reason=told.reason, diff=told.diff,
        made_at=moment(slip.made_us), changed_at=moment(slip.changed_us),
    )  # fmt: skip
