// Every way to the palace: operations of the registry at /v1, who is signed in, the moment and scope looked at, the
// journal as it grows. A view asks through here and through nothing else.
import { signal, useEffect, useLayoutEffect, useRef, useState } from "./base.js";
import operations from "../operations.js";
export { default as operations, version } from "../operations.js";

const KEPT = "palazzo-page-key";
let key = localStorage.getItem(KEPT) || "";

export const who = signal(null);      // null: not known yet; false: nobody; else who is signed in
export const asOf = signal("");       // a moment that is looked at instead of now
export const scope = signal({});      // whose memory is looked at: keys of the scope
export const grown = signal(0);       // counts up when the journal has grown
export const live = signal("off");    // on, off
export const pending = signal(0);     // questions on their way

export class Fault extends Error {
  constructor(told, status) {
    super(told.detail || told.message || "the server did not answer");
    Object.assign(this, { code: told.code || "unreachable", hint: told.hint || "", field: told.field || "", status });
  }
}

async function fetched(path, options = {}) {
  let reply;
  try {
    reply = await fetch(path, { ...options, headers: { ...options.headers, "x-palazzo-page": key } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault({ detail: "the daemon does not answer", hint: "is `palazzo serve` running?" }, 0);
  }
  if (reply.ok) return reply;
  const told = await reply.json().catch(() => ({}));
  if (reply.status === 401 && who.value) who.value = false;
  throw new Fault(told, reply.status);
}

const json = (body) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

// What a call is given besides: the moment and the scope that are looked at, where the operation takes them.
function completed(name, given) {
  const { takes, writes } = operations[name];
  const more = {};
  for (const [level, value] of Object.entries(scope.value)) if (value && takes.includes(level)) more[level] = value;
  if (asOf.value && !writes && takes.includes("as_of")) more.as_of = asOf.value;
  return { ...more, ...given };
}

export const looksBack = (name) => operations[name].takes.includes("as_of");

export async function ask(name, given = {}, options = {}) {
  pending.value += 1;
  try {
    const reply = await fetched(`/v1/${name}`, { ...json(completed(name, given)), ...options });
    return await reply.json();
  } finally {
    pending.value -= 1;
  }
}

// The answer to a question, asked again when what it depends on changes, and every so many milliseconds where what it
// tells of is not in the journal: { data, fault, busy, again }.
export function useAsk(name, given = {}, { when = true, follow = false, every = 0 } = {}) {
  const [state, put] = useState({ data: null, fault: null, busy: when });
  const [turn, setTurn] = useState(0);
  const latest = useRef(0);
  const wanted = when ? JSON.stringify([name, completed(name, given), turn]) : "";
  const beat = follow ? grown.value : 0;
  // A layout effect, since an effect would wait for a frame to be painted before anything is asked.
  useLayoutEffect(() => {
    if (!wanted) {
      put((old) => (old.data || old.fault || old.busy ? { data: null, fault: null, busy: false } : old));
      return undefined;
    }
    const mine = ++latest.current;
    const cut = new AbortController();
    put((old) => ({ ...old, busy: true }));
    ask(name, given, { signal: cut.signal }).then(
      (data) => { if (mine === latest.current) put({ data, fault: null, busy: false }); },
      (fault) => { if (mine === latest.current && fault.name !== "AbortError") put({ data: null, fault, busy: false }); },
    );
    return () => cut.abort();
  }, [wanted, beat]);
  const again = () => setTurn((n) => n + 1);
  useEffect(() => {
    if (!every) return undefined;
    const timer = setInterval(() => { if (!document.hidden) again(); }, every);
    return () => clearInterval(timer);
  }, [every]);
  return { ...state, again };
}

// The answer to words as they are typed: asked at once, and while an answer is on its way only for the last of them
// when it has come, so that questions never queue. `asked` are the words it is the answer to.
export function useSearch(name, text, given, { least = 1 } = {}) {
  const [asked, put] = useState(text);
  const found = useAsk(name, given(asked), { when: asked.length >= least });
  useLayoutEffect(() => { if (asked !== text && (!found.busy || text.length < least)) put(text); }, [text, asked, found.busy]);
  return { ...found, asked };
}

export async function lookWho() {
  if (!key) { who.value = false; return; }
  try {
    who.value = await (await fetched("/session")).json();
  } catch (fault) {
    who.value = false;
    if (fault.status !== 401) throw fault;
  }
}

export async function signIn(given) {
  key = (await (await fetched("/session", json(given))).json()).key;
  localStorage.setItem(KEPT, key);
  await lookWho();
}

export async function signOut() {
  await fetched("/session", { method: "DELETE" }).catch(() => {});
  localStorage.removeItem(KEPT);
  key = "";
  who.value = false;
}

// Follows the journal. Views that follow it ask again, at most every few seconds however fast it grows.
const REST_MS = 2000;
let following = null;
export function followJournal() {
  following?.abort();
  const mine = following = new AbortController();
  let last = "", due = 0;
  // At once after a rest, then not more often than every few seconds, and never while answers are still on their way.
  let told = 0;
  const note = () => { due ||= setTimeout(tell, Math.max(REST_MS / 8, told + REST_MS - Date.now())); };
  const tell = () => {
    due = 0;
    if (pending.value > 0) { note(); return; }
    told = Date.now();
    grown.value += 1;
  };
  (async () => {
    while (!mine.signal.aborted && who.value) {
      try {
        const reply = await fetched("/v1/events", { signal: mine.signal, headers: last ? { "last-event-id": last } : {} });
        live.value = "on";
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let held = ""; ;) {
          const { value, done } = await reader.read();
          if (done) break;
          held += value;
          const lines = held.split("\n");
          held = lines.pop();
          for (const line of lines) {
            if (line.startsWith("id: ")) last = line.slice(4);
            if (line.startsWith("data: ")) note();
          }
        }
      } catch (fault) {
        if (fault.status === 403 || fault.status === 401) { live.value = "off"; return; }
      }
      live.value = "off";
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
  })();
}

// A file on its way to the palace, for `import`; where it lies there.
export async function bring(file) {
  const name = file.name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(-90) || "file";
  return (await fetched(`/session/files/${name}`, { method: "PUT", body: file })).json();
}

// A file on its way out: `write` is told where to write it, then the browser keeps it.
export async function take(name, write) {
  const { folder } = await (await fetched("/session/files")).json();
  const told = await write(`${folder}/${name}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await fetched(`/session/files/${name}`)).blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return told;
}
