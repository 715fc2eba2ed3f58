// Whose memories there are, whose are looked at, and the tokens that open the palace to others.
import { act, ask, asked, html, number, say, sayFault, scope, useAsk, useState, who, words, Answer, Card, Chip, Empty, Field, Page, Table, When } from "../kit/index.js";

const LEVELS = ["project", "squad", "agent_id", "channel", "user_id"];
const KEY_OF = { agent: "agent_id", user: "user_id" };
// user:anna/channel:x as the keys of a scope
const keys = (path) => Object.fromEntries(path.split("/").filter(Boolean).map((part) => { const at = part.search(/[:=]/); const level = part.slice(0, at); return [KEY_OF[level] || level, part.slice(at + 1)]; }));

function Looking() {
  const set = (level, value) => { scope.value = { ...scope.value, [level]: value }; };
  return html`<${Card} title="Whose memory is looked at" tools=${html`<button onClick=${() => { scope.value = {}; }}>Everybody's</button>`}><p class="mute">Every view asks in this scope: what is everybody's, and what belongs to it.</p><div class="fields">${LEVELS.map((level) => html`<${Field} key=${level} label=${words(level.replace("_id", ""))}><input value=${scope.value[level] || ""} onChange=${(e) => set(level, e.target.value.trim())} /><//>`)}</div><//>`;
}

function Scopes() {
  const scopes = useAsk("scopes", {}, { follow: true });
  return html`<${Card} title="Scopes"><${Answer} of=${scopes}>${({ scopes: list }) => html`<${Table} label="Scopes" head=${["scope", ["memories"], ""]} rows=${list.map((one) => html`<tr key=${one.name}><td>${one.name || "everybody's"}</td><td class="n">${number(one.count)}</td><td><button class="quiet" onClick=${() => { scope.value = keys(one.name); say(`Every view looks at ${one.name || "everybody's memory"}.`); }}>Look</button></td></tr>`)} />`}<//><//>`;
}

function Tokens() {
  const tokens = useAsk("token_list", {}, { follow: true });
  const [made, setMade] = useState("");
  const [all, setAll] = useState(false);
  const make = async () => {
    const subject = await asked({ title: "A token for somebody", input: "Subject, such as mcp:desk or agent:primary", verb: "Make", effect: ["Whoever has it may do what the grants of this subject let it.", "Its text is shown once."] });
    if (subject) await ask("token_create", { subject, label: "from the dashboard" }).then((told) => { setMade(told.token); tokens.again(); }, sayFault);
  };
  const end = async (one) => { if (await asked({ title: "End this token", effect: `${one.subject} is refused from the next call on. This cannot be taken back.`, verb: "End it", danger: true })) await act("Ended.", "token_revoke", { token: one.id }, { then: tokens.again }); };
  return html`<${Card} title="Tokens" wide tools=${html`<label class="facts"><input type="checkbox" checked=${all} onChange=${() => setAll(!all)} /> also those that ended</label><button onClick=${make}>New token</button>`}>${made && html`<div class="note"><p>Keep it now, it is shown only once:</p><pre tabindex="0">${made}</pre><button onClick=${() => setMade("")}>I have it</button></div>`}
    <${Answer} of=${tokens}>${({ tokens }) => { const list = tokens.filter((one) => all || one.holds); return list.length ? html`<${Table} label="Tokens" head=${["subject", "label", "scope", "made", "ends", "holds", ""]} rows=${list.map((one) => html`<tr key=${one.id}><td>${one.subject}</td><td>${one.label}</td><td>${one.scope || "any"}</td><td><${When} at=${one.created_at} /></td><td>${one.expires_at ? html`<${When} at=${one.expires_at} />` : "never"}</td><td><${Chip} kind=${one.holds ? "good" : ""}>${one.holds ? "yes" : "no"}<//></td>
      <td>${one.holds && html`<button class="quiet" onClick=${() => end(one)}>End</button>`}</td></tr>`)} />` : html`<${Empty}>None.<//>`; }}<//><//>`;
}

const View = () => html`<${Page} title="People and scopes" about="Whose memories there are, and who may come in."><div class="grid">${who.value.chooses_scope && html`<${Looking} />`}${who.value.operator && html`<${Scopes} /><${Tokens} />`}</div>${!who.value.operator && html`<p class="mute">You are ${who.value.subject}, in the scope ${who.value.scope || "of everybody"}.</p>`}<//>`;

export default { name: "people", title: "People and scopes", group: "Palace", order: 30, View };
