// Files in and out. A file that comes in is only read and counted first; what it tells goes into quarantine.
import { act, ask, asked, bring, html, number, say, sayFault, take, useRef, useState, who, words, Card, Chip, Empty, Field, Page, Table } from "../kit/index.js";

const READ = ["auto", "bundle", "markdown", "palace", "encrypted", "chatgpt", "claude", "mem0", "mcp-memory", "notes", "chromium", "firefox", "icalendar"];
const WRITTEN = [["bundle", "jsonl"], ["encrypted", "sealed"], ["palace", "db"]];

const Report = ({ of: told }) => html`<dl><div><dt>format</dt><dd>${told.format}</dd></div>${["entries", "new", "known", "refused", "redacted", "memories", "links"].map((name) => html`<div><dt>${name}</dt><dd>${number(told[name])}</dd></div>`)}</dl>
  ${told.refusals.length > 0 && html`<h3>Refused</h3><${Table} label="Refused entries" head=${["entry", "why", "what to do"]} rows=${told.refusals.map((one) => html`<tr><td>${one.entry}</td><td>${words(one.reason)}</td><td>${one.hint}</td></tr>`)} />`}${told.degraded.map((line) => html`<p class="mute">${line}</p>`)}`;

function In() {
  const [format, setFormat] = useState("auto");
  const [tried, setTried] = useState(null);
  const [done, setDone] = useState(null);
  const [over, setOver] = useState(false);
  const picker = useRef(null);
  const look = async (file) => {
    setDone(null); setTried(null);
    try {
      const brought = await bring(file);
      const sealed = format === "encrypted" || /\.(sealed|enc)$/.test(file.name);
      const passphrase = sealed ? await asked({ title: "An encrypted archive", input: "Its passphrase", secret: true, verb: "Open" }) : "";
      const given = { file: brought.file, format, ...(passphrase ? { passphrase } : {}) };
      setTried({ name: file.name, given, told: await ask("import", { ...given, dry_run: true }) });
    } catch (fault) { sayFault(fault); }
  };
  const drop = (event) => { event.preventDefault(); setOver(false); if (event.dataTransfer.files[0]) look(event.dataTransfer.files[0]); };
  const go = async () => { try { setDone(await ask("import", tried.given)); setTried(null); say("Taken in."); } catch (fault) { sayFault(fault); } };
  return html`<${Card} title="Import" wide><${Field} label="What it is"><select value=${format} onChange=${(e) => setFormat(e.target.value)}>${READ.map((name) => html`<option>${name}</option>`)}</select><//>
    <div class=${`drop-here${over ? " over" : ""}`} onDragOver=${(e) => { e.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}><p>Drag a file here, or</p><button onClick=${() => picker.current.click()}>Choose a file</button><input ref=${picker} type="file" aria-label="File to import" class="hidden" onChange=${(e) => e.target.files[0] && look(e.target.files[0])} /></div>
    ${tried && html`<h3>${tried.name}: nothing is written yet</h3><${Report} of=${tried.told} /><p class="tools"><button class="primary" onClick=${go}>Take it in</button><button onClick=${() => setTried(null)}>Leave it</button></p>`}
    ${done && html`<h3>Taken in</h3><${Report} of=${done} />`}<//>`;
}

function Out() {
  const [kind, setKind] = useState("bundle");
  const [place, setPlace] = useState("");
  const [user, setUser] = useState("");
  const write = async () => {
    try {
      const passphrase = kind === "encrypted" ? await asked({ title: "Encrypt the archive", input: "A new passphrase, eight characters or more", secret: true, verb: "Export" }) : "";
      if (kind === "encrypted" && !passphrase) return;
      const name = `palazzo-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.${Object.fromEntries(WRITTEN)[kind]}`;
      const told = await take(name, (to) => ask("export", { to, format: kind, place, user, ...(passphrase ? { passphrase } : {}) }));
      say(`Exported ${number(told.memories)} memories.`);
    } catch (fault) { sayFault(fault); }
  };
  return html`<${Card} title="Export" wide><div class="ask"><${Field} label="Form"><select value=${kind} onChange=${(e) => setKind(e.target.value)}>${WRITTEN.map(([name]) => html`<option>${name}</option>`)}</select><//><${Field} label="Only from"><input value=${place} placeholder="everywhere" onChange=${(e) => setPlace(e.target.value)} /><//><${Field} label="Only of user"><input value=${user} placeholder="everybody" onChange=${(e) => setUser(e.target.value)} /><//></div><button class="primary" onClick=${write}>Export</button><//>`;
}

const View = () => html`<${Page} title="Import and export" about="Other programs' memories in, yours out.">${who.value.operator ? html`<div class="grid"><${In} /><${Out} /></div>` : html`<${Empty}>Only the operator imports and exports.<//>`}<//>`;
export default { name: "import", title: "Import and export", group: "Palace", order: 34, View };
