// Work that goes on: threads with their plans and handoffs, what was attached, what is thought over, who the agent is.
import { act, asked, html, route, short, to, useAsk, words, Answer, Card, Chip, Empty, Page, Table, When } from "../kit/index.js";

const KEY_OF = { agent: "agent_id", user: "user_id" };
// project:harbour/user:anna as the keys of a scope
const keys = (path) => Object.fromEntries(path.split("/").filter(Boolean).map((part) => { const at = part.indexOf(":"); const level = part.slice(0, at); return [KEY_OF[level] || level, decodeURIComponent(part.slice(at + 1))]; }));
const STATE = { open: "", done: "good", cancelled: "bad", unsure: "warn", written: "warn", offered: "warn", consumed: "good", unchanged: "good", changed: "warn", missing: "bad", planned: "warn", applied: "good" };
const State = ({ of }) => html`<${Chip} kind=${STATE[of] || ""}>${words(of)}<//>`;

function Threads() {
  const found = useAsk("thread_list", { limit: 200 }, { follow: true });
  return html`<${Card} title="Threads" wide><${Answer} of=${found}>${({ threads }) => threads.length ? html`<${Table} label="Threads" head=${["thread", "whose", ["sessions"], ["compactions"], "handoff", "changed"]} rows=${threads.map((one) => html`<tr key=${`${one.scope} ${one.thread}`}><td><a href=${to("work", one.thread, { in: one.scope })}>${one.title}</a> ${one.state === "closed" && html`<span class="mute">closed</span>`}</td><td>${one.scope || "everybody's"}</td><td class="n">${one.sessions}</td><td class="n">${one.compactions}</td><td><${State} of=${one.handoff} /></td><td><${When} at=${one.changed_at} /></td></tr>`)} />` : html`<${Empty}>No thread yet. A client's hooks begin one, or palazzo thread open.<//>`}<//><//>`;
}

function Plans({ thread, within }) {
  const found = useAsk("bridge", { thread, ...within }, { follow: true });
  const rows = (list) => list.map((one) => html`<tr><td>${one.text}</td><td><${State} of=${one.state} /> <span class="mute">${one.remark}</span></td><td>${one.spoken || one.moved_by}</td></tr>`);
  return html`<${Card} title="Plans and decisions" wide><${Answer} of=${found}>${(bridge) => html`${bridge.items.length ? html`<${Table} label="Plans" head=${["plan", "stands", "because it was said"]} rows=${rows(bridge.items)} />` : html`<${Empty}>No plan was spoken of.<//>`}${bridge.loose.length > 0 && html`<h3>Ends something that it does not name</h3><ul>${bridge.loose.map((one) => html`<li>${one}</li>`)}</ul>`}
    ${bridge.decisions.length > 0 && html`<h3>Decided</h3><ul>${bridge.decisions.map((one) => html`<li>${one.text}</li>`)}</ul>`}${bridge.rejected.length > 0 && html`<h3>Not taken</h3><ul>${bridge.rejected.map((one) => html`<li>${one.text}</li>`)}</ul>`}`}<//><//>`;
}

function Handoff({ thread, within }) {
  const found = useAsk("handoff_read", { thread, ...within }, { follow: true });
  return html`<${Card} title="Handoff"><${Answer} of=${found}>${(one) => html`<p class="facts"><${State} of=${one.state} /> ${one.reason && html`<span>${words(one.reason)}</span>`} ${one.offered_to && html`<span class="mute">offered to ${one.offered_to}</span>`} ${one.consumed_by && html`<span class="mute">arrived in ${one.consumed_by}</span>`}</p>${one.text && html`<details><summary>What it says</summary><pre tabindex="0">${one.text}</pre></details>`}`}<//><//>`;
}

function Sessions({ thread, within }) {
  const found = useAsk("sessions", { thread, ...within }, { follow: true });
  return html`<${Card} title="Sessions"><${Answer} of=${found}>${({ sessions }) => sessions.length ? html`<ul>${sessions.map((one) => html`<li key=${one.session}>${one.title || one.session} <span class="mute">${words(one.state)} ${one.client}</span></li>`)}</ul>` : html`<${Empty}>None.<//>`}<//><//>`;
}

function Receipts({ thread, within }) {
  const found = useAsk("receipts", { thread, ...within }, { follow: true });
  return html`<${Card} title="Attached" wide><${Answer} of=${found}>${({ receipts }) => receipts.length ? html`<${Table} label="Attached" head=${["file", "source", "what was seen", "when"]} rows=${receipts.map((one) => html`<tr key=${one.receipt}><td>${one.filename} <span class="mute">${one.media_type}</span></td><td><${State} of=${one.state} /> <span class="mute">${short(one.source, 60)}</span></td><td>${one.observation || one.excerpt}</td><td><${When} at=${one.at} /></td></tr>`)} />` : html`<${Empty}>Nothing was attached.<//>`}<//><//>`;
}

function Inquiries({ within }) {
  const found = useAsk("inquiries", { ...within }, { follow: true });
  return html`<${Card} title="Inquiries"><p class="mute">What was unsettled in an exchange and is thought over. Off unless the setting persona names seal.</p><${Answer} of=${found}>${({ inquiries }) => inquiries.length ? html`<ul>${inquiries.map((one) => html`<li key=${one.inquiry}><${Chip}>${words(one.state)}<//> ${words(one.sort)}, ${one.count} times ${one.thread && html`<span class="mute">in ${one.thread}</span>`}${one.passes.map((pass) => html`<div class="mute">${pass}</div>`)}</li>`)}</ul>` : html`<${Empty}>None.<//>`}<//><//>`;
}

function Identity() {
  const found = useAsk("identity_plans", {}, { follow: true });
  const apply = async (one) => { if (await asked({ title: `Change ${one.file}`, effect: [one.reason || "No reason was given.", one.diff], verb: "Apply" })) await act("Applied.", "identity_apply", { plan: one.plan, yes: true }, { undo: ["identity_rollback", { plan: one.plan, yes: true }], then: found.again }); };
  const back = (one) => act("The file says again what it said.", "identity_rollback", { plan: one.plan, yes: true }, { then: found.again });
  return html`<${Card} title="Plans for identity files" wide><${Answer} of=${found}>${({ plans }) => plans.length ? plans.map((one) => html`<div key=${one.plan}><p class="facts"><strong>${one.file}</strong> <${State} of=${one.state} /> <span class="mute">${one.by}</span> <${When} at=${one.changed_at} /> ${one.reason}</p><pre tabindex="0">${one.diff}</pre>
    ${one.state === "planned" && html`<button onClick=${() => apply(one)}>Apply</button>`}${one.state === "applied" && html`<button onClick=${() => back(one)}>Roll back</button>`}</div>`) : html`<${Empty}>No change was proposed.<//>`}<//><//>`;
}

function View() {
  const thread = route.value.rest;
  const within = keys(route.value.query.get("in") || "");
  const about = { thread, within };
  return html`<${Page} title="Work" about="Threads that go on over sessions, and what stands open in them." tools=${thread && html`<a href=${to("work")}>All threads</a>`}><div class="grid">
    ${thread ? html`<${Plans} ...${about} /><${Handoff} ...${about} /><${Sessions} ...${about} /><${Receipts} ...${about} /><${Inquiries} ...${about} />` : html`<${Threads} /><${Inquiries} within=${{}} /><${Identity} />`}</div><//>`;
}
export default { name: "work", title: "Work", group: "Memory", order: 8, View };
