// What is known as a whole: its domains and how sure each is, opened part by part down to memories; a cue is asked about.
import { html, plural, to, useAsk, useState, Answer, Card, Chip, Empty, Field, Meter, MemoryLine, Page } from "../kit/index.js";

const TONES = { know: "good", partly: "warn", unknown: "bad" };
const VERDICTS = { know: "known", partly: "known in part", unknown: "unknown" };

function Knows({ about }) {
  const [text, setText] = useState(about);
  const [cue, setCue] = useState(about);
  const told = useAsk("knows", { cue }, { when: Boolean(cue) });
  return html`<${Card} title="Is it known?" wide><form onSubmit=${(event) => { event.preventDefault(); setCue(text.trim()); }}><${Field} label="A question or a matter"><input type="search" value=${text} placeholder="when is the launch?" onInput=${(e) => setText(e.target.value)} /><//><button class="primary">Ask</button></form>
    ${cue && html`<${Answer} of=${told}>${(found) => html`<p><${Chip} kind=${TONES[found.verdict]}>${VERDICTS[found.verdict]}<//> ${found.line}</p><${Meter} label="confidence" value=${found.confidence} title="How likely the first ten memories that are recalled have the answer." />${found.node && html`<p><a href=${to("known", found.node)}>${found.domain}</a></p>`}`}<//>`}<//>`;
}

const Part = ({ of: one }) => html`<li class="row"><a class="main" href=${to("known", one.node)}>${one.label}</a>
  <span class="facts"><span class="mute">${plural(one.memories, "memory", "memories")}</span>${one.gaps > 0 && html` <a href=${to("review")}><${Chip} kind="warn">${plural(one.gaps, "open question")}<//></a>`}</span>
  ${one.level === 2 && one.depth > 0 ? html`<${Meter} label="confidence" value=${one.confidence} title=${`depth ${one.depth.toFixed(2)}, freshness ${one.freshness.toFixed(2)}, share of open questions ${one.uncertainty.toFixed(2)}`} />` : html`<p class="mute">${one.summary}</p>`}</li>`;

function Whole({ about }) {
  const whole = useAsk("overview", { level: 2, limit: 50 }, { follow: true });
  return html`<${Page} title="What is known" about="Domains of what is remembered, and how sure each of them is."><div class="grid"><${Knows} about=${about} />
    <${Card} title="Domains" wide><${Answer} of=${whole}>${({ summary, parts }) => parts.length ? html`<p>${summary}</p><ul class="rows">${parts.map((one) => html`<${Part} key=${one.node} of=${one} />`)}</ul>` : html`<${Empty}>Nothing is remembered yet.<//>`}<//><//></div><//>`;
}

function One({ node }) {
  const found = useAsk("unfold", { node, limit: 50 });
  return html`<${Page} title="What is known" about=${html`<a href=${to("known")}>All domains</a>`}><div class="grid"><${Answer} of=${found}>${(one) => html`<${Card} title="This part" wide><p>${one.summary}</p><//>
    ${one.parts.length > 0 && html`<${Card} title="Its parts" wide><ul class="rows">${one.parts.map((part) => html`<${Part} key=${part.node} of=${part} />`)}</ul><//>`}
    <${Card} title="Its memories" wide><ul class="rows">${one.memories.map((memory) => html`<${MemoryLine} key=${memory.id} of=${memory} />`)}</ul><//>`}<//></div><//>`;
}

const View = ({ rest, query }) => rest ? html`<${One} key=${rest} node=${rest} />` : html`<${Whole} about=${query.get("q") || ""} />`;
export default { name: "known", title: "What is known", group: "Memory", order: 8, View };
