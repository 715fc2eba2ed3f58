// What was thought over while nobody asked: each report with its steps, applied, or taken back.
import { act, ask, asked, html, sayFault, short, to, useAsk, useState, words, Answer, Card, Chip, Empty, Page, Table, When } from "../kit/index.js";

const SAID = { missing: "not known", stale: "perhaps out of date", contradiction: "cannot both hold" };

function Text({ of: id }) {
  const found = useAsk("get", { memory: id, include_deprecated: true });
  if (found.fault) return html`<span class="mute">a memory that is not shown here (${String(id).slice(-8)})</span>`;
  const link = html`<a href=${to("memory", id)}>${found.data ? short(found.data.text, 100) : "…"}</a>`;
  return found.data?.deprecated || found.data?.state === "archived" ? html`<del>${link}</del>` : link;
}

// What a step would make is no memory yet: there are no words to show and nowhere to go.
function Named({ of: id, later }) {
  return later.has(id) ? html`<span class="mute">a memory that would be made</span>` : html`<${Text} of=${id} />`;
}

function Report({ of: one, again }) {
  const waits = one.state === "proposed";
  const later = new Set(one.steps.filter((step) => ["planned", "proposed"].includes(step.state)).flatMap((step) => step.made));
  return html`<p class="facts"><${Chip} kind=${waits ? "warn" : one.state === "made" ? "good" : ""}>${words(one.state)}<//> <${When} at=${one.at} /> ${one.probes > 0 && html`<span class="mute">recall before ${one.before.toFixed(2)}, after ${one.after.toFixed(2)} over ${one.probes} cues</span>`}</p>
    ${one.steps.length ? html`<${Table} label="Steps" head=${["pass", "what", "state"]} rows=${one.steps.map((step) => html`<tr><td>${words(step.of)}</td><td><strong>${SAID[step.does] ?? words(step.does)}</strong> <span class="mute">${step.why}</span>${step.memories.map((id) => html`<div>· <${Named} of=${id} later=${later} /></div>`)}${step.made.map((id) => html`<div><ins>+</ins> <${Named} of=${id} later=${later} /></div>`)}</td><td>${words(step.state)} ${step.note}</td></tr>`)} />` : html`<${Empty}>Nothing to do.<//>`}
    <details><summary>In words</summary><pre tabindex="0">${one.markdown}</pre></details>${one.notes.map((note) => html`<p class="mute">${note}</p>`)}
    ${waits && one.id && html`<button onClick=${() => act("Carried out.", "dream_apply", { report: one.id }, { undo: ["undo", { job: "dream" }], then: again })}>Carry it out</button>`}${one.state === "made" && html`<button onClick=${() => act("It is taken back.", "undo", { job: one.id }, { then: again })}>Take it back</button>`}`;
}

function View() {
  const [tried, setTried] = useState(null);
  const dreams = useAsk("dreams", { limit: 20 }, { follow: true });
  const run = async () => { if (await asked({ title: "Dream now", effect: ["What says the same is gathered, links are drawn, questions are kept, as the settings say.", "Recall is checked before and after, and every run can be taken back."], verb: "Dream" })) await act((made) => `Dreamt: ${words(made.state)}.`, "dream", {}, { undo: (made) => (made.state === "made" ? ["undo", { job: "dream" }] : null), then: () => { setTried(null); dreams.again(); } }); };
  return html`<${Page} title="Dreams" about="What is thought over while nobody asks." tools=${html`<button onClick=${() => ask("dream", { dry_run: true }).then(setTried, sayFault)}>Try one</button><button onClick=${run}>Dream now</button>`}><div class="grid">${tried && html`<${Card} title="What it would do" wide><${Report} of=${tried} again=${dreams.again} /><//>`}
    <div class="wide"><${Answer} of=${dreams}>${({ dreams: list }) => list.length ? html`<div class="grid">${list.map((one) => html`<${Card} key=${one.id} title=${`Report ${String(one.id).slice(-8)}`} wide><${Report} of=${one} again=${dreams.again} /><//>`)}</div>` : html`<${Empty}>No dream yet.<//>`}<//></div></div><//>`;
}
export default { name: "dreams", title: "Dreams", group: "Care", order: 24, View };
