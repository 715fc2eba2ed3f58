// How the palace is, in words; what is done while nobody asks; how far a new vector space has come.
import { act, ask, asked, html, number, say, sayFault, useAsk, useState, who, words, Answer, Card, Chip, Empty, Meter, Page, Table, Tile, When } from "../kit/index.js";

const TONE = { good: "good", warning: "warn", bad: "bad" };

const told = (counts) => { const some = Object.entries(counts || {}).filter(([, n]) => n); return some.length ? ` (${some.map(([name, n]) => `${words(name)} ${n}`).join(", ")})` : ""; };

function Jobs() {
  const jobs = useAsk("jobs", {}, { follow: true });
  const run = async (one) => {
    if (await asked({ title: `Run ${one.job}`, effect: one.about, verb: "Run" })) await act((made) => `${one.job}: ${made.runs.map((run) => run.state + told(run.counts)).join(", ")}`, "run", { job: one.job }, { undo: one.undo ? ["undo", { job: one.job }] : null, then: jobs.again });
  };
  const attempt = (one) => act((made) => `A try of ${one.job}: ${made.runs.map((run) => `${run.moves.length} would move${told(run.counts)}`).join(", ")}; nothing was written.`, "run", { job: one.job, dry_run: true });
  return html`<${Card} title="Jobs" wide><${Answer} of=${jobs}>${(list) => html`<${Table} label="Jobs" head=${["job", "state", "last", "next", "came of it", "do"]} rows=${list.jobs.map((one) => html`<tr key=${one.job}><td><strong>${one.job}</strong><div class="mute">${one.about}</div></td>
    <td><${Chip} kind=${one.error ? "bad" : one.state === "running" ? "warn" : ""}>${one.state}<//>${one.total > 0 && one.state === "running" && html`<${Meter} label=${one.step} value=${one.done / one.total} />`}</td><td><${When} at=${one.ended_at} /></td><td>${one.due_at ? html`<${When} at=${one.due_at} />` : "–"}</td>
    <td>${told(one.counts).replace(/^ \(|\)$/g, "")}${one.notes.map((note) => html`<div class="mute">${note}</div>`)}${one.error && html`<div class="bad">${one.error}</div>`}</td>
    <td><div class="tools">${one.state === "running" ? html`<button onClick=${() => act("Asked to stop.", "cancel", { job: one.job })}>Stop</button>` : html`${one.dry_run && html`<button class="quiet" onClick=${() => attempt(one)}>Try</button>`}${who.value.operator && html`<button class="quiet" onClick=${() => run(one)}>Run</button>`}`}${one.undo && who.value.operator && html`<button class="quiet" onClick=${() => act("The last run is taken back.", "undo", { job: one.job })}>Undo</button>`}</div></td></tr>`)} />`}<//><//>`;
}

function Spaces() {
  const spaces = useAsk("spaces", {}, { follow: true });
  return html`<${Card} title="Vector spaces"><${Answer} of=${spaces}>${(found) => html`${found.trouble && html`<p class="bad">${found.trouble}</p>`}${found.spaces.length ? html`<ul class="rows">${found.spaces.map((one) => html`<li class="row"><span><strong>${one.name}</strong> <${Chip} kind=${one.state === "active" ? "good" : one.state === "filling" ? "warn" : ""}>${one.state}<//></span><span class="mute">${one.model}, ${one.dimensions} dimensions</span>
    <${Meter} label="filled" value=${one.vectors + one.missing ? one.vectors / (one.vectors + one.missing) : 1} />${one.missing > 0 && html`<span class="mute">${number(one.missing)} to go</span>`}</li>`)}</ul>` : html`<${Empty}>Search goes by words alone.<//>`}`}<//><//>`;
}

function Doctor() {
  const [found, setFound] = useState(null);
  const look = () => ask("doctor").then(setFound, sayFault);
  const verify = () => ask("verify").then((told) => say(told.clean ? "Everything agrees with everything." : told.problems.join("; ") || "Something does not agree."), sayFault);
  return html`<${Card} title="Doctor" tools=${html`<button onClick=${look}>Look</button><button onClick=${verify}>Verify</button>`}>${found ? html`<ul class="rows">${found.findings.map((one) => html`<li class="row"><span><${Chip} kind=${TONE[one.level]}>${one.level}<//> ${words(one.check)}</span><span class="mute">${one.detail}</span>${one.advice && html`<span>${one.advice}</span>`}</li>`)}</ul>` : html`<${Empty}>Looks at the whole palace and says what to do.<//>`}<//>`;
}

function View() {
  const health = useAsk("health", {}, { follow: true });
  const status = useAsk("status", {}, { follow: true });
  return html`<${Page} title="Jobs and health"><${Answer} of=${health}>${(told) => html`<div class="tiles"><${Tile} label="Health" value=${told.level} tone=${TONE[told.level]} /><${Tile} label="Recall, mean" value=${told.recalls ? `${told.recall_ms_mean} ms` : "–"} note=${told.recalls ? `slowest of a hundred ${told.recall_ms_p99} ms` : ""} />
    <${Tile} label="Memory of the process" value=${`${number(told.resident_mb)} MB`} /><${Tile} label="Disk left" value=${`${number(told.free_gb)} GB`} /><${Tile} label="Last backup" value=${html`<${When} at=${told.backed_up_at} />`} /></div>
    ${told.words?.length > 0 && html`<div class="note warn"><ul>${told.words.map((line) => html`<li>${line}</li>`)}</ul></div>`}`}<//>
    <div class="grid"><${Jobs} /><${Card} title="How much there is"><${Answer} of=${status}>${(told) => html`<dl>${["memories", "revisions", "places", "edges", "entities", "events"].map((name) => html`<div><dt>${name}</dt><dd>${number(told[name])}</dd></div>`)}<div><dt>file</dt><dd>${number(Math.round(told.bytes / 1024))} KB</dd></div></dl>`}<//><//><${Spaces} /><${Doctor} /></div><//>`;
}

export default { name: "health", title: "Jobs and health", group: "Care", order: 25, View };
