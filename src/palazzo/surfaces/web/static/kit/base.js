// The parts every view is made of: markup, state that is shared, hooks. One import for all of them.
import { h, render, Fragment } from "../vendor/preact.js";
import htm from "../vendor/htm.js";
export { signal, computed, effect, batch } from "../vendor/signals.js";
export { useState, useEffect, useLayoutEffect, useMemo, useRef, useCallback, useId } from "../vendor/hooks.js";
export { h, render, Fragment };
export const html = htm.bind(h);
