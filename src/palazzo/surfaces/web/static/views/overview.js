// How much there is, where, of what kinds; what came lately and what waits.
import { act, asOf, html, number, plural, to, useAsk, useState, who, Answer, Card, Counts, Days, Empty, Field, MemoryLine, Page, Tile } from "../kit/index.js";

function Begin() {
  const [text, setText] = useState("");
  const keep = async (event) => { event.preventDefault(); if (await act("Kept.", "remember", { text })) setText(""); };
  return html`<p>Nothing is remembered yet. Three ways to begin:</p><div class="grid">
    <${Card} title="Connect an agent"><p>One line for Claude Code, Claude Desktop and other MCP clients:</p><pre tabindex="0">palazzo mcp config claude-code --write</pre>
      <p class="mute">The <code>palazzo</code> library and HTTP at <code>/v1</code> do the same.</p><//>
    <${Card} title="Import"><p>Chats, notes and memories of other programs.</p><p><a href=${to("import")}>Import a file</a></p><//>
    <${Card} title="Write"><form onSubmit=${keep}><${Field} label="In plain sentences"><textarea rows="3" required value=${text} onInput=${(e) => setText(e.target.value)}></textarea><//>
      <button class="primary">Remember</button></form><//></div>`;
}

function Healthy() {
  const health = useAsk("health", {}, { follow: true });
  if (health.fault) return null;
  const { level, words = [] } = health.data || { level: "…" };
  return html`<${Tile} label="Health" value=${level} note=${words[0]} tone=${level === "good" ? "good" : level === "bad" ? "bad" : level === "warning" ? "warn" : ""} href=${to("health")} />`;
}

function View() {
  const past = Boolean(asOf.value);
  const overview = useAsk("overview", { limit: 12 }, { follow: true });
  const activity = useAsk("activity", { days: 14, zone: Intl.DateTimeFormat().resolvedOptions().timeZone }, { follow: true, when: Boolean(overview.data) });
  return html`<${Page} title="Overview"><${Answer} of=${overview}>${(all) => all.memories === 0 && all.newest.length === 0 ? html`<${Begin} />` : html`
    <div class="tiles"><${Tile} label="Memories" value=${number(all.memories)} href=${to("places")} />
      <${Tile} label=${past ? "New in the 7 days before" : "New in 7 days"} value=${number(all.last_7_days)} />
      <${Tile} label=${past ? "Visits in the 48 hours before" : "Visits in 48 hours"} value=${all.visits < 10000 ? number(all.visits) : "over 10,000"} href=${to("timeline")} />
      ${!past && html`<${Tile} label="Waits for you" value=${number(all.waiting)} note=${all.waiting ? "to the inbox" : "nothing"} tone=${all.waiting ? "warn" : ""} href=${to("review")} />${who.value.operator && html`<${Healthy} />`}`}</div>
    <div class="grid"><${Card} title=${past ? "14 days to that moment" : "Last 14 days"} wide tools=${html`<span class="mute">${activity.data ? plural(activity.data.total, "memory", "memories") : ""}</span>`}>
      <${Answer} of=${activity}>${(told) => html`<${Days} of=${told.days} />`}<//><//>
    <${Card} title="Places"><${Counts} of=${all.places} link=${(name) => to("places", name)} /><//>
    <${Card} title="Kinds"><${Counts} of=${all.kinds} link=${(name) => to("places", "", { kind: name })} /><//>
    <${Card} title="Tags and topics"><h3>Tags</h3>${all.tags.length ? html`<p class="cloud">${all.tags.map((tag) => html`<a class="chip" href=${to("places", "", { tag: tag.name })}>${tag.name} <span class="mute">${tag.count}</span></a>`)}</p>` : html`<${Empty}>No tags yet.<//>`}
      <h3>Topics</h3>${all.topics.length ? html`<p class="cloud">${all.topics.map((topic) => html`<a class="chip" href=${to("recall", "", { q: topic.name })}>${topic.name} <span class="mute">${topic.count}</span></a>`)}</p>` : html`<${Empty}>No topics yet.<//>`}<//>
    <${Card} title=${past ? "Newest then" : "New"} wide><ul class="rows">${all.newest.filter((memory) => memory.kind !== "digest").map((memory) => html`<${MemoryLine} key=${memory.id} of=${memory} />`)}</ul><//></div>`}<//><//>`;
}

export default { name: "overview", title: "Overview", group: "Memory", order: 1, past: true, View };
