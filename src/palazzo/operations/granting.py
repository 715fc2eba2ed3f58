"""Operations about who may do what: grant, revoke, grants, and the tokens of connections; the operator's alone.

Invariants: a grant names who gave it and leaves a receipt; a change of grants is answered with what it changed; the
text of a token leaves here once.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from palazzo.errors import InvalidInput
from palazzo.guard import operators, tokens
from palazzo.guard.access import Access
from palazzo.guard.effects import effects
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import DEFAULT
from palazzo.model.change import RevokeGrant
from palazzo.operations import guard_parameters as gp
from palazzo.operations import guard_results as gr
from palazzo.operations import parameters as p
from palazzo.operations import shown
from palazzo.operations.context import Context

NONE_LEFT = (
    "no grant is left: what its kind is given by default holds, or what the one who starts its server gives it"
    " (`palazzo mcp --level`, write unless it says otherwise); a grant of none takes everything away"
)
NOT_IN_FORCE = "one of these grants is not in force now: what it changes when it begins is not told here"


def grant(context: Context, asked: p.GiveGrant) -> gr.Grants:
    """Lets a subject do something somewhere: a plan that is applied at once, so that it leaves a receipt."""
    before = context.engine.guard.access(asked.subject)
    made = operators.Operators(context.engine.store, context.engine.guard, context.subject)
    wish = operators.Wish(
        transition="grant", target=asked.subject, value=asked.level, place=asked.place, days=asked.days
    )
    made.apply(made.plan(wish).id)
    return _changed(context, before)


def revoke(context: Context, asked: p.TakeGrant) -> gr.Grants:
    """Takes a grant back."""
    before = context.engine.guard.access(asked.subject)
    change = RevokeGrant(asked.subject, str(PlaceGlob.parse(asked.place)))
    context.engine.store.commit([change], subject=context.subject)
    return _changed(context, before)


def _changed(context: Context, before: Access) -> gr.Grants:
    """The grants after a change, with what is another than before."""
    after = context.engine.guard.access(before.subject)
    found = _of(context, before.subject)
    told = tuple(
        gr.GrantEffect(place=str(one.glob), before=one.before.name, after=one.after.name)
        for one in effects(before, after)
    )
    note = ""
    if all(grant.granted_by == DEFAULT for grant in found):
        note = NONE_LEFT
    elif len(found) > len(after.grants):
        note = NOT_IN_FORCE
    return replace(found, effects=told, note=note)


def grants(context: Context, asked: p.OfSubject) -> gr.Grants:
    """What a subject may do."""
    return _of(context, asked.subject)


def _of(context: Context, subject: str) -> gr.Grants:
    held = context.engine.guard.held(subject)
    return gr.Grants(subject=subject, grants=tuple(shown.granted(grant) for grant in held))


def token_create(context: Context, asked: gp.MakeToken) -> gr.MadeToken:
    """Makes a token; the scope keys say in whose memory its bearer works."""
    text, made = tokens.create(
        context.engine.store, asked.subject, label=asked.label, scope=context.scope, days=asked.days, by=context.subject
    )
    return gr.MadeToken(token=text, info=shown.token(made, context.engine.clock.now_us()))


def token_list(context: Context, _asked: p.Nothing) -> gr.TokenList:
    """Every token."""
    now_us = context.engine.clock.now_us()
    return gr.TokenList(tokens=tuple(shown.token(one, now_us) for one in tokens.every(context.engine.store)))


def token_revoke(context: Context, asked: gp.OneToken) -> gr.TokenList:
    """Ends a token."""
    try:
        wanted = UUID(asked.token)
    except ValueError:
        raise InvalidInput("a token is named by its id", field="token", hint="see `palazzo token list`") from None
    tokens.revoke(context.engine.store, wanted, by=context.subject)
    return token_list(context, p.Nothing())
