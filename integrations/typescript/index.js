// Made from the OpenAPI document by `make docs`; do not edit.

const SCOPED = {"keep": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "remember": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "remember_many": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "observe": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "update": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "move": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "tag": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "untag": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "tags": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "deprecate": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "undeprecate": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "signal": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "explain": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "recall": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "context": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "reason": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "evolution": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "feedback": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "get": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "list": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "history": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "places": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "mind": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "mind_hold": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "mind_clear": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "anticipate": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "knows": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "unfold": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "summaries": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "gaps": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "gap_ask": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "gap_mute": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "chat_add": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "chat_get": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "chat_clear": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "publish": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "subscribe": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "unsubscribe": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "subscriptions": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "deliver": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "overview": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "activity": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "layout": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "facts": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "trail": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "why": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "origin_add": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "origin_link": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "relate": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "unrelate": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "walk": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "path": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "impact": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "register": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "product": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "entities": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "entity": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "merge_entities": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "split_entity": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "bundle": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "members": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "revise": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "expand": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "holds": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "contract": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "revert": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "as_of": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "inbox": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "settle": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "outcome": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "staleness": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "review": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "resolve": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "propose": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "draw_claims": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "claim_report": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "claims": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "preview": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "decide": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "retract": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "forget": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "restore": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "purge": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "token_create": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "lease": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "leases": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "lease_decide": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "lease_end": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "govern": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "outcome_report": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "outcomes": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "mature": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "maturations": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "mature_decide": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "thread_open": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "thread_list": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "thread_close": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "session_start": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "session_end": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "sessions": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "handoff_write": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "handoff_read": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "handoff_consume": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "checkpoint": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "turn_start": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "turn_end": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "warm_start": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "bridge": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "providers": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "hook_report": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "proof_check": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "compacted": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "metabolism": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "inquiries": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "contemplate": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "crystallise": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "standing": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "dynamics": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "proposals": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "proposal_decide": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "bundle_make": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "bundle_approve": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "bundle_export": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "identity_show": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "identity_plan": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "identity_plans": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "identity_apply": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "identity_rollback": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "attach": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "receipts": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "receipt_check": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "observe_attachment": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "capture_task": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "capture_flow_node": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "capture_flow": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "capture_round": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "capture_research": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "store_execution": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "capture_skill": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "restart_begin": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "restart_step": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "restart_state": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_save": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_list": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_show": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_diff": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_restore": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_share": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "snapshot_drop": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "export": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "import": ["project", "squad", "agent_id", "channel", "run_id", "user_id"], "events": ["project", "squad", "agent_id", "channel", "run_id", "user_id"]};

/** A refusal or failure, with the code every surface uses and what to do about it. */
export class PalazzoError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `HTTP ${status}`);
    this.name = "PalazzoError";
    this.status = status;
    this.code = problem.code || "";
    this.hint = problem.hint || "";
    this.field = problem.field || "";
  }
}

/** A palace behind `palazzo serve`. */
export class Palazzo {
  constructor({ token, url = "http://127.0.0.1:7777", fetch: given = globalThis.fetch, scope = {} } = {}) {
    this.url = url.replace(/\/+$/, "");
    this.scope = scope;
    this._token = token;
    this._fetch = given;
  }

  _headers(more = {}) {
    return { ...(this._token ? { Authorization: `Bearer ${this._token}` } : {}), ...more };
  }

  /** Calls an operation by its name. `idempotencyKey` makes a write that is sent again be done once. */
  async call(name, args = {}, { idempotencyKey, signal } = {}) {
    const headers = { "Content-Type": "application/json" };
    if (idempotencyKey) headers["Idempotency-Key"] = idempotencyKey;
    const own = Object.fromEntries(Object.entries(this.scope).filter(([key]) => (SCOPED[name] || []).includes(key)));
    const body = JSON.stringify({ ...own, ...args });
    const reply = await this._fetch(`${this.url}/v1/${name}`, { method: "POST", headers: this._headers(headers), body, signal });
    const told = await reply.json();
    if (!reply.ok) throw new PalazzoError(reply.status, told);
    return told;
  }

  /** What happens in the palace from now on, or after an event that was seen. */
  async *follow({ after, signal } = {}) {
    const asked = after === undefined ? "" : `?after=${after}`;
    const reply = await this._fetch(`${this.url}/v1/events${asked}`, { headers: this._headers(), signal });
    if (!reply.ok) throw new PalazzoError(reply.status, await reply.json());
    let rest = "";
    for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + piece).split(/\r?\n\r?\n/);
      rest = parts.pop();
      for (const part of parts) {
        const data = part.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
        if (data.length) yield JSON.parse(data.join("\n"));
      }
    }
  }

  keep(args, options) {
    return this.call("keep", args, options);
  }

  kinds(args, options) {
    return this.call("kinds", args, options);
  }

  kindAdd(args, options) {
    return this.call("kind_add", args, options);
  }

  remember(args, options) {
    return this.call("remember", args, options);
  }

  rememberMany(args, options) {
    return this.call("remember_many", args, options);
  }

  observe(args, options) {
    return this.call("observe", args, options);
  }

  update(args, options) {
    return this.call("update", args, options);
  }

  move(args, options) {
    return this.call("move", args, options);
  }

  tag(args, options) {
    return this.call("tag", args, options);
  }

  untag(args, options) {
    return this.call("untag", args, options);
  }

  tags(args, options) {
    return this.call("tags", args, options);
  }

  deprecate(args, options) {
    return this.call("deprecate", args, options);
  }

  undeprecate(args, options) {
    return this.call("undeprecate", args, options);
  }

  signal(args, options) {
    return this.call("signal", args, options);
  }

  explain(args, options) {
    return this.call("explain", args, options);
  }

  recall(args, options) {
    return this.call("recall", args, options);
  }

  context(args, options) {
    return this.call("context", args, options);
  }

  reason(args, options) {
    return this.call("reason", args, options);
  }

  evolution(args, options) {
    return this.call("evolution", args, options);
  }

  feedback(args, options) {
    return this.call("feedback", args, options);
  }

  get(args, options) {
    return this.call("get", args, options);
  }

  list(args, options) {
    return this.call("list", args, options);
  }

  history(args, options) {
    return this.call("history", args, options);
  }

  places(args, options) {
    return this.call("places", args, options);
  }

  contexts(args, options) {
    return this.call("contexts", args, options);
  }

  mind(args, options) {
    return this.call("mind", args, options);
  }

  mindHold(args, options) {
    return this.call("mind_hold", args, options);
  }

  mindClear(args, options) {
    return this.call("mind_clear", args, options);
  }

  anticipate(args, options) {
    return this.call("anticipate", args, options);
  }

  models(args, options) {
    return this.call("models", args, options);
  }

  knows(args, options) {
    return this.call("knows", args, options);
  }

  unfold(args, options) {
    return this.call("unfold", args, options);
  }

  summaries(args, options) {
    return this.call("summaries", args, options);
  }

  dream(args, options) {
    return this.call("dream", args, options);
  }

  dreams(args, options) {
    return this.call("dreams", args, options);
  }

  dreamApply(args, options) {
    return this.call("dream_apply", args, options);
  }

  prune(args, options) {
    return this.call("prune", args, options);
  }

  gaps(args, options) {
    return this.call("gaps", args, options);
  }

  gapAsk(args, options) {
    return this.call("gap_ask", args, options);
  }

  gapMute(args, options) {
    return this.call("gap_mute", args, options);
  }

  chatAdd(args, options) {
    return this.call("chat_add", args, options);
  }

  chatGet(args, options) {
    return this.call("chat_get", args, options);
  }

  chatClear(args, options) {
    return this.call("chat_clear", args, options);
  }

  publish(args, options) {
    return this.call("publish", args, options);
  }

  subscribe(args, options) {
    return this.call("subscribe", args, options);
  }

  unsubscribe(args, options) {
    return this.call("unsubscribe", args, options);
  }

  subscriptions(args, options) {
    return this.call("subscriptions", args, options);
  }

  deliver(args, options) {
    return this.call("deliver", args, options);
  }

  overview(args, options) {
    return this.call("overview", args, options);
  }

  activity(args, options) {
    return this.call("activity", args, options);
  }

  scopes(args, options) {
    return this.call("scopes", args, options);
  }

  layout(args, options) {
    return this.call("layout", args, options);
  }

  facts(args, options) {
    return this.call("facts", args, options);
  }

  trail(args, options) {
    return this.call("trail", args, options);
  }

  why(args, options) {
    return this.call("why", args, options);
  }

  originAdd(args, options) {
    return this.call("origin_add", args, options);
  }

  originLink(args, options) {
    return this.call("origin_link", args, options);
  }

  relate(args, options) {
    return this.call("relate", args, options);
  }

  unrelate(args, options) {
    return this.call("unrelate", args, options);
  }

  walk(args, options) {
    return this.call("walk", args, options);
  }

  path(args, options) {
    return this.call("path", args, options);
  }

  impact(args, options) {
    return this.call("impact", args, options);
  }

  register(args, options) {
    return this.call("register", args, options);
  }

  product(args, options) {
    return this.call("product", args, options);
  }

  entities(args, options) {
    return this.call("entities", args, options);
  }

  entity(args, options) {
    return this.call("entity", args, options);
  }

  mergeEntities(args, options) {
    return this.call("merge_entities", args, options);
  }

  splitEntity(args, options) {
    return this.call("split_entity", args, options);
  }

  bundle(args, options) {
    return this.call("bundle", args, options);
  }

  members(args, options) {
    return this.call("members", args, options);
  }

  revise(args, options) {
    return this.call("revise", args, options);
  }

  expand(args, options) {
    return this.call("expand", args, options);
  }

  holds(args, options) {
    return this.call("holds", args, options);
  }

  contract(args, options) {
    return this.call("contract", args, options);
  }

  revert(args, options) {
    return this.call("revert", args, options);
  }

  asOf(args, options) {
    return this.call("as_of", args, options);
  }

  inbox(args, options) {
    return this.call("inbox", args, options);
  }

  settle(args, options) {
    return this.call("settle", args, options);
  }

  outcome(args, options) {
    return this.call("outcome", args, options);
  }

  staleness(args, options) {
    return this.call("staleness", args, options);
  }

  review(args, options) {
    return this.call("review", args, options);
  }

  recheck(args, options) {
    return this.call("recheck", args, options);
  }

  resolve(args, options) {
    return this.call("resolve", args, options);
  }

  propose(args, options) {
    return this.call("propose", args, options);
  }

  drawClaims(args, options) {
    return this.call("draw_claims", args, options);
  }

  claimReport(args, options) {
    return this.call("claim_report", args, options);
  }

  claims(args, options) {
    return this.call("claims", args, options);
  }

  preview(args, options) {
    return this.call("preview", args, options);
  }

  decide(args, options) {
    return this.call("decide", args, options);
  }

  retract(args, options) {
    return this.call("retract", args, options);
  }

  claimMode(args, options) {
    return this.call("claim_mode", args, options);
  }

  forget(args, options) {
    return this.call("forget", args, options);
  }

  restore(args, options) {
    return this.call("restore", args, options);
  }

  purge(args, options) {
    return this.call("purge", args, options);
  }

  burn(args, options) {
    return this.call("burn", args, options);
  }

  forgetUser(args, options) {
    return this.call("forget_user", args, options);
  }

  grant(args, options) {
    return this.call("grant", args, options);
  }

  revoke(args, options) {
    return this.call("revoke", args, options);
  }

  grants(args, options) {
    return this.call("grants", args, options);
  }

  tokenCreate(args, options) {
    return this.call("token_create", args, options);
  }

  tokenList(args, options) {
    return this.call("token_list", args, options);
  }

  tokenRevoke(args, options) {
    return this.call("token_revoke", args, options);
  }

  plan(args, options) {
    return this.call("plan", args, options);
  }

  apply(args, options) {
    return this.call("apply", args, options);
  }

  rollback(args, options) {
    return this.call("rollback", args, options);
  }

  plans(args, options) {
    return this.call("plans", args, options);
  }

  auditList(args, options) {
    return this.call("audit_list", args, options);
  }

  auditVerify(args, options) {
    return this.call("audit_verify", args, options);
  }

  auditAnchor(args, options) {
    return this.call("audit_anchor", args, options);
  }

  pause(args, options) {
    return this.call("pause", args, options);
  }

  resume(args, options) {
    return this.call("resume", args, options);
  }

  seal(args, options) {
    return this.call("seal", args, options);
  }

  vaultProtect(args, options) {
    return this.call("vault_protect", args, options);
  }

  vaultUnlock(args, options) {
    return this.call("vault_unlock", args, options);
  }

  vaultLock(args, options) {
    return this.call("vault_lock", args, options);
  }

  lease(args, options) {
    return this.call("lease", args, options);
  }

  leases(args, options) {
    return this.call("leases", args, options);
  }

  leaseDecide(args, options) {
    return this.call("lease_decide", args, options);
  }

  leaseEnd(args, options) {
    return this.call("lease_end", args, options);
  }

  govern(args, options) {
    return this.call("govern", args, options);
  }

  outcomeReport(args, options) {
    return this.call("outcome_report", args, options);
  }

  outcomes(args, options) {
    return this.call("outcomes", args, options);
  }

  mature(args, options) {
    return this.call("mature", args, options);
  }

  maturations(args, options) {
    return this.call("maturations", args, options);
  }

  matureDecide(args, options) {
    return this.call("mature_decide", args, options);
  }

  threadOpen(args, options) {
    return this.call("thread_open", args, options);
  }

  threadList(args, options) {
    return this.call("thread_list", args, options);
  }

  threadClose(args, options) {
    return this.call("thread_close", args, options);
  }

  sessionStart(args, options) {
    return this.call("session_start", args, options);
  }

  sessionEnd(args, options) {
    return this.call("session_end", args, options);
  }

  sessions(args, options) {
    return this.call("sessions", args, options);
  }

  handoffWrite(args, options) {
    return this.call("handoff_write", args, options);
  }

  handoffRead(args, options) {
    return this.call("handoff_read", args, options);
  }

  handoffConsume(args, options) {
    return this.call("handoff_consume", args, options);
  }

  checkpoint(args, options) {
    return this.call("checkpoint", args, options);
  }

  turnStart(args, options) {
    return this.call("turn_start", args, options);
  }

  turnEnd(args, options) {
    return this.call("turn_end", args, options);
  }

  warmStart(args, options) {
    return this.call("warm_start", args, options);
  }

  bridge(args, options) {
    return this.call("bridge", args, options);
  }

  providers(args, options) {
    return this.call("providers", args, options);
  }

  hookReport(args, options) {
    return this.call("hook_report", args, options);
  }

  proofCheck(args, options) {
    return this.call("proof_check", args, options);
  }

  compacted(args, options) {
    return this.call("compacted", args, options);
  }

  metabolism(args, options) {
    return this.call("metabolism", args, options);
  }

  inquiries(args, options) {
    return this.call("inquiries", args, options);
  }

  contemplate(args, options) {
    return this.call("contemplate", args, options);
  }

  crystallise(args, options) {
    return this.call("crystallise", args, options);
  }

  standing(args, options) {
    return this.call("standing", args, options);
  }

  dynamics(args, options) {
    return this.call("dynamics", args, options);
  }

  proposals(args, options) {
    return this.call("proposals", args, options);
  }

  proposalDecide(args, options) {
    return this.call("proposal_decide", args, options);
  }

  bundleMake(args, options) {
    return this.call("bundle_make", args, options);
  }

  bundleApprove(args, options) {
    return this.call("bundle_approve", args, options);
  }

  bundleExport(args, options) {
    return this.call("bundle_export", args, options);
  }

  identityShow(args, options) {
    return this.call("identity_show", args, options);
  }

  identityPlan(args, options) {
    return this.call("identity_plan", args, options);
  }

  identityPlans(args, options) {
    return this.call("identity_plans", args, options);
  }

  identityApply(args, options) {
    return this.call("identity_apply", args, options);
  }

  identityRollback(args, options) {
    return this.call("identity_rollback", args, options);
  }

  attach(args, options) {
    return this.call("attach", args, options);
  }

  receipts(args, options) {
    return this.call("receipts", args, options);
  }

  receiptCheck(args, options) {
    return this.call("receipt_check", args, options);
  }

  observeAttachment(args, options) {
    return this.call("observe_attachment", args, options);
  }

  captureStatus(args, options) {
    return this.call("capture_status", args, options);
  }

  captureEnable(args, options) {
    return this.call("capture_enable", args, options);
  }

  captureDisable(args, options) {
    return this.call("capture_disable", args, options);
  }

  capturePrivate(args, options) {
    return this.call("capture_private", args, options);
  }

  captureAllow(args, options) {
    return this.call("capture_allow", args, options);
  }

  captureOnly(args, options) {
    return this.call("capture_only", args, options);
  }

  captureEvents(args, options) {
    return this.call("capture_events", args, options);
  }

  captureGit(args, options) {
    return this.call("capture_git", args, options);
  }

  rawEvents(args, options) {
    return this.call("raw_events", args, options);
  }

  captureTask(args, options) {
    return this.call("capture_task", args, options);
  }

  captureFlowNode(args, options) {
    return this.call("capture_flow_node", args, options);
  }

  captureFlow(args, options) {
    return this.call("capture_flow", args, options);
  }

  captureRound(args, options) {
    return this.call("capture_round", args, options);
  }

  captureResearch(args, options) {
    return this.call("capture_research", args, options);
  }

  storeExecution(args, options) {
    return this.call("store_execution", args, options);
  }

  captureSkill(args, options) {
    return this.call("capture_skill", args, options);
  }

  restartBegin(args, options) {
    return this.call("restart_begin", args, options);
  }

  restartStep(args, options) {
    return this.call("restart_step", args, options);
  }

  restartState(args, options) {
    return this.call("restart_state", args, options);
  }

  snapshotSave(args, options) {
    return this.call("snapshot_save", args, options);
  }

  snapshotList(args, options) {
    return this.call("snapshot_list", args, options);
  }

  snapshotShow(args, options) {
    return this.call("snapshot_show", args, options);
  }

  snapshotDiff(args, options) {
    return this.call("snapshot_diff", args, options);
  }

  snapshotRestore(args, options) {
    return this.call("snapshot_restore", args, options);
  }

  snapshotShare(args, options) {
    return this.call("snapshot_share", args, options);
  }

  snapshotDrop(args, options) {
    return this.call("snapshot_drop", args, options);
  }

  export(args, options) {
    return this.call("export", args, options);
  }

  import(args, options) {
    return this.call("import", args, options);
  }

  status(args, options) {
    return this.call("status", args, options);
  }

  doctor(args, options) {
    return this.call("doctor", args, options);
  }

  health(args, options) {
    return this.call("health", args, options);
  }

  verify(args, options) {
    return this.call("verify", args, options);
  }

  backup(args, options) {
    return this.call("backup", args, options);
  }

  events(args, options) {
    return this.call("events", args, options);
  }

  settings(args, options) {
    return this.call("settings", args, options);
  }

  settingPut(args, options) {
    return this.call("setting_put", args, options);
  }

  jobs(args, options) {
    return this.call("jobs", args, options);
  }

  run(args, options) {
    return this.call("run", args, options);
  }

  cancel(args, options) {
    return this.call("cancel", args, options);
  }

  undo(args, options) {
    return this.call("undo", args, options);
  }

  spaces(args, options) {
    return this.call("spaces", args, options);
  }

  spaceRetire(args, options) {
    return this.call("space_retire", args, options);
  }
}
