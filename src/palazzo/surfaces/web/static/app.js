// The frame around every view: who is signed in, the way between views, the moment looked at, what was done.
import views from "./views.js";
import {
  act, ask, asOf, asked, followJournal, go, html, live, lookWho, pending, question, render, route, said, sayFault, short, signIn,
  signOut, to, unsay, useEffect, useRef, useSearch, useState, version, who, words, Chip, Field, FaultNote, scope, signal,
} from "./kit/index.js";

const GROUPS = ["Memory", "Care", "Palace"];
const shown = [...views].sort((a, b) => (a.order ?? 99) - (b.order ?? 99));
const palette = signal(false);
const menu = signal(false);
const theme = signal(localStorage.getItem("palazzo-theme") || "");
const paint = () => { document.documentElement.dataset.theme = theme.value; };
paint();
function turnTheme() {
  const dark = theme.value ? theme.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme.value = dark ? "light" : "dark";
  localStorage.setItem("palazzo-theme", theme.value);
  paint();
}

function SignIn() {
  const [token, setToken] = useState("");
  const [fault, setFault] = useState(null);
  const sign = (event) => { event.preventDefault(); signIn({ token }).catch(setFault); };
  return html`<main class="door"><form class="card" onSubmit=${sign}><h1>Palazzo</h1>
    <p>On this machine <code>palazzo open</code> brings you here signed in. Elsewhere give a token; the operator makes one with <code>palazzo token create SUBJECT</code>.</p>
    <${Field} label="Token"><input type="password" autocomplete="off" required value=${token} onInput=${(e) => setToken(e.target.value)} /><//>
    ${fault && html`<${FaultNote} fault=${fault} />`}<button class="primary">Sign in</button></form></main>`;
}

// A moment as an <input type="datetime-local"> gives and takes it: in the zone of the browser.
const pad = (n) => String(n).padStart(2, "0");
const asLocal = (d) => `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}T${pad(d.getHours())}:${pad(d.getMinutes())}`;
const SPAN = 1000;

function AsOf() {
  const [open, setOpen] = useState(false);
  const oldest = useRef(Date.now() - 30 * 86400000);
  const at = asOf.value ? Date.parse(asOf.value) : Date.now();
  const slide = (step) => { asOf.value = step >= SPAN ? "" : new Date(oldest.current + (Date.now() - oldest.current) * (step / SPAN)).toISOString(); };
  const step = asOf.value ? Math.round(((at - oldest.current) / (Date.now() - oldest.current)) * SPAN) : SPAN;
  return html`<div class=${`asof${asOf.value ? " past" : ""}`}><button aria-expanded=${open} onClick=${() => setOpen(!open)}>
      ${asOf.value ? `As of ${new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}` : "Now"}</button>
    ${open && html`<div class="drop"><${Field} label="As of"><input type="range" min="0" max=${SPAN} value=${step} aria-valuetext=${asOf.value || "now"} onInput=${(e) => slide(+e.target.value)} /><//>
      <${Field} label="Exactly"><input type="datetime-local" value=${asLocal(new Date(at))} onChange=${(e) => { if (e.target.value) asOf.value = new Date(e.target.value).toISOString(); }} /><//>
      <div class="tools">${[1, 7, 30, 365].map((days) => html`<button class="quiet" onClick=${() => { oldest.current = Date.now() - days * 86400000; asOf.value = ""; }}>${days === 1 ? "day" : days === 7 ? "week" : days === 30 ? "month" : "year"}</button>`)}
        <button onClick=${() => { asOf.value = ""; setOpen(false); }}>Back to now</button></div></div>`}</div>`;
}

function Palette() {
  const box = useRef(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = useSearch("recall", text.trim(), (cue) => ({ cue, limit: 6 }), { least: 2 });
  const cue = found.asked;
  useEffect(() => { box.current.showModal(); }, []);
  const close = () => { palette.value = false; };
  const wanted = text.trim().toLowerCase();
  const ways = shown.filter((view) => !view.hidden && view.title.toLowerCase().includes(wanted)).map((view) => ({ key: view.name, label: view.title, note: "go to", run: () => go(view.name) }));
  const search = wanted ? [{ key: "?", label: `Recall “${short(text, 60)}”`, note: "search", run: () => go("recall", "", { q: text }) }] : [];
  const hits = cue && cue === text.trim() ? (found.data?.hits || []).map((hit) => ({ key: hit.memory.id, label: short(hit.text, 90), note: hit.memory.place, run: () => go("memory", hit.memory.id) })) : [];
  const lines = [...(ways.length < shown.length ? ways : []), ...search, ...hits, ...(ways.length < shown.length ? [] : ways)];
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); setAt((at + step + lines.length) % Math.max(lines.length, 1)); }
    if (event.key === "Enter" && lines[at]) { event.preventDefault(); close(); lines[at].run(); }
  };
  return html`<dialog ref=${box} class="palette" aria-label="Search or go to" onClose=${close} onClick=${(e) => e.target === box.current && close()}>
    <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-lines" aria-activedescendant=${lines[at] ? `line-${at}` : undefined} aria-label="Search or go to" placeholder="Search memories, or go to…" autofocus
      value=${text} onInput=${(e) => { setText(e.target.value); setAt(0); }} onKeyDown=${keys} />
    <ul id="palette-lines" role="listbox" aria-label="Found">${lines.map((line, n) => html`<li key=${line.key} id=${`line-${n}`} role="option" aria-selected=${n === at} onClick=${() => { close(); line.run(); }}>
      <span>${line.label}</span><span class="mute">${line.note}</span></li>`)}</ul></dialog>`;
}

function Question({ of }) {
  const box = useRef(null);
  const [text, setText] = useState(of.value ?? "");
  useEffect(() => { box.current.showModal(); }, []);
  const ready = !of.repeat || text === of.repeat;
  const give = (event) => { event.preventDefault(); if (ready) of.resolve(of.input ? text : true); };
  return html`<dialog ref=${box} class="question" aria-labelledby="question-title" onClose=${() => of.resolve(false)}><form onSubmit=${give}>
    <h2 id="question-title">${of.title}</h2>${of.effect && html`<ul class="effect">${[of.effect].flat().map((line) => html`<li>${line}</li>`)}</ul>`}
    ${of.input && html`<${Field} label=${of.input}>${of.long ? html`<textarea rows="5" autofocus required value=${text} onInput=${(e) => setText(e.target.value)}></textarea>`
      : html`<input type=${of.secret ? "password" : "text"} autofocus required value=${text} onInput=${(e) => setText(e.target.value)} />`}<//>`}
    ${of.repeat && html`<${Field} label=${`Type “${of.repeat}” to go on`}><input value=${text} onInput=${(e) => setText(e.target.value)} /><//>`}
    <div class="tools"><button type="button" onClick=${() => of.resolve(false)}>Cancel</button>
    <button class=${of.danger ? "danger" : "primary"} disabled=${!ready}>${of.verb || "Do it"}</button></div></form></dialog>`;
}

const Said = () => html`<div class="said" role="status" aria-live="polite">${said.value.map((one) => html`<div key=${one.id} class=${one.fault ? "bad" : ""}>
  <span>${one.text}</span>${one.undo && html`<button onClick=${() => { unsay(one.id); one.undo(); }}>Undo</button>`}<button class="quiet" aria-label="Close" onClick=${() => unsay(one.id)}>×</button></div>`)}</div>`;

async function write() {
  const text = await asked({ title: "Remember", input: "What is to be kept, in plain sentences", long: true, verb: "Remember" });
  if (text) await act((kept) => `Kept: ${kept.memories.length ? `${kept.memories.length} in the palace` : "nothing new in it"}.`, "remember", { text },
    { undo: (kept) => (kept.memories.length === 1 ? ["forget", { memory: kept.memories[0] }] : null) });
}

async function unlock() {
  const passphrase = await asked({ title: "Unlock the vault", input: "Passphrase of the vault", secret: true, verb: "Unlock", effect: "The vault is open in this browser alone, for fifteen minutes." });
  if (passphrase) await act("The vault is open here for fifteen minutes.", "vault_unlock", { passphrase }, { undo: ["vault_lock", {}] });
}

function Nav({ at }) {
  return html`<nav id="nav" class=${menu.value ? "open" : ""} aria-label="Views">${GROUPS.map((group) => html`<div key=${group}><h2>${group}</h2><ul>
    ${shown.filter((view) => view.group === group && !view.hidden).map((view) => html`<li key=${view.name}><a href=${to(view.name)} aria-current=${view.name === at ? "page" : undefined} onClick=${() => { menu.value = false; }}>${view.title}</a></li>`)}</ul></div>`)}
    <p class="mute foot">Palazzo ${version}</p></nav>`;
}

// What hangs from the bar closes when something else is clicked, on Escape, and when the view changes.
function useDrop() {
  const box = useRef(null);
  useEffect(() => {
    const close = (event) => { if (box.current && (event.type === "hashchange" || event.key === "Escape" || (event.type === "pointerdown" && !box.current.contains(event.target)))) box.current.open = false; };
    for (const kind of ["pointerdown", "keydown", "hashchange"]) addEventListener(kind, close);
    return () => { for (const kind of ["pointerdown", "keydown", "hashchange"]) removeEventListener(kind, close); };
  }, []);
  return box;
}

function Top() {
  const { subject, operator, palace } = who.value;
  const more = useDrop();
  const seen = Object.entries(scope.value).filter(([, value]) => value);
  return html`<div class="top" role="banner"><button class="burger quiet" aria-label="Views" aria-expanded=${menu.value} aria-controls="nav" onClick=${() => { menu.value = !menu.value; }}>☰</button>
    <a class="brand" href="#/overview">${palace}</a>
    <button class="find" onClick=${() => { palette.value = true; }}><span>Search or go to…</span><kbd>/</kbd></button>
    ${seen.length > 0 && html`<a class="chip warn" href=${to("people")} title="Whose memory is looked at">${seen.map(([level, value]) => `${words(level)} ${value}`).join(", ")}</a>`}
    <${AsOf} /><button onClick=${write} aria-label="Remember something" title="Remember something (n)">+<span class="wide-only"> Remember</span></button>
    <span class=${`live ${live.value}`} title=${live.value === "on" ? "The page follows what happens" : "Not following"}><span class="dot" aria-hidden="true"></span><span class="hidden">${live.value === "on" ? "live" : "not live"}</span></span>
    <details class="more" ref=${more}><summary aria-label="More">${subject}</summary><div class="drop" onClick=${(e) => { if (e.target.closest("button")) more.current.open = false; }}>
      <p class="mute">${operator ? "You are the operator." : "You see what your grants let you."}</p>
      <button onClick=${turnTheme}>Dark or light</button>${operator && html`<button onClick=${unlock}>Unlock the vault</button>`}
      <button onClick=${() => { palette.value = true; }}>Keys: / find, n remember, j k walk lists</button>
      <button onClick=${signOut}>Sign out</button></div></details>
    ${pending.value > 0 && html`<span class="busy" aria-hidden="true"></span>`}</div>`;
}

function typing(event) {
  return event.target.closest?.("input, textarea, select, dialog, [contenteditable]") || event.altKey || event.metaKey;
}
function keys(event) {
  if (!who.value) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); palette.value = true; return; }
  if (event.ctrlKey || typing(event)) return;
  if (event.key === "/") { event.preventDefault(); palette.value = true; }
  if (event.key === "n") { event.preventDefault(); write(); }
  const step = { j: 1, k: -1 }[event.key];
  if (step) {
    const rows = [...document.querySelectorAll("main .row .main")];
    rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(document.activeElement) + step))]?.focus();
  }
}
addEventListener("keydown", keys);

function App() {
  if (who.value === null) return html`<main class="door"><p role="status">Looking…</p></main>`;
  if (!who.value) return html`<${SignIn} />`;
  const { view: name, rest, query } = route.value;
  const view = shown.find((one) => one.name === name);
  return html`<a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.querySelector("main h1")?.focus(); }}>To the content</a>
    <${Top} /><${Nav} at=${view?.of || name} /><main id="main" data-view=${name} key=${`${name}/${view?.whole ? "" : rest}`}>
    ${asOf.value && view && !view.past && html`<div class="note warn">This view shows now: what it asks for is not kept by moments.</div>`}
    ${view ? html`<${view.View} rest=${rest} query=${query} />` : html`<h1>Nothing is here</h1><p><a href="#/overview">To the overview</a></p>`}</main>
    <${Said} />${palette.value && html`<${Palette} />`}${question.value && html`<${Question} key=${question.value.title} of=${question.value} />`}`;
}

async function begin() {
  const link = new URLSearchParams(location.hash.slice(1)).get("sign-in");
  if (link) {
    history.replaceState(null, "", "#/overview");
    dispatchEvent(new HashChangeEvent("hashchange"));
    await signIn({ link }).catch(async (fault) => { await lookWho(); if (!who.value) sayFault(fault); });
  } else await lookWho().catch(sayFault);
}
who.subscribe((found) => { if (found) followJournal(); });
render(html`<${App} />`, document.getElementById("app"));
begin();
