// A question to the palace, and all that is to be told of the answer: signals, trust, the floor, what was left out.
import { act, html, replace, to, useSearch, useState, words, Answer, Chip, Empty, Field, Kind, Meter, Page, PlaceLink, Table, When, number, plural } from "../kit/index.js";

const FEW = 10;
const MANY = 50;
const TONES = { high: "good", medium: "", low: "warn", minimal: "faint" };

function Why({ of: hit, cue }) {
  const { memory, parts, reasons } = hit;
  const wrong = () => act("Left out of cues like this one for ninety days.", "feedback", { memory: memory.id, cue });
  return html`<div class="explain"><div><h2>Trust</h2><${Meter} label="relevance" value=${hit.relevance} />
      ${parts && html`<${Meter} label="accuracy" value=${parts.accuracy} /><${Meter} label="freshness" value=${parts.freshness} /><${Meter} label="utility" value=${parts.utility} />`}
      <${Meter} label="trust" value=${hit.trust} tone="good" /><p class="mute">${hit.source} · lane ${hit.lane} · score ${hit.score}</p></div>
      <div><h2>Signals</h2>${reasons.length ? html`<${Table} label="Signals" head=${["signal", ["value"], ["weight"], ["rank"]]} rows=${reasons.map((one) => html`<tr><td>${words(one.signal)}</td><td class="n">${one.value.toFixed(2)}</td><td class="n">${one.weight.toFixed(2)}</td><td class="n">${one.rank}</td></tr>`)} />`
        : html`<${Empty}>Not shown at your level.<//>`}</div></div>
    <button class="quiet" onClick=${wrong}>Out of place for this question</button>`;
}

function Hit({ of: hit, cue, first }) {
  const { memory } = hit;
  const [open, setOpen] = useState(first);
  return html`<li class="row hit"><a class="main" href=${to("memory", memory.id)}>${hit.text}</a>
    <span class="facts"><${Chip} kind=${TONES[hit.match]}>${hit.match || "–"}<//> <${Kind} of=${memory.kind} /> <${PlaceLink} of=${memory.place} />
      <span class="mute"><${When} at=${memory.revised_at} /></span>${hit.tier !== "full" && html` <${Chip}>${words(hit.tier)}<//>`}${hit.caveat && html` <${Chip} kind="warn">${hit.caveat}<//>`}</span>
    <details open=${open} onToggle=${(e) => setOpen(e.target.open)}><summary>Why it is here</summary>${open && html`<${Why} of=${hit} cue=${cue} />`}</details></li>`;
}

function Told({ of: found, cue, floor, setFloor, more }) {
  return html`<p class="mute" role="status">${plural(found.hits.length, "memory", "memories")} of ${plural(found.candidates, "candidate")} in ${found.latency_ms.toFixed(1)} ms · ${words(found.mode)}${found.intent ? ` · ${words(found.intent)}` : ""}${found.left_out ? ` · ${number(found.left_out)} left out` : ""}</p>
    ${!found.known && html`<div class="note"><strong>Nothing is relevant enough to be an answer.</strong> ${floor === null ? html`<button onClick=${() => setFloor(0)}>Show what is below the floor</button>` : ""}</div>`}
    ${found.alarm && html`<div class="note warn">${found.alarm}</div>`}
    <ul class="rows" data-of=${cue}>${found.hits.map((hit, n) => html`<${Hit} key=${hit.memory.id} of=${hit} cue=${cue} first=${n === 0} />`)}</ul>
    ${more && found.hits.length >= FEW && html`<button class="quiet" onClick=${more}>Show more</button>`}
    ${(found.replaced.length > 0 || found.dropped.length > 0 || found.damaged?.length > 0) && html`<details open><summary>What was left out, and why</summary><ul>
      ${found.replaced.map((line) => html`<li>${line}</li>`)}${found.dropped.map((line) => html`<li class="mute">${line} did not run</li>`)}${(found.damaged || []).map((line) => html`<li class="bad">${line} is damaged</li>`)}</ul></details>`}`;
}

function View({ query }) {
  const [cue, setCue] = useState(query.get("q") || "");
  const [place, setPlace] = useState(query.get("place") || "");
  const [mode, setMode] = useState("relevance");
  const [floor, setFloor] = useState(null);
  const type = (text) => { setCue(text); setLimit(FEW); replace("recall", "", { q: text, place }); };
  const [limit, setLimit] = useState(FEW);
  const given = { limit, mode, ...(place ? { place } : {}), ...(floor === null ? {} : { min_relevance: floor }) };
  const found = useSearch("recall", cue.trim(), (text) => ({ ...given, cue: text }));
  const wanted = found.asked;
  return html`<${Page} title="Recall" about="What an agent would be given, and why."><div class="ask"><${Field} label="Ask in plain words"><input type="search" autofocus value=${cue} onInput=${(e) => type(e.target.value)} placeholder="when is the launch?" /><//>
    <${Field} label="Place"><input value=${place} placeholder="everywhere" onInput=${(e) => setPlace(e.target.value)} /><//>
    <${Field} label="Rank by"><select value=${mode} onChange=${(e) => setMode(e.target.value)}>${["relevance", "balanced", "recent", "important", "historical", "broad"].map((name) => html`<option>${name}</option>`)}</select><//>
    <${Field} label=${`Floor ${floor === null ? "as set" : floor.toFixed(2)}`}><input type="range" min="0" max="1" step="0.05" value=${floor ?? 0.3} onInput=${(e) => setFloor(+e.target.value)} /><//></div>
    ${wanted ? html`<${Answer} of=${found}>${(told) => html`<${Told} of=${told} cue=${wanted} floor=${floor} setFloor=${setFloor} more=${limit === FEW && (() => setLimit(MANY))} />`}<//>` : html`<${Empty}>Type a question; the answer comes as you type.<//>`}<//>`;
}

export default { name: "recall", title: "Recall", group: "Memory", order: 2, past: true, whole: true, View };
