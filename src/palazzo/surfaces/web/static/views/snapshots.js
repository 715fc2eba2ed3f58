// The workspace as it stood: what was open, what differs now, and bringing it back after a dry run.
import { act, ask, asked, html, sayFault, to, useAsk, useState, words, Answer, Card, Chip, Empty, Page, Table, When } from "../kit/index.js";

const KIND = { done: "good", already: "good", failed: "bad", left: "warn", offered: "warn", would: "" };

function Restored({ of: made }) {
  return html`<p class="facts"><${Chip} kind=${made.dry_run ? "warn" : "good"}>${made.dry_run ? "dry run: nothing was done" : "brought back"}<//> <span class="mute">${words(made.mode)}</span></p>
    <${Table} label="Steps" head=${["step", "what", "outcome", "told"]} rows=${made.things.map((one) => html`<tr><td>${words(one.step)}</td><td>${one.what}</td><td><${Chip} kind=${KIND[one.outcome]}>${words(one.outcome)}<//></td><td>${one.told.map((told) => html`<div>${told}</div>`)}</td></tr>`)} />`;
}

function Differences({ of: found }) {
  return found.differences.length ? html`<${Table} label="What differs now" head=${["where", "then", "now"]} rows=${found.differences.map((one) => html`<tr><td>${one.where}</td><td>${one.before}</td><td>${one.after}</td></tr>`)} />` : html`<${Empty}>Nothing differs.<//>`;
}

function Snapshot({ of: one, again }) {
  const [shown, setShown] = useState(null);
  const show = (made) => ask(...made).then((found) => setShown(found), sayFault);
  const restore = async () => {
    const dry = await ask("snapshot_restore", { snapshot: one.id }).catch(sayFault);
    if (!dry) return;
    setShown(dry);
    const waits = dry.things.filter((thing) => thing.outcome === "would").map((thing) => thing.what);
    if (waits.length && await asked({ title: "Bring this workspace back", effect: [...waits, "What is open now stays as it is."], verb: "Bring it back" })) await act("Brought back.", "snapshot_restore", { snapshot: one.id, yes: true }, { then: setShown });
  };
  const drop = async () => { if (await asked({ title: "Erase this snapshot", effect: ["It is gone for good, from the archive too."], verb: "Erase" })) await act("Erased.", "snapshot_drop", { snapshot: one.id }, { then: again }); };
  return html`<p class="facts"><${When} at=${one.captured_at} /> ${one.territory && html`<${Chip}>${one.territory}<//>`} ${one.place && html`<a href=${to("places", one.place)}>${one.place}</a>`} ${one.memory && html`<a href=${to("memory", one.memory)}>its memory</a>`} <span class="mute">${one.bytes} bytes: ${one.parts.join(", ")}</span></p>
    <p>${one.summary || "Nothing was open."}</p>
    <p><button onClick=${restore}>Restore workspace</button> <button onClick=${() => show(["snapshot_diff", { snapshot: one.id }])}>What differs now</button> <button onClick=${() => show(["snapshot_show", { snapshot: one.id }])}>What was open</button> <button onClick=${drop}>Erase</button></p>
    ${shown?.things && html`<${Restored} of=${shown} />`}${shown?.differences && html`<${Differences} of=${shown} />`}${shown?.state && html`<pre tabindex="0">${JSON.stringify(shown.state, null, 2)}</pre>`}`;
}

function View() {
  const found = useAsk("snapshot_list", { limit: 50 }, { follow: true });
  const save = () => act((made) => `Kept: ${made.summary || "nothing is open"}.`, "snapshot_save", {}, { undo: (made) => ["snapshot_drop", { snapshot: made.id }], then: found.again });
  return html`<${Page} title="Snapshots" about="The workspace as it stood: references to files, terminals and pages, never their contents." tools=${html`<button onClick=${save}>Take one now</button>`}>
    <${Answer} of=${found}>${({ snapshots }) => snapshots.length ? html`<div class="grid">${snapshots.map((one) => html`<${Card} key=${one.id} title=${`Snapshot ${one.id.slice(-8)}`} wide><${Snapshot} of=${one} again=${found.again} /><//>`)}</div>` : html`<${Empty}>No snapshot yet. Take one here, or with palazzo snapshot save.<//>`}<//><//>`;
}
export default { name: "snapshots", title: "Snapshots", group: "Memory", order: 7, View };
