// Where the page is: #/view/rest?name=value. A link is an ordinary link; going back is the browser's.
import { signal } from "./base.js";

function read() {
  const [, path, query = ""] = location.hash.match(/^#?\/?([^?]*)\??(.*)$/);
  const [view = "", ...rest] = path.split("/");
  return { view: view || "overview", rest: rest.map(decodeURIComponent).join("/"), query: new URLSearchParams(query) };
}

export const route = signal(read());
addEventListener("hashchange", () => { route.value = read(); });

export function to(view, rest = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const asked = new URLSearchParams(given).toString();
  return `#/${view}${rest ? `/${rest.split("/").map(encodeURIComponent).join("/")}` : ""}${asked ? `?${asked}` : ""}`;
}

export function go(...where) { location.hash = to(...where); }

// Changes the address without a new entry in the history: for what is typed.
export function replace(...where) {
  history.replaceState(null, "", to(...where));
  route.value = read();
}
