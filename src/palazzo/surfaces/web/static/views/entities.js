// The people and things that memories speak of; one of them with its relations and its timeline.
import { act, asked, html, number, to, useAsk, useRested, useState, Answer, Card, Chip, Empty, exact, Field, MemoryLine, Meter, Page, Table, When } from "../kit/index.js";

const KINDS = ["", "person", "organization", "location", "technology", "project", "other"];

function All() {
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const found = useAsk("entities", { limit: 200, words: useRested(text.trim()), ...(kind ? { kind } : {}) }, { follow: true });
  return html`<${Page} title="People and things" about="Whom and what memories speak of, most mentioned first."><div class="ask"><${Field} label="Name"><input type="search" value=${text} onInput=${(e) => setText(e.target.value)} /><//>
    <${Field} label="Kind"><select value=${kind} onChange=${(e) => setKind(e.target.value)}>${KINDS.map((name) => html`<option value=${name}>${name || "any"}</option>`)}</select><//></div>
    <${Card}><${Answer} of=${found}>${({ entities }) => entities.length ? html`<${Table} label="People and things" head=${["name", "kind", ["mentions"], "also called", "last seen"]} rows=${entities.map((one) => html`<tr key=${one.id}><td><a href=${to("entities", one.name)}>${one.name}</a></td><td>${one.kind}</td><td class="n">${number(one.mentions)}</td><td class="mute">${one.names.filter((name) => name !== one.name).join(", ")}</td><td><${When} at=${one.last_seen} /></td></tr>`)} />` : html`<${Empty}>None.<//>`}<//><//><//>`;
}

function One({ name }) {
  const found = useAsk("entity", { name, limit: 100 }, { follow: true });
  const join = async () => {
    const other = await asked({ title: `Another name of ${name}`, input: "The other name", verb: "Join", effect: "Both are one from now on; it can be split off again." });
    if (other) await act("Joined.", "merge_entities", { name, other }, { undo: ["split_entity", { name: other }], then: found.again });
  };
  const split = (other) => act(`${other} is somebody or something else.`, "split_entity", { name: other }, { undo: ["merge_entities", { name, other }], then: found.again });
  return html`<${Page} title=${name} about=${html`<a href=${to("entities")}>People and things</a>`} tools=${html`<button onClick=${join}>Join another name</button>`}><${Answer} of=${found}>${({ entity, joined, relations, timeline }) => html`<p class="facts"><${Chip} kind="kind">${entity.kind}<//> ${number(entity.mentions)} mentions · first <${When} at=${entity.first_seen} /> · last <${When} at=${entity.last_seen} /></p>
    <div class="grid"><${Card} title="Relations">${relations.length ? html`<ul class="rows">${relations.map((one) => html`<li class="row"><span>${one.relation.replaceAll("_", " ")} <a href=${to("entities", one.other)}>${one.other}</a></span><${Meter} label=${`${one.count}×`} value=${one.strength} /></li>`)}</ul>` : html`<${Empty}>None known.<//>`}<//>
    ${joined.length > 0 && html`<${Card} title="Joined names"><ul>${joined.map((one) => html`<li>${one.name} <button class="quiet" onClick=${() => split(one.name)}>Split off</button></li>`)}</ul><//>`}
    <${Card} title="What is said of it" wide><ul class="rows">${timeline.map((one) => html`<${MemoryLine} key=${one.memory.id} of=${one.memory}> <span class="mute">about ${exact(one.at)}</span><//>`)}</ul><//></div>`}<//><//>`;
}

const View = ({ rest }) => rest ? html`<${One} name=${rest} />` : html`<${All} />`;
export default { name: "entities", title: "People and things", group: "Memory", order: 6, View };
