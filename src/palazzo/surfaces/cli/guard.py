"""What people see of who may do what (grants, tokens, plans, the audit trail, the vault) and of what was erased.

Owns presentation only.
"""

from __future__ import annotations

import click

from palazzo.operations.erase.spec import NOTHING, SAY_YES, ErasureReport
from palazzo.operations.guard import spec as guard
from palazzo.surfaces.cli.shapes import Render, line, rows, saying, table, when
from palazzo.surfaces.cli.sheet import Sheet


def _grants(console: Sheet, found: guard.GrantList) -> None:
    rows = ((g.level, g.place, when(g.expires_at) or "for good", g.granted_by) for g in found)
    line(console, found.subject)
    table(console, ("may", "where", "until", "by"), rows)
    if found.effects:
        line(console, "what changes")
        table(console, ("where", "before", "now"), ((e.place, e.before, e.after) for e in found.effects))
    if found.note:
        line(console, found.note)


def _made_token(console: Sheet, made: guard.MadeToken) -> None:
    console.line(made.token, whole=True)
    click.echo(f"keep it now, it is not shown again; its id is {made.info.id}", err=True)  # TOKEN=$(palazzo ...)


def _plan(console: Sheet, plan: guard.PlanInfo) -> None:
    for change in plan.changes:
        line(console, f"no longer: {change}" if plan.state == "rolled_back" else change)
    line(console, f"{plan.state.replace('_', ' ')}: {plan.plan}")
    if plan.state == "planned":
        line(console, f"make it so with: palazzo apply {plan.plan} --yes")
    if plan.state == "applied":
        line(console, f"take it back with: palazzo rollback {plan.plan} --yes")


def _audit(console: Sheet, found: guard.AuditTrail) -> None:
    rows = (
        (line.line, when(line.at), line.subject, line.action, line.decision, line.place, line.capability, line.detail)
        for line in found
    )
    table(console, ("line", "when", "who", "what", "decision", "where", "capability", "detail"), rows)


def _audit_verified(console: Sheet, found: guard.AuditVerified) -> None:
    held = f", as {found.anchors} anchors saw it" if found.anchors else ""
    line(console, f"the audit trail is whole{held}" if found.clean else "\n".join(found.problems))


def _audit_anchor(console: Sheet, found: guard.AuditAnchor) -> None:
    if found.file:
        line(console, f"line {found.line} is anchored in {found.file}")
    else:
        console.line(found.anchor, whole=True)


def _vault(console: Sheet, found: guard.VaultState) -> None:
    until = f"open until {when(found.open_until)}" if found.open_until else "closed"
    line(console, f"the vault is {until} for {found.subject}")


def _erased(console: Sheet, found: ErasureReport) -> None:
    if found.next == NOTHING:
        line(console, found.next)
        return
    line(console, f"{found.memories} memories {'would be erased' if found.next == SAY_YES else 'erased'}")
    rows: list[tuple[str, object]] = [("lines of the archive", found.archive_lines), *found.rows.items()]
    rows += [("backup", told) for told in found.backups]
    rows += [("write-ahead log", found.log), ("still found in", ", ".join(found.left) or "no file")]
    if found.mentioned_elsewhere:
        rows.append(("memories of others that mention them", found.mentioned_elsewhere))
    rows += [("cannot be read", where) for where in found.unreadable]
    rows += [("stays", told) for told in found.remains]
    rows = [("would go", told) for told in found.would] if found.would else rows
    table(console, ("what", "done"), rows)
    if found.next:
        line(console, f"next: {found.next}")


RENDER_GUARD: dict[type, Render] = {
    guard.GrantList: _grants,
    guard.MadeToken: _made_token,
    guard.PlanInfo: _plan,
    guard.PlanList: rows(
        ("plan", "state", "changes", "since"),
        lambda p: (p.plan, p.state.replace("_", " "), "; ".join(p.changes), when(p.changed_at)),
    ),
    guard.AuditTrail: _audit,
    guard.AuditVerified: _audit_verified,
    guard.AuditAnchor: _audit_anchor,
    guard.Capture: saying(lambda f: "capture is paused" if f.paused else "capture goes on"),
    guard.VaultState: _vault,
    guard.SealedPlace: saying(lambda f: f"{f.place} is {f.seal}"),
    guard.TokenList: rows(
        ("token", "subject", "label", "scope", "until", "holds"),
        lambda t: (t.id, t.subject, t.label, t.scope, when(t.expires_at), "yes" if t.holds else "no"),
    ),
    ErasureReport: _erased,
}
