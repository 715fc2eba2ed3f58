// Where everything stands: the tree of places, the map of how much is in each, and what stands at one.
import { act, asked, go, html, number, plural, to, useAsk, useState, who, Answer, Card, Chip, Empty, MemoryLine, Page, When } from "../kit/index.js";

// The places as a tree, each with what stands in it and below.
function grown(places, below) {
  const root = { name: below, path: below, own: 0, all: 0, parts: new Map(), seal: "" };
  for (const one of places) {
    const rest = below ? one.place.slice(below.length + 1) : one.place;
    let at = root;
    if (one.place === below) { root.own = one.memories; root.all += one.memories; continue; }
    root.all += one.memories;
    let path = below;
    for (const step of rest.split(".")) {
      path = path ? `${path}.${step}` : step;
      if (!at.parts.has(step)) at.parts.set(step, { name: step, path, own: 0, all: 0, parts: new Map(), seal: "" });
      at = at.parts.get(step);
      at.all += one.memories;
    }
    at.own = one.memories;
    at.seal = one.seal;
  }
  return root;
}
const inOrder = (node) => [...node.parts.values()].sort((a, b) => b.all - a.all || a.name.localeCompare(b.name));

function Branch({ of: node, at, depth = 0 }) {
  const parts = inOrder(node), [open, setOpen] = useState(depth < 1 || at.startsWith(node.path));
  const line = html`<a class=${node.path === at ? "here" : ""} href=${to("places", node.path)}>${node.name}</a> <span class="mute">${number(node.all)}</span>${node.seal && node.seal !== "open" ? html` <${Chip} kind="warn">${node.seal}<//>` : ""}`;
  if (!parts.length) return html`<li class="leaf">${line}</li>`;
  return html`<li class="fold"><button class="quiet turn" aria-expanded=${open} aria-label=${`Below ${node.path}`} onClick=${() => setOpen(!open)}>${open ? "▾" : "▸"}</button><span class="name">${line}</span>
    ${open && html`<ul>${parts.map((part) => html`<${Branch} key=${part.path} of=${part} at=${at} depth=${depth + 1} />`)}</ul>`}</li>`;
}

// How much is where, as boxes: each place as large as what stands in it and below. Halves a row at a time.
function boxes(parts, x, y, w, h, found = []) {
  if (!parts.length) return found;
  if (parts.length === 1) { found.push({ part: parts[0], x, y, w, h }); return found; }
  const all = parts.reduce((sum, part) => sum + part.all, 0);
  let n = 0, first = 0;
  while (n < parts.length - 1 && (n === 0 || first + parts[n].all <= all / 2)) first += parts[n++].all;
  const share = first / all;
  if (w > h) { boxes(parts.slice(0, n), x, y, w * share, h, found); boxes(parts.slice(n), x + w * share, y, w * (1 - share), h, found); }
  else { boxes(parts.slice(0, n), x, y, w, h * share, found); boxes(parts.slice(n), x, y + h * share, w, h * (1 - share), found); }
  return found;
}
function Map_({ of: node }) {
  const parts = inOrder(node).filter((part) => part.all);
  if (!parts.length) return html`<${Empty}>Nothing stands below.<//>`;
  return html`<div class="boxes">${boxes(parts.slice(0, 60), 0, 0, 100, 42).map(({ part, x, y, w, h }) => html`<a key=${part.path} href=${to("places", part.path)} title=${`${part.path}: ${plural(part.all, "memory", "memories")}`}
    style=${{ insetInlineStart: `${x}%`, insetBlockStart: `${(y / 42) * 100}%`, inlineSize: `${w}%`, blockSize: `${(h / 42) * 100}%` }}><span>${part.name}</span><span class="mute">${number(part.all)}</span></a>`)}</div>`;
}

function Standing({ at, kind, tag }) {
  const [pages, setPages] = useState([""]);
  const [picked, setPicked] = useState(new Set());
  const given = { limit: 50, cursor: pages.at(-1), ...(at ? { place: `${at}.**` } : {}), ...(kind ? { kinds: [kind] } : {}), ...(tag ? { tag } : {}) };
  const list = useAsk("list", given, { follow: true });
  const pick = (id) => { const next = new Set(picked); next.has(id) ? next.delete(id) : next.add(id); setPicked(next); };
  const all = async (text, name, more, back) => {
    const ids = [...picked];
    for (const id of ids) if (!(await act(`${text} ${ids.indexOf(id) + 1} of ${ids.length}.`, name, { memory: id, ...more }, { undo: back(id, list.data.memories.find((one) => one.id === id)) }))) break;
    setPicked(new Set());
  };
  const move = async () => { const place = await asked({ title: `Move ${plural(picked.size, "memory", "memories")}`, input: "To which place", value: at, verb: "Move" }); if (place) await all("Moved", "move", { place }, (id, memory) => ["move", { memory: id, place: memory.place }]); };
  return html`<${Card} title=${kind || tag ? `Memories: ${kind || tag}` : "Memories"} wide tools=${html`${picked.size > 0 && html`<span class="mute">${picked.size} picked</span><button onClick=${move}>Move</button><button onClick=${() => all("Forgotten", "forget", {}, (id) => ["restore", { memory: id }])}>Forget</button>`}
    ${list.data?.total != null && html`<span class="mute">${plural(list.data.total, "memory", "memories")}</span>`}`}><${Answer} of=${list}>${(told) => told.memories.length ? html`<ul class="rows picking">${told.memories.map((memory) => html`<${MemoryLine} key=${memory.id} of=${memory}><label class="pick"><input type="checkbox" checked=${picked.has(memory.id)} onChange=${() => pick(memory.id)} /> <span class="hidden">pick ${memory.name}</span></label><//>`)}</ul>
      <p class="tools">${pages.length > 1 && html`<button onClick=${() => setPages(pages.slice(0, -1))}>Newer</button>`}${told.next_cursor && html`<button onClick=${() => setPages([...pages, told.next_cursor])}>Older</button>`}</p>` : html`<${Empty}>Nothing stands here.<//>`}<//><//>`;
}

function View({ rest: at, query }) {
  const places = useAsk("places", { deep: true }, { follow: true });
  const facts = useAsk("facts", { place: at ? `${at}.**` : "", limit: 30 }, { when: Boolean(at) });
  const seal = async () => {
    const kind = await asked({ title: `Seal ${at}`, input: "open, sealed or vault", verb: "Seal", effect: ["What stands below goes with it.", "sealed: only subjects with read_all see it. vault: only in a session that unlocked it."] });
    if (kind) await act(`${at} is ${kind}.`, "seal", { place: at, seal: kind });
  };
  return html`<${Page} title=${at || "Places"} about=${at ? html`${at.split(".").map((step, n, all) => html`<a href=${to("places", all.slice(0, n).join("."))}>${n ? all[n - 1] : "everywhere"}</a> › `)}${at.split(".").at(-1)}` : "What every memory is about, as a tree."}
    tools=${html`<a class="button" href=${to("graph", "", { place: at ? `${at}.**` : "" })}>Graph</a>${at && who.value.operator && html`<button onClick=${seal}>Seal…</button>`}`}><${Answer} of=${places}>${(told) => {
    const root = grown(told.places, "");
    const here = at.split(".").reduce((node, step) => node?.parts.get(step), root) || (at ? { parts: new Map(), all: 0 } : root);
    return html`<div class="grid two"><${Card} title="Tree"><ul class="tree">${inOrder(root).map((part) => html`<${Branch} key=${part.path} of=${part} at=${at} />`)}</ul><//><${Card} title="How much is where"><${Map_} of=${at ? here : root} /><//></div>`;
  }}<//><div class="grid">${facts.data?.facts.length > 0 && html`<${Card} title="Facts" wide><ul class="facts-list">${facts.data.facts.map((one) => html`<li><a href=${to("memory", one.memory)}>${one.about} · ${one.attribute.replaceAll("_", " ")}${one.denied ? " is not" : ":"} <strong>${one.value}</strong></a></li>`)}</ul><//>`}
    <${Standing} key=${at} at=${at} kind=${query.get("kind") || ""} tag=${query.get("tag") || ""} /></div><//>`;
}

export default { name: "places", title: "Places", group: "Memory", order: 3, past: true, View };
