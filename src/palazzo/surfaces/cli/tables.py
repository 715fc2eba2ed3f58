"""What people see of a result on a terminal: tables and a few lines, chosen by the type of the result.

Owns presentation only. Remembered text is printed as text, never read as markup. Invariant: every result of a command
made from the registry has a form here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text

from palazzo.operations.belief import spec as belief
from palazzo.operations.care import spec as care
from palazzo.operations.erase.spec import SAY_YES, ErasureReport
from palazzo.operations.graph import spec as graph
from palazzo.operations.guard import spec as guard
from palazzo.operations.intake import spec as intake
from palazzo.operations.port import spec as port
from palazzo.operations.recall import spec as recall
from palazzo.operations.shared import ChangedMemory, StoredMemory
from palazzo.surfaces.cli import belief_tables as cli_belief_tables
from palazzo.surfaces.cli.shapes import line as _line
from palazzo.surfaces.cli.shapes import table as _table
from palazzo.surfaces.cli.shapes import when as _when


def _accounts(console: Console, accounts: tuple[intake.ShownAccount, ...]) -> None:
    rows = (
        (f"{fate.start}-{fate.end}", fate.outcome, fate.reason, fate.memory or "")
        for account in accounts
        for fate in account.fates
    )
    _table(console, ("span", "what became of it", "why", "memory"), rows)


def _kept(console: Console, kept: intake.Kept) -> None:
    _accounts(console, kept.accounts)
    for part in kept.degraded:
        _line(console, f"missing: {part}")


def _explained(console: Console, explained: intake.Explained) -> None:
    _accounts(console, explained.accounts)


def _recalled(console: Console, recalled: recall.Recalled) -> None:
    rows = (
        (
            f"{hit.score:.2f}", hit.text + (f"\n({hit.caveat})" if hit.caveat else ""), hit.memory.address,
            _when(hit.memory.valid_from), ", ".join(reason.signal for reason in hit.reasons[:4]),
        )
        for hit in recalled
    )  # fmt: skip
    _table(console, ("score", "memory", "address", "since", "because of"), rows)
    _line(
        console, f"{len(recalled)} of {recalled.candidates} candidates in {recalled.latency_ms:.1f} ms, {recalled.mode}"
    )
    for part in recalled.dropped:
        _line(console, f"without {part}")
    if recalled.gist:
        _line(console, recalled.gist)
    if recalled.siblings:
        _table(console, ("also near", "address"), ((other.text, other.address) for other in recalled.siblings))


def _memory(console: Console, memory: StoredMemory) -> None:
    _line(console, memory.text)
    told = {
        "address": memory.address, "id": memory.id, "scope": memory.scope or "global", "state": memory.state,
        "revision": memory.revision, "said by": memory.speaker or memory.author, "since": _when(memory.valid_from),
        "until": _when(memory.valid_to), "written": _when(memory.revised_at), "topics": ", ".join(memory.topics),
        "importance": f"{memory.importance:.2f}", "confidence": f"{memory.confidence:.2f}",
    }  # fmt: skip
    for name, value in told.items():
        if value != "":
            _line(console, f"{name:12} {value}")


def _page(console: Console, page: recall.MemoryPage) -> None:
    _table(
        console, ("memory", "address", "state", "written"),
        ((memory.text, memory.address, memory.state, _when(memory.revised_at)) for memory in page),
    )  # fmt: skip
    more = f"; go on with --cursor {page.next_cursor}" if page.next_cursor else ""
    _line(console, f"{len(page)} of {'many' if page.total is None else page.total}{more}")


def _history(console: Console, history: recall.History) -> None:
    rows = (
        (
            f"{past.revision}{' (now)' if past.current else ''}", past.text, _when(past.valid_from),
            _when(past.made_at), past.author,
        )
        for past in history
    )  # fmt: skip
    _table(console, ("revision", "text", "since", "written", "by"), rows)


def _why(console: Console, why: graph.Why) -> None:
    _line(console, why.text)
    _table(
        console, ("comes from", "when", "by", "how"),
        ((f"{o.kind} {o.label}".strip(), _when(o.at), o.author, o.link) for o in why.origins),
    )  # fmt: skip
    if why.links:
        _table(console, ("link", "from", "to"), ((link.kind, link.source, link.target) for link in why.links))


def _walked(console: Console, walked: graph.Walked) -> None:
    _table(
        console, ("links away", "memory", "address"),
        ((step.depth, step.memory.text, step.memory.address) for step in walked),
    )  # fmt: skip


def _link(console: Console, link: graph.Link) -> None:
    _line(console, f"{link.source} {link.kind.replace('_', ' ')} {link.target}")


def _changed(console: Console, changed: ChangedMemory) -> None:
    words = {"deleted": "forgotten", "active": "restored"}
    _line(console, f"{words.get(changed.state, changed.state)}: {changed.address}")
    if changed.next:
        _line(console, f"next: {changed.next}")


def _suppressed(console: Console, told: recall.Suppressed) -> None:
    _line(console, f"left out where it is asked alike: {told.address}" if told.suppressed else f"nothing: {told.why}")


def _disagreements(console: Console, found: belief.DisagreementList) -> None:
    rows = ((d.newer, d.says, d.older, d.said, _when(d.since)) for d in found)
    _table(console, ("newer", "says", "older", "said", "since"), rows)


def _settled(console: Console, settled: belief.SettledDisagreement) -> None:
    _line(console, f"settled: {settled.settled}")


def _places(console: Console, found: recall.PlaceList) -> None:
    rows = ((p.place, p.memories, "" if p.seal == "open" else p.seal, _when(p.newest_at)) for p in found)
    _table(console, ("place", "memories", "", "newest"), rows)


def _grants(console: Console, found: guard.GrantList) -> None:
    rows = ((g.level, g.place, _when(g.expires_at) or "for good", g.granted_by) for g in found)
    _line(console, found.subject)
    _table(console, ("may", "where", "until", "by"), rows)
    if found.effects:
        _line(console, "what changes")
        _table(console, ("where", "before", "now"), ((e.place, e.before, e.after) for e in found.effects))
    if found.note:
        _line(console, found.note)


def _made_token(console: Console, made: guard.MadeToken) -> None:
    console.print(Text(made.token), soft_wrap=True)
    _line(console, f"keep it now, it is not shown again; its id is {made.info.id}")


def _tokens(console: Console, found: guard.TokenList) -> None:
    rows = ((t.id, t.subject, t.label, t.scope, _when(t.expires_at), "yes" if t.holds else "no") for t in found)
    _table(console, ("token", "subject", "label", "scope", "until", "holds"), rows)


def _plan(console: Console, plan: guard.PlanInfo) -> None:
    for change in plan.changes:
        _line(console, change)
    _line(console, f"{plan.state.replace('_', ' ')}: {plan.plan}")
    if plan.state == "planned":
        _line(console, f"make it so with: palazzo apply {plan.plan} --yes")


def _plans(console: Console, found: guard.PlanList) -> None:
    rows = ((p.plan, p.state.replace("_", " "), "; ".join(p.changes), _when(p.changed_at)) for p in found)
    _table(console, ("plan", "state", "changes", "since"), rows)


def _audit(console: Console, found: guard.AuditTrail) -> None:
    rows = (
        (line.line, _when(line.at), line.subject, line.action, line.decision, line.place, line.capability, line.detail)
        for line in found
    )
    _table(console, ("line", "when", "who", "what", "decision", "where", "capability", "detail"), rows)


def _audit_verified(console: Console, found: guard.AuditVerified) -> None:
    held = f", as {found.anchors} anchors saw it" if found.anchors else ""
    _line(console, f"the audit trail is whole{held}" if found.clean else "\n".join(found.problems))


def _audit_anchor(console: Console, found: guard.AuditAnchor) -> None:
    if found.file:
        _line(console, f"line {found.line} is anchored in {found.file}")
    else:
        console.print(Text(found.anchor), soft_wrap=True)


def _capture(console: Console, found: guard.Capture) -> None:
    _line(console, "capture is paused" if found.paused else "capture goes on")


def _sealed(console: Console, found: guard.SealedPlace) -> None:
    _line(console, f"{found.place} is {found.seal}")


def _vault(console: Console, found: guard.VaultState) -> None:
    until = f"open until {_when(found.open_until)}" if found.open_until else "closed"
    _line(console, f"the vault is {until} for {found.subject}")


def _block(console: Console, block: recall.ContextBlock) -> None:
    _line(console, block.text)
    _line(console, f"{block.tokens} of {block.budget_tokens} tokens, {len(block.hits)} memories, {block.mode}")
    for left_out in (decision for decision in block.decisions if not decision.admitted):
        _line(console, f"left out {left_out.memory}: {', '.join(left_out.reasons)}")
    for part in block.dropped:
        _line(console, f"missing: {part}")


def _reasoned(console: Console, found: recall.Reasoned) -> None:
    _table(console, ("asked", "because"), ((step.question, step.why) for step in found.steps))
    _table(console, ("evidence", "address"), ((hit.text, hit.memory.address) for hit in found.evidence))
    if found.answer:
        _line(console, f"{found.answer} ({found.model})")
    if found.missing:
        _line(console, f"nothing found about: {', '.join(found.missing)}")


def _evolution(console: Console, found: recall.Evolution) -> None:
    rows = ((_when(c.at), c.step, c.text, c.before) for c in found)
    _table(console, ("when", "", "memory", "before"), rows)


def _events(console: Console, found: care.EventList) -> None:
    rows = ((e.seq, _when(e.at), e.kind.replace("_", " "), e.subject, e.memory or "") for e in found)
    _table(console, ("number", "when", "what", "by", "memory"), rows)
    _line(console, f"go on with --after {found.last}")


def _backed_up(console: Console, found: care.BackedUp) -> None:
    beside = f", its key file in {found.key_file}" if found.key_file else ""
    _line(console, f"{found.bytes} bytes in {found.backup}{beside}")


def _exported(console: Console, found: port.Exported) -> None:
    _line(
        console,
        f"{found.format}: {found.memories} memories, {found.revisions} revisions, {found.edges} edges, "
        f"{found.bytes} bytes in {found.to}",
    )


def _imported(console: Console, found: port.Imported) -> None:
    would = "would be " if found.dry_run else ""
    _line(
        console,
        f"{found.format}: {found.entries} entries, {found.new} {would}new, {found.known} known already, "
        f"{found.refused} {would}refused",
    )
    if found.memories:
        _line(console, f"{found.memories} memories, {found.links} links, {found.redacted} entries without a sentence")
    if found.refusals:
        _table(console, ("entry", "why not", "what to do"), ((x.entry, x.reason, x.hint) for x in found.refusals))
    for part in found.degraded:
        _line(console, f"missing: {part}")


def _erased(console: Console, found: ErasureReport) -> None:
    _line(console, f"{found.memories} memories {'would be erased' if found.next == SAY_YES else 'erased'}")
    rows: list[tuple[str, object]] = [("lines of the archive", found.archive_lines), *found.rows.items()]
    rows += [("backup", told) for told in found.backups]
    rows += [("write-ahead log", found.log), ("still found in", ", ".join(found.left) or "no file")]
    if found.mentioned_elsewhere:
        rows.append(("memories of others that mention them", found.mentioned_elsewhere))
    rows += [("cannot be read", where) for where in found.unreadable]
    rows += [("stays", told) for told in found.remains]
    _table(console, ("what", "done"), rows)
    if found.next:
        _line(console, f"next: {found.next}")


RENDER: dict[type, Callable[[Console, Any], None]] = {
    intake.Kept: _kept,
    intake.Explained: _explained,
    recall.Recalled: _recalled,
    StoredMemory: _memory,
    recall.MemoryPage: _page,
    recall.History: _history,
    graph.Why: _why,
    graph.Walked: _walked,
    graph.Link: _link,
    ChangedMemory: _changed,
    recall.Suppressed: _suppressed,
    belief.DisagreementList: _disagreements,
    belief.SettledDisagreement: _settled,
    recall.PlaceList: _places,
    guard.GrantList: _grants,
    guard.MadeToken: _made_token,
    guard.PlanInfo: _plan,
    guard.PlanList: _plans,
    guard.AuditTrail: _audit,
    guard.AuditVerified: _audit_verified,
    guard.AuditAnchor: _audit_anchor,
    guard.Capture: _capture,
    guard.VaultState: _vault,
    guard.SealedPlace: _sealed,
    guard.TokenList: _tokens,
    recall.ContextBlock: _block,
    recall.Reasoned: _reasoned,
    recall.Evolution: _evolution,
    care.EventList: _events,
    care.BackedUp: _backed_up,
    port.Exported: _exported,
    port.Imported: _imported,
    ErasureReport: _erased,
    **cli_belief_tables.RENDER,
}


def render(result: Any) -> None:
    """Prints a result for people."""
    RENDER[type(result)](Console(), result)
