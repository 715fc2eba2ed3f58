// What views are built from: frames, lists, figures, words for times. Texts go in as texts; no part takes markup.
import { html, useEffect, useRef, useState } from "./base.js";
import { to } from "./route.js";

export const number = (n) => (n === null || n === undefined ? "–" : n.toLocaleString("en"));
export const short = (text, most = 160) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
export const words = (name) => name.replaceAll("_", " ");

const STEPS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
export function ago(at) {
  const s = (new Date(at) - Date.now()) / 1000;
  const [unit, size] = STEPS.find(([, size]) => Math.abs(s) >= size) || ["", 0];
  return unit ? relative.format(Math.round(s / size), unit) : "just now";
}
export const exact = (at) => full.format(new Date(at));
export const When = ({ at }) => at ? html`<time dateTime=${at} title=${exact(at)}>${ago(at)}</time>` : html`<span class="mute">never</span>`;

export function Page({ title, about, tools, children }) {
  useEffect(() => { document.title = `${title} · Palazzo`; }, [title]);
  return html`<header class="head"><div><h1 tabindex="-1">${title}</h1>${about && html`<p class="mute">${about}</p>`}</div>
    ${tools && html`<div class="tools">${tools}</div>`}</header>${children}`;
}
export const Card = ({ title, tools, children, wide, id }) => html`<section class=${`card${wide ? " wide" : ""}`} aria-label=${title} id=${id}>
  ${title && html`<header><h2>${title}</h2>${tools && html`<div class="tools">${tools}</div>`}</header>`}${children}</section>`;

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;
export const FaultNote = ({ fault }) => html`<div class="note bad" role="alert"><strong>${fault.message}</strong>
  ${fault.hint && html`<span> ${fault.hint}</span>`} <code>${fault.code}</code></div>`;

// The frame around an answer: a fault in words, a pause only while there is nothing to show yet.
export function Answer({ of, children }) {
  if (of.fault) return html`<${FaultNote} fault=${of.fault} />`;
  if (!of.data) return html`<p class="empty" role="status">Looking…</p>`;
  return html`<div aria-busy=${of.busy}>${children(of.data)}</div>`;
}

export const Chip = ({ kind = "", title, children }) => html`<span class=${`chip ${kind}`} title=${title}>${children}</span>`;
export const Kind = ({ of }) => html`<span class=${`chip kind k-${of}`}>${of}</span>`;
export const PlaceLink = ({ of }) => html`<a class="place" href=${to("places", of)}>${of || "everywhere"}</a>`;
export const Tile = ({ label, value, note, href, tone = "" }) => html`<${href ? "a" : "div"} class=${`tile ${tone}`} href=${href}>
  <span class="label">${label}</span><span class="value">${value}</span>${note && html`<span class="mute">${note}</span>`}<//>`;

// A figure from 0 to 1 as a bar, with the figure beside it for who does not see the bar.
export const Meter = ({ label, value, title, tone = "" }) => html`<span class="meter" title=${title}>
  <span class="name">${label}</span><span class="track" aria-hidden="true"><span class=${`fill ${tone}`} style=${{ inlineSize: `${Math.round(Math.max(0, Math.min(1, value)) * 100)}%` }}></span></span>
  <span class="figure">${value.toFixed(2)}</span></span>`;

// Counts by name as bars, largest first.
export function Counts({ of, link, most = 12 }) {
  const [all, setAll] = useState(false);
  if (!of.length) return html`<${Empty}>none<//>`;
  const top = Math.max(...of.map((one) => one.count), 1);
  return html`<ul class="counts">${of.slice(0, all ? undefined : most).map((one) => html`<li key=${one.name}>
    ${link ? html`<a href=${link(one.name)}>${one.name || "–"}</a>` : html`<span>${one.name || "–"}</span>`}
    <span class="track" aria-hidden="true"><span class="fill" style=${{ inlineSize: `${(one.count / top) * 100}%` }}></span></span>
    <span class="figure">${number(one.count)}</span></li>`)}</ul>
    ${of.length > most && html`<button class="quiet" onClick=${() => setAll(!all)}>${all ? "fewer" : `all ${of.length}`}</button>`}`;
}

// A table of days as columns.
export function Days({ of }) {
  const top = Math.max(...of.map((day) => day.memories), 1);
  return html`<ol class="days" aria-label="Memories by day">${of.map((day) => html`<li key=${day.day} title=${`${day.day}: ${plural(day.memories, "memory", "memories")}`}>
    <span class="column" aria-hidden="true"><span style=${{ blockSize: `${(day.memories / top) * 100}%` }}></span></span>
    <span class="count">${day.memories || ""}</span>
    <span class="day">${day.day.slice(8)}<span class="hidden">.${day.day.slice(5, 7)}.: ${day.memories}</span></span></li>`)}</ol>`;
}

export const MemoryLine = ({ of, children }) => html`<li class="row"><a class="main" href=${to("memory", of.id)}>${short(of.title || of.text)}</a>
  <span class="facts"><${Kind} of=${of.kind} /> <${PlaceLink} of=${of.place} />
  ${of.pinned && html` <${Chip} title="never fades">pinned<//>`}${of.deprecated && html` <${Chip} kind="bad">no longer believed<//>`}
  ${of.state !== "active" && html` <${Chip} kind="warn">${of.state}<//>`}${of.scope && html` <${Chip}>${of.scope}<//>`}
  <span class="mute"><${When} at=${of.revised_at} /></span>${children}</span></li>`;

// A name of the head in a list of its own stands over figures, which end where the column does.
export const Table = ({ head, rows, label, stack }) => html`<div class=${`scroll${stack ? " stack" : ""}`} tabindex="0" role="group" aria-label=${label}><table><thead><tr>
  ${head.map((name) => name ? html`<th scope="col" class=${Array.isArray(name) ? "n" : ""}>${name}</th>` : html`<td></td>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

export function Field({ label, children, hint }) {
  return html`<label class="field"><span>${label}</span>${children}${hint && html`<small class="mute">${hint}</small>`}</label>`;
}

// What was taken out and put in between two texts, word by word.
export function Diff({ before, after }) {
  return html`<p class="diff">${changes(before, after).map(([how, text]) =>
    how === "-" ? html`<del>${text}</del> ` : how === "+" ? html`<ins>${text}</ins>` : html`<span>${text}</span>`)}</p>`;
}
const MOST = 1500;
export function changes(before, after) {
  const a = before.split(/(\s+)/), b = after.split(/(\s+)/);
  if (a.length > MOST || b.length > MOST) return [["-", before], ["+", after]];
  const width = b.length + 1, best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
  const found = [];
  const put = (how, text) => { const last = found.at(-1); if (last?.[0] === how) last[1] += text; else found.push([how, text]); };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { put("=", a[i]); i++; j++; }
    else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) put("-", a[i++]);
    else put("+", b[j++]);
  }
  return found;
}

// A value that settles once typing rests, so that a question is not asked for every letter.
export function useRested(value, ms = 40) {
  const [rested, rest] = useState(value);
  const timer = useRef(0);
  useEffect(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => rest(value), ms);
    return () => clearTimeout(timer.current);
  }, [value]);
  return rested;
}
