// What the model saw: every context that was given, with what entered, what did not, and why; and one to try.
import { html, plural, short, to, useAsk, useRested, useState, who, words, Answer, Card, Chip, Counts, Empty, Field, Meter, Page, Table, When } from "../kit/index.js";

function Block({ of: block }) {
  const left = block.decisions.filter((one) => !one.admitted);
  const text = (id) => block.hits.find((hit) => hit.memory.id === id)?.text || id;
  return html`<p class="facts"><${Chip}>${block.tokens} of ${block.budget_tokens} tokens<//> <${Chip}>${words(block.injection || block.mode)}<//>${!block.known && html` <${Chip} kind="warn">nothing known<//>`}${block.scope && html` <${Chip}>${block.scope}<//>`}${block.cached && html` <${Chip}>recalled ahead<//>`}</p>
    <pre tabindex="0" aria-label="The block">${block.text || "(empty)"}</pre>
    ${block.sections.length > 0 && html`<p class="cloud">${block.sections.map((one) => html`<${Chip}>${words(one.name)} ${one.tokens}<//>`)}</p>`}
    ${block.hits.length > 0 && html`<h3>What was recalled for it</h3><${Table} label="What was recalled" head=${["memory", ["relevance"], ["trust"], "signals"]} rows=${block.hits.map((hit) => html`<tr><td><a href=${to("memory", hit.memory.id)}>${short(hit.text, 110)}</a></td><td class="n">${hit.relevance.toFixed(2)}</td><td class="n">${hit.trust.toFixed(2)}</td><td class="mute">${hit.reasons.slice(0, 3).map((one) => `${words(one.signal)} ${one.value.toFixed(2)}`).join(", ")}</td></tr>`)} />`}
    ${left.length > 0 && html`<h3>Left out, and why</h3><ul>${left.map((one) => html`<li><a href=${to("memory", one.memory)}>${short(text(one.memory), 110)}</a> <span class="mute">${one.reasons.map(words).join(", ")}</span></li>`)}</ul>`}
    ${block.dropped.length > 0 && html`<p class="mute">Did not run: ${block.dropped.join("; ")}</p>`}`;
}

function Try() {
  const [message, setMessage] = useState("");
  const [budget, setBudget] = useState(800);
  const wanted = useRested(message.trim(), 300);
  const made = useAsk("context", { message: wanted, budget_tokens: budget }, { when: wanted.length > 0 });
  return html`<${Card} title="Try one" wide><div class="ask"><${Field} label="What the model is about to answer"><input type="search" value=${message} onInput=${(e) => setMessage(e.target.value)} /><//><${Field} label="Tokens"><input type="number" min="128" max="100000" value=${budget} onChange=${(e) => setBudget(+e.target.value || 800)} /><//></div>
    ${wanted && html`<${Answer} of=${made}>${(block) => html`<${Block} of=${block} />`}<//>`}<//>`;
}

function View() {
  const given = useAsk("contexts", { limit: 50 }, { follow: true, when: who.value.operator });
  return html`<${Page} title="What the model saw" about="The last contexts this daemon gave, kept in its memory alone: they go with it, or when something is erased."><div class="grid">${who.value.operator && html`<${Card} title="Given" wide><${Answer} of=${given}>${({ contexts }) => contexts.length ? html`<ul class="rows">${contexts.map((one, n) => html`<li class="row" key=${one.at}><details open=${n === 0}><summary>${short(one.message, 120)}</summary><${Block} of=${one.block} /></details>
    <span class="facts"><${Chip}>${one.subject}<//> <span class="mute"><${When} at=${one.at} /> · ${plural(one.block.hits.length, "memory", "memories")}</span></span></li>`)}</ul>` : html`<${Empty}>No context was given since the daemon began.<//>`}<//><//>`}<${Try} /></div><//>`;
}

export default { name: "seen", title: "What the model saw", group: "Care", order: 21, View };
