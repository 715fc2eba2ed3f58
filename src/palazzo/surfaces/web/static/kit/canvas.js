// A map of many points that pans and zooms. Points far away are written as pixels, near ones are drawn as discs; lines are
// pixels while the map moves, since a pen takes fifty times as long, and drawn smoothly once it rests. Knows nothing of
// memories: points, discs and lines come in as numbers.
const COLOURS = ["#4c8dd6", "#d08a2e", "#3fa66b", "#c25b8d", "#8a6fd1", "#b0a02a", "#2fa3a8", "#d0604c", "#7a8794", "#5f9e3a", "#a86fb8", "#c79a5b"];
export const colour = (n) => COLOURS[n % COLOURS.length];
export const lineColour = (n) => COLOURS[(n + 5) % COLOURS.length];
const packed = COLOURS.map((text) => { const n = parseInt(text.slice(1), 16); return (0xff000000 | ((n & 255) << 16) | (n & 0xff00) | (n >> 16)) >>> 0; });
const NEAR = 0.55;         // from this scale on a point is a disc
const SMOOTH_LINES = 4000; // more lines than this stay pixels
const REST_MS = 120;

export function chart(canvas, { onPick }) {
  const pen = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  let data = null, at = { x: 0, y: 0, k: 1 }, size = { w: 0, h: 0 }, wanted = false, resting = 0, moving = false;
  let chosen = -1, lit = [];
  const tone = (name) => { pen.fillStyle = probe(name); return pen.fillStyle; };
  const probe = (name) => { canvas.style.color = `var(${name})`; const found = getComputedStyle(canvas).color; canvas.style.color = ""; return found; };
  let paper = "#fff", line = "#ccc", text = "#222", accent = "#36c";

  const parts = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const share = () => (data.links.length > 500 ? 0.2 : 0.45);  // how strong a line is: many of them faintly
  // A line's colour as it looks over the paper, as one pixel.
  function faded(kind) {
    const over = parts(lineColour(kind)), under = parts(paper), [r, g, b] = over.map((part, n) => Math.round(part * share() + under[n] * (1 - share())));
    return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
  }
  function colours() { paper = tone("--bg"); line = tone("--line"); text = tone("--text"); accent = tone("--accent"); }
  function resize() {
    const box = canvas.getBoundingClientRect(), scale = Math.min(devicePixelRatio || 1, 2);
    size = { w: Math.max(1, Math.round(box.width * scale)), h: Math.max(1, Math.round(box.height * scale)) };
    canvas.width = size.w; canvas.height = size.h;
    colours();
    ask();
  }
  function ask() { if (!wanted) { wanted = true; requestAnimationFrame(draw); } }
  function rest() { clearTimeout(resting); moving = true; resting = setTimeout(() => { moving = false; ask(); }, REST_MS); ask(); }

  // A line between two points, as far as it is on the map.
  function trace(pixels, x0, y0, x1, y1, mark) {
    const { w, h } = size, dx = x1 - x0, dy = y1 - y0;
    let from = 0, to = 1;
    for (const [p, q] of [[-dx, x0], [dx, w - 1 - x0], [-dy, y0], [dy, h - 1 - y0]]) {
      if (p === 0) { if (q < 0) return; } else if (p < 0) from = Math.max(from, q / p); else to = Math.min(to, q / p);
    }
    if (from > to) return;
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) * (to - from))), sx = (dx * (to - from)) / steps, sy = (dy * (to - from)) / steps;
    let px = x0 + dx * from, py = y0 + dy * from;
    for (let i = 0; i <= steps; i++, px += sx, py += sy) pixels[(py | 0) * w + (px | 0)] = mark;
  }
  const smooth = () => !moving && data.links.length <= SMOOTH_LINES;
  function marks() {
    const { w, h } = size, { x, y, k } = at, n = k < NEAR ? data.x.length : 0;
    const whole = pen.getImageData(0, 0, w, h);
    const pixels = new Uint32Array(whole.data.buffer), side = k > 0.25 ? 3 : k > 0.1 ? 2 : 1;
    if (!smooth()) data.ways.forEach((links, kind) => { const mark = faded(kind); for (const [from, to] of links) trace(pixels, X(from), Y(from), X(to), Y(to), mark); });
    for (let i = 0; i < n; i++) {
      const px = ((data.x[i] - x) * k + w / 2) | 0, py = ((data.y[i] - y) * k + h / 2) | 0;
      if (px < 1 || py < 1 || px >= w - 3 || py >= h - 3) continue;
      const mark = packed[data.kind[i] % packed.length];
      for (let row = 0; row < side; row++) for (let column = 0; column < side; column++) pixels[(py + row) * w + px + column] = mark;
    }
    pen.putImageData(whole, 0, 0);
  }
  function discs() {
    const { w, h } = size, { x, y, k } = at, radius = Math.min(9, 3.6 * k), groups = new Map();
    for (let i = 0; i < data.x.length; i++) {
      const px = (data.x[i] - x) * k + w / 2, py = (data.y[i] - y) * k + h / 2;
      if (px < -9 || py < -9 || px > w + 9 || py > h + 9) continue;
      const kind = data.kind[i] % packed.length;
      if (!groups.has(kind)) groups.set(kind, []);
      groups.get(kind).push(px, py);
    }
    for (const [kind, points] of groups) {
      pen.fillStyle = COLOURS[kind];
      pen.beginPath();
      for (let i = 0; i < points.length; i += 2) { pen.moveTo(points[i] + radius, points[i + 1]); pen.arc(points[i], points[i + 1], radius, 0, 7); }
      pen.fill();
    }
  }
  const X = (n) => (data.x[n] - at.x) * at.k + size.w / 2, Y = (n) => (data.y[n] - at.y) * at.k + size.h / 2;
  function strokes(list, stroke, width, alpha) {
    pen.strokeStyle = stroke; pen.lineWidth = width; pen.globalAlpha = alpha;
    pen.beginPath();
    for (const [from, to] of list) { pen.moveTo(X(from), Y(from)); pen.lineTo(X(to), Y(to)); }
    pen.stroke();
    pen.globalAlpha = 1;
  }
  function names() {
    pen.font = "13px system-ui, sans-serif"; pen.textAlign = "center"; pen.textBaseline = "middle";
    const shown = [];
    pen.beginPath();
    for (const one of data.places) {
      const px = (one.x - at.x) * at.k + size.w / 2, py = (one.y - at.y) * at.k + size.h / 2, r = one.radius * at.k;
      if (r < 4 || px + r < 0 || py + r < 0 || px - r > size.w || py - r > size.h) continue;
      pen.moveTo(px + r, py);
      pen.arc(px, py, r, 0, 7);
      if (r > 26) shown.push([one.name, px, py - r - 9, r]);
    }
    pen.strokeStyle = line; pen.lineWidth = 1;
    pen.stroke();
    pen.lineWidth = 3; pen.strokeStyle = paper; pen.fillStyle = text;
    // The names of larger discs first; one that would lie over another waits until the map is nearer.
    const taken = [];
    for (const [name, px, py] of shown.sort((a, b) => b[3] - a[3])) {
      const half = pen.measureText(name).width / 2 + 4;
      if (taken.some(([x, y, w]) => Math.abs(px - x) < half + w && Math.abs(py - y) < 16)) continue;
      taken.push([px, py, half]);
      pen.strokeText(name, px, py); pen.fillText(name, px, py);
    }
  }
  function draw() {
    wanted = false;
    if (!data) return;
    pen.fillStyle = paper;
    pen.fillRect(0, 0, size.w, size.h);
    if (smooth()) data.ways.forEach((links, kind) => strokes(links, lineColour(kind), 1.2, share()));
    marks();
    if (at.k >= NEAR) discs();
    names();
    if (lit.length) strokes(lit, accent, 2, 0.9);
    if (chosen >= 0) { pen.strokeStyle = accent; pen.lineWidth = 3; pen.beginPath(); pen.arc(X(chosen), Y(chosen), 11, 0, 7); pen.stroke(); }
  }
  function whole() {
    if (!data?.places.length) return;
    const edge = (f) => data.places.map(f);
    const left = Math.min(...edge((p) => p.x - p.radius)), right = Math.max(...edge((p) => p.x + p.radius)), up = Math.min(...edge((p) => p.y - p.radius)), down = Math.max(...edge((p) => p.y + p.radius));
    at = { x: (left + right) / 2, y: (up + down) / 2, k: Math.min(size.w / (right - left + 80), size.h / (down - up + 80), 3) };
    ask();
  }
  function zoom(by, px = size.w / 2, py = size.h / 2) {
    const k = Math.max(0.005, Math.min(6, at.k * by)), wx = at.x + (px - size.w / 2) / at.k, wy = at.y + (py - size.h / 2) / at.k;
    at = { k, x: wx - (px - size.w / 2) / k, y: wy - (py - size.h / 2) / k };
    rest();
  }
  function nearest(px, py) {
    let best = -1, least = 18 * 18;
    for (let i = 0; i < data.x.length; i++) { const d = (X(i) - px) ** 2 + (Y(i) - py) ** 2; if (d < least) { least = d; best = i; } }
    return best;
  }
  const place = (event) => { const box = canvas.getBoundingClientRect(), f = size.w / box.width; return [(event.clientX - box.left) * f, (event.clientY - box.top) * f]; };
  let held = null, gone = 0;
  const fingers = new Map();
  canvas.onpointerdown = (event) => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, place(event)); held = place(event); gone = 0; };
  canvas.onpointermove = (event) => {
    if (!fingers.has(event.pointerId)) return;
    const now = place(event);
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, p]) => p), before = fingers.get(event.pointerId);
      zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else { at = { ...at, x: at.x - (now[0] - held[0]) / at.k, y: at.y - (now[1] - held[1]) / at.k }; gone += Math.abs(now[0] - held[0]) + Math.abs(now[1] - held[1]); rest(); }
    fingers.set(event.pointerId, now);
    held = now;
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => {
    fingers.delete(event.pointerId);
    if (gone < 5 && data && event.type === "pointerup") { const found = nearest(...place(event)); if (found >= 0) onPick(found); }
  };
  canvas.onwheel = (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), ...place(event)); };
  canvas.onkeydown = (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) { at = { ...at, x: at.x + (step[0] * size.w) / 8 / at.k, y: at.y + (step[1] * size.h) / 8 / at.k }; rest(); event.preventDefault(); }
    if (event.key === "+" || event.key === "=") zoom(1.4);
    if (event.key === "-") zoom(1 / 1.4);
    if (event.key === "0") whole();
  };
  const watch = new ResizeObserver(resize);
  watch.observe(canvas);
  const light = matchMedia("(prefers-color-scheme: dark)"), painted = new MutationObserver(() => { colours(); ask(); });
  const turned = () => { colours(); ask(); };
  light.addEventListener("change", turned);
  painted.observe(document.documentElement, { attributes: true });
  resize();
  return {
    show(given) {
      const ways = given.link_kinds.map((_, kind) => given.links.filter((link) => link[2] === kind));
      data = { ...given, ways, x: Float32Array.from(given.x), y: Float32Array.from(given.y) };
      if (at.k === 1 && at.x === 0) whole(); ask(); },
    choose(n, near) { chosen = n; lit = near; if (n >= 0 && at.k < NEAR) { at = { x: data.x[n], y: data.y[n], k: 1 }; } else if (n >= 0 && (X(n) < 0 || Y(n) < 0 || X(n) > size.w || Y(n) > size.h)) at = { ...at, x: data.x[n], y: data.y[n] }; ask(); },
    zoom, whole,
    end() { watch.disconnect(); painted.disconnect(); light.removeEventListener("change", turned); clearTimeout(resting); },
  };
}
