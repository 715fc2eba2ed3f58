// One memory: what it says and said, why it is believed, what it hangs together with, and what a person may do to it.
import { act, asked, asOf, html, go, to, useAsk, useState, who, words, Answer, Card, Chip, Diff, Empty, exact, FaultNote, Kind, MemoryLine, Meter, number, Page, PlaceLink, Table, When } from "../kit/index.js";

const deprecatedToo = () => (who.value.operator ? { include_deprecated: true } : {});
const BACKWARDS = { active: "restore" };

function Actions({ of: memory, again }) {
  const id = memory.id;
  const done = (text, name, given, undo) => act(text, name, { memory: id, ...given }, { undo, then: again });
  const edit = async () => {
    const text = await asked({ title: "Say what it holds from now on", input: "Text", long: true, value: memory.text, verb: "Update", effect: "What it says now stays in its history." });
    if (text && text !== memory.text) await done("Updated; the old text is in its history.", "update", { text }, ["revert", { memory: id, revision: memory.revision }]);
  };
  const move = async () => {
    const place = await asked({ title: "Move", input: "To which place", value: memory.place, verb: "Move" });
    if (place && place !== memory.place) await done(`Moved to ${place}.`, "move", { place }, ["move", { memory: id, place: memory.place }]);
  };
  const tag = async () => {
    const name = await asked({ title: "Tag this revision", input: "Tag, such as published", verb: "Tag" });
    if (name) await done(`Tagged ${name}.`, "tag", { tag: name, revision: memory.revision }, ["untag", { memory: id, tag: name }]);
  };
  const pin = () => done(memory.pinned ? "It fades as its kind does." : "Pinned: it never fades.", "keep", { pinned: !memory.pinned }, ["keep", { memory: id, pinned: memory.pinned }]);
  const believe = () => memory.deprecated ? done("Believed again.", "undeprecate", {}, ["deprecate", { memory: id }]) : done("Believed no longer; it is kept.", "deprecate", {}, ["undeprecate", { memory: id }]);
  const forget = () => done("Forgotten; it can be restored until it is purged.", "forget", {}, ["restore", { memory: id }]);
  const burn = async () => {
    const yes = await asked({ title: "Erase for good", danger: true, verb: "Erase", repeat: "erase", effect: ["The memory, its revisions and what stands only behind it are erased down to the bytes in the files.", "Nobody can bring it back."] });
    if (yes && await act("Erased.", "burn", { memories: [id], yes: true })) go("overview");
  };
  return html`<button onClick=${edit}>Edit</button><button onClick=${move}>Move</button><button onClick=${tag}>Tag</button><button onClick=${pin}>${memory.pinned ? "Unpin" : "Pin"}</button>
    <button onClick=${believe}>${memory.deprecated ? "Believe again" : "Believe no longer"}</button><button onClick=${forget}>Forget</button>${who.value.operator && html`<button class="danger" onClick=${burn}>Erase…</button>`}`;
}

function Revisions({ of: id, current, again }) {
  const history = useAsk("history", { memory: id, ...deprecatedToo() }, { follow: true });
  const back = (revision) => act(`Back to revision ${revision}.`, "revert", { memory: id, revision }, { undo: ["revert", { memory: id, revision: current }], then: again });
  return html`<${Card} title="Revisions" wide><${Answer} of=${history}>${(told) => html`<ol class="revisions" reversed>${[...told.revisions].reverse().map((one, n, all) => html`<li key=${one.revision}>
    <span class="facts"><strong>${one.revision}</strong> <span class="mute">${one.author}, <${When} at=${one.made_at} /></span>${one.current ? html` <${Chip} kind="good">holds<//>` : html` <button class="quiet" onClick=${() => back(one.revision)}>Go back to this</button>`}
    ${one.valid_from && html` <span class="mute">true from ${exact(one.valid_from)}</span>`}</span>
    ${all[n + 1] ? html`<${Diff} before=${all[n + 1].text} after=${one.text} />` : html`<p class="diff">${one.text}</p>`}</li>`)}</ol>`}<//><//>`;
}

function Tags({ of: id, again }) {
  const tags = useAsk("tags", { memory: id, ...deprecatedToo() }, { follow: true });
  const remove = (one) => act(`The tag ${one.tag} is taken away.`, "untag", { memory: id, tag: one.tag }, { undo: ["tag", { memory: id, tag: one.tag, revision: one.revision }], then: again });
  return html`<${Card} title="Tags"><${Answer} of=${tags}>${(told) => told.tags.length ? html`<${Table} label="Tags" head=${["tag", ["at"], "history", ""]} rows=${told.tags.map((one) => html`<tr key=${one.tag}><td>${one.tag}</td><td class="n">${one.revision ?? "–"}</td>
    <td>${one.moves.map((move) => html`<div class="mute">revision ${move.revision} from <${When} at=${move.since} />${move.until ? html` until <${When} at=${move.until} />` : ""}</div>`)}</td>
    <td>${one.tag !== "current" && one.revision !== null && html`<button class="quiet" onClick=${() => remove(one)} aria-label=${`Take ${one.tag} away`}>×</button>`}</td></tr>`)} />` : html`<${Empty}>No tags.<//>`}<//><//>`;
}

// Where it comes from, drawn nearest first: each column one step further back.
function Provenance({ of: id }) {
  const why = useAsk("why", { memory: id, ...deprecatedToo() });
  return html`<${Card} title="Why it is believed" wide><${Answer} of=${why}>${(told) => html`<p>${told.text}</p>
    ${told.origins.length > 0 && html`<ol class="chain" aria-label="Where it comes from, nearest first"><li class="here"><strong>this memory</strong></li>${told.origins.map((one) => html`<li key=${one.id}><span class="mute">${words(one.link)}</span>
      <span class="box"><strong>${words(one.kind)}</strong> ${one.label}<span class="mute">${one.author} · <${When} at=${one.at} /></span></span></li>`)}</ol>`}`}<//><//>`;
}

// One end of a link as an operation takes it: a single revision by its address, else the memory.
const end = (id, revision, memories) => (revision ? `${memories.find((one) => one.id === id).address}?r=${revision}` : id);
const told = (metadata) => Object.entries(metadata).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · ");

function Links({ of: memory, again }) {
  const id = memory.id;
  const walk = useAsk("walk", { memory: id, depth: 1, ...deprecatedToo() }, { follow: true });
  const impact = useAsk("impact", { memory: id, ...deprecatedToo() });
  const cut = (link, other) => {
    const ends = { source: end(link.source, link.source_revision, [memory, other]), target: end(link.target, link.target_revision, [memory, other]), kind: link.kind };
    return act("The link is gone.", "unrelate", ends, { undo: ["relate", { ...ends, weight: link.weight, metadata: link.metadata }], then: again });
  };
  const add = async () => {
    const target = await asked({ title: "Link to another memory", input: "Its id, address or name", verb: "Link" });
    if (target) await act("Linked.", "relate", { source: id, target }, { undo: (link) => ["unrelate", { source: link.source, target: link.target, kind: link.kind }], then: again });
  };
  return html`<${Card} title="Links" wide tools=${html`<button onClick=${add}>Add</button><a href=${to("graph", id)}>Graph</a>`}><${Answer} of=${walk}>${(walked) => walked.steps.length ? html`<ul class="rows">${walked.steps.map((step) => html`<${MemoryLine} key=${step.memory.id} of=${step.memory}>
    ${step.link && html` <${Chip} kind=${`edge e-${step.link.kind}`}>${step.link.source === id ? "" : "← "}${words(step.link.kind)} ${step.link.weight.toFixed(1)}<//> <span class="mute">${told(step.link.metadata)}</span> <button class="quiet" aria-label="Cut this link" onClick=${() => cut(step.link, step.memory)}>×</button>`}<//>`)}</ul>` : html`<${Empty}>Linked with nothing.<//>`}<//>
    ${impact.data?.steps.length > 0 && html`<h3>Rests on it</h3><ul class="rows">${impact.data.steps.map((step) => html`<${MemoryLine} key=${step.memory.id} of=${step.memory} />`)}</ul>`}<//>`;
}

function Staleness({ of: id }) {
  const stale = useAsk("staleness", { memory: id });
  return html`<${Card} title="Does it still hold?"><${Answer} of=${stale}>${(told) => html`<${Meter} label="newer words" value=${told.semantic} tone="warn" /><${Meter} label="age" value=${told.temporal} tone="warn" /><${Meter} label="what is done" value=${told.behavioral} tone="warn" />
    <${Meter} label="together" value=${told.severity} tone="bad" /><p>${told.flagged ? html`<${Chip} kind="warn">may have changed<//> ` : ""}${told.caveat}</p>`}<//><//>`;
}

// Trust has four parts; relevance is that of a question in the memory's own words.
function Trust({ of: memory }) {
  const found = useAsk("recall", { cue: memory.text.slice(0, 400), limit: 10, min_relevance: 0 }, { when: !memory.deprecated });
  const hit = found.data?.hits.find((one) => one.memory.id === memory.id);
  return html`<${Card} title="Trust">${hit?.parts ? html`<${Meter} label="relevance" value=${hit.parts.relevance} title="to its own words" /><${Meter} label="accuracy" value=${hit.parts.accuracy} /><${Meter} label="freshness" value=${hit.parts.freshness} /><${Meter} label="utility" value=${hit.parts.utility} />
    <${Meter} label="trust" value=${hit.trust} tone="good" />` : found.busy ? html`<p class="empty">Looking…</p>` : html`<${Meter} label="confidence" value=${memory.confidence} />`}
    <${Meter} label="importance" value=${memory.importance} /><p class="mute">Relevance is of a question in its own words.</p><//>`;
}

const READ = ["people", "organizations", "locations", "technologies", "paths", "urls", "others", "keywords", "events", "prospects", "steps"];
function Read({ of: memory }) {
  const rows = READ.filter((name) => memory[name]?.length);
  return html`<${Card} title="Read from its words"><dl>${rows.map((name) => html`<div><dt>${name}</dt><dd>${memory[name].join(", ")}</dd></div>`)}
    <div><dt>layer</dt><dd>${memory.layer}</dd></div><div><dt>language</dt><dd>${memory.language || "–"}</dd></div><div><dt>mood</dt><dd>${memory.sentiment.toFixed(2)}</dd></div>
    ${memory.dates.length > 0 && html`<div><dt>dates</dt><dd>${memory.dates.map(exact).join(", ")}</dd></div>`}
    ${Object.entries(memory.metadata).map(([name, value]) => html`<div><dt>${name}</dt><dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd></div>`)}</dl><//>`;
}

// What a context has room for: the same memory in fewer and fewer tokens.
function Tiers({ of: memory }) {
  const [tokens, setTokens] = useState(0);
  const found = useAsk("recall", { cue: memory.text.slice(0, 400), limit: 5, budget_tokens: tokens, min_relevance: 0 }, { when: tokens > 0 });
  const hit = found.data?.hits.find((one) => one.memory.id === memory.id);
  return html`<${Card} title="As a budget has room"><label class="field"><span>${tokens ? `${tokens} tokens` : "Move it to see"}</span><input type="range" min="5" max="400" value=${tokens || 200} onInput=${(e) => setTokens(+e.target.value)} /></label>
    ${hit ? html`<p><${Chip}>${words(hit.tier)}<//></p><p class="quote">${hit.text}</p>` : html`<${Empty}>${!tokens ? "" : found.busy ? "Looking…" : found.data?.gist || "Left out."}<//>`}<//>`;
}

function View({ rest: id }) {
  const memory = useAsk("get", { memory: id, ...deprecatedToo() }, { follow: true });
  const found = memory.data, past = Boolean(asOf.value);
  if (memory.fault) return html`<${Page} title="Memory"><${FaultNote} fault=${memory.fault} />${memory.fault.code === "not_found" && html`<p>It may be forgotten. <button onClick=${() => act("Restored.", "restore", { memory: id }, { undo: ["forget", { memory: id }], then: memory.again })}>Restore it</button></p>`}<//>`;
  if (!found) return html`<${Page} title="Memory"><p class="empty">Looking…</p><//>`;
  return html`<${Page} title=${found.title || found.name} tools=${!past && html`<${Actions} of=${found} again=${memory.again} />`}>
    <section class="card wide whole" aria-label="What it says"><p class="text">${found.text}</p><p class="facts"><${Kind} of=${found.kind} /> <${PlaceLink} of=${found.place} /> <${Chip}>revision ${found.revision}<//>
      ${found.pinned && html` <${Chip} title="never fades">pinned<//>`}${found.deprecated && html` <${Chip} kind="bad">no longer believed<//>`}${found.state !== "active" && html` <${Chip} kind="warn">${found.state}<//>`}${found.staleness > 0.5 && html` <${Chip} kind="warn">may have changed<//>`}
      ${found.scope && html` <${Chip}>${found.scope}<//>`} <span class="mute">by ${found.speaker || found.author || "nobody known"}, <${When} at=${found.revised_at} /></span></p>
      <p class="mute"><code>${found.address}</code> <code>${found.id}</code></p></section>
    <div class="grid"><${Revisions} of=${id} current=${found.revision} again=${memory.again} /><${Trust} of=${found} /><${Staleness} of=${id} /><${Tags} of=${id} again=${memory.again} /><${Provenance} of=${id} />
    <${Links} of=${found} again=${memory.again} /><${Read} of=${found} /><${Tiers} of=${found} />
    ${found.artifacts.length > 0 && html`<${Card} title="Files"><${Table} label="Files" head=${["name", ["size"], "state"]} rows=${found.artifacts.map((one) => html`<tr><td title=${one.uri}>${one.name}</td><td class="n">${number(one.size)}</td><td>${one.state}</td></tr>`)} /><//>`}</div><//>`;
}

export default { name: "memory", title: "Memory", group: "Memory", hidden: true, of: "places", past: true, View };
