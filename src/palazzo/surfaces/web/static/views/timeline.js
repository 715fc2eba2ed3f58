// What came of time: how knowledge of a topic changed, where somebody went, and the journal as it grows.
import { html, replace, short, to, useAsk, useRested, useState, who, words, Answer, Card, Chip, Diff, Empty, exact, Field, Page, PlaceLink, When } from "../kit/index.js";

function Changed({ topic }) {
  const told = useAsk("evolution", { topic }, { when: Boolean(topic) });
  if (!topic) return html`<${Empty}>Name a topic to see how what is known of it changed.<//>`;
  return html`<${Answer} of=${told}>${(found) => found.changes.length ? html`<ol class="line">${found.changes.map((one) => html`<li key=${`${one.memory}-${one.revision}`} class=${one.step}><span class="facts"><time dateTime=${one.at}>${exact(one.at)}</time> <${Chip} kind=${one.step === "corrected" ? "warn" : ""}>${one.step}<//></span>
    ${one.before ? html`<${Diff} before=${one.before} after=${one.text} />` : html`<p class="diff">${one.text}</p>`}<a href=${to("memory", one.memory)}>revision ${one.revision}</a></li>`)}</ol>` : html`<${Empty}>Nothing is known of it.<//>`}<//>`;
}

// Visits by day and by who went: the longest trails of the palace, newest first.
function Trail() {
  const [hours, setHours] = useState(48);
  const [subject, setSubject] = useState("");
  const told = useAsk("trail", { hours, limit: 300, subject }, { follow: true });
  return html`<${Card} title="Trails" wide tools=${html`${who.value.operator && html`<input aria-label="Only this subject" placeholder="anybody" value=${subject} onChange=${(e) => setSubject(e.target.value)} />`}<select aria-label="How far back" value=${hours} onChange=${(e) => setHours(+e.target.value)}><option value="1">one hour</option><option value="48">two days</option><option value="336">two weeks</option></select>`}>
    <${Answer} of=${told}>${({ visits }) => visits.length ? html`<ol class="line">${visits.map((one, n) => html`<li key=${n}><span class="facts"><${When} at=${one.at} /> <${Chip}>${one.subject || "somebody"}<//> <${PlaceLink} of=${one.place} /></span>${one.memory && html`<a class="diff" href=${to("memory", one.memory)}>${short((one.text || one.address).replace(/\s+/g, " "), 140)}</a>`}</li>`)}</ol>` : html`<${Empty}>Nobody went anywhere.<//>`}<//><//>`;
}

function Journal() {
  const end = useAsk("events", { after: "now" }, { follow: true });
  const operator = who.value.operator;
  const after = operator && end.data ? String(Math.max(0, Number(end.data.last) - 60)) : "0";
  const told = useAsk("events", { after, limit: 60 }, { when: operator && Boolean(end.data) });
  const newest = useAsk("list", { limit: 100 }, { when: operator });
  const called = (id) => short((newest.data?.memories.find((one) => one.id === id)?.text || "the memory").replace(/\s+/g, " "), 90);
  if (!operator) return null;
  return html`<${Card} title="Journal" wide><${Answer} of=${told}>${(found) => html`<ol class="line small" tabindex="0" aria-label="The newest events">${[...found.events].reverse().map((one) => html`<li key=${one.seq}><span class="facts"><${When} at=${one.at} /> ${words(one.kind)} <span class="mute">${one.subject}</span></span>${one.memory && html`<a href=${to("memory", one.memory)}>${called(one.memory)}</a>`}</li>`)}</ol>`}<//><//>`;
}

function View({ query }) {
  const [topic, setTopic] = useState(query.get("q") || "");
  const rested = useRested(topic.trim(), 250);
  return html`<${Page} title="Timeline" about="How what is known changed, and where the work was."><div class="grid"><${Card} title="How it changed" wide><${Field} label="Topic"><input type="search" value=${topic} placeholder="launch" onInput=${(e) => { setTopic(e.target.value); replace("timeline", "", { q: e.target.value }); }} /><//><${Changed} topic=${rested} /><//>
    <${Trail} /><${Journal} /></div><//>`;
}

export default { name: "timeline", title: "Timeline", group: "Memory", order: 5, whole: true, View };
