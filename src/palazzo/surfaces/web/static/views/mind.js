// What is in mind between two turns, and a question followed through several steps with the evidence of each.
import { act, html, plural, short, to, useAsk, useState, words, Answer, Card, Chip, Empty, Field, Meter, MemoryLine, Page, When } from "../kit/index.js";

function Slots() {
  const mind = useAsk("mind", {}, { follow: true });
  const drop = (one) => act("Let go.", "mind_clear", { memory: one.memory }, { undo: ["mind_hold", { memory: one.memory }], then: mind.again });
  return html`<${Card} title="In mind" wide tools=${mind.data?.slots.length > 0 && html`<button onClick=${() => act("Everything is let go; no memory is lost.", "mind_clear", {}, { then: mind.again })}>Let go of all</button>`}><${Answer} of=${mind}>${({ slots }) => slots.length ? html`<ul class="rows">${slots.map((one, n) => html`<li class="row" key=${n}>${one.memory ? html`<a class="main" href=${to("memory", one.memory)}>${short(one.text, 200)}</a>` : html`<span>${short(one.text, 200)}</span>`}
    <span class="facts"><${Chip}>${words(one.source)}<//> <span class="mute">${one.tokens} tokens, <${When} at=${one.touched_at} /></span>${one.memory && html`<button class="quiet" onClick=${() => drop(one)}>Let go</button>`}</span><${Meter} label="activation" value=${one.activation} /></li>`)}</ul>` : html`<${Empty}>Nothing is in mind.<//>`}<//><//>`;
}

// The questions asked on the way, each below the one it came of.
function Steps({ of: told }) {
  return html`<ol class="line">${told.steps.map((step, n) => html`<li key=${n} style=${{ marginInlineStart: `${step.depth * 22}px` }}><strong>${step.question}</strong><div class="mute">${step.why}${step.found.length ? ` · ${plural(step.found.length, "memory", "memories")}` : " · nothing found"}</div></li>`)}</ol>
    ${told.answer && html`<p class="quote">${told.answer}</p>`}${told.missing.length > 0 && html`<p>Nothing covers: ${told.missing.map((word) => html`<${Chip} kind="warn">${word}<//> `)}</p>`}${told.stopped && html`<p class="mute">It stopped: ${words(told.stopped)}.</p>`}
    <h3>Evidence</h3>${told.evidence.length ? html`<ul class="rows">${told.evidence.map((hit) => html`<${MemoryLine} key=${hit.memory.id} of=${hit.memory} />`)}</ul>` : html`<${Empty}>None.<//>`}`;
}
function Reason({ about }) {
  const [text, setText] = useState(about);
  const [question, setQuestion] = useState(about);
  const found = useAsk("reason", { question }, { when: Boolean(question) });
  return html`<${Card} title="Reason" wide><form onSubmit=${(event) => { event.preventDefault(); setQuestion(text.trim()); }}><${Field} label="A question that needs several steps"><input type="search" value=${text} placeholder="who leads the team that builds the backend in Rust?" onInput=${(e) => setText(e.target.value)} /><//><button class="primary">Follow it</button></form>
    ${question && html`<${Answer} of=${found}>${(told) => html`<${Steps} of=${told} />`}<//>`}<//>`;
}

const View = ({ query }) => html`<${Page} title="Mind" about="What is at hand between two turns, and how a question is followed."><div class="grid"><${Slots} /><${Reason} about=${query.get("q") || ""} /></div><//>`;
export default { name: "mind", title: "Mind", group: "Care", order: 22, View };
