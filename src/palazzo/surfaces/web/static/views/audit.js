// Who did or tried what, and whether the trail is whole.
import { ask, html, say, sayFault, useAsk, useState, Answer, Card, Chip, Empty, exact, Field, Page, Table } from "../kit/index.js";

const TONE = { allowed: "", reduced: "warn", denied: "bad", limited: "warn", lost: "bad" };

function View() {
  const [given, setGiven] = useState({});
  const set = (name) => (event) => setGiven({ ...given, [name]: event.target.value });
  const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const found = useAsk("audit_list", { limit: 200, ...wanted }, { follow: true });
  const verify = () => ask("audit_verify").then((told) => say(told.clean ? "The trail is whole: every line fits the one before it." : told.problems.join("; "), { fault: !told.clean }), sayFault);
  return html`<${Page} title="Audit" about="Every write, every guarded read and every refusal, chained by hashes." tools=${html`<button onClick=${verify}>Verify the chain</button>`}>
    <div class="ask"><${Field} label="Subject"><input value=${given.subject || ""} onChange=${set("subject")} /><//><${Field} label="Operation"><input value=${given.action || ""} onChange=${set("action")} /><//><${Field} label="Decision"><select value=${given.decision || ""} onChange=${set("decision")}><option value="">any</option>${Object.keys(TONE).map((name) => html`<option>${name}</option>`)}</select><//><${Field} label="Place"><input value=${given.place || ""} onChange=${set("place")} /><//></div>
    <${Card}><${Answer} of=${found}>${({ lines }) => lines.length ? html`<${Table} label="Audit trail" head=${[["line"], "when", "subject", "operation", "decision", "place", "level"]} rows=${lines.map((one) => html`<tr key=${one.line}><td class="n">${one.line}</td><td>${exact(one.at)}</td><td>${one.subject}</td><td>${one.action}</td><td><${Chip} kind=${TONE[one.decision]}>${one.decision}<//></td><td>${one.place}</td><td>${one.capability}</td></tr>`)} />` : html`<${Empty}>No such line.<//>`}<//><//><//>`;
}
export default { name: "audit", title: "Audit", group: "Palace", order: 32, View };
