"""What people see of a result on a terminal: tables and a few lines, chosen by the type of the result.

Owns presentation only: the wording around figures. Invariant: every result of a command made from the registry has a
form, its own or the plain one.
"""

from __future__ import annotations

from typing import Any

from palazzo.operations.belief import spec as belief
from palazzo.operations.claims import spec as claims
from palazzo.operations.graph import spec as graph
from palazzo.operations.intake import spec as intake
from palazzo.operations.mind import spec as mind
from palazzo.operations.palace import spec as palace
from palazzo.operations.recall import spec as recall
from palazzo.operations.shared import ChangedMemory, StoredMemory
from palazzo.surfaces.cli.care import RENDER_CARE
from palazzo.surfaces.cli.kept import ToldKept, kept, told
from palazzo.surfaces.cli.sheet import Render, Sheet, line, plain, rows, saying, sheet, short, table, when
from palazzo.surfaces.cli.work import RENDER_WORK


def _belief_changed(console: Sheet, found: belief.BeliefChange) -> None:
    for word, said in (("believed", found.added), ("given up", found.dropped), ("believed again", found.reinstated)):
        for one in said:
            line(console, f"{word:15} {one}")
    if not (found.added or found.dropped or found.reinstated):
        line(console, "moved back" if found.touched else "nothing had to change")


def _believed(console: Sheet, found: belief.Believed) -> None:
    table(console, ("believed", "memory"), ((one.says, one.memory) for one in found))
    line(console, f"{len(found)} of {found.total}, {when(found.at)}")


def _way(link: graph.Link) -> str:
    """A link in words, with its revisions where it is theirs alone, and what was told of it."""
    ends = (("from", link.source_revision), ("to", link.target_revision))
    told = [f"{end} revision {number}" for end, number in ends if number]
    told += [f"{name}: {value}" for name, value in link.metadata.items()]
    return link.kind.replace("_", " ") + (f" ({', '.join(told)})" if told else "")


def _candidates(console: Sheet, found: claims.CandidateField) -> None:
    for name, seen in (("recurring", found.recurring), ("conflicting", found.conflicting), ("ready", found.ready),
                       ("decayed", found.decayed)):  # fmt: skip
        table(console, (name, "claim", "source"), ((one.claim.text, one.claim.id, one.source_state) for one in seen))
    line(console, f"{found.candidates} candidates, mode {found.mode}")


def _overview(console: Sheet, found: palace.Overview) -> None:
    line(
        console, f"{found.memories} memories, {found.last_7_days} of the last 7 days, {found.visits} visits in 48 hours"
    )
    for name, counted in (("place", found.places), ("kind", found.kinds), ("tag", found.tags), ("topic", found.topics)):
        table(console, (name, "memories"), ((one.name or "(root)", one.count) for one in counted))
    table(console, ("newest", "address"), ((one.text, one.address) for one in found.newest))
    if found.summary:
        line(console, found.summary)
    if found.parts:
        heads = ("part", "memories", "about", "depth", "freshness", "sure", "questions")
        figures = (("" if one.level != 2 else f"{one.depth:.2f}", one) for one in found.parts)
        table(console, heads, ((one.node, one.memories, one.label, depth, f"{one.freshness:.2f}" if depth else "",
              f"{one.confidence:.2f}" if depth else "", one.gaps or "") for depth, one in figures))  # fmt: skip


def _activity(console: Sheet, found: palace.Activity) -> None:
    table(console, ("day", "memories", "where"),
          ((one.day, one.memories, ", ".join(f"{p.name or '(root)'} {p.count}" for p in one.places))
           for one in found))  # fmt: skip
    line(console, f"{found.total} in {len(found)} days ({found.zone})")


def _holding(console: Sheet, found: belief.Holding) -> None:
    line(console, "it holds" if found.holds else "its denial holds" if found.denied else "neither is held")
    if found.grounds:
        table(console, ("it follows from", "memory"), ((one.says, one.memory) for one in found.grounds))


def _walked(console: Sheet, found: graph.Walked) -> None:
    if not len(found):
        line(console, "nothing is linked with it this way")
        return
    heads = ("links away", "by", "memory", "address")
    steps = ((s.depth, _way(s.link) if s.link else "", s.memory.text, s.memory.address) for s in found)
    table(console, heads, steps)


def _pathway(console: Sheet, found: graph.Pathway) -> None:
    ways = ("", *(_way(one) for one in found.links))
    if not len(found):
        line(console, "no chain of links connects them")
        return
    table(console, ("by", "memory", "address"),
          ((way, one.text, one.address) for way, one in zip(ways, found, strict=False)))  # fmt: skip


def _stale(console: Sheet, found: belief.Stale) -> None:
    line(console, found.caveat or "it still holds, as far as can be seen")
    axes = (("semantic", found.semantic), ("temporal", found.temporal), ("behavioral", found.behavioral))
    table(console, ("axis", "figure"), ((name, f"{figure:.2f}") for name, figure in axes))
    flagged = ", so it is flagged" if found.flagged else ""
    line(console, f"together {found.severity:.2f}{flagged}; confidence {found.confidence:.2f}")


def _claim(console: Sheet, found: claims.ShownClaim) -> None:
    line(console, f"{found.status}: {found.text}")
    line(console, f"{'id':12} {found.id}")
    for source in found.sources:
        line(console, f"{source.kind:12} {source.reference}")


def _claims(console: Sheet, found: claims.ClaimList) -> None:
    table(console, ("claim", "says", "status", "by"), ((c.id, c.text, c.status, c.author) for c in found))
    line(console, f"mode {found.mode}")


def _preview(console: Sheet, found: claims.ClaimPreview) -> None:
    _claim(console, found.claim)
    table(console, ("source", "now"), ((one.reference, one.state) for one in found.sources))
    line(
        console,
        f"state {found.source_state}; {found.recurrence} references of {found.diversity} sorts;"
        f" {found.age_days:.0f} days old; {len(found.conflicts)} conflicts; recommended: {found.recommendation}",
    )
    if found.receipts:
        table(console, ("decided", "when", "by"), ((one.status, when(one.at), one.by) for one in found.receipts))


def _reviewed(console: Sheet, found: belief.Reviewed) -> None:
    table(console, ("may have changed", "why", "memory"),
          ((one.memory.text, one.caveat, one.memory.id) for one in found.stale))  # fmt: skip
    table(console, ("newer", "says", "older", "said"),
          ((d.newer, d.says, d.older, d.said) for d in found.disagreements))  # fmt: skip
    table(console, ("claim", "says"), ((one.id, one.text) for one in found.claims))
    table(console, ("instruction", "says", "told by"), ((one.id, one.text, one.author) for one in found.instructions))
    if found.instructions:
        line(console, "an instruction of another holds for everybody once you tag it: palazzo tag ID standing")
    if found.due:
        line(console, "a review is due: resolve, settle and decide answer it")


def _audited(console: Sheet, found: belief.Audited) -> None:
    left = "; more is left" if found.more else ""
    line(
        console,
        "another process is at it" if found.busy else f"{found.audited} looked at, {found.flagged} flagged{left}",
    )


def _product(console: Sheet, found: graph.ShownProduct) -> None:
    line(console, f"{found.memory.address}, revision {found.memory.revision}: {found.memory.text}")
    table(console, ("file", "where", "state"), ((one.name, one.uri, one.state) for one in found.files))


def _entity(console: Sheet, found: graph.EntityProfile) -> None:
    known = found.entity
    line(
        console,
        f"{known.name}, {known.kind}: {known.mentions} memories, {when(known.first_seen)} to {when(known.last_seen)}",
    )
    if len(known.names) > 1:
        line(console, f"also {', '.join(name for name in known.names if name != known.name)}")
    if found.relations:
        table(console, ("is", "to", "strength", "stated"),
              ((r.relation, r.other, f"{r.strength:.2f}", r.count) for r in found.relations))  # fmt: skip
    table(console, ("when", "memory", "address"),
          ((when(one.at), one.memory.text, one.memory.address) for one in found.timeline))  # fmt: skip
    for part in found.joined:
        line(console, f"joined with {part.name}; `palazzo split-entity` tells them apart")


RENDER_BELIEF: dict[type, Render] = {
    belief.BeliefChange: _belief_changed,
    belief.Believed: _believed,
    graph.Pathway: _pathway,
    belief.Stale: _stale,
    claims.ShownClaim: _claim,
    claims.ClaimList: _claims,
    claims.ClaimPreview: _preview,
    claims.ModeSet: saying(lambda f: f"mode {f.mode}"),
    belief.Reviewed: _reviewed,
    belief.Audited: _audited,
    belief.Resolved: saying(lambda f: f"{f.answer.replace('_', ' ')}: {f.memory}, confidence {f.confidence:.2f}"),
    belief.Trusted: saying(
        lambda f: f"trust {f.trust:.2f}{'; confirm before relying on it' if f.confirm_first else ''}"
    ),
    intake.Signalled: saying(lambda f: f"{f.counts} counts added"),
    graph.ShownProduct: _product,
    graph.EntityProfile: _entity,
    mind.InMind: rows(
        ("in mind", "by", "present", "memory"), lambda m: (m.text, m.source, f"{m.activation:.2f}", m.memory or "")
    ),
    mind.LetGo: saying(lambda f: f"{f.slots} let go"),
    mind.Anticipation: saying(lambda f: f"{f.memories} memories at hand until {when(f.until)}"),
    mind.ModelList: rows(
        ("model", "context", "output", "depth"),
        lambda m: (m.prefix or "any other", m.context_tokens, m.output_tokens, m.depth),
    ),
    graph.EntityList: rows(
        ("name", "kind", "memories", "first", "last"),
        lambda e: (e.name, e.kind, e.mentions, when(e.first_seen), when(e.last_seen)),
    ),
}


def _accounts(console: Sheet, accounts: tuple[intake.ShownAccount, ...]) -> None:
    rows = (
        (f"{fate.start}-{fate.end}", fate.outcome, fate.reason, fate.memory or "")
        for account in accounts
        for fate in account.fates
    )
    table(console, ("span", "what became of it", "why", "memory"), rows)


def _explained(console: Sheet, explained: intake.Explained) -> None:
    _accounts(console, explained.accounts)


def _recalled(console: Sheet, recalled: recall.Recalled) -> None:
    near = [hit for hit in recalled if hit.match != "minimal"] or list(recalled)
    rows = [
        (
            short(hit.memory.id), hit.text + (f"\n({hit.caveat})" if hit.caveat else ""), hit.memory.place,
            when(hit.memory.valid_from), f"{hit.relevance:.2f} {hit.match}",
            ", ".join(reason.signal.replace("_", " ") for reason in hit.reasons[:2]),
        )
        for hit in near
    ]  # fmt: skip
    if rows:
        table(console, ("id", "memory", "place", "since", "relevance", "because of"), rows)
    else:
        line(console, "Nothing is known about that.")
    if recalled.hint:
        line(console, recalled.hint)
    if rows and all(hit.match == "minimal" for hit in recalled):
        line(console, "None of these is relevant enough to answer with.")
    far = f", {len(recalled) - len(rows)} far off (--json shows them)" if len(recalled) > len(rows) else ""
    found = f"{len(rows)} of {recalled.candidates} candidates{far} in {recalled.latency_ms:.1f} ms"
    line(console, found if recalled.mode == "full" else f"{found}, {recalled.mode}")
    for part in recalled.dropped:
        line(console, f"without {part}")
    if recalled.gist:
        line(console, recalled.gist)
    if recalled.siblings:
        table(console, ("also near", "address"), ((other.text, other.address) for other in recalled.siblings))


def _state(memory: StoredMemory) -> str:
    return f"{memory.state}, believed no longer" if memory.deprecated else memory.state


def _memory(console: Sheet, memory: StoredMemory) -> None:
    line(console, memory.text)
    told = {
        "address": memory.address, "id": memory.id, "scope": memory.scope or "global", "state": _state(memory),
        "revision": memory.revision, "said by": memory.speaker or memory.author, "since": when(memory.valid_from),
        "until": when(memory.valid_to), "written": when(memory.revised_at), "topics": ", ".join(memory.topics),
        "importance": f"{memory.importance:.2f}", "confidence": f"{memory.confidence:.2f}",
    }  # fmt: skip
    for name, value in told.items():
        if value != "":
            line(console, f"{name:12} {value}")


def _whole(console: Sheet, memory: recall.WholeMemory) -> None:
    _memory(console, memory)
    found = {
        "people": memory.people, "at": memory.organizations, "where": memory.locations, "with": memory.technologies,
        "paths": memory.paths, "urls": memory.urls, "also names": memory.others, "dates": map(when, memory.dates),
        "led to": memory.events, "matters for": memory.prospects,
    }  # fmt: skip
    if memory.artifacts:
        table(console, ("file", "where", "state"), ((one.name, one.uri, one.state) for one in memory.artifacts))
    for name, values in found.items():
        if told := "; ".join(values):
            line(console, f"{name:12} {told}")
    if memory.sentiment:
        line(console, f"{'sentiment':12} {memory.sentiment:+.2f}")


def _page(console: Sheet, page: recall.MemoryPage) -> None:
    if not len(page):
        line(console, "none")
        return
    table(
        console, ("id", "memory", "place", "kind", "state", "written"),
        (
            (short(memory.id), memory.text, memory.place, memory.kind, _state(memory), when(memory.revised_at))
            for memory in page
        ),
    )  # fmt: skip
    more = f"; go on with --cursor {page.next_cursor}" if page.next_cursor else ""
    line(console, f"{len(page)} of {'many' if page.total is None else page.total}{more}")


def _history(console: Sheet, history: recall.History) -> None:
    rows = (
        (
            f"{past.revision}{' (now)' if past.current else ''}", past.text, when(past.valid_from),
            when(past.made_at), past.author,
        )
        for past in history
    )  # fmt: skip
    table(console, ("revision", "text", "since", "written", "by"), rows)


def _why(console: Sheet, why: graph.Why) -> None:
    line(console, why.text)
    table(
        console, ("comes from", "when", "by", "how"),
        ((f"{o.kind} {o.label}".strip(), when(o.at), o.author, o.link) for o in why.origins),
    )  # fmt: skip
    if why.links:
        table(console, ("link", "from", "to"), ((_way(link), link.source, link.target) for link in why.links))


def _changed(console: Sheet, changed: ChangedMemory) -> None:
    line(console, f"{changed.done}: {changed.address}")
    if changed.next:
        line(console, f"next: {changed.next}")


def _suppressed(console: Sheet, told: recall.Suppressed) -> None:
    line(console, f"left out where it is asked alike: {told.address}" if told.suppressed else f"nothing: {told.why}")


def _block(console: Sheet, block: recall.ContextBlock) -> None:
    line(console, block.text)
    line(console, f"{block.tokens} of {block.budget_tokens} tokens, {len(block.hits)} memories, {block.mode}")
    for left_out in (decision for decision in block.decisions if not decision.admitted):
        line(console, f"left out {left_out.memory}: {', '.join(left_out.reasons)}")
    for part in block.dropped:
        line(console, f"missing: {part}")


def _reasoned(console: Sheet, found: recall.Reasoned) -> None:
    table(console, ("asked", "because"), ((step.question, step.why) for step in found.steps))
    table(console, ("evidence", "address"), ((hit.text, hit.memory.address) for hit in found.evidence))
    if found.answer:
        line(console, f"{found.answer} ({found.model})")
    if found.missing:
        line(console, f"nothing found about: {', '.join(found.missing)}")


RENDER: dict[type, Render] = {
    intake.Kept: kept,
    intake.Explained: _explained,
    recall.Recalled: _recalled,
    recall.WholeMemory: _whole,
    recall.MemoryPage: _page,
    recall.History: _history,
    graph.Why: _why,
    graph.Walked: _walked,
    belief.Holding: _holding,
    claims.DrawnClaims: rows(("claim", "says", "status"), lambda one: (one.id, one.text, one.status)),
    claims.CandidateField: _candidates,
    palace.Overview: _overview,
    palace.ScopeList: rows(("scope", "memories"), lambda one: (one.name or "everybody's", one.count)),
    palace.Layout: saying(lambda f: f"{len(f.ids)} memories in {len(f.places)} places, {len(f.links)} links"),
    mind.SeenContexts: rows(("at", "subject", "message"), lambda one: (one.at, one.subject, one.message)),
    palace.Activity: _activity,
    palace.FactList: rows(
        ("about", "attribute", "value", "memory"),
        lambda fact: (fact.about, fact.attribute, f"not {fact.value}" if fact.denied else fact.value, fact.memory),
    ),
    palace.Visits: rows(
        ("when", "by", "place", "memory"), lambda one: (when(one.at), one.subject, one.place, one.text or one.address)
    ),
    graph.ShownOrigin: saying(lambda f: f"{f.id}: {f.kind.replace('_', ' ')} {f.label}, {when(f.at)}"),
    graph.Bundled: rows(
        ("memory", "address", "since"), lambda one: (one.memory.text, one.memory.address, when(one.since))
    ),
    intake.TagList: rows(
        ("tag", "memories", "revision", "since", "before"),
        lambda tag: (
            tag.tag,
            tag.memories,
            tag.revision or "",
            when(tag.since),
            ", ".join(f"{one.revision} until {when(one.until)}" for one in tag.moves if one.until),
        ),
    ),
    graph.Link: saying(lambda f: f"{f.source} {_way(f)} {f.target}"),
    graph.Unlinked: saying(lambda f: f"no longer: {f.source} {_way(f)} {f.target}"),
    ChangedMemory: _changed,
    intake.Keeping: saying(lambda f: f"{f.address} is {'pinned, ' if f.pinned else ''}{f.durability}"),
    intake.KindList: rows(
        ("kind", "layer", "days", "fades", "when two disagree", "", "why"),
        lambda k: (k.kind, k.layer, f"{k.stability_days:g}", k.durability, k.conflict, "own" if k.own else "", k.why),
    ),
    intake.ShownKind: saying(lambda f: f"{f.kind} is a kind of memory: {f.layer}, {f.durability}"),
    recall.Suppressed: _suppressed,
    belief.DisagreementList: rows(
        ("newer", "says", "older", "said", "since"), lambda d: (d.newer, d.says, d.older, d.said, when(d.since))
    ),
    belief.SettledDisagreement: saying(lambda f: f"settled: {f.settled}"),
    recall.PlaceList: rows(
        ("place", "memories", "below it", "", "newest"),
        lambda p: (p.place, p.memories, p.below or "", "" if p.seal == "open" else p.seal, when(p.newest_at)),
    ),
    recall.ContextBlock: _block,
    recall.Reasoned: _reasoned,
    recall.Evolution: rows(("when", "", "memory", "before"), lambda c: (when(c.at), c.step, c.text, c.before)),
    **RENDER_BELIEF,
    **RENDER_CARE,
    **RENDER_WORK,
}


def render(result: Any) -> None:
    """Prints a result for people."""
    (told if isinstance(result, ToldKept) else RENDER.get(type(result), plain))(sheet(), result)
