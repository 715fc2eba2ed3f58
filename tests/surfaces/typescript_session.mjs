import { Palazzo, PalazzoError } from "../../integrations/typescript/index.js";

const [url, token] = process.argv.slice(2);
const palace = new Palazzo({ url, token, scope: { user_id: "ada" } });
const told = {};
told.kept = (await palace.observe({ turns: [{ role: "user", content: "My sister Clara plays the cello." }] })).memories.length;
told.found = (await palace.recall({ cue: "what does Clara play?" })).hits.map((hit) => hit.text);
told.others = (await palace.recall({ cue: "what does Clara play?", user_id: "ben" })).hits.length;
told.context = (await palace.context({ message: "what does Clara play?" })).text;
const once = { idempotencyKey: "k1" };
const twice = [await palace.remember({ text: "The kettle is broken." }, once), await palace.remember({ text: "The kettle is broken." }, once)];
told.same = twice[0].memories[0] === twice[1].memories[0];
try {
  await palace.get({ memory: "no such memory" });
} catch (error) {
  told.refused = error instanceof PalazzoError && error.code !== "" && error.status >= 400;
}
try {
  await new Palazzo({ url }).recall({ cue: "x" });
} catch (error) {
  told.nobody = error.status;
}
const everybody = new Palazzo({ url, token });
await everybody.remember({ text: "The lighthouse is red." });
const stop = new AbortController();
const late = setTimeout(() => stop.abort(), 60_000);
const following = everybody.follow({ after: 0, signal: stop.signal });
told.followed = (await following.next()).value.kind;
clearTimeout(late);
stop.abort();
await following.next().catch(() => undefined);
told.listed = (await palace.list()).memories.length > 0;
console.log(JSON.stringify(told));
