// Made from the OpenAPI document by `make docs`; do not edit.

export interface Activity {
  days: DayActivity[];
  places: Counted[];
  total: number;
  zone: string;
}

export interface Anticipation {
  memories: number;
  until: string;
  degraded: string[];
}

export interface AskedOnTheWay {
  question: string;
  why: string;
  depth: number;
  found: string[];
}

export interface AuditAnchor {
  line: number;
  hash: string;
  at: string;
  anchor: string;
  file: string;
}

export interface AuditEntry {
  line: number;
  at: string;
  subject: string;
  action: string;
  decision: string;
  place: string;
  capability: string;
  query: string;
  first_event: number | null;
  last_event: number | null;
  detail: string;
}

export interface AuditTrail {
  lines: AuditEntry[];
}

export interface AuditVerified {
  clean: boolean;
  problems: string[];
  anchors: number;
}

export interface Audited {
  events: number;
  queued: number;
  audited: number;
  flagged: number;
  understood: number;
  settled: number;
  superseded: number;
  conflicts: number;
  more: boolean;
  busy: boolean;
  degraded: string[];
}

export interface BackedUp {
  backup: string;
  bytes: number;
  key_file: string;
}

export interface BeliefChange {
  memory: string | null;
  added: string[];
  dropped: string[];
  reinstated: string[];
  touched: string[];
  shaken: string[];
  consistent: boolean;
  degraded: string[];
}

export interface Believed {
  at: string;
  beliefs: ShownBelief[];
  total: number;
}

export interface Bundled {
  bundle: StoredMemory;
  members: ShownMember[];
  degraded: string[];
}

export interface Cancelled {
  job: string;
  asked: boolean;
}

export interface CandidateField {
  mode: string;
  candidates: number;
  recurring: CandidateSeen[];
  conflicting: CandidateSeen[];
  ready: CandidateSeen[];
  decayed: CandidateSeen[];
}

export interface CandidateSeen {
  sources: string[];
  sorts: number;
  source_state: string;
  conflicts: string[];
  age_days: number;
  claim: ShownClaim;
}

export interface Capture {
  paused: boolean;
}

export interface CaptureStatus {
  paused: boolean;
  only_allowed: boolean;
  keeps_days: number;
  adapters: ShownAdapter[];
  private: string[];
  private_from_the_start: string[];
  allowed: string[];
  folders: string[];
  runtime: string;
}

export interface Captured {
  memories: string[];
  scope: string;
  skipped: string[];
  degraded: string[];
}

export interface ChangedMemory {
  memory: string;
  address: string;
  state: string;
  next: string;
  done: string;
}

export interface ChatAdded {
  session: string;
  messages: number;
  memory: string | null;
  reasons: string[];
}

export interface ChatCleared {
  session: string;
  messages: number;
}

export interface ChatMessage {
  memory: string;
  role: string;
  speaker: string;
  text: string;
  at: string;
}

export interface ChatMessages {
  session: string;
  messages: ChatMessage[];
  warm: boolean;
}

export interface Choice {
  address: string;
  text: string;
  cosine: number;
}

export interface ClaimList {
  mode: string;
  claims: ShownClaim[];
}

export interface ClaimPreview {
  claim: ShownClaim;
  source_state: string;
  sources: SourceNow[];
  recurrence: number;
  diversity: number;
  age_days: number;
  conflicts: string[];
  recommendation: string;
  receipts: DecisionMade[];
}

export interface ClaimedFrom {
  kind: string;
  reference: string;
  excerpt: string;
}

export interface ContextBlock {
  text: string;
  tokens: number;
  budget_tokens: number;
  mode: string;
  hits: RecalledMemory[];
  scope: string;
  injection: string;
  sections: FilledSection[];
  relevance: number;
  ndcg: number;
  alarm: string;
  cached: boolean;
  decisions: ContextDecision[];
  dropped: string[];
  damaged: string[];
  known: boolean;
}

export interface ContextDecision {
  memory: string;
  admitted: boolean;
  mode: string;
  reasons: string[];
}

export interface Counted {
  name: string;
  count: number;
}

export interface DatedMemory {
  at: string;
  memory: StoredMemory;
}

export interface DayActivity {
  day: string;
  memories: number;
  places: Counted[];
}

export interface DecisionMade {
  id: string;
  at: string;
  by: string;
  status: string;
  source_state: string;
}

export interface Delivered {
  memories: StoredMemory[];
  sources: string[];
  conflicts: ShownConflict[];
  refused: string[];
  more: boolean;
}

export interface Diagnosis {
  well: boolean;
  findings: ShownFinding[];
}

export interface DisagreementList {
  disagreements: ShownDisagreement[];
}

export interface DrawnClaims {
  claims: ShownClaim[];
  read: number;
}

export interface DreamList {
  dreams: Dreamt[];
}

export interface Dreamt {
  id: string | null;
  at: string;
  state: string;
  markdown: string;
  steps: ShownStep[];
  passes: Record<string, string>;
  probes: number;
  before: number;
  after: number;
  notes: string[];
}

export interface DroppedSnapshot {
  id: string;
  next: string;
}

export interface EndedTurn {
  turns: number;
  memories: number;
  handoff: string;
  degraded: string[];
}

export interface EntityList {
  entities: KnownEntity[];
}

export interface EntityProfile {
  entity: KnownEntity;
  joined: KnownEntity[];
  relations: ShownRelation[];
  timeline: DatedMemory[];
}

export interface ErasureReport {
  done: boolean;
  memories: number;
  archive_lines: number;
  unreadable: string[];
  backups: string[];
  rows: Record<string, number>;
  log: "emptied" | "pending";
  looked_for: number;
  left: string[];
  mentioned_elsewhere: number;
  pseudonym: string;
  remains: string[];
  would: string[];
  next: string;
}

export interface EventList {
  events: Happening[];
  last: string;
}

export interface Evolution {
  topic: string;
  changes: TurningPoint[];
}

export interface Exists {
  exists: boolean;
}

export interface Explained {
  accounts: ShownAccount[];
}

export interface Exported {
  to: string;
  format: string;
  memories: number;
  revisions: number;
  edges: number;
  bytes: number;
  damaged: string[];
}

export interface Fact {
  about: string;
  attribute: string;
  value: string;
  denied: boolean;
  memory: string;
  kind: string;
  confidence: number;
}

export interface FactList {
  facts: Fact[];
  more: boolean;
}

export interface FilledSection {
  name: string;
  tokens: number;
}

export interface GapList {
  gaps: ShownGap[];
}

export interface GivenCount {
  /** The family, such as language. */
  family: string;
  /** The member of it, such as python. */
  dimension: string;
  /** How many events. */
  count?: number;
  /** When; today when left out. */
  at?: string | null;
}

export interface GivenEvent {
  /** command, commit, file, app_activation or music. */
  kind: "app_activation" | "command" | "commit" | "file" | "music";
  /** The adapter that saw it. */
  source: string;
  /** The command, path, app or title. */
  reference: string;
  /** When; now when left out. */
  at?: string | null;
  /** What else is known: cwd, exit_code, seconds, app, title; one with an id is kept once. */
  metadata?: Record<string, unknown> | null;
}

export interface GivenFinding {
  /** What was found. */
  text: string;
  /** Where. */
  url?: string;
  /** How sure it is, from 0 to 1. */
  confidence?: number;
  /** The number of an earlier finding, from 1, that it speaks for; 0 for none. */
  supports?: number;
}

export interface GivenNote {
  /** What to remember, word for word. */
  text: string;
  /** Where it belongs, such as work.projects; chosen from the content when left out. */
  place?: string;
  /** What kind of memory it is, such as fact or decision; chosen from the content when left out. */
  kind?: string;
  /** Its name at that place. Remembering under the same name again revises that memory. */
  name?: string;
  /** Tags that point at this revision. */
  tags?: string[];
  /** From 0 to 1; judged from the content when left out. */
  importance?: number | null;
  /** Whether it never fades; what was asked to be remembered is, unless you say no. */
  pinned?: boolean | null;
  /** How it fades; by kind and content when left out. */
  durability?: "decaying" | "permanent" | "semester" | "transient" | null;
  /** When it was said; now when left out. Relative dates are read against it. */
  at?: string | null;
  /** Who says it, where the text says I. */
  speaker?: string;
  /** What to do if it contradicts what is known; by kind when left out. */
  conflict?: "ask" | "keep_both" | "keep_existing" | "merge" | "temporal" | "use_new" | null;
  /** Keep it as one memory, without drawing statements from it. */
  verbatim?: boolean;
  /** JSON values to keep beside it, by key; they come back with it. */
  metadata?: Record<string, unknown> | null;
  /** Only if what has that name is at this revision, 0 for nothing yet; else it is a conflict. */
  if_revision?: number | null;
}

export interface GivenRun {
  /** The command. */
  command: string;
  /** How it ended; left out when nobody knows. */
  exit_code?: number | null;
}

export interface GivenSource {
  /** What sort of source it is. */
  kind: "exchange" | "file" | "handoff" | "summary" | "tool_result" | "url";
  /** The id or address of a memory, the path of a file, or a URL. */
  reference: string;
  /** The words it had when it was read. */
  excerpt?: string;
}

export interface GivenTodo {
  /** What is to be done; may be left out where a known key names it. */
  text?: string;
  /** Where it stands. */
  state?: "cancelled" | "done" | "open";
  /** What the list calls it, where entries are told one by one and not the whole list. */
  key?: string;
  /** When the list said so; now when left out. */
  at?: string | null;
}

export interface GivenTurn {
  /** What was said. */
  content: string;
  /** Who said it, as a role. */
  role?: "assistant" | "other" | "system" | "tool" | "user";
  /** Who said it, by name. */
  speaker?: string;
  /** Whom it was said to, by name. */
  addressee?: string;
  /** When it was said; now when left out. */
  at?: string | null;
}

export interface Governed {
  mode: string;
  may_act: boolean;
  reasons: string[];
  checks: string[];
  alternative: string;
  unconfirmed: string[];
}

export interface GrantEffect {
  place: string;
  before: string;
  after: string;
}

export interface GrantList {
  subject: string;
  grants: Granted[];
  effects: GrantEffect[];
  note: string;
}

export interface Granted {
  subject: string;
  level: string;
  place: string;
  starts_at: string;
  expires_at: string | null;
  granted_by: string;
}

export interface Happening {
  seq: string;
  at: string;
  kind: string;
  subject: string;
  memory: string | null;
  revision: number | null;
}

export interface Health {
  level: string;
  words: string[];
  layers: Record<string, number>;
  states: Record<string, number>;
  edges: number;
  missing_vectors: number;
  pending: number;
  index_tails_due: number;
  due_to_fade: number;
  recalls: number;
  recall_ms_mean: number;
  recall_ms_p99: number;
  resident_mb: number;
  pressure: string;
  budget_mb: number;
  log_mb: number;
  free_gb: number;
  backed_up_at: string | null;
}

export interface History {
  memory: string;
  address: string;
  revisions: Past[];
}

export interface Holding {
  holds: boolean;
  denied: boolean;
  grounds: ShownBelief[];
}

export interface IdentityFiles {
  files: ShownIdentity[];
}

export interface IdentityPlanList {
  plans: ShownIdentityPlan[];
}

export interface Imported {
  file: string;
  format: string;
  dry_run: boolean;
  entries: number;
  new: number;
  known: number;
  refused: number;
  redacted: number;
  readable: number;
  memories: number;
  links: number;
  refusals: RefusedEntry[];
  degraded: string[];
}

export interface InMind {
  scope: string;
  slots: MindSlot[];
}

export interface InquiryList {
  inquiries: ShownInquiry[];
}

export interface JobList {
  jobs: ShownJob[];
}

export interface Keeping {
  memory: string;
  address: string;
  pinned: boolean;
  durability: string;
}

export interface Kept {
  memories: string[];
  accounts: ShownAccount[];
  degraded: string[];
  snapshot: string | null;
  pending: number;
}

export interface KindList {
  kinds: ShownKind[];
}

export interface KnownCue {
  verdict: string;
  confidence: number;
  domain: string;
  node: string;
  memories: number;
  gaps: number;
  newest_at: string | null;
  line: string;
}

export interface KnownEntity {
  id: string;
  name: string;
  kind: string;
  names: string[];
  scope: string;
  mentions: number;
  first_seen: string | null;
  last_seen: string | null;
}

export interface KnownPart {
  node: string;
  level: number;
  label: string;
  summary: string;
  memories: number;
  tokens: number;
  children: string[];
  depth: number;
  freshness: number;
  uncertainty: number;
  confidence: number;
  gaps: number;
}

export interface LaidPlace {
  name: string;
  x: number;
  y: number;
  radius: number;
  count: number;
}

export interface Layout {
  ids: string[];
  x: number[];
  y: number[];
  kind: number[];
  kinds: string[];
  links: unknown[][];
  link_kinds: string[];
  places: LaidPlace[];
  more: boolean;
}

export interface LeaseList {
  leases: ShownLease[];
}

export interface LetGo {
  slots: number;
}

export interface Link {
  kind: string;
  source: string;
  target: string;
  weight: number;
  made_at: string;
  metadata: Record<string, unknown>;
  source_revision: number | null;
  target_revision: number | null;
}

export interface MadeToken {
  token: string;
  info: TokenInfo;
}

export interface MaturationList {
  maturations: ShownMaturation[];
}

export interface MemoryPage {
  memories: StoredMemory[];
  total: number | null;
  next_cursor: string;
  damaged: string[];
}

export interface MindSlot {
  text: string;
  source: string;
  activation: number;
  tokens: number;
  touched_at: string;
  memory: string | null;
  note: string;
}

export interface ModeSet {
  mode: string;
}

export interface ModelList {
  models: ShownModel[];
}

export interface MovedState {
  memory: string;
  address: string;
  before: string;
  after: string;
}

export interface OutcomeList {
  outcomes: ShownOutcome[];
}

export interface Outline {
  count: number;
  places: Tally[];
  kinds: Tally[];
  first_at: string | null;
  last_at: string | null;
}

export interface Overview {
  memories: number;
  places: Counted[];
  kinds: Counted[];
  tags: Counted[];
  topics: Counted[];
  looked_at: number;
  last_7_days: number;
  visits: number;
  waiting: number;
  newest: StoredMemory[];
  summary: string;
  parts: KnownPart[];
}

export interface Past {
  revision: number;
  text: string;
  made_at: string;
  valid_from: string | null;
  valid_to: string | null;
  author: string;
  current: boolean;
}

export interface Pathway {
  memories: StoredMemory[];
  links: Link[];
}

export interface PlaceCount {
  place: string;
  seal: string;
  memories: number;
  newest_at: string | null;
  below: number;
}

export interface PlaceList {
  below: string;
  places: PlaceCount[];
}

export interface PlanInfo {
  plan: string;
  transition: string;
  state: string;
  changes: string[];
  made_at: string;
  changed_at: string;
}

export interface PlanList {
  plans: PlanInfo[];
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  hint: string;
  field: string;
}

export interface Proof {
  text: string;
  claims: ShownClaimMade[];
}

export interface ProposalList {
  proposals: ShownProposal[];
}

export interface ProviderList {
  providers: ShownProvider[];
}

export interface Pruned {
  name: string;
  removed: number;
  unlinked: number;
  restored: number;
  closed: number;
}

export interface Publication {
  id: string;
  memories: number;
}

export interface RawEventList {
  events: ShownEvent[];
}

export interface Reached {
  depth: number;
  memory: StoredMemory;
  link: Link | null;
}

export interface Reasoned {
  question: string;
  evidence: RecalledMemory[];
  steps: AskedOnTheWay[];
  missing: string[];
  stopped: string;
  answer: string;
  rests_on: string[];
  model: string;
}

export interface Recalled {
  hits: RecalledMemory[];
  mode: string;
  intent: string;
  tokens: number;
  candidates: number;
  left_out: number;
  latency_ms: number;
  dropped: string[];
  replaced: string[];
  weights: string;
  gist: string;
  known: boolean;
  relevance: number;
  ndcg: number;
  alarm: string;
  siblings: Choice[];
  hint: string;
  damaged: string[];
}

export interface RecalledMemory {
  text: string;
  score: number;
  trust: number;
  memory: StoredMemory;
  tier: string;
  lane: string;
  source: string;
  caveat: string;
  reasons: ShownReason[];
  parts: TrustParts | null;
  relevance: number;
  match: string;
}

export interface ReceiptList {
  receipts: ShownReceipt[];
}

export interface RefusedEntry {
  entry: string;
  reason: string;
  hint: string;
}

export interface Resolved {
  memory: string;
  answer: string;
  confidence: number;
}

export interface RestoredThing {
  step: "applications" | "music" | "terminals" | "territory" | "wallpaper";
  what: string;
  outcome: "already" | "done" | "failed" | "left" | "offered" | "would";
  told: string[];
}

export interface Reviewed {
  due: boolean;
  disagreements: ShownDisagreement[];
  claims: ShownClaim[];
  stale: Stale[];
  instructions: StoredMemory[];
}

export interface RunList {
  runs: ShownRun[];
}

export interface ScopeList {
  scopes: Counted[];
}

export interface SealedPlace {
  place: string;
  seal: string;
}

export interface SeenContext {
  at: string;
  subject: string;
  message: string;
  block: ContextBlock;
}

export interface SeenContexts {
  contexts: SeenContext[];
}

export interface SessionList {
  sessions: ShownSession[];
}

export interface SettingList {
  settings: ShownSetting[];
  trouble: string;
}

export interface SettledDisagreement {
  settled: string;
  changes: number;
}

export interface SharedSnapshot {
  palazzo: string;
  captured_at: string;
  territory: string;
  state: Record<string, unknown>;
  struck_out: string[];
}

export interface ShownAccount {
  id: string;
  at: string;
  fates: ShownFate[];
}

export interface ShownAdapter {
  name: string;
  on: boolean;
  available: boolean;
  about: string;
  why: string;
  events: number;
  last: string | null;
}

export interface ShownArtifact {
  name: string;
  uri: string;
  media_type: string;
  size: number | null;
  sha256: string | null;
  state: string;
}

export interface ShownBelief {
  says: string;
  memory: string;
  kind: string;
  confidence: number;
}

export interface ShownBridge {
  thread: string;
  turns: number;
  compactions: number;
  items: ShownItem[];
  decisions: ShownDecision[];
  rejected: ShownDecision[];
  words: string[];
  asked_last: string;
  loose: string[];
  cwd: string;
  branch: string;
  ran: string[];
  kept: number;
  degraded: string[];
  scope: string;
}

export interface ShownBundle {
  bundle: string;
  thread: string;
  state: string;
  turns: number;
  sha256: string;
  redaction: string;
  training: boolean;
  written: number;
}

export interface ShownCheckpoint {
  thread: string;
  session: string;
  cwd: string;
  branch: string;
  ran: string[];
  files: string[];
  at: string;
}

export interface ShownClaim {
  id: string;
  text: string;
  kind: string;
  status: string;
  sources: ClaimedFrom[];
  author: string;
  proposed_at: string;
  changed_at: string;
  recheck_days: number;
  memory: string | null;
  degraded: string[];
}

export interface ShownClaimMade {
  sentence: string;
  gate: string;
  verified: boolean;
}

export interface ShownClause {
  text: string;
  about: string;
}

export interface ShownConflict {
  memory: string;
  other: string;
  holds: string;
  why: string;
}

export interface ShownDecision {
  text: string;
  by: string;
  reason: string;
}

export interface ShownDifference {
  where: string;
  before: string;
  after: string;
}

export interface ShownDisagreement {
  newer: string;
  says: string;
  older: string;
  said: string;
  score: number;
  since: string;
}

export interface ShownDynamics {
  thread: string;
  frozen: number[];
  learned: number[];
  updates: number;
}

export interface ShownEvent {
  kind: string;
  source: string;
  reference: string;
  at: string;
  metadata: Record<string, unknown>;
  scope: string;
}

export interface ShownFate {
  start: number;
  end: number;
  outcome: string;
  reason: string;
  memory: string | null;
  other: string | null;
  score: number | null;
}

export interface ShownFinding {
  check: string;
  level: string;
  detail: string;
  advice: string;
}

export interface ShownGap {
  id: string;
  sort: string;
  question: string;
  memories: string[];
  state: string;
  again_at: string | null;
}

export interface ShownHandoff {
  thread: string;
  state: string;
  reason: string;
  session: string;
  offered_to: string;
  consumed_by: string;
  until: string | null;
  compactions: number;
  text: string;
  file: string;
}

export interface ShownIdentity {
  file: string;
  tag: string;
  text: string;
  sha256: string;
}

export interface ShownIdentityPlan {
  plan: string;
  file: string;
  state: string;
  by: string;
  reason: string;
  diff: string;
  made_at: string;
  changed_at: string;
}

export interface ShownInquiry {
  inquiry: string;
  thread: string;
  sort: string;
  state: string;
  entropy: number;
  count: number;
  passes: string[];
  begun_at: string;
}

export interface ShownItem {
  text: string;
  state: string;
  by: string;
  moved_by: string;
  reason: string;
  remark: string;
  spoken: string;
}

export interface ShownJob {
  job: string;
  about: string;
  state: string;
  every_s: number;
  due_at: string | null;
  began_at: string | null;
  ended_at: string | null;
  held_until: string | null;
  started_by: string;
  step: string;
  done: number;
  total: number;
  cancelled: boolean;
  counts: Record<string, number>;
  notes: string[];
  error: string;
  more: boolean;
  dry_run: boolean;
  undo: boolean;
}

export interface ShownKind {
  kind: string;
  layer: string;
  stability_days: number;
  lifespan_days: number | null;
  durability: string;
  conflict: string;
  one_value: string[];
  why: string;
  own: boolean;
}

export interface ShownLease {
  id: string;
  owner: string;
  objective: string;
  within: string;
  budget: number;
  spent: number;
  stop_when: string;
  notify: string;
  state: string;
  holds: boolean;
  made_at: string;
  expires_at: string;
}

export interface ShownMaturation {
  id: string;
  by: string;
  lane: string;
  what: string;
  evidence: string[];
  reversible: boolean;
  later: string;
  state: string;
  next: string;
  at: string;
}

export interface ShownMember {
  memory: StoredMemory;
  since: string;
}

export interface ShownMetabolism {
  thread: string;
  entropy: number;
  loop: number;
  confabulation: number;
  tension: number;
  coherence: number;
  surprise: number;
  unsettled: boolean;
}

export interface ShownModel {
  prefix: string;
  context_tokens: number;
  output_tokens: number;
  tools: boolean;
  vision: boolean;
  thinking: boolean;
  tokenizer: string;
  ratio: number;
  depth: number;
}

export interface ShownMove {
  revision: number;
  since: string;
  until: string | null;
}

export interface ShownOrigin {
  id: string;
  kind: string;
  at: string;
  label: string;
  author: string;
  link: string;
  depth: number;
  metadata: Record<string, unknown>;
  sha256: string;
}

export interface ShownOutcome {
  id: string;
  by: string;
  intent: string;
  effect: string;
  authority: string;
  verified: string;
  failure: string;
  risk: string;
  at: string;
}

export interface ShownProduct {
  memory: StoredMemory;
  files: ShownArtifact[];
  made_from: string[];
  degraded: string[];
}

export interface ShownProposal {
  proposal: string;
  thread: string;
  state: string;
  evidence: string[];
  change: string;
  effect: string;
  verification: string;
  rollback: string;
}

export interface ShownProvider {
  name: string;
  priority: number;
  section: string;
  budget_ms: number;
  calls: number;
  p50_ms: number;
  p95_ms: number;
  max_ms: number;
  late: number;
  failed: number;
}

export interface ShownReason {
  signal: string;
  value: number;
  weight: number;
  rank: number;
}

export interface ShownReceipt {
  receipt: string;
  kind: string;
  filename: string;
  media_type: string;
  size: number;
  sha256: string;
  source: string;
  state: string;
  excerpt: string;
  observation: string;
  threads: string[];
  line: string;
  at: string;
}

export interface ShownRelation {
  relation: string;
  other: string;
  stated: string;
  strength: number;
  count: number;
  last_at: string;
  confidence: number;
}

export interface ShownRestart {
  session: string;
  state: string;
  reached: number;
  identified: number;
  continued: number;
  budget: number;
  continuation: string;
  why: string;
  at: string;
}

export interface ShownRun {
  job: string;
  state: string;
  counts: Record<string, number>;
  notes: string[];
  moves: MovedState[];
  error: string;
  more: boolean;
}

export interface ShownSession {
  session: string;
  thread: string;
  title: string;
  state: string;
  mode: string;
  client: string;
  source: string;
  how: string;
  exchanges: number;
  began_at: string;
  ended_at: string | null;
}

export interface ShownSetting {
  name: string;
  value: string;
  default: string;
  source: string;
  at_once: boolean;
  help: string;
}

export interface ShownSnapshot {
  id: string;
  place: string;
  territory: string;
  captured_at: string;
  bytes: number;
  parts: string[];
  summary: string;
  by: string;
  memory: string | null;
  left_out: string[];
}

export interface ShownSpace {
  name: string;
  model: string;
  dimensions: number;
  metric: string;
  state: string;
  vectors: number;
  missing: number;
  made_at: string;
}

export interface ShownStanding {
  person: string;
  grounding: number;
  self_courage: number;
  word: number;
  brand: number;
  turns: number;
  trail: string[];
}

export interface ShownStep {
  of: string;
  does: string;
  memories: string[];
  made: string[];
  why: string;
  figure: number;
  state: string;
  note: string;
}

export interface ShownSubscription {
  id: string;
  topics: string[];
  sources: string[];
  min_importance: number;
  rate: number;
}

export interface ShownSummary {
  id: string;
  level: string;
  first: string;
  thread: string;
  text: string;
  sources: number;
}

export interface ShownTag {
  tag: string;
  memories: number;
  since: string;
  revision: number | null;
  moves: ShownMove[];
}

export interface ShownThread {
  thread: string;
  title: string;
  state: string;
  scope: string;
  mode: string;
  channel: string;
  compactions: number;
  sessions: number;
  handoff: string;
  began_at: string;
  changed_at: string;
}

export interface Signalled {
  counts: number;
  flagged: number;
}

export interface SnapshotDifferences {
  differences: ShownDifference[];
  left_out: string[];
}

export interface SnapshotList {
  snapshots: ShownSnapshot[];
}

export interface SnapshotRestored {
  snapshot: string;
  dry_run: boolean;
  mode: string;
  things: RestoredThing[];
  next: string;
}

export interface SourceNow {
  reference: string;
  state: string;
}

export interface SpaceList {
  configured: string;
  trouble: string;
  spaces: ShownSpace[];
}

export interface Stale {
  memory: StoredMemory;
  severity: number;
  semantic: number;
  temporal: number;
  behavioral: number;
  flagged: boolean;
  caveat: string;
  confidence: number;
  evidence: Record<string, unknown>;
}

export interface StartedSession {
  session: string;
  thread: string;
  mode: string;
  channel: string;
  previous: string;
  handoff: string;
  warm_start: string;
  anew: boolean;
}

export interface StartedTurn {
  text: string;
  memories: number;
  handoff: string;
  degraded: string[];
}

export interface Status {
  palace: string;
  memories: number;
  revisions: number;
  places: number;
  edges: number;
  entities: number;
  events: number;
  spaces: VectorSpace[];
  index_tails_due: number;
  bytes: number;
}

export interface StoredMemory {
  id: string;
  text: string;
  address: string;
  place: string;
  name: string;
  kind: string;
  scope: string;
  state: string;
  revision: number;
  importance: number;
  confidence: number;
  created_at: string;
  revised_at: string;
  valid_from: string | null;
  valid_to: string | null;
  author: string;
  speaker: string;
  topics: string[];
  pinned: boolean;
  deprecated: boolean;
  staleness: number;
  metadata: Record<string, unknown>;
  title: string;
  artifacts: ShownArtifact[];
}

export interface SubscriptionList {
  subscriptions: ShownSubscription[];
}

export interface SummaryList {
  summaries: ShownSummary[];
}

export interface Suppressed {
  memory: string;
  address: string;
  suppressed: boolean;
  why: string;
}

export interface TagList {
  tags: ShownTag[];
}

export interface TakenEvents {
  kept: number;
  refused: string[];
}

export interface Tally {
  name: string;
  count: number;
}

export interface ThreadList {
  threads: ShownThread[];
}

export interface TokenInfo {
  id: string;
  subject: string;
  label: string;
  scope: string;
  created_at: string;
  expires_at: string | null;
  holds: boolean;
}

export interface TokenList {
  tokens: TokenInfo[];
}

export interface TrustParts {
  relevance: number;
  accuracy: number;
  freshness: number;
  utility: number;
}

export interface Trusted {
  memory: string;
  own: number;
  trust: number;
  weakest: string;
  confirm_first: boolean;
}

export interface TurningPoint {
  at: string;
  step: string;
  memory: string;
  revision: number;
  text: string;
  before: string;
  source: string;
}

export interface Unfolded {
  node: string;
  summary: string;
  parts: KnownPart[];
  memories: StoredMemory[];
}

export interface Unlinked {
  kind: string;
  source: string;
  target: string;
  weight: number;
  made_at: string;
  metadata: Record<string, unknown>;
  source_revision: number | null;
  target_revision: number | null;
}

export interface VaultState {
  subject: string;
  open_until: string | null;
}

export interface VectorSpace {
  name: string;
  model: string;
  dimensions: number;
  state: string;
  missing: number;
}

export interface Verified {
  clean: boolean;
  problems: string[];
}

export interface Visit {
  at: string;
  place: string;
  subject: string;
  trail: string;
  memory: string | null;
  address: string;
  text: string;
}

export interface Visits {
  visits: Visit[];
  since: string;
}

export interface Walked {
  start: string;
  steps: Reached[];
}

export interface WarmStart {
  thread: string;
  text: string;
  turns: number;
}

export interface WholeMemory {
  id: string;
  text: string;
  address: string;
  place: string;
  name: string;
  kind: string;
  scope: string;
  state: string;
  revision: number;
  importance: number;
  confidence: number;
  created_at: string;
  revised_at: string;
  valid_from: string | null;
  valid_to: string | null;
  author: string;
  speaker: string;
  topics: string[];
  pinned: boolean;
  deprecated: boolean;
  staleness: number;
  metadata: Record<string, unknown>;
  title: string;
  artifacts: ShownArtifact[];
  layer: string;
  people: string[];
  organizations: string[];
  locations: string[];
  technologies: string[];
  paths: string[];
  urls: string[];
  others: string[];
  dates: string[];
  sentiment: number;
  language: string;
  keywords: string[];
  events: string[];
  prospects: string[];
  steps: string[];
}

export interface WholeSnapshot {
  id: string;
  place: string;
  territory: string;
  captured_at: string;
  bytes: number;
  parts: string[];
  summary: string;
  by: string;
  memory: string | null;
  left_out: string[];
  state: Record<string, unknown>;
}

export interface Why {
  text: string;
  clauses: ShownClause[];
  memory: StoredMemory;
  origins: ShownOrigin[];
  links: Link[];
}

export interface CallOptions {
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface PalazzoOptions {
  /** A token of `palazzo token create`. */
  token?: string;
  /** Where the daemon answers; http://127.0.0.1:7777 when left out. */
  url?: string;
  fetch?: typeof globalThis.fetch;
  /** Scope keys for every call that takes them, such as user_id. */
  scope?: Record<string, string>;
}

export class PalazzoError extends Error {
  status: number;
  code: string;
  hint: string;
  field: string;
}

export class Palazzo {
  constructor(options?: PalazzoOptions);
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  follow(options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<Record<string, unknown>>;
  /** Say how long a memory is kept: pinned, or how it fades. */
  keep(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Whether decay never touches it; as it is when left out. */
    pinned?: boolean | null;
    /** How it fades, `kind` for as its kind does; as it is when left out. */
    durability?: "decaying" | "kind" | "permanent" | "semester" | "transient" | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Keeping>;
  /** Show the kinds of memory: how each fades, and what happens when two contradict each other. */
  kinds(args?: Record<string, never>, options?: CallOptions): Promise<KindList>;
  /** Add a kind of memory of your own. */
  kindAdd(args: {
    /** What it is called: a short word, as in an address. */
    name: string;
    /** What layer of memory it belongs to. */
    layer?: "episodic" | "procedural" | "raw" | "relational" | "semantic";
    /** Days in which an unused memory of it falls to about a third. */
    stability_days?: number;
    /** Days for which it usually stays true; no end when left out. */
    lifespan_days?: number | null;
    /** How it fades. */
    durability?: "decaying" | "permanent" | "semester" | "transient";
    /** What happens when one contradicts another. */
    conflict?: "ask" | "keep_both" | "keep_existing" | "merge" | "temporal" | "use_new";
    /** A predicate that holds one value at a time, such as price. */
    one_value?: string[];
    /** The reason for the figures. */
    why?: string;
  }, options?: CallOptions): Promise<ShownKind>;
  /** Keep a text for good, and say what became of it. */
  remember(args: {
    /** What to remember, word for word. */
    text: string;
    /** Where it belongs, such as work.projects; chosen from the content when left out. */
    place?: string;
    /** What kind of memory it is, such as fact or decision; chosen from the content when left out. */
    kind?: string;
    /** Its name at that place. Remembering under the same name again revises that memory. */
    name?: string;
    /** Tags that point at this revision. */
    tags?: string[];
    /** From 0 to 1; judged from the content when left out. */
    importance?: number | null;
    /** Whether it never fades; what was asked to be remembered is, unless you say no. */
    pinned?: boolean | null;
    /** How it fades; by kind and content when left out. */
    durability?: "decaying" | "permanent" | "semester" | "transient" | null;
    /** When it was said; now when left out. Relative dates are read against it. */
    at?: string | null;
    /** Who says it, where the text says I. */
    speaker?: string;
    /** What to do if it contradicts what is known; by kind when left out. */
    conflict?: "ask" | "keep_both" | "keep_existing" | "merge" | "temporal" | "use_new" | null;
    /** Keep it as one memory, without drawing statements from it. */
    verbatim?: boolean;
    /** JSON values to keep beside it, by key; they come back with it. */
    metadata?: Record<string, unknown> | null;
    /** Only if what has that name is at this revision, 0 for nothing yet; else it is a conflict. */
    if_revision?: number | null;
    /** Keep how the workspace stands with it. */
    snapshot?: boolean;
    /** The folder of that workspace; that of the program that is asked when left out. */
    cwd?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Kept>;
  /** Keep many texts in one transaction. */
  rememberMany(args: {
    /** What to remember: texts, or notes with a place, a kind and so on. */
    notes: (string | GivenNote)[];
    /** Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are kept and found at once either way. Only verbatim ones can wait. */
    understand?: "later" | "now";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Kept>;
  /** Take in turns of a conversation: kept verbatim, and what lasts of them as memories of their own. */
  observe(args: {
    /** The turns in order: texts, or objects with content, role, speaker and at. */
    turns: (string | GivenTurn)[];
    /** The conversation they belong to. */
    thread?: string;
    /** The sitting of that conversation. */
    session?: string;
    /** JSON values to keep beside it, by key; they come back with it. */
    metadata?: Record<string, unknown> | null;
    /** Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are kept and found at once either way. */
    understand?: "later" | "now";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Kept>;
  /** Say what a memory holds from now on; what it held before stays in its history. */
  update(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** What it says from now on. What it said before stays in its history. */
    text: string;
    /** From 0 to 1; judged from the content when left out. */
    importance?: number | null;
    /** When this became true; now when left out. */
    at?: string | null;
    /** JSON values to keep beside it instead of those it has. */
    metadata?: Record<string, unknown> | null;
    /** Only if it is at this revision; else it is a conflict. */
    if_revision?: number | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Kept>;
  /** Move a memory to another place. */
  move(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Where it belongs from now on. */
    place: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Point a tag at a revision; the tag current takes a memory back to what it said before. */
  tag(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The name of the tag. The tag current says which revision holds. */
    tag: string;
    /** The revision it points at; the current one when left out. */
    revision?: number | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Take a tag away from a memory; its history stays. */
  untag(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The name of the tag; where it pointed before stays on record. */
    tag: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** List the tags in use, or those of one memory with where each pointed and when. */
  tags(args?: {
    /** The memory whose tags are wanted, with their history; every tag in use when left out. */
    memory?: string;
    /** How many tags at most, those of most memories first. */
    limit?: number;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<TagList>;
  /** Believe a memory no longer: it is kept, and found only by the operator who asks for it. */
  deprecate(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Why, for the record; never put content here. */
    reason?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Believe a memory again that was believed no longer. */
  undeprecate(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Why, for the record; never put content here. */
    reason?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Add counts of what is done, such as languages used or music heard. */
  signal(args: {
    /** What was done how often: objects with family, dimension, count and at. */
    counts: GivenCount[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Signalled>;
  /** Say what became of every sentence of a message, or of the messages behind a memory. */
  explain(args: {
    /** The id or address of a memory, or the id of an intake. */
    memory: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Explained>;
  /** Find the memories that matter for a cue, best first, each with its reasons. */
  recall(args: {
    /** What you want to know, as a question or in key words. */
    cue: string;
    /** How many memories at most. */
    limit?: number;
    /** Fit the answer into so many tokens, shortening what comes last. */
    budget_tokens?: number | null;
    /** Only from this place; work.* is directly below it, work.** all of it. */
    place?: string;
    /** Only memories of these kinds. */
    kinds?: string[];
    /** Only what was true or happened at or after this time. */
    after?: string | null;
    /** Only what was true or happened before this time. */
    before?: string | null;
    /** What was believed at this time, instead of now. */
    as_of?: string | null;
    /** The conversation this is for; what belongs to it counts more, and says what it is about. */
    thread?: string;
    /** What was said before, oldest first: texts, or objects with content, role, speaker and at. It says what a cue is about that only says it or there. */
    history?: (string | GivenTurn)[];
    /** Who asks, where the cue says I. */
    speaker?: string;
    /** How much work to do: fast, balanced or deep. */
    preset?: "balanced" | "deep" | "fast";
    /** Reorder the best: none, mmr for variety, a model, or client to choose yourself. */
    rerank?: "client" | "mmr" | "model" | "none";
    /** What counts beside relevance: recency, importance and confidence, by name. */
    mode?: "balanced" | "broad" | "historical" | "important" | "recent" | "relevance";
    /** How words and meaning join: sum, rank or max. */
    fusion?: "max" | "rank" | "sum";
    /** Leave out what is less likely to answer than this, from 0 to 1; by default the setting of this name decides. */
    min_relevance?: number | null;
    /** The mood it is asked in, from -1 to 1; what was felt alike counts more. */
    mood?: number;
    /** Only memories whose metadata has these values: text, numbers, true, false. */
    metadata?: Record<string, unknown> | null;
    /** As this tag points, such as published, instead of what holds now; what does not carry it is left out. */
    tag?: string;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** Only memories that name all of these: people, technologies, paths, URLs, each by any of its names. */
    mentions?: string[];
    /** Only memories of these layers. */
    layers?: ("episodic" | "procedural" | "raw" | "relational" | "semantic")[];
    /** Only what was told in this mood. */
    sentiment?: "negative" | "neutral" | "positive" | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Recalled>;
  /** Make the block a model should read before it answers, within a budget of tokens. */
  context(args: {
    /** What the model is about to answer. */
    message: string;
    /** How many tokens the block may have, the message included. */
    budget_tokens?: number;
    /** The model that will read it, for its way of counting tokens. */
    model?: string;
    /** What was said before, oldest first: texts, or objects with content, role, speaker and at. It says where the conversation is heading and is part of the block. */
    history?: (string | GivenTurn)[];
    /** The conversation; without a history its last observed turns are that. */
    thread?: string;
    /** What it is for: a turn, a task, a flow, an orchestrator's plan or a delegation. */
    purpose?: "delegation" | "flow" | "orchestrator" | "task" | "turn";
    /** The agent that a delegation hands the work to; it is read as that agent. */
    delegate?: string;
    /** What was believed at this time, instead of now. */
    as_of?: string | null;
    /** How much enters: minimal (nothing is recalled), standard (what bears on the message), deep (also what is going on); auto decides by the message. */
    injection?: "auto" | "deep" | "minimal" | "standard";
    /** Sections to fill from memory whatever the message: today, roster (who else writes here), schemas, skills. */
    sections?: ("roster" | "schemas" | "skills" | "today")[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ContextBlock>;
  /** Gather evidence for a question that needs several steps, and show the steps. */
  reason(args: {
    /** A question that needs more than one look. */
    question: string;
    /** How many steps deep at most; as the model allows when left out. */
    depth?: number | null;
    /** The model that will read it; how deep it may go follows from it. */
    model?: string;
    /** How many tokens of evidence at most. */
    budget_tokens?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Reasoned>;
  /** Show how knowledge of a topic changed, oldest first. */
  evolution(args: {
    /** What to follow through time. */
    topic: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Evolution>;
  /** Say that a memory was out of place for a cue: cues alike leave it out for ninety days. */
  feedback(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** What was asked or said when the memory was out of place. */
    cue: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Suppressed>;
  /** Show one memory, with all that was read from its words. */
  get(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** As it was at this time, instead of now. */
    as_of?: string | null;
    /** Also what is no longer believed or is archived; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<WholeMemory>;
  /** List memories, newest first. */
  list(args?: {
    /** Only from this place; work.* is directly below it, work.** all of it. */
    place?: string;
    /** Only memories of these kinds. */
    kinds?: string[];
    /** Which ones: live, archived, forgotten or all. */
    state?: "all" | "archived" | "forgotten" | "live";
    /** What was believed at this time, instead of now. */
    as_of?: string | null;
    /** How many at most. */
    limit?: number;
    /** Where to go on: the next_cursor of the page before. */
    cursor?: string;
    /** Count all of them, also in a palace so large that this takes a while. */
    count?: boolean;
    /** Only memories whose metadata has these values: text, numbers, true, false. */
    metadata?: Record<string, unknown> | null;
    /** As this tag points, such as published, instead of what holds now; what does not carry it is left out. */
    tag?: string;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** Only what was true or happened at or after this time. */
    after?: string | null;
    /** Only what was true or happened before this time. */
    before?: string | null;
    /** Only memories that name all of these: people, technologies, paths, URLs, each by any of its names. */
    mentions?: string[];
    /** Only memories of these layers. */
    layers?: ("episodic" | "procedural" | "raw" | "relational" | "semantic")[];
    /** Only what was told in this mood. */
    sentiment?: "negative" | "neutral" | "positive" | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<MemoryPage>;
  /** Show every revision of a memory, oldest first. */
  history(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<History>;
  /** List the places below one, with how much stands in each. */
  places(args?: {
    /** The place to look below; the whole palace when left out. */
    place?: string;
    /** Every place below it in which something stands, not only those directly below. */
    deep?: boolean;
    /** As it was at this time, instead of now. */
    as_of?: string | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<PlaceList>;
  /** Show what models were given to read: message, block, what entered and what was left out, and why. */
  contexts(args?: {
    /** Only what was given to this subject. */
    subject?: string;
    /** How many at most, the newest first. */
    limit?: number;
  }, options?: CallOptions): Promise<SeenContexts>;
  /** Show what is in mind between two turns: recalled, just said, held or anticipated. */
  mind(args?: {
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<InMind>;
  /** Hold a memory in mind, so that the next contexts have it. */
  mindHold(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<InMind>;
  /** Let go of one memory that is in mind, or of everything; no memory is lost. */
  mindClear(args?: {
    /** Only this memory; everything when left out. */
    memory?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<LetGo>;
  /** Recall for a turn that may come next: within a minute one near enough is answered at once. */
  anticipate(args: {
    /** What may be said or asked next. */
    message: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Anticipation>;
  /** List the language models a context can be made for, and how much each takes. */
  models(args?: {
    /** Only the entry that speaks for the model of this name. */
    name?: string;
  }, options?: CallOptions): Promise<ModelList>;
  /** Say how well something is known: know, partly or unknown, and why. */
  knows(args: {
    /** What may be asked. */
    cue: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<KnownCue>;
  /** Show what stands behind a summary, a gathered memory or a part of what is known. */
  unfold(args: {
    /** A part, as `overview` with a level names it, or the id or address of a summary or of a gathered memory. */
    node: string;
    /** How many memories at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Unfolded>;
  /** List summaries of days, weeks, months and years, or search them. */
  summaries(args?: {
    /** Only of this conversation. */
    thread?: string;
    /** Only days, weeks, months or years. */
    level?: "" | "day" | "month" | "week" | "year";
    /** Only what began then or later. */
    since?: string | null;
    /** Only what began before then. */
    until?: string | null;
    /** Only what has these words, best first. */
    text?: string;
    /** How many at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SummaryList>;
  /** Think over what is remembered: gather what says the same, find gaps, and more; or only say what it would do. Every run is checked, reported and can be taken back. */
  dream(args?: {
    /** Only say what it would do. */
    dry_run?: boolean;
    /** Only these passes; as the setting dream_passes says when left out. */
    only?: string[];
    /** How many steps of each pass, at most. */
    limit?: number;
    /** The share of what is looked at that may be given up, at most. */
    ratio?: number;
    /** Also give up what is tagged published; it is noted in the report. */
    allow_published?: boolean;
    /** A project that is over: what proved good in it is for everybody from then on. */
    completed?: string;
  }, options?: CallOptions): Promise<Dreamt>;
  /** Show the reports of dreams: what they did or propose, what the check found, how to take them back. */
  dreams(args?: {
    /** Only the report of this id, in full. */
    report?: string;
    /** How many at most, the newest first. */
    limit?: number;
  }, options?: CallOptions): Promise<DreamList>;
  /** Carry out what a dream proposed, with the same check. */
  dreamApply(args: {
    /** The id of the report that proposes something. */
    report: string;
  }, options?: CallOptions): Promise<Dreamt>;
  /** Take back everything one pass ever did, such as all that was inferred. */
  prune(args: {
    /** The pass, as a report names it, such as infer. */
    name: string;
  }, options?: CallOptions): Promise<Pruned>;
  /** List open questions: what is not known, what contradicts itself, what may be out of date. */
  gaps(args?: {
    /** How many at most. */
    limit?: number;
    /** Also those that rest, were answered or are not to be asked. */
    every?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<GapList>;
  /** Note that a question is asked now; it then rests for a week. */
  gapAsk(args: {
    /** The id of the gap, as `gaps` tells it. */
    gap: string;
    /** The session it is asked in: two questions are asked in one at most. */
    session?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownGap>;
  /** Never ask a question again. */
  gapMute(args: {
    /** The id of the gap, as `gaps` tells it. */
    gap: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<GapList>;
  /** Add a message to a running session: remembered as a turn, and at hand for an hour. */
  chatAdd(args: {
    /** The session, by a name of your own; its messages are turns of the thread of this name. */
    session: string;
    /** What was said. */
    text: string;
    /** Who said it: user, assistant, system or tool. */
    role?: "assistant" | "other" | "system" | "tool" | "user";
    /** The name of who said it. */
    speaker?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChatAdded>;
  /** Read the last messages of a session. */
  chatGet(args: {
    /** The session, by a name of your own; its messages are turns of the thread of this name. */
    session: string;
    /** How many at most, the newest. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChatMessages>;
  /** Begin a session anew: its messages are no longer at hand; no memory is lost. */
  chatClear(args: {
    /** The session, by a name of your own; its messages are turns of the thread of this name. */
    session: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChatCleared>;
  /** Tell other agents of memories: of the same project or squad, those named, or all. */
  publish(args: {
    /** The memories, by id, address or name. */
    memories: string[];
    /** What they are about; their own topics when left out. */
    topics?: string[];
    /** Who may receive them: of the same project, of the same squad, those named, all. */
    visibility?: "global" | "project" | "squad" | "targeted";
    /** Whom they are for, by subject, where they are for some. */
    to?: string[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Publication>;
  /** Want what others publish from now on, by topic, importance or source. */
  subscribe(args?: {
    /** Only these topics; all when left out. */
    topics?: string[];
    /** Only what these subjects publish; all when left out. */
    sources?: string[];
    /** Only what is at least so important. */
    min_importance?: number;
    /** How many memories at most in one delivery. */
    rate?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownSubscription>;
  /** Want it no longer. */
  unsubscribe(args: {
    /** The id of the subscription, as `subscriptions` tells it. */
    subscription: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SubscriptionList>;
  /** List what you want to receive. */
  subscriptions(args?: {
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SubscriptionList>;
  /** Receive what others published since the last time, each once, in order. */
  deliver(args?: {
    /** How many memories at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Delivered>;
  /** Show how much there is, where and of what kinds, what is new, and which tags and topics there are. */
  overview(args?: {
    /** Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out. */
    place?: string;
    /** As it was at this time, instead of now. */
    as_of?: string | null;
    /** How many tags, topics, parts and new memories at most. */
    limit?: number;
    /** Also what is known, part by part: 1 for clusters of memories, 2 for domains, 3 for all in one paragraph. */
    level?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Overview>;
  /** Show how many memories came day by day, and where. */
  activity(args?: {
    /** Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out. */
    place?: string;
    /** How many days back, today included. */
    days?: number;
    /** The time zone whose days are meant, such as Europe/Berlin; the palace's when left out. */
    zone?: string;
    /** As it was at this time, instead of now. */
    as_of?: string | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Activity>;
  /** List whose memories there are: users, projects, agents and channels, with how many each has. */
  scopes(args?: Record<string, never>, options?: CallOptions): Promise<ScopeList>;
  /** Lay memories and their links out on a map, the same way every time. */
  layout(args?: {
    /** Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out. */
    place?: string;
    /** How many memories at most, the newest. */
    limit?: number;
    /** How many links between them at most, the newest. */
    links?: number;
    /** As it was at this time, instead of now. */
    as_of?: string | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Layout>;
  /** List facts as attribute and value, of a place or about somebody or something. */
  facts(args?: {
    /** Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out. */
    place?: string;
    /** Only facts with these words in whom or what they are about, or in their value. */
    about?: string;
    /** Only this attribute, such as editor or lives_in. */
    attribute?: string;
    /** What was believed at this time, instead of now. */
    as_of?: string | null;
    /** How many at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<FactList>;
  /** Show where somebody went in the palace lately: what was read and written, newest first. */
  trail(args?: {
    /** How many hours back. */
    hours?: number;
    /** Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out. */
    place?: string;
    /** Only the trail of this name, or of this day (2026-04-19). */
    name?: string;
    /** Only the visits of this subject; anyone but the operator sees its own alone. */
    subject?: string;
    /** How many visits at most, the newest first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Visits>;
  /** Show where a memory comes from and what it is linked with. */
  why(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Why>;
  /** Tell what a memory came of: a file, a command, an app, a tool, a message or a web page. */
  originAdd(args: {
    /** The memory that came of it, by id, address or name, or the id of a later origin it stands behind. */
    of: string;
    /** What it was. */
    kind: "app_activation" | "capture" | "command" | "conversation" | "file" | "message" | "tool" | "web";
    /** Its short name: the path of a file, a command line, the name of an app or tool, a URL. */
    label: string;
    /** How it bears on what came of it: caused_by, context_for, triggered_by or mentioned_in; by its kind when left out. */
    link?: "caused_by" | "context_for" | "mentioned_in" | "triggered_by" | null;
    /** When it happened; now when left out. */
    at?: string | null;
    /** Who did it; anyone but the operator names itself alone. */
    author?: string;
    /** JSON values to keep with it, such as line, exit_code or title. */
    metadata?: Record<string, unknown> | null;
    /** The SHA-256 of its content, in hex; of a local file the operator names it is worked out. */
    sha256?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownOrigin>;
  /** Tell how an earlier origin bears on a later one, or on a memory. */
  originLink(args: {
    /** What came of it: a memory, or the id of the later origin. */
    source: string;
    /** The id of the earlier origin, as `why` tells it. */
    target: string;
    /** How the earlier one bears on the later: such as triggered_by. */
    kind?: "caused_by" | "context_for" | "mentioned_in" | "triggered_by";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownOrigin>;
  /** Link two memories. */
  relate(args: {
    /** The memory the link starts from: its id or address; an address with ?r=2 or ?t=TAG means that revision alone. */
    source: string;
    /** The memory it leads to: its id or address; an address with ?r=2 or ?t=TAG means that revision alone. */
    target: string;
    /** What the link says. */
    kind?: "caused_by" | "contains" | "contradicts" | "created_from" | "depends_on" | "derived_from" | "inferred_from" | "instance_of" | "mentions" | "referenced" | "related_to" | "similar_to" | "supersedes" | "supports";
    /** How strong it is, from 0 to 1; a new link is 1, one that is there stays as strong as it is. */
    weight?: number | null;
    /** JSON values to keep with the link, such as why it was drawn; {} empties what is kept, left out leaves it. */
    metadata?: Record<string, unknown> | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Link>;
  /** Take a link between two memories away. */
  unrelate(args: {
    /** The memory the link starts from: its id or address; an address with ?r=2 or ?t=TAG means that revision alone. */
    source: string;
    /** The memory it leads to: its id or address; an address with ?r=2 or ?t=TAG means that revision alone. */
    target: string;
    /** What the link says. */
    kind?: "caused_by" | "contains" | "contradicts" | "created_from" | "depends_on" | "derived_from" | "inferred_from" | "instance_of" | "mentions" | "referenced" | "related_to" | "similar_to" | "supersedes" | "supports";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Unlinked>;
  /** Follow the links of a memory. */
  walk(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Follow links out, in or both ways. */
    direction?: "both" | "in" | "out";
    /** Only links of these kinds. */
    kinds?: ("caused_by" | "contains" | "contradicts" | "created_from" | "depends_on" | "derived_from" | "inferred_from" | "instance_of" | "mentions" | "referenced" | "related_to" | "similar_to" | "supersedes" | "supports")[];
    /** How many links away at most. */
    depth?: number;
    /** How many memories at most. */
    limit?: number;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Walked>;
  /** Show the shortest chain of links between two memories. */
  path(args: {
    /** The memory to start from: its id or address. */
    source: string;
    /** The memory to arrive at: its id or address. */
    target: string;
    /** How many links away at most. */
    depth?: number;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Pathway>;
  /** Show what rests on a memory. */
  impact(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** How many links away at most. */
    depth?: number;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Walked>;
  /** Register something that was made, with its files and what it was made from. */
  register(args: {
    /** The name of the product; registering it again makes its next revision. */
    name: string;
    /** Where it belongs. */
    place: string;
    /** What it is, in a sentence. */
    text: string;
    /** What it was made from: ids or addresses of memories. */
    made_from?: string[];
    /** Its files, as paths or URLs; they stay where they are. */
    files?: string[];
    /** Tags that point at this revision, such as approved. */
    tags?: string[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownProduct>;
  /** Find the revision of a product that a tag points at, such as the approved one. */
  product(args: {
    /** The name of the product. */
    name: string;
    /** Where it stands. */
    place: string;
    /** Which revision: the one this tag points at. */
    tag?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownProduct>;
  /** List the people and things that memories speak of, most mentioned first. */
  entities(args?: {
    /** Only people, organizations or another kind of thing. */
    kind?: "concept" | "event" | "file" | "location" | "organization" | "other" | "person" | "project" | "service" | "technology" | null;
    /** Only those with these words in one of their names. */
    words?: string;
    /** How many at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<EntityList>;
  /** Show what is known of a person or thing: names, relations both ways, and its timeline. */
  entity(args: {
    /** A name of the person or thing, in any of its writings. */
    name: string;
    /** How many memories and relations at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<EntityProfile>;
  /** Take two names for the same person or thing; split_entity undoes it. */
  mergeEntities(args: {
    /** The name it is known by afterwards. */
    name: string;
    /** The other name of the same person or thing. */
    other: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<EntityProfile>;
  /** Tell a name apart from the person or thing it was taken for; merge_entities undoes it. */
  splitEntity(args: {
    /** The name that means somebody or something else. */
    name: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<EntityProfile>;
  /** Group memories under a name, add to the group or take out of it. */
  bundle(args: {
    /** The name of the bundle; it is made on first use. */
    name: string;
    /** Where it belongs. */
    place: string;
    /** What it holds together, in a sentence; as before when left out. */
    text?: string;
    /** Memories to put into it: ids or addresses. */
    add?: string[];
    /** Memories to take out of it: ids or addresses. */
    remove?: string[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Bundled>;
  /** Show what a bundle holds. */
  members(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Also what is no longer believed; the operator's alone. */
    include_deprecated?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Bundled>;
  /** Believe a statement and give up what conflicts with it, and no more. */
  revise(args: {
    /** The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus. */
    text: string;
    /** Whom or what it is about, when slot and value are given. */
    about?: string;
    /** Which attribute it gives, such as editor; with value instead of reading the text. */
    slot?: string;
    /** The value of that attribute. */
    value?: string;
    /** The statement says that this value does not hold. */
    denied?: boolean;
    /** Where it belongs if nothing held that attribute before; inbox when left out. */
    place?: string;
    /** What kind of memory it is, such as preference; chosen from the text when left out. */
    kind?: string;
    /** Its name at that place, if it is new. */
    name?: string;
    /** How sure it is, from 0 to 1. */
    confidence?: number;
    /** Since when it holds; now when left out. */
    at?: string | null;
    /** correction: it was wrong, and what it had displaced may return; change: the world moved on. */
    occasion?: "change" | "correction";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<BeliefChange>;
  /** Believe a statement or a rule besides what is believed, whether or not it fits. */
  expand(args: {
    /** The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus. */
    text: string;
    /** Whom or what it is about, when slot and value are given. */
    about?: string;
    /** Which attribute it gives, such as editor; with value instead of reading the text. */
    slot?: string;
    /** The value of that attribute. */
    value?: string;
    /** The statement says that this value does not hold. */
    denied?: boolean;
    /** Where it belongs if nothing held that attribute before; inbox when left out. */
    place?: string;
    /** What kind of memory it is, such as preference; chosen from the text when left out. */
    kind?: string;
    /** Its name at that place, if it is new. */
    name?: string;
    /** How sure it is, from 0 to 1. */
    confidence?: number;
    /** Since when it holds; now when left out. */
    at?: string | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<BeliefChange>;
  /** Ask whether a statement follows from what is believed, and from what. */
  holds(args: {
    /** The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus. */
    text: string;
    /** Whom or what it is about, when slot and value are given. */
    about?: string;
    /** Which attribute it gives, such as editor; with value instead of reading the text. */
    slot?: string;
    /** The value of that attribute. */
    value?: string;
    /** The statement says that this value does not hold. */
    denied?: boolean;
    /** As it was believed then; now when left out. */
    as_of?: string | null;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Holding>;
  /** Stop believing a statement, without believing its opposite. */
  contract(args: {
    /** The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus. */
    text: string;
    /** Whom or what it is about, when slot and value are given. */
    about?: string;
    /** Which attribute it gives, such as editor; with value instead of reading the text. */
    slot?: string;
    /** The value of that attribute. */
    value?: string;
    /** The statement says that this value does not hold. */
    denied?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<BeliefChange>;
  /** Take a memory back to an earlier revision. */
  revert(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The number of the revision to go back to. */
    revision: number;
    /** The tag that moves; current says which revision holds. */
    tag?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<BeliefChange>;
  /** Show what is believed, now or at another time. */
  asOf(args?: {
    /** The moment; now when left out. */
    at?: string | null;
    /** Only statements with this word in them. */
    about?: string;
    /** How many at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Believed>;
  /** List disagreements that wait for a person. */
  inbox(args?: {
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<DisagreementList>;
  /** Believe a memory and no longer what disagrees with it. */
  settle(args: {
    /** The memory that holds: its id or address. */
    memory: string;
    /** Settle only with this one: its id or address. Every disagreement of it when left out. */
    other?: string;
    /** Keep both; only the disagreement is closed. */
    both?: boolean;
    /** Take the decision back: both are believed, and disagree again. */
    reopen?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SettledDisagreement>;
  /** Note that relying on a memory went well or badly; trust moves with it. */
  outcome(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** How relying on it went: well or badly. */
    went: "badly" | "well";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Trusted>;
  /** Look whether a memory still holds: newer words against it, its age, what is done. */
  staleness(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Stale>;
  /** Show what waits for a person: disagreements, claims, and what may have changed. */
  review(args?: {
    /** How many of each sort at most, the most severe first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Reviewed>;
  /** Look at the memories whose turn has come, whether they still hold, and at what batches told. */
  recheck(args?: {
    /** How many memories to look at, at most. */
    limit?: number;
  }, options?: CallOptions): Promise<Audited>;
  /** Say whether a memory that may have changed still holds. */
  resolve(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** refresh: a newer belief replaces it; confirm_stale: it holds no more; dismiss: it still holds; reopen: the last answer is taken back. */
    answer: "confirm_stale" | "dismiss" | "refresh" | "reopen";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Resolved>;
  /** Propose a claim with its sources; a person decides about it. */
  propose(args: {
    /** One statement that makes sense on its own. */
    text: string;
    /** Where it comes from: objects with kind, reference and excerpt. */
    sources: GivenSource[];
    /** What kind of memory it would become. */
    kind?: string;
    /** After how many days its source should be looked at again. */
    recheck_days?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownClaim>;
  /** Draw candidate claims from a handoff, a summary or the archive, sentence by sentence. */
  drawClaims(args?: {
    /** Draw from this memory: a handoff, a summary, a document; its id or address. */
    memory?: string;
    /** Draw from the archive of what was told; the operator's alone. */
    archive?: boolean;
    /** How many candidates at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<DrawnClaims>;
  /** Show the field of candidates: what recurs, what clashes, what is ready, what has decayed. */
  claimReport(args?: {
    /** How many candidates at most, the most often stated first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<CandidateField>;
  /** List claims of a status. */
  claims(args?: {
    /** Which ones. */
    status?: "candidate" | "deferred" | "rejected" | "retracted" | "verified";
    /** How many at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ClaimList>;
  /** Show the evidence for a claim, the state of its sources and a recommendation. */
  preview(args: {
    /** The id of the claim. */
    claim: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ClaimPreview>;
  /** Accept, reject or defer a claim, repeating its text and the state of its source. */
  decide(args: {
    /** The id of the claim. */
    claim: string;
    /** accept, reject or defer. */
    decision: "accept" | "defer" | "reject";
    /** The text of the claim, repeated word for word. */
    text: string;
    /** The state of its source as the preview shows it. */
    source_state: "drifted" | "exact_match" | "missing" | "partial_overlap";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownClaim>;
  /** Take back a claim that was accepted. */
  retract(args: {
    /** The id of the claim. */
    claim: string;
    /** The text of the claim, repeated word for word. */
    text: string;
    /** The state of its source as the preview shows it. */
    source_state: "drifted" | "exact_match" | "missing" | "partial_overlap";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownClaim>;
  /** Choose what is done with claims: observe, diagnostic or enforce. */
  claimMode(args: {
    /** observe and diagnostic keep candidates only; enforce lets a person accept. */
    mode: "diagnostic" | "enforce" | "observe";
  }, options?: CallOptions): Promise<ModeSet>;
  /** Forget a memory: it is found no more, and can be restored. */
  forget(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** Why, for the record; never put content here. */
    reason?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Bring back a memory that was forgotten. */
  restore(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Remove a memory physically with everything that hangs on it. This cannot be undone. */
  purge(args: {
    /** The id of the memory, its address (place/name.kind), or the name it was given. */
    memory: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ChangedMemory>;
  /** Erase memories for good, by id, place, time, source or subject, down to the bytes in the files. */
  burn(args?: {
    /** A memory to erase, by its id or its address. */
    memories?: string[];
    /** Erase what stands at this place; work.old.** is all of it, and #2026-04 a time. */
    place?: string;
    /** Erase what was stored since this moment. */
    after?: string | null;
    /** Erase what was stored before this moment. */
    before?: string | null;
    /** Erase what came from here: a conversation's thread, a file, the id of a message. */
    source?: string;
    /** Erase what this subject wrote. */
    subject?: string;
    /** Erase every memory. */
    everything?: boolean;
    /** Also remove damaged lines of the archive: they may hold what is erased. */
    unreadable?: boolean;
    /** Do it. Without this it only counts what would go. */
    yes?: boolean;
  }, options?: CallOptions): Promise<ErasureReport>;
  /** Erase a person: their memories, what they said, and their name in every table, archive and log. */
  forgetUser(args: {
    /** The user, as in the scope of their memories. */
    user: string;
    /** Also erase memories of others that mention them. */
    mentions?: boolean;
    /** Also remove damaged lines of the archive: they may hold what is erased. */
    unreadable?: boolean;
    /** Do it. Without this it only counts what would go. */
    yes?: boolean;
  }, options?: CallOptions): Promise<ErasureReport>;
  /** Let a subject do something somewhere. */
  grant(args: {
    /** Who may, such as mcp:desk or agent:primary. */
    subject: string;
    /** What they may, each more than the last. */
    level: "anchor" | "forget" | "metadata" | "none" | "read_all" | "read_public" | "write";
    /** Where: a place, its children (work.*), or it and all below (work.**). */
    place?: string;
    /** For how many days; for good when left out. */
    days?: number | null;
  }, options?: CallOptions): Promise<GrantList>;
  /** Take a grant back, and tell what is allowed then and what no more. */
  revoke(args: {
    /** Whose grant. */
    subject: string;
    /** Where, as it was granted. */
    place?: string;
  }, options?: CallOptions): Promise<GrantList>;
  /** Show what a subject may do. */
  grants(args?: {
    /** Whose grants, such as mcp:desk; of everybody when left out. */
    subject?: string;
  }, options?: CallOptions): Promise<GrantList>;
  /** Make a bearer token for a subject; its text is shown only once. */
  tokenCreate(args: {
    /** Who its bearer is, such as mcp:desk or agent:primary. */
    subject: string;
    /** A word to know it by. */
    label?: string;
    /** For how many days it holds; for good when left out. */
    days?: number | null;
    /** What its bearer is a kit for, if for banking, health or passwords: it is locked, whatever it is called. */
    kit?: "banking" | "health" | "password-manager" | null;
    /** For one sign-in at the dashboard within ten minutes, and nothing else. */
    once?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<MadeToken>;
  /** List the tokens, without their texts. */
  tokenList(args?: Record<string, never>, options?: CallOptions): Promise<TokenList>;
  /** End a token at once. */
  tokenRevoke(args: {
    /** The id of the token, as `token_list` shows it. */
    token: string;
  }, options?: CallOptions): Promise<TokenList>;
  /** Show a change only a person makes, and keep it as a plan; nothing else happens. */
  plan(args: {
    /** What kind of change. */
    transition: "claim" | "claims_mode" | "config" | "grant" | "identity" | "lock" | "rule" | "unlock";
    /** Whom or what it is about: a subject, claims, the name of a rule or of the configuration, a memory of kind identity, a place to unlock, or a claim. */
    target: string;
    /** What it is to be: a level, lifted or locked, a claims mode, a number or kinds, the new text, open, sealed or vault, or accept, reject, defer or retract. */
    value: string;
    /** Where a grant holds. */
    place?: string;
    /** For how many days a grant holds; for good when left out. */
    days?: number | null;
  }, options?: CallOptions): Promise<PlanInfo>;
  /** Make the change of a plan; the plan becomes its receipt. */
  apply(args: {
    /** The id of the plan. */
    plan: string;
    /** Say that you mean it. */
    yes?: boolean;
  }, options?: CallOptions): Promise<PlanInfo>;
  /** Put back what was there before a plan was applied. */
  rollback(args: {
    /** The id of the plan. */
    plan: string;
    /** Say that you mean it. */
    yes?: boolean;
  }, options?: CallOptions): Promise<PlanInfo>;
  /** List the plans and receipts, newest first. */
  plans(args?: Record<string, never>, options?: CallOptions): Promise<PlanList>;
  /** Show who did or tried what, newest first. */
  auditList(args?: {
    /** Only lines of this subject. */
    subject?: string;
    /** Only lines of this operation. */
    action?: string;
    /** Only lines with this decision. */
    decision?: "allowed" | "denied" | "limited" | "lost" | "reduced" | null;
    /** Only lines about this place. */
    place?: string;
    /** Only lines at or after this time. */
    after?: string | null;
    /** Only lines before this time. */
    before?: string | null;
    /** How many at most, the newest first. */
    limit?: number;
  }, options?: CallOptions): Promise<AuditTrail>;
  /** Compute the chain of the audit trail again and name the first line that does not fit. */
  auditVerify(args?: {
    /** A file with anchors made before, or one as text: tells of a trail cut or redone since. */
    anchor?: string;
  }, options?: CallOptions): Promise<AuditVerified>;
  /** Tell what the audit trail ends with, signed, to be kept elsewhere for `audit verify --anchor`. */
  auditAnchor(args?: {
    /** A file to add it to, one anchor a line; keep it where this palace's writers cannot write. */
    file?: string;
  }, options?: CallOptions): Promise<AuditAnchor>;
  /** Stop every capture source, in every process, until resume. */
  pause(args?: Record<string, never>, options?: CallOptions): Promise<Capture>;
  /** Let capture sources bring things in again. */
  resume(args?: Record<string, never>, options?: CallOptions): Promise<Capture>;
  /** Seal a place, make it part of the vault, or open it. */
  seal(args: {
    /** The place; what stands below it goes with it. */
    place: string;
    /** open, sealed (read_all and up) or vault (only in a session that unlocked it). */
    seal: "open" | "sealed" | "vault";
  }, options?: CallOptions): Promise<SealedPlace>;
  /** Set the passphrase of the vault. */
  vaultProtect(args: {
    /** The vault's new passphrase. */
    passphrase: string;
    /** The one it has now, if it has one. */
    old?: string;
  }, options?: CallOptions): Promise<VaultState>;
  /** Open the vault for one subject in one session of this process, for some minutes. */
  vaultUnlock(args: {
    /** The vault's passphrase. */
    passphrase: string;
    /** For whom, if not for yourself; it needs a grant that names the vault. */
    subject?: string;
    /** In which of its sessions; its unnamed one when left out. */
    session?: string;
    /** For how many minutes. */
    minutes?: number;
  }, options?: CallOptions): Promise<VaultState>;
  /** Close the vault for every session of this process. */
  vaultLock(args?: Record<string, never>, options?: CallOptions): Promise<VaultState>;
  /** Answer for an objective until a time, within bounds; what agents ask for waits for you. */
  lease(args: {
    /** What is answered for. */
    objective: string;
    /** The bounds: where, on what. */
    within?: string;
    /** For how many minutes. */
    minutes?: number;
    /** How many actions it may cost, as outcome_report tells them with its id as authority; 0: as many as it takes. */
    budget?: number;
    /** What ends it early. */
    stop_when?: string;
    /** Who is told when it ends. */
    notify?: string;
    /** Who answers for it; only the operator names somebody else. */
    owner?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownLease>;
  /** List who answers for what, and until when. */
  leases(args?: {
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<LeaseList>;
  /** Grant or refuse a lease that was asked for. */
  leaseDecide(args: {
    /** The id of the lease. */
    lease: string;
    /** grant or refuse. */
    decision: "grant" | "refuse";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownLease>;
  /** End a lease before its time. */
  leaseEnd(args: {
    /** The id of the lease. */
    lease: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownLease>;
  /** Ask how an action may go on: one of seven modes, with the reason; nothing is done. */
  govern(args: {
    /** What kind of action it is. */
    action: "external" | "identity" | "irreversible" | "protected" | "read" | "reversible_write";
    /** What it is based on; only task and approval are authority. */
    basis?: ("approval" | "candidate" | "delivery" | "handoff" | "past_success" | "retrieved_memory" | "task" | "visible_tool")[];
    /** The id of the lease it is done under. */
    lease?: string;
    /** The id of the candidate it would apply. */
    candidate?: string;
    /** The memories it rests on: ids or addresses. */
    memories?: string[];
    /** What is known to be wrong, if anything. */
    anomaly?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Governed>;
  /** Write down what an action was meant to do and what came of it. */
  outcomeReport(args: {
    /** What the action was meant to do. */
    intent: string;
    /** What was seen of it. */
    effect: string;
    /** On which authority it was done: the task, an approval, a lease's id. */
    authority?: string;
    /** How the effect was checked; empty: it was not. */
    verified?: string;
    /** What failed, if something did. */
    failure?: "authority" | "evidence" | "none" | "other" | "safety" | "tool";
    /** What is left to fear. */
    risk?: string;
    /** The memories that were relied on: trust in them moves with the outcome. */
    memories?: string[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownOutcome>;
  /** List what came of actions, newest first. */
  outcomes(args?: {
    /** How many at most, newest first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<OutcomeList>;
  /** Propose that something becomes more than it is, in a lane, with its evidence. */
  mature(args: {
    /** In which lane it would become more than it is. */
    lane: "claim" | "context_eligibility" | "current_state" | "procedural" | "relational" | "safety" | "semantic";
    /** What it would become. */
    what: string;
    /** The memories that speak for it: ids or addresses. */
    evidence: string[];
    /** Whether it can be taken back. */
    reversible?: boolean;
    /** How its later effect is looked at. */
    later?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownMaturation>;
  /** List what was proposed to become more than it is. */
  maturations(args?: {
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<MaturationList>;
  /** Accept or reject such a proposal; it is applied by the operations of its lane. */
  matureDecide(args: {
    /** The id of the candidate. */
    candidate: string;
    /** accept or reject. */
    decision: "accept" | "reject";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownMaturation>;
  /** Begin a piece of work that goes on over sessions, or open it again. */
  threadOpen(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** What people call it. */
    title?: string;
    /** chat and booth share what is said; code and robot each keep to themselves. */
    mode?: "" | "booth" | "chat" | "code" | "robot";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownThread>;
  /** List the pieces of work that go on over sessions. */
  threadList(args?: {
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ThreadList>;
  /** Close a thread; what was said in it stays. */
  threadClose(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownThread>;
  /** Begin a session: how the one before ended, and what to read first. */
  sessionStart(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The session's id; one is made when it is left out. */
    session?: string;
    /** The client it runs in. */
    client?: string;
    /** How it began: startup, resume, clear or compact. */
    source?: "clear" | "compact" | "resume" | "startup";
    /** The mode of the thread, where it is new. */
    mode?: "" | "booth" | "chat" | "code" | "robot";
    /** How long the warm start may be. */
    max_chars?: number;
    /** How headings speak: first_person or neutral. */
    framing?: "first_person" | "neutral";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<StartedSession>;
  /** End a session and hand its work on. */
  sessionEnd(args: {
    /** The session: one sitting at the thread. */
    session: string;
    /** How it ended, in a word. */
    how?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownSession>;
  /** List the sessions of a thread. */
  sessions(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SessionList>;
  /** Write the handoff of a thread. */
  handoffWrite(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The session: one sitting at the thread. */
    session?: string;
    /** What the next session should know beside what was said. */
    note?: string;
    /** Why it is written, in a word. */
    reason?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownHandoff>;
  /** Read the handoff of a thread; with a session it is leased to that one. */
  handoffRead(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The session that takes it: it is leased to that one, and its first turn consumes it. */
    session?: string;
    /** How long its text may be. */
    max_chars?: number;
    /** How headings speak: first_person or neutral. */
    framing?: "first_person" | "neutral";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownHandoff>;
  /** Say that a session has made its first turn: the handoff offered to it has arrived. */
  handoffConsume(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The session: one sitting at the thread. */
    session: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownHandoff>;
  /** Note where the work is: folder, branch, commands with their exit codes, files, the agent's own list. */
  checkpoint(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The session: one sitting at the thread. */
    session?: string;
    /** The folder the work is in. */
    cwd?: string;
    /** The branch it is on. */
    branch?: string;
    /** Commands that were run since the last checkpoint. */
    ran?: GivenRun[];
    /** Files that were worked on. */
    files?: string[];
    /** The agent's own list of work: what is on it stands as it says. */
    todos?: GivenTodo[];
    /** What else the next session should know. */
    note?: string;
    /** How many exchanges there were since the last one. */
    exchanges?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownCheckpoint>;
  /** Begin a turn: the handoff has arrived, and what is known for the message is told. */
  turnStart(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** What the user asks. */
    message: string;
    /** The session: one sitting at the thread. */
    session?: string;
    /** How many tokens the block may have. */
    budget_tokens?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<StartedTurn>;
  /** End a turn: what was said is taken in and where the work is noted, so that it can be handed on. */
  turnEnd(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** What was said since the last time, in order. */
    turns: GivenTurn[];
    /** The session: one sitting at the thread. */
    session?: string;
    /** The folder the work is in. */
    cwd?: string;
    /** The branch it is on. */
    branch?: string;
    /** Commands that were run. */
    ran?: GivenRun[];
    /** Files that were worked on. */
    files?: string[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<EndedTurn>;
  /** Show what to read when a thread is taken up again. */
  warmStart(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** How long it may be. */
    max_chars?: number;
    /** How headings speak: first_person or neutral. */
    framing?: "first_person" | "neutral";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<WarmStart>;
  /** Show where the work of a thread stands: plans with their states, decisions, names. */
  bridge(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownBridge>;
  /** List who adds lines to contexts, by priority, and how long each takes. */
  providers(args?: {
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ProviderList>;
  /** Show how long clients waited before and after turns, against 150 and 250 ms. */
  hookReport(args?: {
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ProviderList>;
  /** Mark what an answer says about files, processes, settings or builds that nobody looked at. */
  proofCheck(args: {
    /** The answer. */
    text: string;
    /** What was looked at in this turn: file, process, config, runtime. */
    checked?: ("config" | "file" | "process" | "runtime")[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Proof>;
  /** Say that a conversation is being compacted: the work is handed on and its summary kept. */
  compacted(args: {
    /** The thread: the name of the work that goes on over several sessions. */
    thread: string;
    /** The session: one sitting at the thread. */
    session?: string;
    /** What the client keeps instead of the messages; its statements are kept as memories. */
    summary?: string;
    /** How many messages go. */
    removed_turns?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownBridge>;
  /** Show how unsettled the last exchange of a thread was. */
  metabolism(args: {
    /** The thread. */
    thread: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownMetabolism>;
  /** List what is thought over. */
  inquiries(args?: {
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<InquiryList>;
  /** Take the next pass of an inquiry: at once, after four hours, after twenty. */
  contemplate(args: {
    /** The id of the inquiry. */
    inquiry: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownInquiry>;
  /** Propose that an inquiry changes an identity file: time and principles decide, then you. */
  crystallise(args: {
    /** The id of the inquiry. */
    inquiry: string;
    /** The identity file that would change. */
    file: "AGENTS.md" | "ANCHOR.md" | "MEMORY.md" | "SOUL.md" | "TOOLS.md";
    /** The line that would be added to it. */
    text: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownIdentityPlan>;
  /** Show where a person stands, where that is assessed at all. */
  standing(args: {
    /** Whose standing. */
    person: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownStanding>;
  /** Show how surprising the last turns of a thread were. */
  dynamics(args: {
    /** The thread. */
    thread: string;
    /** How many turns back. */
    last?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownDynamics>;
  /** List what repeated friction suggests to change; nothing is applied. */
  proposals(args?: {
    /** The thread whose friction is looked at; without one, what was proposed is listed. */
    thread?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ProposalList>;
  /** Accept or reject a proposal. */
  proposalDecide(args: {
    /** The id of the proposal. */
    proposal: string;
    /** accept or reject. */
    decision: "accept" | "reject";
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownProposal>;
  /** Make a research bundle of a thread: what it would hold, without what must not leave. */
  bundleMake(args: {
    /** The thread. */
    thread: string;
    /** Only say what it would hold. */
    dry_run?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownBundle>;
  /** Approve a research bundle; for training only where you say so. */
  bundleApprove(args: {
    /** The id of the bundle. */
    bundle: string;
    /** Also approve it for training. */
    training?: boolean;
    /** Say that you have looked at it. */
    yes?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownBundle>;
  /** Write an approved research bundle to a file. */
  bundleExport(args: {
    /** The id of the bundle. */
    bundle: string;
    /** The file to write: JSON lines, the first of them the manifest. */
    to: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownBundle>;
  /** Show the identity files: who the agent is, how it works, whom it works for. */
  identityShow(args?: {
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<IdentityFiles>;
  /** Plan what an identity file is to say; nothing is written before you apply it. */
  identityPlan(args: {
    /** Which file. */
    file: "AGENTS.md" | "ANCHOR.md" | "MEMORY.md" | "SOUL.md" | "TOOLS.md";
    /** What it is to say from then on, as a whole. */
    text: string;
    /** Why. */
    reason?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownIdentityPlan>;
  /** List plans for identity files, with what each changes. */
  identityPlans(args?: {
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<IdentityPlanList>;
  /** Write what a plan for an identity file says. */
  identityApply(args: {
    /** The id of the plan. */
    plan: string;
    /** Say that you have looked at what it changes. */
    yes?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownIdentityPlan>;
  /** Give back what an identity file said before a plan was applied. */
  identityRollback(args: {
    /** The id of the plan. */
    plan: string;
    /** Say that you have looked at what it changes. */
    yes?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownIdentityPlan>;
  /** Keep a receipt of a file before a model is shown it; the file is not copied. */
  attach(args: {
    /** The file's path, or its name where its content is handed over. */
    name: string;
    /** The content in base64, instead of a path; only the operator names paths. */
    content?: string;
    /** The thread it is shown in. */
    thread?: string;
    /** The session it is shown in. */
    session?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownReceipt>;
  /** List what was attached, and whether its sources still are what they were. */
  receipts(args?: {
    /** Only those shown in this thread. */
    thread?: string;
    /** How many at most, the last changed first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ReceiptList>;
  /** Look whether the source of a receipt is unchanged, changed or missing. */
  receiptCheck(args: {
    /** The id of the receipt, att_... */
    receipt: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownReceipt>;
  /** Keep what was seen in an attachment. */
  observeAttachment(args: {
    /** The id of the receipt, att_... */
    receipt: string;
    /** What was seen in it. */
    text: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownReceipt>;
  /** Show what may be captured on this machine: adapters, pause, private and allowed lists, last events. */
  captureStatus(args?: Record<string, never>, options?: CallOptions): Promise<CaptureStatus>;
  /** Switch an adapter on; nothing is captured by one that is not. */
  captureEnable(args: {
    /** shell, git, files, window, music, or one that a plugin brings. */
    adapter: string;
    /** Folders that files and git look at, beside those they look at already. */
    folders?: string[];
  }, options?: CallOptions): Promise<CaptureStatus>;
  /** Switch an adapter off; what it saw stays until it is burnt. */
  captureDisable(args: {
    /** shell, git, files, window, music, or one that a plugin brings. */
    adapter: string;
    /** Folders that files and git look at, beside those they look at already. */
    folders?: string[];
  }, options?: CallOptions): Promise<CaptureStatus>;
  /** Make an app, a path or a command private: nothing of it is read. */
  capturePrivate(args: {
    /** app, path or command. */
    what: "app" | "command" | "path";
    /** Which: a name, a folder with all below it, or a pattern with * in it. */
    pattern: string;
    /** Take it off the list again. */
    remove?: boolean;
  }, options?: CallOptions): Promise<CaptureStatus>;
  /** Put an app or a path on the list of what alone may be captured. */
  captureAllow(args: {
    /** app, path or command. */
    what: "app" | "command" | "path";
    /** Which: a name, a folder with all below it, or a pattern with * in it. */
    pattern: string;
    /** Take it off the list again. */
    remove?: boolean;
  }, options?: CallOptions): Promise<CaptureStatus>;
  /** Capture nothing but what is allowed, or all but what is private. */
  captureOnly(args?: {
    /** Whether nothing but what is on the list of allowed is captured. */
    only?: boolean;
  }, options?: CallOptions): Promise<CaptureStatus>;
  /** Hand over what was done on the machine; the gate decides about each, and the audit trail says how. */
  captureEvents(args: {
    /** What was done: objects with kind, source, reference, at and metadata. */
    events: GivenEvent[];
  }, options?: CallOptions): Promise<TakenEvents>;
  /** Take in the commits of a repository that are new, with the languages they touched. */
  captureGit(args: {
    /** The folder of the repository. */
    repository: string;
    /** How many of its newest commits at most. */
    limit?: number;
  }, options?: CallOptions): Promise<TakenEvents>;
  /** List what was captured on this machine, newest first. */
  rawEvents(args?: {
    /** Only of this adapter, path or reference. */
    source?: string;
    /** Only of this kind. */
    kind?: "app_activation" | "command" | "commit" | "file" | "music" | null;
    /** Only since then. */
    after?: string | null;
    /** Only before then. */
    before?: string | null;
    /** How many at most, the newest first. */
    limit?: number;
  }, options?: CallOptions): Promise<RawEventList>;
  /** Keep what came of a task. */
  captureTask(args: {
    /** The task, by its name. */
    task: string;
    /** What came of it. */
    result: string;
    /** Which run of it; its session is task:RUN. */
    run?: string;
    /** How many tools were used. */
    tools?: number;
    /** Whether it runs again and again: then only findings are kept. */
    recurring?: boolean;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Keep what a node of a flow gave, in the memory of the flow. */
  captureFlowNode(args: {
    /** The flow, by its name; its memory is the project flow:NAME. */
    flow: string;
    /** The node. */
    node: string;
    /** What it gave. */
    output: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Keep how a flow ran, as a procedure. */
  captureFlow(args: {
    /** The flow, by its name. */
    flow: string;
    /** Its nodes, in the order in which they ran. */
    nodes: string[];
    /** The node that failed, if one did. */
    failed?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Keep what a round of an orchestrator found out. */
  captureRound(args: {
    /** What the round found out. */
    facts: string;
    /** What tools gave. */
    tool_results?: string[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Keep the findings of a research, each with its source. */
  captureResearch(args: {
    /** What was looked for. */
    query: string;
    /** What was found: objects with text, url, confidence and supports. */
    findings: GivenFinding[];
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Keep how something was done, step by step. */
  storeExecution(args: {
    /** What was to be done. */
    goal: string;
    /** What was done, step by step. */
    steps: string[];
    /** What came of it. */
    outcome: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Keep what a skill learnt, for itself alone. */
  captureSkill(args: {
    /** The skill, by its id; its memory is the channel skill:ID. */
    skill: string;
    /** What it learnt. */
    text: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Captured>;
  /** Declare a restart: the session, the message it goes on with, and what that may cost. */
  restartBegin(args: {
    /** The key of the session that is about to be restarted. */
    session: string;
    /** The one message with which it goes on. */
    continuation: string;
    /** How many calls going on may cost. */
    budget?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownRestart>;
  /** Take the next step of a restart; one too many, a wrong key or the same failure twice stops it. */
  restartStep(args: {
    /** The key of the session that was restarted. */
    session: string;
    /** reach: is it there (two calls); identify: is it the one (one call); continue: go on (the budget). */
    step: "continue" | "identify" | "reach";
    /** The key that answered, for identify. */
    found?: string;
    /** What failed, in a word; the same twice stops the restart. */
    failure?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownRestart>;
  /** Show where a restart stands. */
  restartState(args: {
    /** The key of the session. */
    session: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownRestart>;
  /** Keep how the workspace stands now, at a place or with a memory: references, never contents. */
  snapshotSave(args?: {
    /** Where it belongs, such as work.desk; the place of the memory when one is named. */
    place?: string;
    /** The memory it belongs to: id, address or name. It goes with the memory. */
    memory?: string;
    /** The folder the work is in; that of the program that is asked when left out. */
    cwd?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<ShownSnapshot>;
  /** List snapshots of the workspace, newest first. */
  snapshotList(args?: {
    /** Only at this place, or at those that a pattern names: work.**. */
    place?: string;
    /** Only those of this memory. */
    memory?: string;
    /** How many at most, the newest first. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SnapshotList>;
  /** Show what was open when a snapshot was taken. */
  snapshotShow(args: {
    /** The id of the snapshot, or its first or last digits. */
    snapshot: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<WholeSnapshot>;
  /** Compare a snapshot with another, or with how the workspace stands now. */
  snapshotDiff(args: {
    /** The id of the snapshot, or its first or last digits. */
    snapshot: string;
    /** The snapshot it is compared with; how the workspace stands now when left out. */
    other?: string;
    /** The folder the work is in; that of the program that is asked when left out. */
    cwd?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SnapshotDifferences>;
  /** Bring a workspace back in five steps; without --yes it is only said what would be done. */
  snapshotRestore(args: {
    /** The id of the snapshot, or its first or last digits. */
    snapshot: string;
    /** Do it; without this it is only said what would be done. */
    yes?: boolean;
    /** Let the music go on where it was, too. */
    music?: boolean;
    /** The folder the work is in; that of the program that is asked when left out. */
    cwd?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SnapshotRestored>;
  /** Write a snapshot for somebody else, without what is private. */
  snapshotShare(args: {
    /** The id of the snapshot, or its first or last digits. */
    snapshot: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<SharedSnapshot>;
  /** Erase a snapshot for good, from the archive too. */
  snapshotDrop(args: {
    /** The id of the snapshot, or its first or last digits. */
    snapshot: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<DroppedSnapshot>;
  /** Write memories to a new file: a bundle, a folder of Markdown, an encrypted archive or a copy. */
  export(args: {
    /** The new file to write, or the new folder for markdown. */
    to: string;
    /** What to write; by the file's ending when left out. */
    format?: "auto" | "bundle" | "encrypted" | "markdown" | "palace";
    /** Only from this place; work.* is directly below it, work.** all of it. */
    place?: string;
    /** Only what belongs to this user, in whatever project or channel: all they have a right to. */
    user?: string;
    /** The passphrase of an encrypted archive. */
    passphrase?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Exported>;
  /** Take in a file of another program or another palace, in quarantine, and say what became of it. */
  import(args: {
    /** The file or folder to read. */
    file: string;
    /** What it is; found out from its content when left out. */
    format?: "activitywatch" | "atuin" | "auto" | "bundle" | "chatgpt" | "chromium" | "claude" | "encrypted" | "firefox" | "icalendar" | "markdown" | "mcp-memory" | "mem0" | "notes" | "palace" | "shell-history";
    /** Where what it tells goes: imports, or a place below it; by the format when left out. */
    place?: string;
    /** Read and count only; nothing is written. */
    dry_run?: boolean;
    /** Read it with the importer of this name that a plugin brings. */
    reader?: string;
    /** The passphrase of an encrypted archive. */
    passphrase?: string;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<Imported>;
  /** Say how much of everything there is. */
  status(args?: Record<string, never>, options?: CallOptions): Promise<Status>;
  /** Look at the whole palace and say what to do. */
  doctor(args?: Record<string, never>, options?: CallOptions): Promise<Diagnosis>;
  /** Say in words how the palace is: jobs, backups, search, speed, memory and disk. */
  health(args?: Record<string, never>, options?: CallOptions): Promise<Health>;
  /** Compare every index, tag and chain with the truth and name the differences. */
  verify(args?: Record<string, never>, options?: CallOptions): Promise<Verified>;
  /** Copy the palace file to a new file while it is in use; an encrypted one stays encrypted. */
  backup(args: {
    /** The new file to write. */
    target: string;
  }, options?: CallOptions): Promise<BackedUp>;
  /** Show what happened to memories, oldest first: the journal, without content. */
  events(args?: {
    /** Only events after this: seq or last as it came, 0 for the first on, now for none yet. */
    after?: string;
    /** How many at most. */
    limit?: number;
    /** The project it belongs to. */
    project?: string | null;
    /** The squad inside the project. */
    squad?: string | null;
    /** The agent it belongs to. */
    agent_id?: string | null;
    /** The channel or conversation it stays in. */
    channel?: string | null;
    /** The run it stays in: another name for the channel. */
    run_id?: string | null;
    /** The user it belongs to. */
    user_id?: string | null;
  }, options?: CallOptions): Promise<EventList>;
  /** Show every setting: its value, where that comes from, and what it is for. */
  settings(args?: Record<string, never>, options?: CallOptions): Promise<SettingList>;
  /** Change a setting of this palace; most hold at once, in every process that has it open. */
  settingPut(args: {
    /** The setting, as `settings` names it. */
    name: string;
    /** Its value; an empty one goes back to the default. */
    value: string;
  }, options?: CallOptions): Promise<ShownSetting>;
  /** Show what is done while nobody asks: each job, how far it is and what came of its last run. */
  jobs(args?: Record<string, never>, options?: CallOptions): Promise<JobList>;
  /** Run a job now, or only say what it would do. */
  run(args: {
    /** The job, as `jobs` names it; `due` runs every job whose turn has come. */
    job: string;
    /** How many memories to deal with, at most. */
    limit?: number;
    /** Only say what it would do. */
    dry_run?: boolean;
  }, options?: CallOptions): Promise<RunList>;
  /** Ask a job that runs to stop after the step in hand. */
  cancel(args: {
    /** The job, as `jobs` names it. */
    job: string;
  }, options?: CallOptions): Promise<Cancelled>;
  /** Take back what a job or a dream did: recall finds what it found before. */
  undo(args: {
    /** The job whose doing is taken back, as `jobs` names it, or the id of a dream's report. */
    job: string;
    /** Take back what it did since this moment; its last run when left out. */
    since?: string | null;
  }, options?: CallOptions): Promise<ShownRun>;
  /** List the vector spaces: which answers, which fills, which are kept to go back to. */
  spaces(args?: Record<string, never>, options?: CallOptions): Promise<SpaceList>;
  /** Let a kept vector space go for good, with its vectors. */
  spaceRetire(args: {
    /** The space to let go. */
    name: string;
  }, options?: CallOptions): Promise<SpaceList>;
}
