// The settings in force. A change is checked, kept in the palace's own file, and holds in every process.
import { act, html, useAsk, useState, Answer, Card, Chip, Field, Page, Table } from "../kit/index.js";

function Row({ of: one, again }) {
  const [value, setValue] = useState(one.value);
  const fixed = one.source === "given" || one.source === "environment";
  const put = () => value !== one.value && act(`${one.name} is ${value || "as by default"}${one.at_once ? "" : " from the next start on"}.`, "setting_put", { name: one.name, value }, { undo: ["setting_put", { name: one.name, value: one.source === "default" ? "" : one.value }], then: again });
  const choice = ["True", "False"].includes(one.value) && ["True", "False"].includes(one.default);
  return html`<tr><td><strong>${one.name}</strong><div class="mute">${one.help}</div></td>
    <td>${choice ? html`<select aria-label=${one.name} disabled=${fixed} value=${value} onChange=${(e) => { setValue(e.target.value); act(`${one.name}: ${e.target.value === "True" ? "yes" : "no"}${one.at_once ? "" : ", from the next start on"}.`, "setting_put", { name: one.name, value: e.target.value }, { undo: ["setting_put", { name: one.name, value: one.source === "default" ? "" : one.value }], then: again }); }}><option value="True">yes</option><option value="False">no</option></select>`
      : html`<input aria-label=${one.name} disabled=${fixed} value=${value} onInput=${(e) => setValue(e.target.value)} onBlur=${put} onKeyDown=${(e) => e.key === "Enter" && e.target.blur()} />`}</td>
    <td><${Chip} kind=${one.source === "default" ? "" : "kind"}>${one.source}<//>${one.source !== "default" && html`<div class="mute">${one.default ? `by default ${{ True: "yes", False: "no" }[one.default] ?? one.default}` : "empty by default"}</div>`}</td><td class="mute">${one.at_once ? "at once" : "next start"}</td></tr>`;
}

function View() {
  const [words, setWords] = useState("");
  const settings = useAsk("settings", {}, { follow: true });
  return html`<${Page} title="Settings" about="What holds in this palace. Those given at the start or by the environment are changed there."><${Answer} of=${settings}>${(told) => html`${told.trouble && html`<div class="note bad">${told.trouble}</div>`}<div class="ask"><${Field} label="Find"><input type="search" value=${words} onInput=${(e) => setWords(e.target.value.toLowerCase())} /><//></div>
    <${Card}><${Table} stack label="Settings" head=${["setting", "value", "from", "holds"]} rows=${told.settings.filter((one) => `${one.name} ${one.help}`.toLowerCase().includes(words)).map((one) => html`<${Row} key=${`${one.name}=${one.value}`} of=${one} again=${settings.again} />`)} /><//>`}<//><//>`;
}
export default { name: "settings", title: "Settings", group: "Palace", order: 33, View };
