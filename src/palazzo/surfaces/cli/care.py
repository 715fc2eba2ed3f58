"""What people see of the care of a palace (its journal, copies, jobs and spaces), of who may do what (grants, tokens,
plans, the audit trail, the vault) and of what was erased.

Owns presentation only.
"""

from __future__ import annotations

import click

from palazzo.operations.care import spec as care
from palazzo.operations.erase.spec import NOTHING, SAY_YES, ErasureReport
from palazzo.operations.guard import spec as guard
from palazzo.operations.port import spec as port
from palazzo.operations.spine import spec as spine
from palazzo.surfaces.cli.sheet import Render, Sheet, line, rows, saying, table, when


def _events(console: Sheet, found: care.EventList) -> None:
    rows = ((e.seq, when(e.at), e.kind.replace("_", " "), e.subject, e.memory or "") for e in found)
    table(console, ("number", "when", "what", "by", "memory"), rows)
    line(console, f"go on with --after {found.last}")


def _backed_up(console: Sheet, found: care.BackedUp) -> None:
    beside = f", its key file in {found.key_file}" if found.key_file else ""
    line(console, f"{found.bytes} bytes in {found.backup}{beside}")


def _going(job: care.ShownJob) -> str:
    if job.state != "running":
        return job.state
    far = f" {job.done} of {job.total}" if job.total else f" {job.done}" if job.done else ""
    return f"{'stopping' if job.cancelled else 'running'}{far}"


def _came(run: care.ShownJob | care.ShownRun) -> str:
    counts = [f"{count} {what}" for what, count in run.counts.items() if count]
    return "; ".join([*counts, *run.notes, *filter(None, [run.error])])


def _idle(run: care.ShownRun) -> str:
    return "nothing was to be done" if run.state in ("done", "tried") else ""


def _runs(console: Sheet, found: tuple[care.ShownRun, ...]) -> None:
    table(console, ("job", "", "what came of it"), ((run.job, run.state, _came(run) or _idle(run)) for run in found))
    moves = [move for run in found for move in run.moves]
    if moves:
        table(console, ("memory", "was", "is"), ((move.address, move.before, move.after) for move in moves))
    if any(run.more for run in found):
        line(console, "there is more to do: run it again")


def _health(console: Sheet, found: care.Health) -> None:
    for word in found.words:
        line(console, word)
    figures = {
        "memories by layer": ", ".join(f"{count} {layer}" for layer, count in found.layers.items()),
        "by state": ", ".join(f"{count} {state}" for state, count in found.states.items()),
        "last recalls": f"{found.recalls}, {found.recall_ms_mean} ms in the mean, {found.recall_ms_p99} ms at worst",
        "waiting": f"{found.missing_vectors} vectors, {found.pending} messages to be understood,"
        f" {found.index_tails_due} index tails, {found.due_to_fade} to fade",
        "memory, log, free disk": f"{found.resident_mb} MB, {found.log_mb} MB, {found.free_gb} GB",
        "last backup": when(found.backed_up_at) or "none",
    }
    table(console, ("what", "now"), figures.items())


def _settings(console: Sheet, found: care.SettingList) -> None:
    table(
        console, ("setting", "value", "from", "what it is for"),
        ((s.name, s.value, "" if s.source == "default" else s.source, s.help) for s in found),
    )  # fmt: skip
    if found.trouble:
        line(console, f"the file of settings is not used: {found.trouble}")


def _exported(console: Sheet, found: port.Exported) -> None:
    line(
        console,
        f"{found.format}: {found.memories} memories, {found.revisions} revisions, {found.edges} edges, "
        f"{found.bytes} bytes in {found.to}",
    )


def _imported(console: Sheet, found: port.Imported) -> None:
    would = "would be " if found.dry_run else ""
    line(
        console,
        f"{found.format}: {found.entries} entries, {found.new} {would}new, {found.known} known already, "
        f"{found.refused} {would}refused",
    )
    if found.memories:
        line(console, f"{found.memories} memories, {found.links} links, {found.redacted} entries without a sentence")
    if found.refusals:
        table(console, ("entry", "why not", "what to do"), ((x.entry, x.reason, x.hint) for x in found.refusals))
    for part in found.degraded:
        line(console, f"missing: {part}")


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


RENDER_CARE: dict[type, Render] = {
    port.Exported: _exported,
    port.Imported: _imported,
    care.EventList: _events,
    care.SpaceList: rows(
        ("space", "model", "state", "vectors", "missing"), lambda s: (s.name, s.model, s.state, s.vectors, s.missing)
    ),
    spine.ShownLease: saying(lambda f: f"{f.state}: {f.id}, {f.objective}"),
    spine.LeaseList: rows(
        ("lease", "state", "who", "what for", "until"),
        lambda one: (one.id, one.state, one.owner, one.objective, when(one.expires_at)),
    ),
    spine.Governed: saying(lambda f: f"{f.mode.replace('_', ' ')}: {'; '.join(f.reasons)}"),
    spine.ShownOutcome: saying(lambda f: f"{f.id}: {f.intent}: {f.effect}"),
    spine.OutcomeList: rows(("when", "by", "meant", "came"), lambda o: (when(o.at), o.by, o.intent, o.effect)),
    spine.ShownMaturation: saying(lambda f: f"{f.state}: {f.id}, {f.what}"),
    spine.MaturationList: rows(
        ("candidate", "lane", "state", "what"), lambda one: (one.id, one.lane, one.state, one.what)
    ),
    care.Health: _health,
    care.SettingList: _settings,
    care.ShownSetting: saying(
        lambda s: f"{s.name} is {s.value or 'empty'} ({s.source}){'' if s.at_once else ', from the next start on'}"
    ),
    care.BackedUp: _backed_up,
    care.JobList: rows(
        ("job", "state", "last run", "next", "what came of it", "for"),
        lambda j: (j.job, _going(j), when(j.ended_at), when(j.due_at), _came(j), j.about),
    ),
    care.RunList: lambda console, found: _runs(console, tuple(found)),
    care.ShownRun: lambda console, found: _runs(console, (found,)),
    care.Cancelled: saying(lambda f: f"{f.job} was asked to stop" if f.asked else f"{f.job} does not run"),
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
