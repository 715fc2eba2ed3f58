// One import for a view.
export * from "./base.js";
export * from "./route.js";
export * from "./api.js";
export * from "./acts.js";
export * from "./parts.js";
