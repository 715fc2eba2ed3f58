// What a person does: an operation, told in a sentence when it is done, with the operation that takes it back. What
// cannot be taken back, or is the operator's alone, is asked first with its effect spelled out.
import { signal } from "./base.js";
import { ask, grown } from "./api.js";

export const said = signal([]);       // sentences on show: { id, text, undo, fault }
export const question = signal(null); // what is asked before something is done

let next = 0;
export function say(text, { undo = null, fault = false } = {}) {
  const id = ++next;
  said.value = [...said.value.slice(-3), { id, text, undo, fault, at: Date.now() }];
  // What can be taken back stays until the page has moved on: nobody should have to hurry.
  if (!undo) setTimeout(() => unsay(id), fault ? 15000 : 6000);
}
const MOVED_ON_MS = 15000;
addEventListener("hashchange", () => { said.value = said.value.filter((one) => Date.now() - one.at < MOVED_ON_MS); });
export function unsay(id) { said.value = said.value.filter((one) => one.id !== id); }

export function sayFault(fault) { say(`${fault.message}${fault.hint ? `. ${fault.hint}` : ""}`, { fault: true }); }

// Does it; true when it was done. `undo` is [operation, arguments] or a function of the result that gives one.
export async function act(text, name, given, { undo = null, then = null } = {}) {
  try {
    const result = await ask(name, given);
    const back = typeof undo === "function" ? undo(result) : undo;
    say(typeof text === "function" ? text(result) : text, { undo: back && (() => act("Taken back.", ...back, { then })) });
    grown.value += 1;
    await then?.(result);
    return true;
  } catch (fault) {
    sayFault(fault);
    return false;
  }
}

// Asks first. Resolves to true, to the text that was wanted, or to false.
export function asked(what) {
  return new Promise((resolve) => { question.value = { ...what, resolve: (given) => { question.value = null; resolve(given); } }; });
}
