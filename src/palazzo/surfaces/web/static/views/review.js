// What waits for a person, each answered by one click, each answer taken back by another.
import { act, ask, asked, html, sayFault, say, grown, to, useAsk, who, words, Answer, Card, Chip, Empty, Meter, MemoryLine, Page, plural, When } from "../kit/index.js";

function Disagreements({ of: list }) {
  const keep = (one, kept, other) => act("Settled: the other is believed no longer.", "settle", { memory: kept, other }, { undo: ["settle", { memory: kept, other, reopen: true }] });
  const both = (one) => act("Both stay.", "settle", { memory: one.newer, other: one.older, both: true }, { undo: ["settle", { memory: one.newer, other: one.older, reopen: true }] });
  return html`<${Card} title="Cannot both hold" wide tools=${html`<span class="mute">${plural(list.length, "disagreement")}</span>`}>${list.map((one) => html`<article key=${one.newer + one.older} class="pair"><div><h3>Newer</h3><p class="quote"><a href=${to("memory", one.newer)}>${one.says}</a></p><${Source} of=${one.newer} /><button onClick=${() => keep(one, one.newer, one.older)}>This one holds</button></div>
    <div><h3>Older</h3><p class="quote"><a href=${to("memory", one.older)}>${one.said}</a></p><${Source} of=${one.older} /><button onClick=${() => keep(one, one.older, one.newer)}>This one holds</button></div>
    <p class="facts"><span class="mute">since <${When} at=${one.since} /></span><button class="quiet" onClick=${() => both(one)}>Keep both</button></p></article>`)}<//>`;
}
function Source({ of: memory }) {
  const why = useAsk("why", { memory });
  const first = why.data?.origins[0];
  return html`<p class="mute">${first ? html`${words(first.kind)} by ${first.author || "somebody"}, <${When} at=${first.at} />` : "…"}</p>`;
}

// A decision about a claim goes through a plan, whose receipt takes it back.
async function decide(claim, value) {
  try {
    const plan = await ask("plan", { transition: "claim", target: claim.id, value });
    const yes = value !== "accept" || await asked({ title: "Accept this claim", effect: plan.changes, verb: "Accept" });
    if (!yes) return;
    await ask("apply", { plan: plan.plan, yes: true });
    say(`${value === "accept" ? "Accepted" : value === "reject" ? "Rejected" : "Deferred"}.`, { undo: () => act("Taken back.", "rollback", { plan: plan.plan, yes: true }) });
    grown.value += 1;
  } catch (fault) { sayFault(fault); }
}
function Claims({ of: list }) {
  return html`<${Card} title="Claims" wide tools=${html`<span class="mute">${plural(list.length, "claim")}</span>`}><ul class="rows">${list.map((one) => html`<li key=${one.id} class="row"><span class="main">${one.text}</span><span class="facts"><${Chip} kind="kind">${one.kind}<//> ${one.status !== "candidate" && html`<${Chip}>${one.status}<//>`} <span class="mute">${one.author}, <${When} at=${one.proposed_at} /></span>
    ${one.sources.map((source) => html`<${Chip}>${source.kind}: ${source.reference}<//>`)}</span><${Preview} of=${one.id} /><span class="tools"><button onClick=${() => decide(one, "accept")}>Accept</button><button onClick=${() => decide(one, "reject")}>Reject</button>${one.status !== "deferred" && html`<button onClick=${() => decide(one, "defer")}>Later</button>`}</span></li>`)}</ul><//>`;
}
function Preview({ of: claim }) {
  const told = useAsk("preview", { claim });
  return told.data ? html`<p class="mute">Its source: ${words(told.data.source_state)} · ${plural(told.data.recurrence, "time")} stated${told.data.conflicts.length ? ` · against ${plural(told.data.conflicts.length, "memory", "memories")}` : ""} · ${told.data.recommendation}</p>` : null;
}

function StaleOnes({ of: list }) {
  const answer = (one, name, text) => act(text, "resolve", { memory: one.memory.id, answer: name }, { undo: ["resolve", { memory: one.memory.id, answer: "reopen" }] });
  const refresh = async (one) => {
    const text = await asked({ title: "Say what holds now", input: "Text", long: true, value: one.memory.text, verb: "Update", effect: "What it says now stays in its history." });
    if (text && text !== one.memory.text) await act("Updated.", "update", { memory: one.memory.id, text }, { undo: ["revert", { memory: one.memory.id, revision: one.memory.revision }] });
  };
  return html`<${Card} title="May have changed" wide tools=${html`<span class="mute">${plural(list.length, "memory", "memories")}</span>`}><ul class="rows">${list.map((one) => html`<${MemoryLine} key=${one.memory.id} of=${one.memory}><span class="mute">${one.caveat}</span><${Chip} kind="warn">severity ${one.severity.toFixed(2)}<//>
    <span class="tools"><button onClick=${() => refresh(one)}>Refresh</button><button onClick=${() => answer(one, "confirm_stale", "It holds no more.")}>No longer true</button><button onClick=${() => answer(one, "dismiss", "It still holds.")}>Still true</button></span><//>`)}</ul><//>`;
}

function Instructions({ of: list }) {
  return html`<${Card} title="Instructions of others" wide><p class="mute">They act on nobody else until you approve them.</p><ul class="rows">${list.map((one) => html`<${MemoryLine} key=${one.id} of=${one}><span class="mute">by ${one.author}</span>
    <span class="tools"><button onClick=${() => act("Approved: it instructs everybody.", "tag", { memory: one.id, tag: "standing" }, { undo: ["untag", { memory: one.id, tag: "standing" }] })}>Approve</button><button onClick=${() => act("Forgotten.", "forget", { memory: one.id }, { undo: ["restore", { memory: one.id }] })}>Forget</button></span><//>`)}</ul><//>`;
}

function Gaps() {
  const told = useAsk("gaps", {}, { follow: true });
  const list = told.data?.gaps || [];
  const answer = async (one) => { const text = await asked({ title: one.question, input: "What is so", long: true, verb: "Remember" }); if (text) await act("Kept.", "remember", { text }, { undo: (kept) => (kept.memories.length === 1 ? ["forget", { memory: kept.memories[0] }] : null) }); };
  if (!list.length) return null;
  return html`<${Card} title="Not known" wide><ul class="rows">${list.map((one) => html`<li key=${one.id} class="row"><span>${one.question}</span><span class="facts"><${Chip}>${words(one.sort)}<//><button onClick=${() => answer(one)}>Answer</button><button class="quiet" onClick=${() => act("It is not asked again.", "gap_mute", { gap: one.id })}>Never ask</button></span></li>`)}</ul><//>`;
}

function View() {
  const review = useAsk("review", { limit: 50 }, { follow: true });
  return html`<${Page} title="Review" about="What only a person decides. Every answer can be taken back.">${!who.value.operator && html`<div class="note">Only the operator answers; you see what waits.</div>`}<${Answer} of=${review}>${({ disagreements, claims, stale, instructions }) => html`<div class="grid">
    ${disagreements.length > 0 && html`<${Disagreements} of=${disagreements} />`}${claims.length > 0 && html`<${Claims} of=${claims} />`}${stale.length > 0 && html`<${StaleOnes} of=${stale} />`}${instructions.length > 0 && html`<${Instructions} of=${instructions} />`}<${Gaps} />
    ${disagreements.length + claims.length + stale.length + instructions.length === 0 && html`<${Card}><${Empty}>Nothing waits for you.<//><//>`}</div>`}<//><//>`;
}

export default { name: "review", title: "Review", group: "Care", order: 20, View };
