// Memories as points, places as discs, links as lines; the same as tables below, for who does not see it.
import { go, html, number, plural, to, useAsk, useEffect, useRef, useState, words, Answer, Card, Chip, Empty, Field, Kind, MemoryLine, Page, PlaceLink, Table } from "../kit/index.js";
import { chart, colour, lineColour } from "../kit/canvas.js";

const MOST = 50000;

function Chart({ of: layout, at }) {
  const canvas = useRef(null), drawn = useRef(null);
  useEffect(() => {
    drawn.current = chart(canvas.current, { onPick: (n) => go("graph", layout.ids[n]) });
    drawn.current.show(layout);
    return () => drawn.current.end();
  }, [layout]);
  useEffect(() => {
    const n = layout.ids.indexOf(at);
    drawn.current.choose(n, n < 0 ? [] : layout.links.filter(([from, to]) => from === n || to === n));
  }, [layout, at]);
  return html`<div class="chart"><canvas ref=${canvas} tabindex="0" role="img" aria-label=${`A map of ${plural(layout.ids.length, "memory", "memories")} in ${plural(layout.places.length, "place")}. Arrow keys move it, plus and minus zoom; the tables below tell the same.`}></canvas>
    <div class="tools"><button aria-label="Nearer" onClick=${() => drawn.current.zoom(1.5)}>+</button><button aria-label="Further" onClick=${() => drawn.current.zoom(1 / 1.5)}>−</button><button onClick=${() => drawn.current.whole()}>All</button></div></div>
    <p class="cloud">${layout.kinds.map((kind, n) => html`<span class="chip"><span class="swatch" style=${{ background: colour(n) }}></span> ${kind}</span>`)}</p>`;
}

function Chosen({ of: id }) {
  const memory = useAsk("get", { memory: id }), walk = useAsk("walk", { memory: id, depth: 2 });
  return html`<${Card} title="Chosen"><${Answer} of=${memory}>${(one) => html`<p><a href=${to("memory", id)}>${one.text}</a></p><p class="facts"><${Kind} of=${one.kind} /> <${PlaceLink} of=${one.place} /></p>`}<//>
    <h3>Linked with</h3><${Answer} of=${walk}>${({ steps }) => steps.length ? html`<ul class="rows">${steps.map((step) => html`<li class="row" key=${step.memory.id}><a class="main" href=${to("graph", step.memory.id)}>${step.memory.text}</a><span class="facts">${step.link && html`<${Chip}>${words(step.link.kind)}<//>`} <span class="mute">${plural(step.depth, "link")} away</span></span></li>`)}</ul>` : html`<${Empty}>Nothing.<//>`}<//><//>`;
}

function View({ rest: at, query }) {
  const [place, setPlace] = useState(query.get("place") || "");
  const layout = useAsk("layout", { limit: MOST, ...(place ? { place } : {}) });
  return html`<${Page} title="Graph" about="What is linked with what, and where it stands." tools=${html`<${Field} label="Place"><input value=${place} placeholder="everywhere" onChange=${(e) => setPlace(e.target.value)} /><//>`}><${Answer} of=${layout}>${(told) => told.ids.length ? html`
    <section class="card" aria-label="Map"><p class="mute">${plural(told.ids.length, "memory", "memories")}${told.more ? ", the newest" : ""} and ${plural(told.links.length, "link")}.</p><${Chart} of=${told} at=${at} /></section>
    <div class="grid">${at && html`<${Chosen} key=${at} of=${at} />`}<${Card} title="Places on it"><${Table} label="Places on the map" head=${["place", ["memories"]]} rows=${[...told.places].sort((a, b) => b.count - a.count).slice(0, 100).map((one) => html`<tr key=${one.name}><td><a href=${to("places", one.name)}>${one.name || "everywhere"}</a></td><td class="n">${number(one.count)}</td></tr>`)} /><//>
    <${Card} title="Links on it"><${Table} label="Links by kind" head=${["kind", ["links"]]} rows=${told.link_kinds.map((kind, n) => html`<tr key=${kind}><td><span class="swatch" style=${{ background: lineColour(n) }}></span> ${words(kind)}</td><td class="n">${number(told.links.filter((link) => link[2] === n).length)}</td></tr>`)} /><//></div>` : html`<${Empty}>Nothing stands here.<//>`}<//><//>`;
}

export default { name: "graph", title: "Graph", group: "Memory", order: 4, past: true, whole: true, View };
