// Palazzo remembers across sessions and compactions. Made by `palazzo hook config --client opencode`.
import { spawn } from "node:child_process";

const PALACE = __PALACE__;

function hook(event, payload) {
  return new Promise((resolve) => {
    let out = "";
    const child = spawn("palazzo", ["--palace", PALACE, "hook", event, "--client", "opencode"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const late = setTimeout(() => { child.kill(); resolve(""); }, 3000);
    const done = () => {
      clearTimeout(late);
      try { resolve(JSON.parse(out).hookSpecificOutput?.additionalContext ?? ""); } catch { resolve(""); }
    };
    child.on("error", done);
    child.on("close", done);
    child.stdout.on("data", (part) => { out += part; });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload));
  });
}

const text = (parts) => (parts ?? []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n\n");

export const Palazzo = async ({ client, directory }) => {
  const told = new Map();
  const lists = new Map();
  const messages = async (id) => {
    const found = await client.session.messages({ path: { id } });
    const from = told.get(id) ?? 0;
    const all = found.data ?? [];
    told.set(id, all.length);
    return all.slice(from).map((m) => ({ role: m.info.role, content: text(m.parts) }));
  };
  const payload = async (id) => ({ session_id: id, cwd: directory, messages: await messages(id), todos: lists.get(id) });
  return {
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id;
      if (!id) return;
      if (event.type === "todo.updated") lists.set(id, event.properties.todos);
      if (event.type === "session.idle") await hook("stop", await payload(id));
      if (event.type === "session.deleted") await hook("session-end", { session_id: id, cwd: directory });
    },
    "chat.message": async (input, output) => {
      const prompt = text(output.parts);
      const first = !told.has(input.sessionID);
      const known = [
        first ? await hook("session-start", { session_id: input.sessionID, cwd: directory, source: "startup" }) : "",
        await hook("user-prompt-submit", { session_id: input.sessionID, cwd: directory, prompt }),
      ].filter(Boolean).join("\n\n");
      if (first) told.set(input.sessionID, 0);
      if (known) {
        const part = { ...output.parts[0], id: `prt_palazzo_${Date.now()}`, type: "text", text: known, synthetic: true };
        output.parts.unshift(part);
      }
    },
    "experimental.session.compacting": async (input, output) => {
      await hook("pre-compact", await payload(input.sessionID));
      const known = await hook("session-start", { session_id: input.sessionID, cwd: directory, source: "compact" });
      if (known) output.context.push(known);
    },
  };
};
