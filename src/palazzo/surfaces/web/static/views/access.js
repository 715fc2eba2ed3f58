// Who may do what where: a matrix of subjects and places, changed through plans whose receipts take them back.
import { act, ask, asked, grown, html, say, sayFault, useAsk, Answer, Card, Chip, Empty, Page, Table, When } from "../kit/index.js";

const LEVELS = ["none", "anchor", "metadata", "read_public", "read_all", "write", "forget"];
const TONE = { none: "", anchor: "", metadata: "", read_public: "kind", read_all: "kind", write: "warn", forget: "bad" };

// Shows what would change, and does it when that is meant.
export async function planned(title, wish) {
  try {
    const plan = await ask("plan", wish);
    if (!await asked({ title, effect: plan.changes, verb: "Apply" })) return;
    await ask("apply", { plan: plan.plan, yes: true });
    say("Applied.", { undo: () => act("Rolled back.", "rollback", { plan: plan.plan, yes: true }) });
    grown.value += 1;
  } catch (fault) { sayFault(fault); }
}

function Matrix() {
  const grants = useAsk("grants", {}, { follow: true });
  const change = (subject, place, value) => planned(`${subject} at ${place}`, { transition: "grant", target: subject, value, place });
  const add = async () => {
    const subject = await asked({ title: "A subject", input: "Who, such as agent:primary", verb: "Next" });
    const place = subject && await asked({ title: `Where ${subject} may`, input: "Place, such as work.**", value: "**", verb: "Next" });
    if (place) await change(subject, place, "read_public");
  };
  return html`<${Card} title="Grants" wide tools=${html`<button onClick=${add}>New grant</button>`}><${Answer} of=${grants}>${({ grants: list }) => {
    const places = [...new Set(list.map((one) => one.place))].sort(), subjects = [...new Set(list.map((one) => one.subject))].sort();
    const at = (subject, place) => list.find((one) => one.subject === subject && one.place === place);
    return list.length ? html`<${Table} label="Who may do what where" head=${["subject", ...places]} rows=${subjects.map((subject) => html`<tr key=${subject}><th scope="row">${subject}</th>${places.map((place) => { const one = at(subject, place); return html`<td key=${place}><select aria-label=${`${subject} at ${place}`} value=${one?.level || ""} onChange=${(e) => { const value = e.target.value; e.target.value = one?.level || ""; if (value) change(subject, place, value); }}><option value="">–</option>${LEVELS.map((level) => html`<option value=${level}>${level.replaceAll("_", " ")}</option>`)}</select>
      ${one?.granted_by === "default" && html`<div class="mute">by its kind</div>`}${one?.expires_at && html`<div class="mute">until <${When} at=${one.expires_at} /></div>`}</td>`; })}</tr>`)} />` : html`<${Empty}>Nobody was granted anything; subjects have what their kind has.<//>`;
  }}<//><//>`;
}

function Plans() {
  const plans = useAsk("plans", {}, { follow: true });
  const back = async (one) => { if (await asked({ title: "Roll back", effect: one.changes, verb: "Roll back" })) await act("Rolled back.", "rollback", { plan: one.plan, yes: true }); };
  const apply = async (one) => { if (await asked({ title: "Apply", effect: one.changes, verb: "Apply" })) await act("Applied.", "apply", { plan: one.plan, yes: true }, { undo: ["rollback", { plan: one.plan, yes: true }] }); };
  return html`<${Card} title="Plans and receipts" wide><${Answer} of=${plans}>${({ plans: list }) => list.length ? html`<${Table} label="Plans and receipts" head=${["what", "changes", "state", "when", ""]} rows=${list.slice(0, 50).map((one) => html`<tr key=${one.plan}><td>${one.transition}</td><td>${one.changes.map((line) => html`<div>${line}</div>`)}</td><td><${Chip} kind=${one.state === "applied" ? "good" : ""}>${one.state}<//></td><td><${When} at=${one.changed_at} /></td>
    <td>${one.state === "applied" ? html`<button class="quiet" onClick=${() => back(one)}>Roll back</button>` : one.state === "planned" ? html`<button class="quiet" onClick=${() => apply(one)}>Apply</button>` : ""}</td></tr>`)} />` : html`<${Empty}>None.<//>`}<//><//>`;
}

const View = () => html`<${Page} title="Capabilities" about="Who may do what where. A change is shown as a plan first; its receipt takes it back."><div class="grid"><${Matrix} /><${Plans} /></div><//>`;
export default { name: "access", title: "Capabilities", group: "Palace", order: 31, View };
