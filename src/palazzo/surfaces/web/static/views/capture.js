// What is captured on this machine: whether it is paused, which adapters are on, what is private, what was seen last.
import { act, asked, html, number, short, useAsk, useState, words, Answer, Card, Chip, Empty, Field, Page, Table, Tile, When } from "../kit/index.js";

const split = (rule) => { const at = rule.indexOf(":"); return { what: rule.slice(0, at), pattern: rule.slice(at + 1) }; };
const take = (name, rule) => act(`${rule} is off the list.`, name, { ...split(rule), remove: true }, { undo: [name, split(rule)] });

function Rules({ title, name, rules, kinds, note }) {
  const [what, setWhat] = useState(kinds[0]);
  const [pattern, setPattern] = useState("");
  const add = (event) => { event.preventDefault(); if (pattern.trim()) act(`${what} ${pattern} is on the list.`, name, { what, pattern }, { undo: [name, { what, pattern, remove: true }], then: () => setPattern("") }); };
  return html`<${Card} title=${title}><p class="mute">${note}</p>
    <form class="ask" onSubmit=${add}><${Field} label="What"><select value=${what} onChange=${(event) => setWhat(event.target.value)}>${kinds.map((one) => html`<option>${one}</option>`)}</select><//><${Field} label="Which"><input value=${pattern} onInput=${(event) => setPattern(event.target.value)} placeholder="a name, a folder, or a pattern with *" /><//><button type="submit">Add</button></form>
    ${rules.length ? html`<ul class="list">${rules.map((rule) => html`<li class="row" key=${rule}><span class="main">${split(rule).what} <code>${split(rule).pattern}</code></span><button onClick=${() => take(name, rule)} aria-label=${`Take ${rule} off the list`}>Remove</button></li>`)}</ul>` : html`<${Empty}>Nothing of your own yet.<//>`}<//>`;
}

const burn = async (name) => {
  const effect = [`Every raw event of ${name} is erased for good, and what of it stands around memories. The memories stay.`];
  if (await asked({ title: `Burn what ${name} saw?`, effect, verb: "Burn" })) await act(`What ${name} saw is burnt.`, "burn", { source: name, yes: true });
};

function Adapters({ adapters }) {
  const rows = adapters.map((one) => html`<tr key=${one.name}><td class="told"><strong>${one.name}</strong><div class="mute">${one.about}</div>${one.why ? html`<div class="warned">Sees nothing here: ${one.why}.</div>` : null}</td><td><${Chip} kind=${!one.on ? "" : one.why ? "warn" : "good"}>${one.on ? "on" : "off"}<//></td><td class="n">${number(one.events)}</td><td><${When} at=${one.last} /></td><td class="acts"><button onClick=${() => act(`${one.name} is ${one.on ? "off" : "on"}.`, one.on ? "capture_disable" : "capture_enable", { adapter: one.name }, { undo: [one.on ? "capture_enable" : "capture_disable", { adapter: one.name }] })}>${one.on ? "Switch off" : "Switch on"}</button> <button class="danger" disabled=${!one.events} onClick=${() => burn(one.name)}>Burn</button></td></tr>`);
  return html`<${Table} label="Adapters" head=${["adapter", "state", ["events"], "last", ""]} rows=${rows} />`;
}

function View() {
  const status = useAsk("capture_status", {}, { follow: true });
  const events = useAsk("raw_events", { limit: 50 }, { follow: true, every: 3000 });
  return html`<${Page} title="Capture" about="What is done on this machine, as far as you let it be seen. What is paused or private is not read at all.">
    <${Answer} of=${status}>${(told) => html`
      <div class="tiles"><${Tile} label="Capture" value=${told.paused ? "paused" : told.adapters.some((one) => one.on) ? "on" : "off"} tone=${told.paused ? "warn" : ""} /><${Tile} label="Raw events are kept" value=${`${number(told.keeps_days)} days`} /><${Tile} label="Captured is" value=${told.only_allowed ? "what is allowed" : "everything"} note=${told.only_allowed ? "and nothing else" : "but what is private"} /></div>
      <${Card} title="Adapters" tools=${html`<button onClick=${() => act(told.paused ? "Capture goes on." : "Capture is paused.", told.paused ? "resume" : "pause", {}, { undo: [told.paused ? "pause" : "resume", {}] })}>${told.paused ? "Resume" : "Pause all"}</button>`}><${Adapters} adapters=${told.adapters} /><//>
      <${Rules} title="Private" name="capture_private" rules=${told.private} kinds=${["app", "path", "command"]} note=${`Beside ${told.private_from_the_start.length} that are private from the start: password managers, keys, banks, health.`} />
      <${Rules} title="Allowed" name="capture_allow" rules=${told.allowed} kinds=${["app", "path"]} note="What alone is captured while the allow-list is on." />
      <p><button onClick=${() => act(told.only_allowed ? "All but what is private is captured." : "Only what is allowed is captured.", "capture_only", { only: !told.only_allowed }, { undo: ["capture_only", { only: told.only_allowed }] })}>${told.only_allowed ? "Capture all but what is private" : "Capture only what is allowed"}</button></p>`}<//>
    <${Card} title="Last events"><${Answer} of=${events}>${(told) => told.events.length ? html`<${Table} label="Last events" head=${["when", "kind", "what", "where", "by"]} rows=${told.events.map((one, at) => html`<tr key=${at}><td><${When} at=${one.at} /></td><td>${words(one.kind)}</td><td><code>${short(one.reference, 120)}</code></td><td>${one.metadata.cwd || one.metadata.repository || one.metadata.app || ""}</td><td>${one.source}</td></tr>`)} />` : html`<${Empty}>Nothing was captured. An adapter that is on tells here what it saw.<//>`}<//><//><//>`;
}
export default { name: "capture", title: "Capture", group: "Palace", order: 34, View };
