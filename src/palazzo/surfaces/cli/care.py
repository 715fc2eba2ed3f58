"""What people see of the care of a palace (its journal, copies, jobs and spaces) and of who may act.

Owns presentation only.
"""

from __future__ import annotations

from palazzo.operations.care import spec as care
from palazzo.operations.port import spec as port
from palazzo.operations.spine import spec as spine
from palazzo.surfaces.cli.shapes import Render, line, rows, saying, table, when
from palazzo.surfaces.cli.sheet import Sheet


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
}
