"""Made by `python -m scripts.stubs` from the registry; change the registry, not this file."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from inspect import Signature
from typing import Any, Literal
from uuid import UUID

from palazzo.model.graph import EdgeKind
from palazzo.operations.belief.spec import (
    Audited,
    BeliefChange,
    Believed,
    DisagreementList,
    Holding,
    Resolved,
    Reviewed,
    SettledDisagreement,
    Stale,
    Trusted,
)
from palazzo.operations.capture.spec import (
    Captured,
    CaptureStatus,
    GivenEvent,
    GivenFinding,
    RawEventList,
    ShownRestart,
    TakenEvents,
)
from palazzo.operations.care.spec import (
    BackedUp,
    Cancelled,
    Diagnosis,
    EventList,
    Health,
    JobList,
    RunList,
    SettingList,
    ShownRun,
    ShownSetting,
    SpaceList,
    Status,
    Verified,
)
from palazzo.operations.claims.spec import (
    CandidateField,
    ClaimList,
    ClaimPreview,
    DrawnClaims,
    GivenSource,
    ModeSet,
    ShownClaim,
)
from palazzo.operations.declared import (
    Operation,
)
from palazzo.operations.erase.spec import (
    ErasureReport,
)
from palazzo.operations.graph.spec import (
    Bundled,
    EntityList,
    EntityProfile,
    Link,
    Pathway,
    ShownOrigin,
    ShownProduct,
    Unlinked,
    Walked,
    Why,
)
from palazzo.operations.guard.spec import (
    AuditAnchor,
    AuditTrail,
    AuditVerified,
    Capture,
    GrantList,
    MadeToken,
    PlanInfo,
    PlanList,
    SealedPlace,
    TokenList,
    VaultState,
)
from palazzo.operations.intake.spec import (
    Explained,
    GivenCount,
    GivenNote,
    Keeping,
    Kept,
    KindList,
    ShownKind,
    Signalled,
    TagList,
)
from palazzo.operations.mind.spec import (
    Anticipation,
    DreamList,
    Dreamt,
    GapList,
    InMind,
    KnownCue,
    LetGo,
    ModelList,
    Pruned,
    SeenContexts,
    ShownGap,
    SummaryList,
    Unfolded,
)
from palazzo.operations.palace.spec import (
    Activity,
    FactList,
    Layout,
    Overview,
    ScopeList,
    Visits,
)
from palazzo.operations.persona.spec import (
    IdentityFiles,
    IdentityPlanList,
    InquiryList,
    ProposalList,
    ReceiptList,
    ShownBundle,
    ShownDynamics,
    ShownIdentityPlan,
    ShownInquiry,
    ShownMetabolism,
    ShownProposal,
    ShownReceipt,
    ShownStanding,
)
from palazzo.operations.port.spec import (
    Exported,
    Imported,
)
from palazzo.operations.recall.spec import (
    ContextBlock,
    Evolution,
    History,
    MemoryPage,
    PlaceList,
    Reasoned,
    Recalled,
    Suppressed,
    WholeMemory,
)
from palazzo.operations.shared import (
    ChangedMemory,
    GivenTurn,
)
from palazzo.operations.snapshot.spec import (
    DroppedSnapshot,
    SharedSnapshot,
    ShownSnapshot,
    SnapshotDifferences,
    SnapshotList,
    SnapshotRestored,
    WholeSnapshot,
)
from palazzo.operations.spine.spec import (
    Governed,
    LeaseList,
    MaturationList,
    OutcomeList,
    ShownLease,
    ShownMaturation,
    ShownOutcome,
)
from palazzo.operations.talk.spec import (
    ChatAdded,
    ChatCleared,
    ChatMessages,
    Delivered,
    Publication,
    ShownSubscription,
    SubscriptionList,
)
from palazzo.operations.thread.spec import (
    EndedTurn,
    GivenRun,
    GivenTodo,
    Proof,
    ProviderList,
    SessionList,
    ShownBridge,
    ShownCheckpoint,
    ShownHandoff,
    ShownSession,
    ShownThread,
    StartedSession,
    StartedTurn,
    ThreadList,
    WarmStart,
)

def signature(operation: Operation) -> Signature: ...
def docstring(operation: Operation, alias: str = ...) -> str: ...
def method_name(operation: Operation) -> str: ...
def names() -> Iterator[tuple[str, Operation]]: ...

class Methods:
    """Every operation as a method that returns its result."""

    def _call(self, name: str, arguments: dict[str, Any]) -> Any: ...
    def keep(
        self,
        memory: str | UUID,
        *,
        pinned: bool | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient", "kind"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Keeping:
        """Say how long a memory is kept: pinned, or how it fades.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        pinned: Whether decay never touches it; as it is when left out.
        durability: How it fades, `kind` for as its kind does; as it is when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def kinds(self) -> KindList:
        """Show the kinds of memory: how each fades, and what happens when two contradict each other."""
    def kind_add(
        self,
        name: str,
        *,
        layer: Literal["raw", "episodic", "semantic", "procedural", "relational"] = "semantic",
        stability_days: float = 180.0,
        lifespan_days: float | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient"] = "decaying",
        conflict: Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"] = "temporal",
        one_value: Sequence[str] = (),
        why: str = "",
    ) -> ShownKind:
        """Add a kind of memory of your own.

        name: What it is called: a short word, as in an address.
        layer: What layer of memory it belongs to.
        stability_days: Days in which an unused memory of it falls to about a third.
        lifespan_days: Days for which it usually stays true; no end when left out.
        durability: How it fades.
        conflict: What happens when one contradicts another.
        one_value: A predicate that holds one value at a time, such as price.
        why: The reason for the figures.
        """
    def remember(
        self,
        text: str,
        *,
        place: str = "",
        kind: str = "",
        name: str = "",
        tags: Sequence[str] = (),
        importance: float | None = None,
        pinned: bool | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient"] | None = None,
        at: datetime | None = None,
        speaker: str = "",
        conflict: Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"] | None = None,
        verbatim: bool = False,
        metadata: Mapping[str, Any] | None = None,
        if_revision: int | None = None,
        snapshot: bool = False,
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Keep a text for good, and say what became of it.

        text: What to remember, word for word.
        place: Where it belongs, such as work.projects; chosen from the content when left out.
        kind: What kind of memory it is, such as fact or decision; chosen from the content when left out.
        name: Its name at that place. Remembering under the same name again revises that memory.
        tags: Tags that point at this revision.
        importance: From 0 to 1; judged from the content when left out.
        pinned: Whether it never fades; what was asked to be remembered is, unless you say no.
        durability: How it fades; by kind and content when left out.
        at: When it was said; now when left out. Relative dates are read against it.
        speaker: Who says it, where the text says I.
        conflict: What to do if it contradicts what is known; by kind when left out.
        verbatim: Keep it as one memory, without drawing statements from it.
        metadata: JSON values to keep beside it, by key; they come back with it.
        if_revision: Only if what has that name is at this revision, 0 for nothing yet; else it is a conflict.
        snapshot: Keep how the workspace stands with it.
        cwd: The folder of that workspace; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def remember_many(
        self,
        notes: Sequence[str | GivenNote | Mapping[str, Any]],
        *,
        understand: Literal["now", "later"] = "now",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Keep many texts in one transaction.

        notes: What to remember: texts, or notes with a place, a kind and so on.
        understand: Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are kept and found at once either way. Only verbatim ones can wait.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def observe(
        self,
        turns: Sequence[str | GivenTurn | Mapping[str, Any]],
        *,
        thread: str = "",
        session: str = "",
        metadata: Mapping[str, Any] | None = None,
        understand: Literal["now", "later"] = "now",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Take in turns of a conversation: kept verbatim, and what lasts of them as memories of their own.

        turns: The turns in order: texts, or objects with content, role, speaker and at.
        thread: The conversation they belong to.
        session: The sitting of that conversation.
        metadata: JSON values to keep beside it, by key; they come back with it.
        understand: Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are kept and found at once either way.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def update(
        self,
        memory: str | UUID,
        text: str,
        *,
        importance: float | None = None,
        at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        if_revision: int | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Say what a memory holds from now on; what it held before stays in its history.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        text: What it says from now on. What it said before stays in its history.
        importance: From 0 to 1; judged from the content when left out.
        at: When this became true; now when left out.
        metadata: JSON values to keep beside it instead of those it has.
        if_revision: Only if it is at this revision; else it is a conflict.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def move(
        self,
        memory: str | UUID,
        place: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Move a memory to another place.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        place: Where it belongs from now on.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def tag(
        self,
        memory: str | UUID,
        tag: str,
        *,
        revision: int | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Point a tag at a revision; the tag current takes a memory back to what it said before.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        tag: The name of the tag. The tag current says which revision holds.
        revision: The revision it points at; the current one when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def untag(
        self,
        memory: str | UUID,
        tag: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Take a tag away from a memory; its history stays.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        tag: The name of the tag; where it pointed before stays on record.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def tags(
        self,
        *,
        memory: str | UUID = "",
        limit: int = 100,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> TagList:
        """List the tags in use, or those of one memory with where each pointed and when.

        memory: The memory whose tags are wanted, with their history; every tag in use when left out.
        limit: How many tags at most, those of most memories first.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def deprecate(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Believe a memory no longer: it is kept, and found only by the operator who asks for it.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        reason: Why, for the record; never put content here.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def undeprecate(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Believe a memory again that was believed no longer.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        reason: Why, for the record; never put content here.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def signal(
        self,
        counts: Sequence[GivenCount | Mapping[str, Any]],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Signalled:
        """Add counts of what is done, such as languages used or music heard.

        counts: What was done how often: objects with family, dimension, count and at.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def explain(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Explained:
        """Say what became of every sentence of a message, or of the messages behind a memory.

        memory: The id or address of a memory, or the id of an intake.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def recall(
        self,
        cue: str,
        *,
        limit: int = 10,
        budget_tokens: int | None = None,
        place: str = "",
        kinds: Sequence[str] = (),
        after: datetime | None = None,
        before: datetime | None = None,
        as_of: datetime | None = None,
        thread: str = "",
        history: Sequence[str | GivenTurn | Mapping[str, Any]] = (),
        speaker: str = "",
        preset: Literal["fast", "balanced", "deep"] = "balanced",
        rerank: Literal["none", "mmr", "model", "client"] = "none",
        mode: Literal["relevance", "balanced", "recent", "important", "historical", "broad"] = "relevance",
        fusion: Literal["sum", "rank", "max"] = "sum",
        min_relevance: float | None = None,
        mood: float = 0.0,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Recalled:
        """Find the memories that matter for a cue, best first, each with its reasons.

        cue: What you want to know, as a question or in key words.
        limit: How many memories at most.
        budget_tokens: Fit the answer into so many tokens, shortening what comes last.
        place: Only from this place; work.* is directly below it, work.** all of it.
        kinds: Only memories of these kinds.
        after: Only what was true or happened at or after this time.
        before: Only what was true or happened before this time.
        as_of: What was believed at this time, instead of now.
        thread: The conversation this is for; what belongs to it counts more, and says what it is about.
        history: What was said before, oldest first: texts, or objects with content, role, speaker and at. It says what a cue is about that only says it or there.
        speaker: Who asks, where the cue says I.
        preset: How much work to do: fast, balanced or deep.
        rerank: Reorder the best: none, mmr for variety, a model, or client to choose yourself.
        mode: What counts beside relevance: recency, importance and confidence, by name.
        fusion: How words and meaning join: sum, rank or max.
        min_relevance: Leave out what is less likely to answer than this, from 0 to 1; by default the setting of this name decides.
        mood: The mood it is asked in, from -1 to 1; what was felt alike counts more.
        metadata: Only memories whose metadata has these values: text, numbers, true, false.
        tag: As this tag points, such as published, instead of what holds now; what does not carry it is left out.
        include_deprecated: Also what is no longer believed; the operator's alone.
        mentions: Only memories that name all of these: people, technologies, paths, URLs, each by any of its names.
        layers: Only memories of these layers.
        sentiment: Only what was told in this mood.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def context(
        self,
        message: str,
        *,
        budget_tokens: int = 2000,
        model: str = "",
        history: Sequence[str | GivenTurn | Mapping[str, Any]] = (),
        thread: str = "",
        purpose: Literal["turn", "task", "flow", "orchestrator", "delegation"] = "turn",
        delegate: str = "",
        as_of: datetime | None = None,
        injection: Literal["auto", "minimal", "standard", "deep"] = "auto",
        sections: Sequence[Literal["today", "roster", "schemas", "skills"]] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ContextBlock:
        """Make the block a model should read before it answers, within a budget of tokens.

        message: What the model is about to answer.
        budget_tokens: How many tokens the block may have, the message included.
        model: The model that will read it, for its way of counting tokens.
        history: What was said before, oldest first: texts, or objects with content, role, speaker and at. It says where the conversation is heading and is part of the block.
        thread: The conversation; without a history its last observed turns are that.
        purpose: What it is for: a turn, a task, a flow, an orchestrator's plan or a delegation.
        delegate: The agent that a delegation hands the work to; it is read as that agent.
        as_of: What was believed at this time, instead of now.
        injection: How much enters: minimal (nothing is recalled), standard (what bears on the message), deep (also what is going on); auto decides by the message.
        sections: Sections to fill from memory whatever the message: today, roster (who else writes here), schemas, skills.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def reason(
        self,
        question: str,
        *,
        depth: int | None = None,
        model: str = "",
        budget_tokens: int = 4000,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Reasoned:
        """Gather evidence for a question that needs several steps, and show the steps.

        question: A question that needs more than one look.
        depth: How many steps deep at most; as the model allows when left out.
        model: The model that will read it; how deep it may go follows from it.
        budget_tokens: How many tokens of evidence at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def evolution(
        self,
        topic: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Evolution:
        """Show how knowledge of a topic changed, oldest first.

        topic: What to follow through time.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def feedback(
        self,
        memory: str | UUID,
        cue: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Suppressed:
        """Say that a memory was out of place for a cue: cues alike leave it out for ninety days.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        cue: What was asked or said when the memory was out of place.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def get(
        self,
        memory: str | UUID,
        *,
        as_of: datetime | None = None,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> WholeMemory:
        """Show one memory, with all that was read from its words.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        as_of: As it was at this time, instead of now.
        include_deprecated: Also what is no longer believed or is archived; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def list(
        self,
        *,
        place: str = "",
        kinds: Sequence[str] = (),
        state: Literal["live", "archived", "forgotten", "all"] = "live",
        as_of: datetime | None = None,
        limit: int = 50,
        cursor: str = "",
        count: bool = False,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        after: datetime | None = None,
        before: datetime | None = None,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MemoryPage:
        """List memories, newest first.

        place: Only from this place; work.* is directly below it, work.** all of it.
        kinds: Only memories of these kinds.
        state: Which ones: live, archived, forgotten or all.
        as_of: What was believed at this time, instead of now.
        limit: How many at most.
        cursor: Where to go on: the next_cursor of the page before.
        count: Count all of them, also in a palace so large that this takes a while.
        metadata: Only memories whose metadata has these values: text, numbers, true, false.
        tag: As this tag points, such as published, instead of what holds now; what does not carry it is left out.
        include_deprecated: Also what is no longer believed; the operator's alone.
        after: Only what was true or happened at or after this time.
        before: Only what was true or happened before this time.
        mentions: Only memories that name all of these: people, technologies, paths, URLs, each by any of its names.
        layers: Only memories of these layers.
        sentiment: Only what was told in this mood.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def history(
        self,
        memory: str | UUID,
        *,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> History:
        """Show every revision of a memory, oldest first.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def places(
        self,
        *,
        place: str = "",
        deep: bool = False,
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> PlaceList:
        """List the places below one, with how much stands in each.

        place: The place to look below; the whole palace when left out.
        deep: Every place below it in which something stands, not only those directly below.
        as_of: As it was at this time, instead of now.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def contexts(self, *, subject: str = "", limit: int = 20) -> SeenContexts:
        """Show what models were given to read: message, block, what entered and what was left out, and why.

        subject: Only what was given to this subject.
        limit: How many at most, the newest first.
        """
    def mind(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> InMind:
        """Show what is in mind between two turns: recalled, just said, held or anticipated.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def mind_hold(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> InMind:
        """Hold a memory in mind, so that the next contexts have it.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def mind_clear(
        self,
        *,
        memory: str | UUID = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> LetGo:
        """Let go of one memory that is in mind, or of everything; no memory is lost.

        memory: Only this memory; everything when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def anticipate(
        self,
        message: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Anticipation:
        """Recall for a turn that may come next: within a minute one near enough is answered at once.

        message: What may be said or asked next.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def models(self, *, name: str = "") -> ModelList:
        """List the language models a context can be made for, and how much each takes.

        name: Only the entry that speaks for the model of this name.
        """
    def knows(
        self,
        cue: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> KnownCue:
        """Say how well something is known: know, partly or unknown, and why.

        cue: What may be asked.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def unfold(
        self,
        node: str,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Unfolded:
        """Show what stands behind a summary, a gathered memory or a part of what is known.

        node: A part, as `overview` with a level names it, or the id or address of a summary or of a gathered memory.
        limit: How many memories at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def summaries(
        self,
        *,
        thread: str = "",
        level: Literal["", "day", "week", "month", "year"] = "",
        since: datetime | None = None,
        until: datetime | None = None,
        text: str = "",
        limit: int = 20,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SummaryList:
        """List summaries of days, weeks, months and years, or search them.

        thread: Only of this conversation.
        level: Only days, weeks, months or years.
        since: Only what began then or later.
        until: Only what began before then.
        text: Only what has these words, best first.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def dream(
        self,
        *,
        dry_run: bool = False,
        only: Sequence[str] = (),
        limit: int = 100,
        ratio: float = 0.5,
        allow_published: bool = False,
        completed: str = "",
    ) -> Dreamt:
        """Think over what is remembered: gather what says the same, find gaps, and more; or only say what it would do. Every run is checked, reported and can be taken back.

        dry_run: Only say what it would do.
        only: Only these passes; as the setting dream_passes says when left out.
        limit: How many steps of each pass, at most.
        ratio: The share of what is looked at that may be given up, at most.
        allow_published: Also give up what is tagged published; it is noted in the report.
        completed: A project that is over: what proved good in it is for everybody from then on.
        """
    def dreams(self, *, report: str = "", limit: int = 10) -> DreamList:
        """Show the reports of dreams: what they did or propose, what the check found, how to take them back.

        report: Only the report of this id, in full.
        limit: How many at most, the newest first.
        """
    def dream_apply(self, report: str) -> Dreamt:
        """Carry out what a dream proposed, with the same check.

        report: The id of the report that proposes something.
        """
    def prune(self, name: str) -> Pruned:
        """Take back everything one pass ever did, such as all that was inferred.

        name: The pass, as a report names it, such as infer.
        """
    def gaps(
        self,
        *,
        limit: int = 20,
        every: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> GapList:
        """List open questions: what is not known, what contradicts itself, what may be out of date.

        limit: How many at most.
        every: Also those that rest, were answered or are not to be asked.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def gap_ask(
        self,
        gap: str,
        *,
        session: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownGap:
        """Note that a question is asked now; it then rests for a week.

        gap: The id of the gap, as `gaps` tells it.
        session: The session it is asked in: two questions are asked in one at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def gap_mute(
        self,
        gap: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> GapList:
        """Never ask a question again.

        gap: The id of the gap, as `gaps` tells it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def chat_add(
        self,
        session: str,
        text: str,
        *,
        role: Literal["user", "assistant", "system", "tool", "other"] = "user",
        speaker: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChatAdded:
        """Add a message to a running session: remembered as a turn, and at hand for an hour.

        session: The session, by a name of your own; its messages are turns of the thread of this name.
        text: What was said.
        role: Who said it: user, assistant, system or tool.
        speaker: The name of who said it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def chat_get(
        self,
        session: str,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChatMessages:
        """Read the last messages of a session.

        session: The session, by a name of your own; its messages are turns of the thread of this name.
        limit: How many at most, the newest.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def chat_clear(
        self,
        session: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChatCleared:
        """Begin a session anew: its messages are no longer at hand; no memory is lost.

        session: The session, by a name of your own; its messages are turns of the thread of this name.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def publish(
        self,
        memories: Sequence[str],
        *,
        topics: Sequence[str] = (),
        visibility: Literal["project", "squad", "targeted", "global"] = "project",
        to: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Publication:
        """Tell other agents of memories: of the same project or squad, those named, or all.

        memories: The memories, by id, address or name.
        topics: What they are about; their own topics when left out.
        visibility: Who may receive them: of the same project, of the same squad, those named, all.
        to: Whom they are for, by subject, where they are for some.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def subscribe(
        self,
        *,
        topics: Sequence[str] = (),
        sources: Sequence[str] = (),
        min_importance: float = 0.0,
        rate: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownSubscription:
        """Want what others publish from now on, by topic, importance or source.

        topics: Only these topics; all when left out.
        sources: Only what these subjects publish; all when left out.
        min_importance: Only what is at least so important.
        rate: How many memories at most in one delivery.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def unsubscribe(
        self,
        subscription: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SubscriptionList:
        """Want it no longer.

        subscription: The id of the subscription, as `subscriptions` tells it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def subscriptions(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SubscriptionList:
        """List what you want to receive.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def deliver(
        self,
        *,
        limit: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Delivered:
        """Receive what others published since the last time, each once, in order.

        limit: How many memories at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def overview(
        self,
        *,
        place: str = "",
        as_of: datetime | None = None,
        limit: int = 25,
        level: int = 0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Overview:
        """Show how much there is, where and of what kinds, what is new, and which tags and topics there are.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        as_of: As it was at this time, instead of now.
        limit: How many tags, topics, parts and new memories at most.
        level: Also what is known, part by part: 1 for clusters of memories, 2 for domains, 3 for all in one paragraph.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def activity(
        self,
        *,
        place: str = "",
        days: int = 14,
        zone: str = "",
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Activity:
        """Show how many memories came day by day, and where.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        days: How many days back, today included.
        zone: The time zone whose days are meant, such as Europe/Berlin; the palace's when left out.
        as_of: As it was at this time, instead of now.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def scopes(self) -> ScopeList:
        """List whose memories there are: users, projects, agents and channels, with how many each has."""
    def layout(
        self,
        *,
        place: str = "",
        limit: int = 20000,
        links: int = 10000,
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Layout:
        """Lay memories and their links out on a map, the same way every time.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        limit: How many memories at most, the newest.
        links: How many links between them at most, the newest.
        as_of: As it was at this time, instead of now.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def facts(
        self,
        *,
        place: str = "",
        about: str = "",
        attribute: str = "",
        as_of: datetime | None = None,
        limit: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> FactList:
        """List facts as attribute and value, of a place or about somebody or something.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        about: Only facts with these words in whom or what they are about, or in their value.
        attribute: Only this attribute, such as editor or lives_in.
        as_of: What was believed at this time, instead of now.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def trail(
        self,
        *,
        hours: float = 48.0,
        place: str = "",
        name: str = "",
        subject: str = "",
        limit: int = 200,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Visits:
        """Show where somebody went in the palace lately: what was read and written, newest first.

        hours: How many hours back.
        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        name: Only the trail of this name, or of this day (2026-04-19).
        subject: Only the visits of this subject; anyone but the operator sees its own alone.
        limit: How many visits at most, the newest first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def why(
        self,
        memory: str | UUID,
        *,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Why:
        """Show where a memory comes from and what it is linked with.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def origin_add(
        self,
        of: str,
        kind: Literal["file", "command", "app_activation", "tool", "message", "web", "conversation", "capture"],
        label: str,
        *,
        link: Literal["caused_by", "context_for", "triggered_by", "mentioned_in"] | None = None,
        at: datetime | None = None,
        author: str = "",
        metadata: Mapping[str, Any] | None = None,
        sha256: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownOrigin:
        """Tell what a memory came of: a file, a command, an app, a tool, a message or a web page.

        of: The memory that came of it, by id, address or name, or the id of a later origin it stands behind.
        kind: What it was.
        label: Its short name: the path of a file, a command line, the name of an app or tool, a URL.
        link: How it bears on what came of it: caused_by, context_for, triggered_by or mentioned_in; by its kind when left out.
        at: When it happened; now when left out.
        author: Who did it; anyone but the operator names itself alone.
        metadata: JSON values to keep with it, such as line, exit_code or title.
        sha256: The SHA-256 of its content, in hex; of a local file the operator names it is worked out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def origin_link(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        kind: Literal["caused_by", "context_for", "triggered_by", "mentioned_in"] = "context_for",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownOrigin:
        """Tell how an earlier origin bears on a later one, or on a memory.

        source: What came of it: a memory, or the id of the later origin.
        target: The id of the earlier origin, as `why` tells it.
        kind: How the earlier one bears on the later: such as triggered_by.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def relate(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        kind: EdgeKind = "related_to",
        weight: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Link:
        """Link two memories.

        source: The memory the link starts from: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        target: The memory it leads to: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        kind: What the link says.
        weight: How strong it is, from 0 to 1; a new link is 1, one that is there stays as strong as it is.
        metadata: JSON values to keep with the link, such as why it was drawn; {} empties what is kept, left out leaves it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def unrelate(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        kind: EdgeKind = "related_to",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Unlinked:
        """Take a link between two memories away.

        source: The memory the link starts from: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        target: The memory it leads to: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        kind: What the link says.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def walk(
        self,
        memory: str | UUID,
        *,
        direction: Literal["out", "in", "both"] = "both",
        kinds: Sequence[EdgeKind] = (),
        depth: int = 2,
        limit: int = 100,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Walked:
        """Follow the links of a memory.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        direction: Follow links out, in or both ways.
        kinds: Only links of these kinds.
        depth: How many links away at most.
        limit: How many memories at most.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def path(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        depth: int = 10,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Pathway:
        """Show the shortest chain of links between two memories.

        source: The memory to start from: its id or address.
        target: The memory to arrive at: its id or address.
        depth: How many links away at most.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def impact(
        self,
        memory: str | UUID,
        *,
        depth: int = 10,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Walked:
        """Show what rests on a memory.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        depth: How many links away at most.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def register(
        self,
        name: str,
        place: str,
        text: str,
        *,
        made_from: Sequence[str] = (),
        files: Sequence[str] = (),
        tags: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownProduct:
        """Register something that was made, with its files and what it was made from.

        name: The name of the product; registering it again makes its next revision.
        place: Where it belongs.
        text: What it is, in a sentence.
        made_from: What it was made from: ids or addresses of memories.
        files: Its files, as paths or URLs; they stay where they are.
        tags: Tags that point at this revision, such as approved.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def product(
        self,
        name: str,
        place: str,
        *,
        tag: str = "approved",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownProduct:
        """Find the revision of a product that a tag points at, such as the approved one.

        name: The name of the product.
        place: Where it stands.
        tag: Which revision: the one this tag points at.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def entities(
        self,
        *,
        kind: Literal["person", "organization", "location", "technology", "project", "file", "service", "concept", "event", "other"] | None = None,
        words: str = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityList:
        """List the people and things that memories speak of, most mentioned first.

        kind: Only people, organizations or another kind of thing.
        words: Only those with these words in one of their names.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def entity(
        self,
        name: str,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityProfile:
        """Show what is known of a person or thing: names, relations both ways, and its timeline.

        name: A name of the person or thing, in any of its writings.
        limit: How many memories and relations at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def merge_entities(
        self,
        name: str,
        other: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityProfile:
        """Take two names for the same person or thing; split_entity undoes it.

        name: The name it is known by afterwards.
        other: The other name of the same person or thing.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def split_entity(
        self,
        name: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityProfile:
        """Tell a name apart from the person or thing it was taken for; merge_entities undoes it.

        name: The name that means somebody or something else.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def bundle(
        self,
        name: str,
        place: str,
        *,
        text: str = "",
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Bundled:
        """Group memories under a name, add to the group or take out of it.

        name: The name of the bundle; it is made on first use.
        place: Where it belongs.
        text: What it holds together, in a sentence; as before when left out.
        add: Memories to put into it: ids or addresses.
        remove: Memories to take out of it: ids or addresses.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def members(
        self,
        memory: str | UUID,
        *,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Bundled:
        """Show what a bundle holds.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def revise(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        place: str = "",
        kind: str = "",
        name: str = "",
        confidence: float = 1.0,
        at: datetime | None = None,
        occasion: Literal["correction", "change"] = "correction",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Believe a statement and give up what conflicts with it, and no more.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.
        place: Where it belongs if nothing held that attribute before; inbox when left out.
        kind: What kind of memory it is, such as preference; chosen from the text when left out.
        name: Its name at that place, if it is new.
        confidence: How sure it is, from 0 to 1.
        at: Since when it holds; now when left out.
        occasion: correction: it was wrong, and what it had displaced may return; change: the world moved on.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def expand(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        place: str = "",
        kind: str = "",
        name: str = "",
        confidence: float = 1.0,
        at: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Believe a statement or a rule besides what is believed, whether or not it fits.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.
        place: Where it belongs if nothing held that attribute before; inbox when left out.
        kind: What kind of memory it is, such as preference; chosen from the text when left out.
        name: Its name at that place, if it is new.
        confidence: How sure it is, from 0 to 1.
        at: Since when it holds; now when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def holds(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Holding:
        """Ask whether a statement follows from what is believed, and from what.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.
        as_of: As it was believed then; now when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def contract(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Stop believing a statement, without believing its opposite.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def revert(
        self,
        memory: str | UUID,
        revision: int,
        *,
        tag: str = "current",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Take a memory back to an earlier revision.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        revision: The number of the revision to go back to.
        tag: The tag that moves; current says which revision holds.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def as_of(
        self,
        *,
        at: datetime | None = None,
        about: str = "",
        limit: int = 200,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Believed:
        """Show what is believed, now or at another time.

        at: The moment; now when left out.
        about: Only statements with this word in them.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def inbox(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> DisagreementList:
        """List disagreements that wait for a person.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def settle(
        self,
        memory: str | UUID,
        *,
        other: str | UUID = "",
        both: bool = False,
        reopen: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SettledDisagreement:
        """Believe a memory and no longer what disagrees with it.

        memory: The memory that holds: its id or address.
        other: Settle only with this one: its id or address. Every disagreement of it when left out.
        both: Keep both; only the disagreement is closed.
        reopen: Take the decision back: both are believed, and disagree again.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def outcome(
        self,
        memory: str | UUID,
        went: Literal["well", "badly"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Trusted:
        """Note that relying on a memory went well or badly; trust moves with it.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        went: How relying on it went: well or badly.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def staleness(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Stale:
        """Look whether a memory still holds: newer words against it, its age, what is done.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def review(
        self,
        *,
        limit: int = 5,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Reviewed:
        """Show what waits for a person: disagreements, claims, and what may have changed.

        limit: How many of each sort at most, the most severe first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def recheck(self, *, limit: int = 100) -> Audited:
        """Look at the memories whose turn has come, whether they still hold, and at what batches told.

        limit: How many memories to look at, at most.
        """
    def resolve(
        self,
        memory: str | UUID,
        answer: Literal["refresh", "confirm_stale", "dismiss", "reopen"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Resolved:
        """Say whether a memory that may have changed still holds.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        answer: refresh: a newer belief replaces it; confirm_stale: it holds no more; dismiss: it still holds; reopen: the last answer is taken back.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def propose(
        self,
        text: str,
        sources: Sequence[GivenSource | Mapping[str, Any]],
        *,
        kind: str = "fact",
        recheck_days: float = 90.0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownClaim:
        """Propose a claim with its sources; a person decides about it.

        text: One statement that makes sense on its own.
        sources: Where it comes from: objects with kind, reference and excerpt.
        kind: What kind of memory it would become.
        recheck_days: After how many days its source should be looked at again.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def draw_claims(
        self,
        *,
        memory: str | UUID = "",
        archive: bool = False,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> DrawnClaims:
        """Draw candidate claims from a handoff, a summary or the archive, sentence by sentence.

        memory: Draw from this memory: a handoff, a summary, a document; its id or address.
        archive: Draw from the archive of what was told; the operator's alone.
        limit: How many candidates at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def claim_report(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> CandidateField:
        """Show the field of candidates: what recurs, what clashes, what is ready, what has decayed.

        limit: How many candidates at most, the most often stated first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def claims(
        self,
        *,
        status: Literal["candidate", "verified", "rejected", "deferred", "retracted"] = "candidate",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ClaimList:
        """List claims of a status.

        status: Which ones.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def preview(
        self,
        claim: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ClaimPreview:
        """Show the evidence for a claim, the state of its sources and a recommendation.

        claim: The id of the claim.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def decide(
        self,
        claim: str | UUID,
        decision: Literal["accept", "reject", "defer"],
        text: str,
        source_state: Literal["exact_match", "partial_overlap", "drifted", "missing"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownClaim:
        """Accept, reject or defer a claim, repeating its text and the state of its source.

        claim: The id of the claim.
        decision: accept, reject or defer.
        text: The text of the claim, repeated word for word.
        source_state: The state of its source as the preview shows it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def retract(
        self,
        claim: str | UUID,
        text: str,
        source_state: Literal["exact_match", "partial_overlap", "drifted", "missing"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownClaim:
        """Take back a claim that was accepted.

        claim: The id of the claim.
        text: The text of the claim, repeated word for word.
        source_state: The state of its source as the preview shows it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def claim_mode(self, mode: Literal["observe", "diagnostic", "enforce"]) -> ModeSet:
        """Choose what is done with claims: observe, diagnostic or enforce.

        mode: observe and diagnostic keep candidates only; enforce lets a person accept.
        """
    def forget(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Forget a memory: it is found no more, and can be restored.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        reason: Why, for the record; never put content here.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def restore(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Bring back a memory that was forgotten.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def purge(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Remove a memory physically with everything that hangs on it. This cannot be undone.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def burn(
        self,
        *,
        memories: Sequence[str] = (),
        place: str = "",
        after: datetime | None = None,
        before: datetime | None = None,
        source: str | UUID = "",
        subject: str = "",
        everything: bool = False,
        unreadable: bool = False,
        yes: bool = False,
    ) -> ErasureReport:
        """Erase memories for good, by id, place, time, source or subject, down to the bytes in the files.

        memories: A memory to erase, by its id or its address.
        place: Erase what stands at this place; work.old.** is all of it, and #2026-04 a time.
        after: Erase what was stored since this moment.
        before: Erase what was stored before this moment.
        source: Erase what came from here: a conversation's thread, a file, the id of a message.
        subject: Erase what this subject wrote.
        everything: Erase every memory.
        unreadable: Also remove damaged lines of the archive: they may hold what is erased.
        yes: Do it. Without this it only counts what would go.
        """
    def forget_user(
        self,
        user: str,
        *,
        mentions: bool = False,
        unreadable: bool = False,
        yes: bool = False,
    ) -> ErasureReport:
        """Erase a person: their memories, what they said, and their name in every table, archive and log.

        user: The user, as in the scope of their memories.
        mentions: Also erase memories of others that mention them.
        unreadable: Also remove damaged lines of the archive: they may hold what is erased.
        yes: Do it. Without this it only counts what would go.
        """
    def grant(
        self,
        subject: str,
        level: Literal["none", "anchor", "metadata", "read_public", "read_all", "write", "forget"],
        *,
        place: str = "**",
        days: float | None = None,
    ) -> GrantList:
        """Let a subject do something somewhere.

        subject: Who may, such as mcp:desk or agent:primary.
        level: What they may, each more than the last.
        place: Where: a place, its children (work.*), or it and all below (work.**).
        days: For how many days; for good when left out.
        """
    def revoke(self, subject: str, *, place: str = "**") -> GrantList:
        """Take a grant back, and tell what is allowed then and what no more.

        subject: Whose grant.
        place: Where, as it was granted.
        """
    def grants(self, *, subject: str = "") -> GrantList:
        """Show what a subject may do.

        subject: Whose grants, such as mcp:desk; of everybody when left out.
        """
    def token_create(
        self,
        subject: str,
        *,
        label: str = "",
        days: float | None = None,
        kit: Literal["banking", "health", "password-manager"] | None = None,
        once: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MadeToken:
        """Make a bearer token for a subject; its text is shown only once.

        subject: Who its bearer is, such as mcp:desk or agent:primary.
        label: A word to know it by.
        days: For how many days it holds; for good when left out.
        kit: What its bearer is a kit for, if for banking, health or passwords: it is locked, whatever it is called.
        once: For one sign-in at the dashboard within ten minutes, and nothing else.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def token_list(self) -> TokenList:
        """List the tokens, without their texts."""
    def token_revoke(self, token: str) -> TokenList:
        """End a token at once.

        token: The id of the token, as `token_list` shows it.
        """
    def plan(
        self,
        transition: Literal["grant", "lock", "claims_mode", "rule", "config", "identity", "unlock", "claim"],
        target: str | UUID,
        value: str,
        *,
        place: str = "**",
        days: float | None = None,
    ) -> PlanInfo:
        """Show a change only a person makes, and keep it as a plan; nothing else happens.

        transition: What kind of change.
        target: Whom or what it is about: a subject, claims, the name of a rule or of the configuration, a memory of kind identity, a place to unlock, or a claim.
        value: What it is to be: a level, lifted or locked, a claims mode, a number or kinds, the new text, open, sealed or vault, or accept, reject, defer or retract.
        place: Where a grant holds.
        days: For how many days a grant holds; for good when left out.
        """
    def apply(self, plan: str, *, yes: bool = False) -> PlanInfo:
        """Make the change of a plan; the plan becomes its receipt.

        plan: The id of the plan.
        yes: Say that you mean it.
        """
    def rollback(self, plan: str, *, yes: bool = False) -> PlanInfo:
        """Put back what was there before a plan was applied.

        plan: The id of the plan.
        yes: Say that you mean it.
        """
    def plans(self) -> PlanList:
        """List the plans and receipts, newest first."""
    def audit_list(
        self,
        *,
        subject: str = "",
        action: str = "",
        decision: Literal["allowed", "reduced", "denied", "limited", "lost"] | None = None,
        place: str = "",
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 100,
    ) -> AuditTrail:
        """Show who did or tried what, newest first.

        subject: Only lines of this subject.
        action: Only lines of this operation.
        decision: Only lines with this decision.
        place: Only lines about this place.
        after: Only lines at or after this time.
        before: Only lines before this time.
        limit: How many at most, the newest first.
        """
    def audit_verify(self, *, anchor: str = "") -> AuditVerified:
        """Compute the chain of the audit trail again and name the first line that does not fit.

        anchor: A file with anchors made before, or one as text: tells of a trail cut or redone since.
        """
    def audit_anchor(self, *, file: str = "") -> AuditAnchor:
        """Tell what the audit trail ends with, signed, to be kept elsewhere for `audit verify --anchor`.

        file: A file to add it to, one anchor a line; keep it where this palace's writers cannot write.
        """
    def pause(self) -> Capture:
        """Stop every capture source, in every process, until resume."""
    def resume(self) -> Capture:
        """Let capture sources bring things in again."""
    def seal(self, place: str, seal: Literal["open", "sealed", "vault"]) -> SealedPlace:
        """Seal a place, make it part of the vault, or open it.

        place: The place; what stands below it goes with it.
        seal: open, sealed (read_all and up) or vault (only in a session that unlocked it).
        """
    def vault_protect(self, passphrase: str, *, old: str = "") -> VaultState:
        """Set the passphrase of the vault.

        passphrase: The vault's new passphrase.
        old: The one it has now, if it has one.
        """
    def vault_unlock(
        self,
        passphrase: str,
        *,
        subject: str = "",
        session: str = "",
        minutes: float = 15.0,
    ) -> VaultState:
        """Open the vault for one subject in one session of this process, for some minutes.

        passphrase: The vault's passphrase.
        subject: For whom, if not for yourself; it needs a grant that names the vault.
        session: In which of its sessions; its unnamed one when left out.
        minutes: For how many minutes.
        """
    def vault_lock(self) -> VaultState:
        """Close the vault for every session of this process."""
    def lease(
        self,
        objective: str,
        *,
        within: str = "",
        minutes: float = 60.0,
        budget: int = 0,
        stop_when: str = "",
        notify: str = "",
        owner: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownLease:
        """Answer for an objective until a time, within bounds; what agents ask for waits for you.

        objective: What is answered for.
        within: The bounds: where, on what.
        minutes: For how many minutes.
        budget: How many actions it may cost, as outcome_report tells them with its id as authority; 0: as many as it takes.
        stop_when: What ends it early.
        notify: Who is told when it ends.
        owner: Who answers for it; only the operator names somebody else.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def leases(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> LeaseList:
        """List who answers for what, and until when.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def lease_decide(
        self,
        lease: str,
        decision: Literal["grant", "refuse"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownLease:
        """Grant or refuse a lease that was asked for.

        lease: The id of the lease.
        decision: grant or refuse.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def lease_end(
        self,
        lease: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownLease:
        """End a lease before its time.

        lease: The id of the lease.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def govern(
        self,
        action: Literal["read", "reversible_write", "external", "irreversible", "identity", "protected"],
        *,
        basis: Sequence[Literal["task", "approval", "visible_tool", "past_success", "handoff", "retrieved_memory", "candidate", "delivery"]] = (),
        lease: str = "",
        candidate: str = "",
        memories: Sequence[str] = (),
        anomaly: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Governed:
        """Ask how an action may go on: one of seven modes, with the reason; nothing is done.

        action: What kind of action it is.
        basis: What it is based on; only task and approval are authority.
        lease: The id of the lease it is done under.
        candidate: The id of the candidate it would apply.
        memories: The memories it rests on: ids or addresses.
        anomaly: What is known to be wrong, if anything.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def outcome_report(
        self,
        intent: str,
        effect: str,
        *,
        authority: str = "",
        verified: str = "",
        failure: Literal["none", "tool", "authority", "evidence", "safety", "other"] = "none",
        risk: str = "",
        memories: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownOutcome:
        """Write down what an action was meant to do and what came of it.

        intent: What the action was meant to do.
        effect: What was seen of it.
        authority: On which authority it was done: the task, an approval, a lease's id.
        verified: How the effect was checked; empty: it was not.
        failure: What failed, if something did.
        risk: What is left to fear.
        memories: The memories that were relied on: trust in them moves with the outcome.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def outcomes(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> OutcomeList:
        """List what came of actions, newest first.

        limit: How many at most, newest first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def mature(
        self,
        lane: Literal["semantic", "current_state", "claim", "relational", "procedural", "safety", "context_eligibility"],
        what: str,
        evidence: Sequence[str],
        *,
        reversible: bool = False,
        later: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownMaturation:
        """Propose that something becomes more than it is, in a lane, with its evidence.

        lane: In which lane it would become more than it is.
        what: What it would become.
        evidence: The memories that speak for it: ids or addresses.
        reversible: Whether it can be taken back.
        later: How its later effect is looked at.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def maturations(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MaturationList:
        """List what was proposed to become more than it is.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def mature_decide(
        self,
        candidate: str,
        decision: Literal["accept", "reject"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownMaturation:
        """Accept or reject such a proposal; it is applied by the operations of its lane.

        candidate: The id of the candidate.
        decision: accept or reject.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def thread_open(
        self,
        thread: str,
        *,
        title: str = "",
        mode: Literal["", "chat", "booth", "code", "robot"] = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownThread:
        """Begin a piece of work that goes on over sessions, or open it again.

        thread: The thread: the name of the work that goes on over several sessions.
        title: What people call it.
        mode: chat and booth share what is said; code and robot each keep to themselves.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def thread_list(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ThreadList:
        """List the pieces of work that go on over sessions.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def thread_close(
        self,
        thread: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownThread:
        """Close a thread; what was said in it stays.

        thread: The thread: the name of the work that goes on over several sessions.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def session_start(
        self,
        thread: str,
        *,
        session: str = "",
        client: str = "",
        source: Literal["startup", "resume", "clear", "compact"] = "startup",
        mode: Literal["", "chat", "booth", "code", "robot"] = "",
        max_chars: int = 10000,
        framing: Literal["first_person", "neutral"] = "first_person",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> StartedSession:
        """Begin a session: how the one before ended, and what to read first.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session's id; one is made when it is left out.
        client: The client it runs in.
        source: How it began: startup, resume, clear or compact.
        mode: The mode of the thread, where it is new.
        max_chars: How long the warm start may be.
        framing: How headings speak: first_person or neutral.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def session_end(
        self,
        session: str,
        *,
        how: str = "ended",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownSession:
        """End a session and hand its work on.

        session: The session: one sitting at the thread.
        how: How it ended, in a word.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def sessions(
        self,
        thread: str,
        *,
        limit: int = 20,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SessionList:
        """List the sessions of a thread.

        thread: The thread: the name of the work that goes on over several sessions.
        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def handoff_write(
        self,
        thread: str,
        *,
        session: str = "",
        note: str = "",
        reason: str = "asked",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownHandoff:
        """Write the handoff of a thread.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.
        note: What the next session should know beside what was said.
        reason: Why it is written, in a word.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def handoff_read(
        self,
        thread: str,
        *,
        session: str = "",
        max_chars: int = 10000,
        framing: Literal["first_person", "neutral"] = "first_person",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownHandoff:
        """Read the handoff of a thread; with a session it is leased to that one.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session that takes it: it is leased to that one, and its first turn consumes it.
        max_chars: How long its text may be.
        framing: How headings speak: first_person or neutral.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def handoff_consume(
        self,
        thread: str,
        session: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownHandoff:
        """Say that a session has made its first turn: the handoff offered to it has arrived.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def checkpoint(
        self,
        thread: str,
        *,
        session: str = "",
        cwd: str = "",
        branch: str = "",
        ran: Sequence[GivenRun | Mapping[str, Any]] = (),
        files: Sequence[str] = (),
        todos: Sequence[GivenTodo | Mapping[str, Any]] = (),
        note: str = "",
        exchanges: int = 0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownCheckpoint:
        """Note where the work is: folder, branch, commands with their exit codes, files, the agent's own list.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.
        cwd: The folder the work is in.
        branch: The branch it is on.
        ran: Commands that were run since the last checkpoint.
        files: Files that were worked on.
        todos: The agent's own list of work: what is on it stands as it says.
        note: What else the next session should know.
        exchanges: How many exchanges there were since the last one.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def turn_start(
        self,
        thread: str,
        message: str,
        *,
        session: str = "",
        budget_tokens: int = 1500,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> StartedTurn:
        """Begin a turn: the handoff has arrived, and what is known for the message is told.

        thread: The thread: the name of the work that goes on over several sessions.
        message: What the user asks.
        session: The session: one sitting at the thread.
        budget_tokens: How many tokens the block may have.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def turn_end(
        self,
        thread: str,
        turns: Sequence[GivenTurn | Mapping[str, Any]],
        *,
        session: str = "",
        cwd: str = "",
        branch: str = "",
        ran: Sequence[GivenRun | Mapping[str, Any]] = (),
        files: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EndedTurn:
        """End a turn: what was said is taken in and where the work is noted, so that it can be handed on.

        thread: The thread: the name of the work that goes on over several sessions.
        turns: What was said since the last time, in order.
        session: The session: one sitting at the thread.
        cwd: The folder the work is in.
        branch: The branch it is on.
        ran: Commands that were run.
        files: Files that were worked on.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def warm_start(
        self,
        thread: str,
        *,
        max_chars: int = 10000,
        framing: Literal["first_person", "neutral"] = "first_person",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> WarmStart:
        """Show what to read when a thread is taken up again.

        thread: The thread: the name of the work that goes on over several sessions.
        max_chars: How long it may be.
        framing: How headings speak: first_person or neutral.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def bridge(
        self,
        thread: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBridge:
        """Show where the work of a thread stands: plans with their states, decisions, names.

        thread: The thread: the name of the work that goes on over several sessions.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def providers(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ProviderList:
        """List who adds lines to contexts, by priority, and how long each takes.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def hook_report(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ProviderList:
        """Show how long clients waited before and after turns, against 150 and 250 ms.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def proof_check(
        self,
        text: str,
        *,
        checked: Sequence[Literal["file", "process", "config", "runtime"]] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Proof:
        """Mark what an answer says about files, processes, settings or builds that nobody looked at.

        text: The answer.
        checked: What was looked at in this turn: file, process, config, runtime.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def compacted(
        self,
        thread: str,
        *,
        session: str = "",
        summary: str = "",
        removed_turns: int = 0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBridge:
        """Say that a conversation is being compacted: the work is handed on and its summary kept.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.
        summary: What the client keeps instead of the messages; its statements are kept as memories.
        removed_turns: How many messages go.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def metabolism(
        self,
        thread: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownMetabolism:
        """Show how unsettled the last exchange of a thread was.

        thread: The thread.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def inquiries(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> InquiryList:
        """List what is thought over.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def contemplate(
        self,
        inquiry: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownInquiry:
        """Take the next pass of an inquiry: at once, after four hours, after twenty.

        inquiry: The id of the inquiry.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def crystallise(
        self,
        inquiry: str,
        file: Literal["SOUL.md", "AGENTS.md", "ANCHOR.md", "TOOLS.md", "MEMORY.md"],
        text: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Propose that an inquiry changes an identity file: time and principles decide, then you.

        inquiry: The id of the inquiry.
        file: The identity file that would change.
        text: The line that would be added to it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def standing(
        self,
        person: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownStanding:
        """Show where a person stands, where that is assessed at all.

        person: Whose standing.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def dynamics(
        self,
        thread: str,
        *,
        last: int = 10,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownDynamics:
        """Show how surprising the last turns of a thread were.

        thread: The thread.
        last: How many turns back.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def proposals(
        self,
        *,
        thread: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ProposalList:
        """List what repeated friction suggests to change; nothing is applied.

        thread: The thread whose friction is looked at; without one, what was proposed is listed.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def proposal_decide(
        self,
        proposal: str,
        decision: Literal["accept", "reject"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownProposal:
        """Accept or reject a proposal.

        proposal: The id of the proposal.
        decision: accept or reject.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def bundle_make(
        self,
        thread: str,
        *,
        dry_run: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBundle:
        """Make a research bundle of a thread: what it would hold, without what must not leave.

        thread: The thread.
        dry_run: Only say what it would hold.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def bundle_approve(
        self,
        bundle: str,
        *,
        training: bool = False,
        yes: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBundle:
        """Approve a research bundle; for training only where you say so.

        bundle: The id of the bundle.
        training: Also approve it for training.
        yes: Say that you have looked at it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def bundle_export(
        self,
        bundle: str,
        to: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBundle:
        """Write an approved research bundle to a file.

        bundle: The id of the bundle.
        to: The file to write: JSON lines, the first of them the manifest.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def identity_show(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> IdentityFiles:
        """Show the identity files: who the agent is, how it works, whom it works for.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def identity_plan(
        self,
        file: Literal["SOUL.md", "AGENTS.md", "ANCHOR.md", "TOOLS.md", "MEMORY.md"],
        text: str,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Plan what an identity file is to say; nothing is written before you apply it.

        file: Which file.
        text: What it is to say from then on, as a whole.
        reason: Why.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def identity_plans(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> IdentityPlanList:
        """List plans for identity files, with what each changes.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def identity_apply(
        self,
        plan: str,
        *,
        yes: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Write what a plan for an identity file says.

        plan: The id of the plan.
        yes: Say that you have looked at what it changes.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def identity_rollback(
        self,
        plan: str,
        *,
        yes: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Give back what an identity file said before a plan was applied.

        plan: The id of the plan.
        yes: Say that you have looked at what it changes.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def attach(
        self,
        name: str,
        *,
        content: str = "",
        thread: str = "",
        session: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownReceipt:
        """Keep a receipt of a file before a model is shown it; the file is not copied.

        name: The file's path, or its name where its content is handed over.
        content: The content in base64, instead of a path; only the operator names paths.
        thread: The thread it is shown in.
        session: The session it is shown in.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def receipts(
        self,
        *,
        thread: str = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ReceiptList:
        """List what was attached, and whether its sources still are what they were.

        thread: Only those shown in this thread.
        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def receipt_check(
        self,
        receipt: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownReceipt:
        """Look whether the source of a receipt is unchanged, changed or missing.

        receipt: The id of the receipt, att_...

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def observe_attachment(
        self,
        receipt: str,
        text: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownReceipt:
        """Keep what was seen in an attachment.

        receipt: The id of the receipt, att_...
        text: What was seen in it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def capture_status(self) -> CaptureStatus:
        """Show what may be captured on this machine: adapters, pause, private and allowed lists, last events."""
    def capture_enable(self, adapter: str, *, folders: Sequence[str] = ()) -> CaptureStatus:
        """Switch an adapter on; nothing is captured by one that is not.

        adapter: shell, git, files, window, music, or one that a plugin brings.
        folders: Folders that files and git look at, beside those they look at already.
        """
    def capture_disable(self, adapter: str, *, folders: Sequence[str] = ()) -> CaptureStatus:
        """Switch an adapter off; what it saw stays until it is burnt.

        adapter: shell, git, files, window, music, or one that a plugin brings.
        folders: Folders that files and git look at, beside those they look at already.
        """
    def capture_private(
        self,
        what: Literal["app", "path", "command"],
        pattern: str,
        *,
        remove: bool = False,
    ) -> CaptureStatus:
        """Make an app, a path or a command private: nothing of it is read.

        what: app, path or command.
        pattern: Which: a name, a folder with all below it, or a pattern with * in it.
        remove: Take it off the list again.
        """
    def capture_allow(
        self,
        what: Literal["app", "path", "command"],
        pattern: str,
        *,
        remove: bool = False,
    ) -> CaptureStatus:
        """Put an app or a path on the list of what alone may be captured.

        what: app, path or command.
        pattern: Which: a name, a folder with all below it, or a pattern with * in it.
        remove: Take it off the list again.
        """
    def capture_only(self, *, only: bool = True) -> CaptureStatus:
        """Capture nothing but what is allowed, or all but what is private.

        only: Whether nothing but what is on the list of allowed is captured.
        """
    def capture_events(self, events: Sequence[GivenEvent | Mapping[str, Any]]) -> TakenEvents:
        """Hand over what was done on the machine; the gate decides about each, and the audit trail says how.

        events: What was done: objects with kind, source, reference, at and metadata.
        """
    def capture_git(self, repository: str, *, limit: int = 200) -> TakenEvents:
        """Take in the commits of a repository that are new, with the languages they touched.

        repository: The folder of the repository.
        limit: How many of its newest commits at most.
        """
    def raw_events(
        self,
        *,
        source: str | UUID = "",
        kind: Literal["command", "commit", "file", "app_activation", "music"] | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 50,
    ) -> RawEventList:
        """List what was captured on this machine, newest first.

        source: Only of this adapter, path or reference.
        kind: Only of this kind.
        after: Only since then.
        before: Only before then.
        limit: How many at most, the newest first.
        """
    def capture_task(
        self,
        task: str,
        result: str,
        *,
        run: str = "",
        tools: int = 0,
        recurring: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what came of a task.

        task: The task, by its name.
        result: What came of it.
        run: Which run of it; its session is task:RUN.
        tools: How many tools were used.
        recurring: Whether it runs again and again: then only findings are kept.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def capture_flow_node(
        self,
        flow: str,
        node: str,
        output: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what a node of a flow gave, in the memory of the flow.

        flow: The flow, by its name; its memory is the project flow:NAME.
        node: The node.
        output: What it gave.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def capture_flow(
        self,
        flow: str,
        nodes: Sequence[str],
        *,
        failed: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep how a flow ran, as a procedure.

        flow: The flow, by its name.
        nodes: Its nodes, in the order in which they ran.
        failed: The node that failed, if one did.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def capture_round(
        self,
        facts: str,
        *,
        tool_results: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what a round of an orchestrator found out.

        facts: What the round found out.
        tool_results: What tools gave.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def capture_research(
        self,
        query: str,
        findings: Sequence[GivenFinding | Mapping[str, Any]],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep the findings of a research, each with its source.

        query: What was looked for.
        findings: What was found: objects with text, url, confidence and supports.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def store_execution(
        self,
        goal: str,
        steps: Sequence[str],
        outcome: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep how something was done, step by step.

        goal: What was to be done.
        steps: What was done, step by step.
        outcome: What came of it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def capture_skill(
        self,
        skill: str,
        text: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what a skill learnt, for itself alone.

        skill: The skill, by its id; its memory is the channel skill:ID.
        text: What it learnt.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def restart_begin(
        self,
        session: str,
        continuation: str,
        *,
        budget: int = 3,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownRestart:
        """Declare a restart: the session, the message it goes on with, and what that may cost.

        session: The key of the session that is about to be restarted.
        continuation: The one message with which it goes on.
        budget: How many calls going on may cost.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def restart_step(
        self,
        session: str,
        step: Literal["reach", "identify", "continue"],
        *,
        found: str = "",
        failure: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownRestart:
        """Take the next step of a restart; one too many, a wrong key or the same failure twice stops it.

        session: The key of the session that was restarted.
        step: reach: is it there (two calls); identify: is it the one (one call); continue: go on (the budget).
        found: The key that answered, for identify.
        failure: What failed, in a word; the same twice stops the restart.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def restart_state(
        self,
        session: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownRestart:
        """Show where a restart stands.

        session: The key of the session.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_save(
        self,
        *,
        place: str = "",
        memory: str | UUID = "",
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownSnapshot:
        """Keep how the workspace stands now, at a place or with a memory: references, never contents.

        place: Where it belongs, such as work.desk; the place of the memory when one is named.
        memory: The memory it belongs to: id, address or name. It goes with the memory.
        cwd: The folder the work is in; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_list(
        self,
        *,
        place: str = "",
        memory: str | UUID = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotList:
        """List snapshots of the workspace, newest first.

        place: Only at this place, or at those that a pattern names: work.**.
        memory: Only those of this memory.
        limit: How many at most, the newest first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_show(
        self,
        snapshot: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> WholeSnapshot:
        """Show what was open when a snapshot was taken.

        snapshot: The id of the snapshot, or its first or last digits.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_diff(
        self,
        snapshot: str,
        *,
        other: str | UUID = "",
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotDifferences:
        """Compare a snapshot with another, or with how the workspace stands now.

        snapshot: The id of the snapshot, or its first or last digits.
        other: The snapshot it is compared with; how the workspace stands now when left out.
        cwd: The folder the work is in; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_restore(
        self,
        snapshot: str,
        *,
        yes: bool = False,
        music: bool = False,
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotRestored:
        """Bring a workspace back in five steps; without --yes it is only said what would be done.

        snapshot: The id of the snapshot, or its first or last digits.
        yes: Do it; without this it is only said what would be done.
        music: Let the music go on where it was, too.
        cwd: The folder the work is in; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_share(
        self,
        snapshot: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SharedSnapshot:
        """Write a snapshot for somebody else, without what is private.

        snapshot: The id of the snapshot, or its first or last digits.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def snapshot_drop(
        self,
        snapshot: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> DroppedSnapshot:
        """Erase a snapshot for good, from the archive too.

        snapshot: The id of the snapshot, or its first or last digits.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def export(
        self,
        to: str,
        *,
        format: Literal["auto", "bundle", "markdown", "palace", "encrypted"] = "auto",
        place: str = "",
        user: str = "",
        passphrase: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Exported:
        """Write memories to a new file: a bundle, a folder of Markdown, an encrypted archive or a copy.

        to: The new file to write, or the new folder for markdown.
        format: What to write; by the file's ending when left out.
        place: Only from this place; work.* is directly below it, work.** all of it.
        user: Only what belongs to this user, in whatever project or channel: all they have a right to.
        passphrase: The passphrase of an encrypted archive.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def import_(
        self,
        file: str,
        *,
        format: Literal["auto", "bundle", "markdown", "palace", "encrypted", "chatgpt", "claude", "mem0", "mcp-memory", "notes", "chromium", "firefox", "icalendar", "shell-history", "atuin", "activitywatch"] = "auto",
        place: str = "",
        dry_run: bool = False,
        reader: str = "",
        passphrase: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Imported:
        """Take in a file of another program or another palace, in quarantine, and say what became of it.

        file: The file or folder to read.
        format: What it is; found out from its content when left out.
        place: Where what it tells goes: imports, or a place below it; by the format when left out.
        dry_run: Read and count only; nothing is written.
        reader: Read it with the importer of this name that a plugin brings.
        passphrase: The passphrase of an encrypted archive.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def status(self) -> Status:
        """Say how much of everything there is."""
    def doctor(self) -> Diagnosis:
        """Look at the whole palace and say what to do."""
    def health(self) -> Health:
        """Say in words how the palace is: jobs, backups, search, speed, memory and disk."""
    def verify(self) -> Verified:
        """Compare every index, tag and chain with the truth and name the differences."""
    def backup(self, target: str | UUID) -> BackedUp:
        """Copy the palace file to a new file while it is in use; an encrypted one stays encrypted.

        target: The new file to write.
        """
    def events(
        self,
        *,
        after: str = "0",
        limit: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EventList:
        """Show what happened to memories, oldest first: the journal, without content.

        after: Only events after this: seq or last as it came, 0 for the first on, now for none yet.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    def settings(self) -> SettingList:
        """Show every setting: its value, where that comes from, and what it is for."""
    def setting_put(self, name: str, value: str) -> ShownSetting:
        """Change a setting of this palace; most hold at once, in every process that has it open.

        name: The setting, as `settings` names it.
        value: Its value; an empty one goes back to the default.
        """
    def jobs(self) -> JobList:
        """Show what is done while nobody asks: each job, how far it is and what came of its last run."""
    def run(self, job: str, *, limit: int = 1000, dry_run: bool = False) -> RunList:
        """Run a job now, or only say what it would do.

        job: The job, as `jobs` names it; `due` runs every job whose turn has come.
        limit: How many memories to deal with, at most.
        dry_run: Only say what it would do.
        """
    def cancel(self, job: str) -> Cancelled:
        """Ask a job that runs to stop after the step in hand.

        job: The job, as `jobs` names it.
        """
    def undo(self, job: str, *, since: datetime | None = None) -> ShownRun:
        """Take back what a job or a dream did: recall finds what it found before.

        job: The job whose doing is taken back, as `jobs` names it, or the id of a dream's report.
        since: Take back what it did since this moment; its last run when left out.
        """
    def spaces(self) -> SpaceList:
        """List the vector spaces: which answers, which fills, which are kept to go back to."""
    def space_retire(self, name: str) -> SpaceList:
        """Let a kept vector space go for good, with its vectors.

        name: The space to let go.
        """
    def add(
        self,
        text: str,
        *,
        place: str = "",
        kind: str = "",
        name: str = "",
        tags: Sequence[str] = (),
        importance: float | None = None,
        pinned: bool | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient"] | None = None,
        at: datetime | None = None,
        speaker: str = "",
        conflict: Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"] | None = None,
        verbatim: bool = False,
        metadata: Mapping[str, Any] | None = None,
        if_revision: int | None = None,
        snapshot: bool = False,
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """The same as `remember`: keep a text for good, and say what became of it."""
    def search(
        self,
        cue: str,
        *,
        limit: int = 10,
        budget_tokens: int | None = None,
        place: str = "",
        kinds: Sequence[str] = (),
        after: datetime | None = None,
        before: datetime | None = None,
        as_of: datetime | None = None,
        thread: str = "",
        history: Sequence[str | GivenTurn | Mapping[str, Any]] = (),
        speaker: str = "",
        preset: Literal["fast", "balanced", "deep"] = "balanced",
        rerank: Literal["none", "mmr", "model", "client"] = "none",
        mode: Literal["relevance", "balanced", "recent", "important", "historical", "broad"] = "relevance",
        fusion: Literal["sum", "rank", "max"] = "sum",
        min_relevance: float | None = None,
        mood: float = 0.0,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Recalled:
        """The same as `recall`: find the memories that matter for a cue, best first, each with its reasons."""
    def get_all(
        self,
        *,
        place: str = "",
        kinds: Sequence[str] = (),
        state: Literal["live", "archived", "forgotten", "all"] = "live",
        as_of: datetime | None = None,
        limit: int = 50,
        cursor: str = "",
        count: bool = False,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        after: datetime | None = None,
        before: datetime | None = None,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MemoryPage:
        """The same as `list`: list memories, newest first."""
    def delete(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """The same as `forget`: forget a memory: it is found no more, and can be restored."""
    def traverse(
        self,
        memory: str | UUID,
        *,
        direction: Literal["out", "in", "both"] = "both",
        kinds: Sequence[EdgeKind] = (),
        depth: int = 2,
        limit: int = 100,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Walked:
        """The same as `walk`: follow the links of a memory."""
    def snapshots(
        self,
        *,
        place: str = "",
        memory: str | UUID = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotList:
        """The same as `snapshot_list`: list snapshots of the workspace, newest first."""

class AsyncMethods:
    """Every operation as a method to be awaited."""

    async def _call(self, name: str, arguments: dict[str, Any]) -> Any: ...
    async def keep(
        self,
        memory: str | UUID,
        *,
        pinned: bool | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient", "kind"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Keeping:
        """Say how long a memory is kept: pinned, or how it fades.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        pinned: Whether decay never touches it; as it is when left out.
        durability: How it fades, `kind` for as its kind does; as it is when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def kinds(self) -> KindList:
        """Show the kinds of memory: how each fades, and what happens when two contradict each other."""
    async def kind_add(
        self,
        name: str,
        *,
        layer: Literal["raw", "episodic", "semantic", "procedural", "relational"] = "semantic",
        stability_days: float = 180.0,
        lifespan_days: float | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient"] = "decaying",
        conflict: Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"] = "temporal",
        one_value: Sequence[str] = (),
        why: str = "",
    ) -> ShownKind:
        """Add a kind of memory of your own.

        name: What it is called: a short word, as in an address.
        layer: What layer of memory it belongs to.
        stability_days: Days in which an unused memory of it falls to about a third.
        lifespan_days: Days for which it usually stays true; no end when left out.
        durability: How it fades.
        conflict: What happens when one contradicts another.
        one_value: A predicate that holds one value at a time, such as price.
        why: The reason for the figures.
        """
    async def remember(
        self,
        text: str,
        *,
        place: str = "",
        kind: str = "",
        name: str = "",
        tags: Sequence[str] = (),
        importance: float | None = None,
        pinned: bool | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient"] | None = None,
        at: datetime | None = None,
        speaker: str = "",
        conflict: Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"] | None = None,
        verbatim: bool = False,
        metadata: Mapping[str, Any] | None = None,
        if_revision: int | None = None,
        snapshot: bool = False,
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Keep a text for good, and say what became of it.

        text: What to remember, word for word.
        place: Where it belongs, such as work.projects; chosen from the content when left out.
        kind: What kind of memory it is, such as fact or decision; chosen from the content when left out.
        name: Its name at that place. Remembering under the same name again revises that memory.
        tags: Tags that point at this revision.
        importance: From 0 to 1; judged from the content when left out.
        pinned: Whether it never fades; what was asked to be remembered is, unless you say no.
        durability: How it fades; by kind and content when left out.
        at: When it was said; now when left out. Relative dates are read against it.
        speaker: Who says it, where the text says I.
        conflict: What to do if it contradicts what is known; by kind when left out.
        verbatim: Keep it as one memory, without drawing statements from it.
        metadata: JSON values to keep beside it, by key; they come back with it.
        if_revision: Only if what has that name is at this revision, 0 for nothing yet; else it is a conflict.
        snapshot: Keep how the workspace stands with it.
        cwd: The folder of that workspace; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def remember_many(
        self,
        notes: Sequence[str | GivenNote | Mapping[str, Any]],
        *,
        understand: Literal["now", "later"] = "now",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Keep many texts in one transaction.

        notes: What to remember: texts, or notes with a place, a kind and so on.
        understand: Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are kept and found at once either way. Only verbatim ones can wait.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def observe(
        self,
        turns: Sequence[str | GivenTurn | Mapping[str, Any]],
        *,
        thread: str = "",
        session: str = "",
        metadata: Mapping[str, Any] | None = None,
        understand: Literal["now", "later"] = "now",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Take in turns of a conversation: kept verbatim, and what lasts of them as memories of their own.

        turns: The turns in order: texts, or objects with content, role, speaker and at.
        thread: The conversation they belong to.
        session: The sitting of that conversation.
        metadata: JSON values to keep beside it, by key; they come back with it.
        understand: Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are kept and found at once either way.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def update(
        self,
        memory: str | UUID,
        text: str,
        *,
        importance: float | None = None,
        at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        if_revision: int | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """Say what a memory holds from now on; what it held before stays in its history.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        text: What it says from now on. What it said before stays in its history.
        importance: From 0 to 1; judged from the content when left out.
        at: When this became true; now when left out.
        metadata: JSON values to keep beside it instead of those it has.
        if_revision: Only if it is at this revision; else it is a conflict.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def move(
        self,
        memory: str | UUID,
        place: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Move a memory to another place.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        place: Where it belongs from now on.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def tag(
        self,
        memory: str | UUID,
        tag: str,
        *,
        revision: int | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Point a tag at a revision; the tag current takes a memory back to what it said before.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        tag: The name of the tag. The tag current says which revision holds.
        revision: The revision it points at; the current one when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def untag(
        self,
        memory: str | UUID,
        tag: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Take a tag away from a memory; its history stays.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        tag: The name of the tag; where it pointed before stays on record.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def tags(
        self,
        *,
        memory: str | UUID = "",
        limit: int = 100,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> TagList:
        """List the tags in use, or those of one memory with where each pointed and when.

        memory: The memory whose tags are wanted, with their history; every tag in use when left out.
        limit: How many tags at most, those of most memories first.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def deprecate(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Believe a memory no longer: it is kept, and found only by the operator who asks for it.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        reason: Why, for the record; never put content here.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def undeprecate(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Believe a memory again that was believed no longer.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        reason: Why, for the record; never put content here.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def signal(
        self,
        counts: Sequence[GivenCount | Mapping[str, Any]],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Signalled:
        """Add counts of what is done, such as languages used or music heard.

        counts: What was done how often: objects with family, dimension, count and at.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def explain(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Explained:
        """Say what became of every sentence of a message, or of the messages behind a memory.

        memory: The id or address of a memory, or the id of an intake.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def recall(
        self,
        cue: str,
        *,
        limit: int = 10,
        budget_tokens: int | None = None,
        place: str = "",
        kinds: Sequence[str] = (),
        after: datetime | None = None,
        before: datetime | None = None,
        as_of: datetime | None = None,
        thread: str = "",
        history: Sequence[str | GivenTurn | Mapping[str, Any]] = (),
        speaker: str = "",
        preset: Literal["fast", "balanced", "deep"] = "balanced",
        rerank: Literal["none", "mmr", "model", "client"] = "none",
        mode: Literal["relevance", "balanced", "recent", "important", "historical", "broad"] = "relevance",
        fusion: Literal["sum", "rank", "max"] = "sum",
        min_relevance: float | None = None,
        mood: float = 0.0,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Recalled:
        """Find the memories that matter for a cue, best first, each with its reasons.

        cue: What you want to know, as a question or in key words.
        limit: How many memories at most.
        budget_tokens: Fit the answer into so many tokens, shortening what comes last.
        place: Only from this place; work.* is directly below it, work.** all of it.
        kinds: Only memories of these kinds.
        after: Only what was true or happened at or after this time.
        before: Only what was true or happened before this time.
        as_of: What was believed at this time, instead of now.
        thread: The conversation this is for; what belongs to it counts more, and says what it is about.
        history: What was said before, oldest first: texts, or objects with content, role, speaker and at. It says what a cue is about that only says it or there.
        speaker: Who asks, where the cue says I.
        preset: How much work to do: fast, balanced or deep.
        rerank: Reorder the best: none, mmr for variety, a model, or client to choose yourself.
        mode: What counts beside relevance: recency, importance and confidence, by name.
        fusion: How words and meaning join: sum, rank or max.
        min_relevance: Leave out what is less likely to answer than this, from 0 to 1; by default the setting of this name decides.
        mood: The mood it is asked in, from -1 to 1; what was felt alike counts more.
        metadata: Only memories whose metadata has these values: text, numbers, true, false.
        tag: As this tag points, such as published, instead of what holds now; what does not carry it is left out.
        include_deprecated: Also what is no longer believed; the operator's alone.
        mentions: Only memories that name all of these: people, technologies, paths, URLs, each by any of its names.
        layers: Only memories of these layers.
        sentiment: Only what was told in this mood.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def context(
        self,
        message: str,
        *,
        budget_tokens: int = 2000,
        model: str = "",
        history: Sequence[str | GivenTurn | Mapping[str, Any]] = (),
        thread: str = "",
        purpose: Literal["turn", "task", "flow", "orchestrator", "delegation"] = "turn",
        delegate: str = "",
        as_of: datetime | None = None,
        injection: Literal["auto", "minimal", "standard", "deep"] = "auto",
        sections: Sequence[Literal["today", "roster", "schemas", "skills"]] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ContextBlock:
        """Make the block a model should read before it answers, within a budget of tokens.

        message: What the model is about to answer.
        budget_tokens: How many tokens the block may have, the message included.
        model: The model that will read it, for its way of counting tokens.
        history: What was said before, oldest first: texts, or objects with content, role, speaker and at. It says where the conversation is heading and is part of the block.
        thread: The conversation; without a history its last observed turns are that.
        purpose: What it is for: a turn, a task, a flow, an orchestrator's plan or a delegation.
        delegate: The agent that a delegation hands the work to; it is read as that agent.
        as_of: What was believed at this time, instead of now.
        injection: How much enters: minimal (nothing is recalled), standard (what bears on the message), deep (also what is going on); auto decides by the message.
        sections: Sections to fill from memory whatever the message: today, roster (who else writes here), schemas, skills.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def reason(
        self,
        question: str,
        *,
        depth: int | None = None,
        model: str = "",
        budget_tokens: int = 4000,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Reasoned:
        """Gather evidence for a question that needs several steps, and show the steps.

        question: A question that needs more than one look.
        depth: How many steps deep at most; as the model allows when left out.
        model: The model that will read it; how deep it may go follows from it.
        budget_tokens: How many tokens of evidence at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def evolution(
        self,
        topic: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Evolution:
        """Show how knowledge of a topic changed, oldest first.

        topic: What to follow through time.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def feedback(
        self,
        memory: str | UUID,
        cue: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Suppressed:
        """Say that a memory was out of place for a cue: cues alike leave it out for ninety days.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        cue: What was asked or said when the memory was out of place.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def get(
        self,
        memory: str | UUID,
        *,
        as_of: datetime | None = None,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> WholeMemory:
        """Show one memory, with all that was read from its words.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        as_of: As it was at this time, instead of now.
        include_deprecated: Also what is no longer believed or is archived; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def list(
        self,
        *,
        place: str = "",
        kinds: Sequence[str] = (),
        state: Literal["live", "archived", "forgotten", "all"] = "live",
        as_of: datetime | None = None,
        limit: int = 50,
        cursor: str = "",
        count: bool = False,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        after: datetime | None = None,
        before: datetime | None = None,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MemoryPage:
        """List memories, newest first.

        place: Only from this place; work.* is directly below it, work.** all of it.
        kinds: Only memories of these kinds.
        state: Which ones: live, archived, forgotten or all.
        as_of: What was believed at this time, instead of now.
        limit: How many at most.
        cursor: Where to go on: the next_cursor of the page before.
        count: Count all of them, also in a palace so large that this takes a while.
        metadata: Only memories whose metadata has these values: text, numbers, true, false.
        tag: As this tag points, such as published, instead of what holds now; what does not carry it is left out.
        include_deprecated: Also what is no longer believed; the operator's alone.
        after: Only what was true or happened at or after this time.
        before: Only what was true or happened before this time.
        mentions: Only memories that name all of these: people, technologies, paths, URLs, each by any of its names.
        layers: Only memories of these layers.
        sentiment: Only what was told in this mood.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def history(
        self,
        memory: str | UUID,
        *,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> History:
        """Show every revision of a memory, oldest first.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def places(
        self,
        *,
        place: str = "",
        deep: bool = False,
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> PlaceList:
        """List the places below one, with how much stands in each.

        place: The place to look below; the whole palace when left out.
        deep: Every place below it in which something stands, not only those directly below.
        as_of: As it was at this time, instead of now.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def contexts(self, *, subject: str = "", limit: int = 20) -> SeenContexts:
        """Show what models were given to read: message, block, what entered and what was left out, and why.

        subject: Only what was given to this subject.
        limit: How many at most, the newest first.
        """
    async def mind(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> InMind:
        """Show what is in mind between two turns: recalled, just said, held or anticipated.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def mind_hold(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> InMind:
        """Hold a memory in mind, so that the next contexts have it.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def mind_clear(
        self,
        *,
        memory: str | UUID = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> LetGo:
        """Let go of one memory that is in mind, or of everything; no memory is lost.

        memory: Only this memory; everything when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def anticipate(
        self,
        message: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Anticipation:
        """Recall for a turn that may come next: within a minute one near enough is answered at once.

        message: What may be said or asked next.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def models(self, *, name: str = "") -> ModelList:
        """List the language models a context can be made for, and how much each takes.

        name: Only the entry that speaks for the model of this name.
        """
    async def knows(
        self,
        cue: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> KnownCue:
        """Say how well something is known: know, partly or unknown, and why.

        cue: What may be asked.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def unfold(
        self,
        node: str,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Unfolded:
        """Show what stands behind a summary, a gathered memory or a part of what is known.

        node: A part, as `overview` with a level names it, or the id or address of a summary or of a gathered memory.
        limit: How many memories at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def summaries(
        self,
        *,
        thread: str = "",
        level: Literal["", "day", "week", "month", "year"] = "",
        since: datetime | None = None,
        until: datetime | None = None,
        text: str = "",
        limit: int = 20,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SummaryList:
        """List summaries of days, weeks, months and years, or search them.

        thread: Only of this conversation.
        level: Only days, weeks, months or years.
        since: Only what began then or later.
        until: Only what began before then.
        text: Only what has these words, best first.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def dream(
        self,
        *,
        dry_run: bool = False,
        only: Sequence[str] = (),
        limit: int = 100,
        ratio: float = 0.5,
        allow_published: bool = False,
        completed: str = "",
    ) -> Dreamt:
        """Think over what is remembered: gather what says the same, find gaps, and more; or only say what it would do. Every run is checked, reported and can be taken back.

        dry_run: Only say what it would do.
        only: Only these passes; as the setting dream_passes says when left out.
        limit: How many steps of each pass, at most.
        ratio: The share of what is looked at that may be given up, at most.
        allow_published: Also give up what is tagged published; it is noted in the report.
        completed: A project that is over: what proved good in it is for everybody from then on.
        """
    async def dreams(self, *, report: str = "", limit: int = 10) -> DreamList:
        """Show the reports of dreams: what they did or propose, what the check found, how to take them back.

        report: Only the report of this id, in full.
        limit: How many at most, the newest first.
        """
    async def dream_apply(self, report: str) -> Dreamt:
        """Carry out what a dream proposed, with the same check.

        report: The id of the report that proposes something.
        """
    async def prune(self, name: str) -> Pruned:
        """Take back everything one pass ever did, such as all that was inferred.

        name: The pass, as a report names it, such as infer.
        """
    async def gaps(
        self,
        *,
        limit: int = 20,
        every: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> GapList:
        """List open questions: what is not known, what contradicts itself, what may be out of date.

        limit: How many at most.
        every: Also those that rest, were answered or are not to be asked.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def gap_ask(
        self,
        gap: str,
        *,
        session: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownGap:
        """Note that a question is asked now; it then rests for a week.

        gap: The id of the gap, as `gaps` tells it.
        session: The session it is asked in: two questions are asked in one at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def gap_mute(
        self,
        gap: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> GapList:
        """Never ask a question again.

        gap: The id of the gap, as `gaps` tells it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def chat_add(
        self,
        session: str,
        text: str,
        *,
        role: Literal["user", "assistant", "system", "tool", "other"] = "user",
        speaker: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChatAdded:
        """Add a message to a running session: remembered as a turn, and at hand for an hour.

        session: The session, by a name of your own; its messages are turns of the thread of this name.
        text: What was said.
        role: Who said it: user, assistant, system or tool.
        speaker: The name of who said it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def chat_get(
        self,
        session: str,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChatMessages:
        """Read the last messages of a session.

        session: The session, by a name of your own; its messages are turns of the thread of this name.
        limit: How many at most, the newest.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def chat_clear(
        self,
        session: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChatCleared:
        """Begin a session anew: its messages are no longer at hand; no memory is lost.

        session: The session, by a name of your own; its messages are turns of the thread of this name.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def publish(
        self,
        memories: Sequence[str],
        *,
        topics: Sequence[str] = (),
        visibility: Literal["project", "squad", "targeted", "global"] = "project",
        to: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Publication:
        """Tell other agents of memories: of the same project or squad, those named, or all.

        memories: The memories, by id, address or name.
        topics: What they are about; their own topics when left out.
        visibility: Who may receive them: of the same project, of the same squad, those named, all.
        to: Whom they are for, by subject, where they are for some.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def subscribe(
        self,
        *,
        topics: Sequence[str] = (),
        sources: Sequence[str] = (),
        min_importance: float = 0.0,
        rate: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownSubscription:
        """Want what others publish from now on, by topic, importance or source.

        topics: Only these topics; all when left out.
        sources: Only what these subjects publish; all when left out.
        min_importance: Only what is at least so important.
        rate: How many memories at most in one delivery.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def unsubscribe(
        self,
        subscription: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SubscriptionList:
        """Want it no longer.

        subscription: The id of the subscription, as `subscriptions` tells it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def subscriptions(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SubscriptionList:
        """List what you want to receive.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def deliver(
        self,
        *,
        limit: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Delivered:
        """Receive what others published since the last time, each once, in order.

        limit: How many memories at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def overview(
        self,
        *,
        place: str = "",
        as_of: datetime | None = None,
        limit: int = 25,
        level: int = 0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Overview:
        """Show how much there is, where and of what kinds, what is new, and which tags and topics there are.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        as_of: As it was at this time, instead of now.
        limit: How many tags, topics, parts and new memories at most.
        level: Also what is known, part by part: 1 for clusters of memories, 2 for domains, 3 for all in one paragraph.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def activity(
        self,
        *,
        place: str = "",
        days: int = 14,
        zone: str = "",
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Activity:
        """Show how many memories came day by day, and where.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        days: How many days back, today included.
        zone: The time zone whose days are meant, such as Europe/Berlin; the palace's when left out.
        as_of: As it was at this time, instead of now.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def scopes(self) -> ScopeList:
        """List whose memories there are: users, projects, agents and channels, with how many each has."""
    async def layout(
        self,
        *,
        place: str = "",
        limit: int = 20000,
        links: int = 10000,
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Layout:
        """Lay memories and their links out on a map, the same way every time.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        limit: How many memories at most, the newest.
        links: How many links between them at most, the newest.
        as_of: As it was at this time, instead of now.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def facts(
        self,
        *,
        place: str = "",
        about: str = "",
        attribute: str = "",
        as_of: datetime | None = None,
        limit: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> FactList:
        """List facts as attribute and value, of a place or about somebody or something.

        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        about: Only facts with these words in whom or what they are about, or in their value.
        attribute: Only this attribute, such as editor or lives_in.
        as_of: What was believed at this time, instead of now.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def trail(
        self,
        *,
        hours: float = 48.0,
        place: str = "",
        name: str = "",
        subject: str = "",
        limit: int = 200,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Visits:
        """Show where somebody went in the palace lately: what was read and written, newest first.

        hours: How many hours back.
        place: Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out.
        name: Only the trail of this name, or of this day (2026-04-19).
        subject: Only the visits of this subject; anyone but the operator sees its own alone.
        limit: How many visits at most, the newest first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def why(
        self,
        memory: str | UUID,
        *,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Why:
        """Show where a memory comes from and what it is linked with.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def origin_add(
        self,
        of: str,
        kind: Literal["file", "command", "app_activation", "tool", "message", "web", "conversation", "capture"],
        label: str,
        *,
        link: Literal["caused_by", "context_for", "triggered_by", "mentioned_in"] | None = None,
        at: datetime | None = None,
        author: str = "",
        metadata: Mapping[str, Any] | None = None,
        sha256: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownOrigin:
        """Tell what a memory came of: a file, a command, an app, a tool, a message or a web page.

        of: The memory that came of it, by id, address or name, or the id of a later origin it stands behind.
        kind: What it was.
        label: Its short name: the path of a file, a command line, the name of an app or tool, a URL.
        link: How it bears on what came of it: caused_by, context_for, triggered_by or mentioned_in; by its kind when left out.
        at: When it happened; now when left out.
        author: Who did it; anyone but the operator names itself alone.
        metadata: JSON values to keep with it, such as line, exit_code or title.
        sha256: The SHA-256 of its content, in hex; of a local file the operator names it is worked out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def origin_link(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        kind: Literal["caused_by", "context_for", "triggered_by", "mentioned_in"] = "context_for",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownOrigin:
        """Tell how an earlier origin bears on a later one, or on a memory.

        source: What came of it: a memory, or the id of the later origin.
        target: The id of the earlier origin, as `why` tells it.
        kind: How the earlier one bears on the later: such as triggered_by.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def relate(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        kind: EdgeKind = "related_to",
        weight: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Link:
        """Link two memories.

        source: The memory the link starts from: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        target: The memory it leads to: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        kind: What the link says.
        weight: How strong it is, from 0 to 1; a new link is 1, one that is there stays as strong as it is.
        metadata: JSON values to keep with the link, such as why it was drawn; {} empties what is kept, left out leaves it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def unrelate(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        kind: EdgeKind = "related_to",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Unlinked:
        """Take a link between two memories away.

        source: The memory the link starts from: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        target: The memory it leads to: its id or address; an address with ?r=2 or ?t=TAG means that revision alone.
        kind: What the link says.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def walk(
        self,
        memory: str | UUID,
        *,
        direction: Literal["out", "in", "both"] = "both",
        kinds: Sequence[EdgeKind] = (),
        depth: int = 2,
        limit: int = 100,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Walked:
        """Follow the links of a memory.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        direction: Follow links out, in or both ways.
        kinds: Only links of these kinds.
        depth: How many links away at most.
        limit: How many memories at most.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def path(
        self,
        source: str | UUID,
        target: str | UUID,
        *,
        depth: int = 10,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Pathway:
        """Show the shortest chain of links between two memories.

        source: The memory to start from: its id or address.
        target: The memory to arrive at: its id or address.
        depth: How many links away at most.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def impact(
        self,
        memory: str | UUID,
        *,
        depth: int = 10,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Walked:
        """Show what rests on a memory.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        depth: How many links away at most.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def register(
        self,
        name: str,
        place: str,
        text: str,
        *,
        made_from: Sequence[str] = (),
        files: Sequence[str] = (),
        tags: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownProduct:
        """Register something that was made, with its files and what it was made from.

        name: The name of the product; registering it again makes its next revision.
        place: Where it belongs.
        text: What it is, in a sentence.
        made_from: What it was made from: ids or addresses of memories.
        files: Its files, as paths or URLs; they stay where they are.
        tags: Tags that point at this revision, such as approved.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def product(
        self,
        name: str,
        place: str,
        *,
        tag: str = "approved",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownProduct:
        """Find the revision of a product that a tag points at, such as the approved one.

        name: The name of the product.
        place: Where it stands.
        tag: Which revision: the one this tag points at.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def entities(
        self,
        *,
        kind: Literal["person", "organization", "location", "technology", "project", "file", "service", "concept", "event", "other"] | None = None,
        words: str = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityList:
        """List the people and things that memories speak of, most mentioned first.

        kind: Only people, organizations or another kind of thing.
        words: Only those with these words in one of their names.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def entity(
        self,
        name: str,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityProfile:
        """Show what is known of a person or thing: names, relations both ways, and its timeline.

        name: A name of the person or thing, in any of its writings.
        limit: How many memories and relations at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def merge_entities(
        self,
        name: str,
        other: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityProfile:
        """Take two names for the same person or thing; split_entity undoes it.

        name: The name it is known by afterwards.
        other: The other name of the same person or thing.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def split_entity(
        self,
        name: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EntityProfile:
        """Tell a name apart from the person or thing it was taken for; merge_entities undoes it.

        name: The name that means somebody or something else.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def bundle(
        self,
        name: str,
        place: str,
        *,
        text: str = "",
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Bundled:
        """Group memories under a name, add to the group or take out of it.

        name: The name of the bundle; it is made on first use.
        place: Where it belongs.
        text: What it holds together, in a sentence; as before when left out.
        add: Memories to put into it: ids or addresses.
        remove: Memories to take out of it: ids or addresses.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def members(
        self,
        memory: str | UUID,
        *,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Bundled:
        """Show what a bundle holds.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        include_deprecated: Also what is no longer believed; the operator's alone.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def revise(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        place: str = "",
        kind: str = "",
        name: str = "",
        confidence: float = 1.0,
        at: datetime | None = None,
        occasion: Literal["correction", "change"] = "correction",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Believe a statement and give up what conflicts with it, and no more.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.
        place: Where it belongs if nothing held that attribute before; inbox when left out.
        kind: What kind of memory it is, such as preference; chosen from the text when left out.
        name: Its name at that place, if it is new.
        confidence: How sure it is, from 0 to 1.
        at: Since when it holds; now when left out.
        occasion: correction: it was wrong, and what it had displaced may return; change: the world moved on.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def expand(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        place: str = "",
        kind: str = "",
        name: str = "",
        confidence: float = 1.0,
        at: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Believe a statement or a rule besides what is believed, whether or not it fits.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.
        place: Where it belongs if nothing held that attribute before; inbox when left out.
        kind: What kind of memory it is, such as preference; chosen from the text when left out.
        name: Its name at that place, if it is new.
        confidence: How sure it is, from 0 to 1.
        at: Since when it holds; now when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def holds(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        as_of: datetime | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Holding:
        """Ask whether a statement follows from what is believed, and from what.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.
        as_of: As it was believed then; now when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def contract(
        self,
        text: str,
        *,
        about: str = "user",
        slot: str = "",
        value: str = "",
        denied: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Stop believing a statement, without believing its opposite.

        text: The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus.
        about: Whom or what it is about, when slot and value are given.
        slot: Which attribute it gives, such as editor; with value instead of reading the text.
        value: The value of that attribute.
        denied: The statement says that this value does not hold.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def revert(
        self,
        memory: str | UUID,
        revision: int,
        *,
        tag: str = "current",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> BeliefChange:
        """Take a memory back to an earlier revision.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        revision: The number of the revision to go back to.
        tag: The tag that moves; current says which revision holds.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def as_of(
        self,
        *,
        at: datetime | None = None,
        about: str = "",
        limit: int = 200,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Believed:
        """Show what is believed, now or at another time.

        at: The moment; now when left out.
        about: Only statements with this word in them.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def inbox(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> DisagreementList:
        """List disagreements that wait for a person.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def settle(
        self,
        memory: str | UUID,
        *,
        other: str | UUID = "",
        both: bool = False,
        reopen: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SettledDisagreement:
        """Believe a memory and no longer what disagrees with it.

        memory: The memory that holds: its id or address.
        other: Settle only with this one: its id or address. Every disagreement of it when left out.
        both: Keep both; only the disagreement is closed.
        reopen: Take the decision back: both are believed, and disagree again.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def outcome(
        self,
        memory: str | UUID,
        went: Literal["well", "badly"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Trusted:
        """Note that relying on a memory went well or badly; trust moves with it.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        went: How relying on it went: well or badly.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def staleness(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Stale:
        """Look whether a memory still holds: newer words against it, its age, what is done.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def review(
        self,
        *,
        limit: int = 5,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Reviewed:
        """Show what waits for a person: disagreements, claims, and what may have changed.

        limit: How many of each sort at most, the most severe first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def recheck(self, *, limit: int = 100) -> Audited:
        """Look at the memories whose turn has come, whether they still hold, and at what batches told.

        limit: How many memories to look at, at most.
        """
    async def resolve(
        self,
        memory: str | UUID,
        answer: Literal["refresh", "confirm_stale", "dismiss", "reopen"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Resolved:
        """Say whether a memory that may have changed still holds.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        answer: refresh: a newer belief replaces it; confirm_stale: it holds no more; dismiss: it still holds; reopen: the last answer is taken back.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def propose(
        self,
        text: str,
        sources: Sequence[GivenSource | Mapping[str, Any]],
        *,
        kind: str = "fact",
        recheck_days: float = 90.0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownClaim:
        """Propose a claim with its sources; a person decides about it.

        text: One statement that makes sense on its own.
        sources: Where it comes from: objects with kind, reference and excerpt.
        kind: What kind of memory it would become.
        recheck_days: After how many days its source should be looked at again.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def draw_claims(
        self,
        *,
        memory: str | UUID = "",
        archive: bool = False,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> DrawnClaims:
        """Draw candidate claims from a handoff, a summary or the archive, sentence by sentence.

        memory: Draw from this memory: a handoff, a summary, a document; its id or address.
        archive: Draw from the archive of what was told; the operator's alone.
        limit: How many candidates at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def claim_report(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> CandidateField:
        """Show the field of candidates: what recurs, what clashes, what is ready, what has decayed.

        limit: How many candidates at most, the most often stated first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def claims(
        self,
        *,
        status: Literal["candidate", "verified", "rejected", "deferred", "retracted"] = "candidate",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ClaimList:
        """List claims of a status.

        status: Which ones.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def preview(
        self,
        claim: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ClaimPreview:
        """Show the evidence for a claim, the state of its sources and a recommendation.

        claim: The id of the claim.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def decide(
        self,
        claim: str | UUID,
        decision: Literal["accept", "reject", "defer"],
        text: str,
        source_state: Literal["exact_match", "partial_overlap", "drifted", "missing"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownClaim:
        """Accept, reject or defer a claim, repeating its text and the state of its source.

        claim: The id of the claim.
        decision: accept, reject or defer.
        text: The text of the claim, repeated word for word.
        source_state: The state of its source as the preview shows it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def retract(
        self,
        claim: str | UUID,
        text: str,
        source_state: Literal["exact_match", "partial_overlap", "drifted", "missing"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownClaim:
        """Take back a claim that was accepted.

        claim: The id of the claim.
        text: The text of the claim, repeated word for word.
        source_state: The state of its source as the preview shows it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def claim_mode(self, mode: Literal["observe", "diagnostic", "enforce"]) -> ModeSet:
        """Choose what is done with claims: observe, diagnostic or enforce.

        mode: observe and diagnostic keep candidates only; enforce lets a person accept.
        """
    async def forget(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Forget a memory: it is found no more, and can be restored.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.
        reason: Why, for the record; never put content here.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def restore(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Bring back a memory that was forgotten.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def purge(
        self,
        memory: str | UUID,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """Remove a memory physically with everything that hangs on it. This cannot be undone.

        memory: The id of the memory, its address (place/name.kind), or the name it was given.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def burn(
        self,
        *,
        memories: Sequence[str] = (),
        place: str = "",
        after: datetime | None = None,
        before: datetime | None = None,
        source: str | UUID = "",
        subject: str = "",
        everything: bool = False,
        unreadable: bool = False,
        yes: bool = False,
    ) -> ErasureReport:
        """Erase memories for good, by id, place, time, source or subject, down to the bytes in the files.

        memories: A memory to erase, by its id or its address.
        place: Erase what stands at this place; work.old.** is all of it, and #2026-04 a time.
        after: Erase what was stored since this moment.
        before: Erase what was stored before this moment.
        source: Erase what came from here: a conversation's thread, a file, the id of a message.
        subject: Erase what this subject wrote.
        everything: Erase every memory.
        unreadable: Also remove damaged lines of the archive: they may hold what is erased.
        yes: Do it. Without this it only counts what would go.
        """
    async def forget_user(
        self,
        user: str,
        *,
        mentions: bool = False,
        unreadable: bool = False,
        yes: bool = False,
    ) -> ErasureReport:
        """Erase a person: their memories, what they said, and their name in every table, archive and log.

        user: The user, as in the scope of their memories.
        mentions: Also erase memories of others that mention them.
        unreadable: Also remove damaged lines of the archive: they may hold what is erased.
        yes: Do it. Without this it only counts what would go.
        """
    async def grant(
        self,
        subject: str,
        level: Literal["none", "anchor", "metadata", "read_public", "read_all", "write", "forget"],
        *,
        place: str = "**",
        days: float | None = None,
    ) -> GrantList:
        """Let a subject do something somewhere.

        subject: Who may, such as mcp:desk or agent:primary.
        level: What they may, each more than the last.
        place: Where: a place, its children (work.*), or it and all below (work.**).
        days: For how many days; for good when left out.
        """
    async def revoke(self, subject: str, *, place: str = "**") -> GrantList:
        """Take a grant back, and tell what is allowed then and what no more.

        subject: Whose grant.
        place: Where, as it was granted.
        """
    async def grants(self, *, subject: str = "") -> GrantList:
        """Show what a subject may do.

        subject: Whose grants, such as mcp:desk; of everybody when left out.
        """
    async def token_create(
        self,
        subject: str,
        *,
        label: str = "",
        days: float | None = None,
        kit: Literal["banking", "health", "password-manager"] | None = None,
        once: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MadeToken:
        """Make a bearer token for a subject; its text is shown only once.

        subject: Who its bearer is, such as mcp:desk or agent:primary.
        label: A word to know it by.
        days: For how many days it holds; for good when left out.
        kit: What its bearer is a kit for, if for banking, health or passwords: it is locked, whatever it is called.
        once: For one sign-in at the dashboard within ten minutes, and nothing else.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def token_list(self) -> TokenList:
        """List the tokens, without their texts."""
    async def token_revoke(self, token: str) -> TokenList:
        """End a token at once.

        token: The id of the token, as `token_list` shows it.
        """
    async def plan(
        self,
        transition: Literal["grant", "lock", "claims_mode", "rule", "config", "identity", "unlock", "claim"],
        target: str | UUID,
        value: str,
        *,
        place: str = "**",
        days: float | None = None,
    ) -> PlanInfo:
        """Show a change only a person makes, and keep it as a plan; nothing else happens.

        transition: What kind of change.
        target: Whom or what it is about: a subject, claims, the name of a rule or of the configuration, a memory of kind identity, a place to unlock, or a claim.
        value: What it is to be: a level, lifted or locked, a claims mode, a number or kinds, the new text, open, sealed or vault, or accept, reject, defer or retract.
        place: Where a grant holds.
        days: For how many days a grant holds; for good when left out.
        """
    async def apply(self, plan: str, *, yes: bool = False) -> PlanInfo:
        """Make the change of a plan; the plan becomes its receipt.

        plan: The id of the plan.
        yes: Say that you mean it.
        """
    async def rollback(self, plan: str, *, yes: bool = False) -> PlanInfo:
        """Put back what was there before a plan was applied.

        plan: The id of the plan.
        yes: Say that you mean it.
        """
    async def plans(self) -> PlanList:
        """List the plans and receipts, newest first."""
    async def audit_list(
        self,
        *,
        subject: str = "",
        action: str = "",
        decision: Literal["allowed", "reduced", "denied", "limited", "lost"] | None = None,
        place: str = "",
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 100,
    ) -> AuditTrail:
        """Show who did or tried what, newest first.

        subject: Only lines of this subject.
        action: Only lines of this operation.
        decision: Only lines with this decision.
        place: Only lines about this place.
        after: Only lines at or after this time.
        before: Only lines before this time.
        limit: How many at most, the newest first.
        """
    async def audit_verify(self, *, anchor: str = "") -> AuditVerified:
        """Compute the chain of the audit trail again and name the first line that does not fit.

        anchor: A file with anchors made before, or one as text: tells of a trail cut or redone since.
        """
    async def audit_anchor(self, *, file: str = "") -> AuditAnchor:
        """Tell what the audit trail ends with, signed, to be kept elsewhere for `audit verify --anchor`.

        file: A file to add it to, one anchor a line; keep it where this palace's writers cannot write.
        """
    async def pause(self) -> Capture:
        """Stop every capture source, in every process, until resume."""
    async def resume(self) -> Capture:
        """Let capture sources bring things in again."""
    async def seal(self, place: str, seal: Literal["open", "sealed", "vault"]) -> SealedPlace:
        """Seal a place, make it part of the vault, or open it.

        place: The place; what stands below it goes with it.
        seal: open, sealed (read_all and up) or vault (only in a session that unlocked it).
        """
    async def vault_protect(self, passphrase: str, *, old: str = "") -> VaultState:
        """Set the passphrase of the vault.

        passphrase: The vault's new passphrase.
        old: The one it has now, if it has one.
        """
    async def vault_unlock(
        self,
        passphrase: str,
        *,
        subject: str = "",
        session: str = "",
        minutes: float = 15.0,
    ) -> VaultState:
        """Open the vault for one subject in one session of this process, for some minutes.

        passphrase: The vault's passphrase.
        subject: For whom, if not for yourself; it needs a grant that names the vault.
        session: In which of its sessions; its unnamed one when left out.
        minutes: For how many minutes.
        """
    async def vault_lock(self) -> VaultState:
        """Close the vault for every session of this process."""
    async def lease(
        self,
        objective: str,
        *,
        within: str = "",
        minutes: float = 60.0,
        budget: int = 0,
        stop_when: str = "",
        notify: str = "",
        owner: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownLease:
        """Answer for an objective until a time, within bounds; what agents ask for waits for you.

        objective: What is answered for.
        within: The bounds: where, on what.
        minutes: For how many minutes.
        budget: How many actions it may cost, as outcome_report tells them with its id as authority; 0: as many as it takes.
        stop_when: What ends it early.
        notify: Who is told when it ends.
        owner: Who answers for it; only the operator names somebody else.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def leases(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> LeaseList:
        """List who answers for what, and until when.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def lease_decide(
        self,
        lease: str,
        decision: Literal["grant", "refuse"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownLease:
        """Grant or refuse a lease that was asked for.

        lease: The id of the lease.
        decision: grant or refuse.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def lease_end(
        self,
        lease: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownLease:
        """End a lease before its time.

        lease: The id of the lease.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def govern(
        self,
        action: Literal["read", "reversible_write", "external", "irreversible", "identity", "protected"],
        *,
        basis: Sequence[Literal["task", "approval", "visible_tool", "past_success", "handoff", "retrieved_memory", "candidate", "delivery"]] = (),
        lease: str = "",
        candidate: str = "",
        memories: Sequence[str] = (),
        anomaly: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Governed:
        """Ask how an action may go on: one of seven modes, with the reason; nothing is done.

        action: What kind of action it is.
        basis: What it is based on; only task and approval are authority.
        lease: The id of the lease it is done under.
        candidate: The id of the candidate it would apply.
        memories: The memories it rests on: ids or addresses.
        anomaly: What is known to be wrong, if anything.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def outcome_report(
        self,
        intent: str,
        effect: str,
        *,
        authority: str = "",
        verified: str = "",
        failure: Literal["none", "tool", "authority", "evidence", "safety", "other"] = "none",
        risk: str = "",
        memories: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownOutcome:
        """Write down what an action was meant to do and what came of it.

        intent: What the action was meant to do.
        effect: What was seen of it.
        authority: On which authority it was done: the task, an approval, a lease's id.
        verified: How the effect was checked; empty: it was not.
        failure: What failed, if something did.
        risk: What is left to fear.
        memories: The memories that were relied on: trust in them moves with the outcome.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def outcomes(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> OutcomeList:
        """List what came of actions, newest first.

        limit: How many at most, newest first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def mature(
        self,
        lane: Literal["semantic", "current_state", "claim", "relational", "procedural", "safety", "context_eligibility"],
        what: str,
        evidence: Sequence[str],
        *,
        reversible: bool = False,
        later: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownMaturation:
        """Propose that something becomes more than it is, in a lane, with its evidence.

        lane: In which lane it would become more than it is.
        what: What it would become.
        evidence: The memories that speak for it: ids or addresses.
        reversible: Whether it can be taken back.
        later: How its later effect is looked at.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def maturations(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MaturationList:
        """List what was proposed to become more than it is.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def mature_decide(
        self,
        candidate: str,
        decision: Literal["accept", "reject"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownMaturation:
        """Accept or reject such a proposal; it is applied by the operations of its lane.

        candidate: The id of the candidate.
        decision: accept or reject.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def thread_open(
        self,
        thread: str,
        *,
        title: str = "",
        mode: Literal["", "chat", "booth", "code", "robot"] = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownThread:
        """Begin a piece of work that goes on over sessions, or open it again.

        thread: The thread: the name of the work that goes on over several sessions.
        title: What people call it.
        mode: chat and booth share what is said; code and robot each keep to themselves.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def thread_list(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ThreadList:
        """List the pieces of work that go on over sessions.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def thread_close(
        self,
        thread: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownThread:
        """Close a thread; what was said in it stays.

        thread: The thread: the name of the work that goes on over several sessions.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def session_start(
        self,
        thread: str,
        *,
        session: str = "",
        client: str = "",
        source: Literal["startup", "resume", "clear", "compact"] = "startup",
        mode: Literal["", "chat", "booth", "code", "robot"] = "",
        max_chars: int = 10000,
        framing: Literal["first_person", "neutral"] = "first_person",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> StartedSession:
        """Begin a session: how the one before ended, and what to read first.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session's id; one is made when it is left out.
        client: The client it runs in.
        source: How it began: startup, resume, clear or compact.
        mode: The mode of the thread, where it is new.
        max_chars: How long the warm start may be.
        framing: How headings speak: first_person or neutral.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def session_end(
        self,
        session: str,
        *,
        how: str = "ended",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownSession:
        """End a session and hand its work on.

        session: The session: one sitting at the thread.
        how: How it ended, in a word.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def sessions(
        self,
        thread: str,
        *,
        limit: int = 20,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SessionList:
        """List the sessions of a thread.

        thread: The thread: the name of the work that goes on over several sessions.
        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def handoff_write(
        self,
        thread: str,
        *,
        session: str = "",
        note: str = "",
        reason: str = "asked",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownHandoff:
        """Write the handoff of a thread.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.
        note: What the next session should know beside what was said.
        reason: Why it is written, in a word.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def handoff_read(
        self,
        thread: str,
        *,
        session: str = "",
        max_chars: int = 10000,
        framing: Literal["first_person", "neutral"] = "first_person",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownHandoff:
        """Read the handoff of a thread; with a session it is leased to that one.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session that takes it: it is leased to that one, and its first turn consumes it.
        max_chars: How long its text may be.
        framing: How headings speak: first_person or neutral.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def handoff_consume(
        self,
        thread: str,
        session: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownHandoff:
        """Say that a session has made its first turn: the handoff offered to it has arrived.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def checkpoint(
        self,
        thread: str,
        *,
        session: str = "",
        cwd: str = "",
        branch: str = "",
        ran: Sequence[GivenRun | Mapping[str, Any]] = (),
        files: Sequence[str] = (),
        todos: Sequence[GivenTodo | Mapping[str, Any]] = (),
        note: str = "",
        exchanges: int = 0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownCheckpoint:
        """Note where the work is: folder, branch, commands with their exit codes, files, the agent's own list.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.
        cwd: The folder the work is in.
        branch: The branch it is on.
        ran: Commands that were run since the last checkpoint.
        files: Files that were worked on.
        todos: The agent's own list of work: what is on it stands as it says.
        note: What else the next session should know.
        exchanges: How many exchanges there were since the last one.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def turn_start(
        self,
        thread: str,
        message: str,
        *,
        session: str = "",
        budget_tokens: int = 1500,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> StartedTurn:
        """Begin a turn: the handoff has arrived, and what is known for the message is told.

        thread: The thread: the name of the work that goes on over several sessions.
        message: What the user asks.
        session: The session: one sitting at the thread.
        budget_tokens: How many tokens the block may have.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def turn_end(
        self,
        thread: str,
        turns: Sequence[GivenTurn | Mapping[str, Any]],
        *,
        session: str = "",
        cwd: str = "",
        branch: str = "",
        ran: Sequence[GivenRun | Mapping[str, Any]] = (),
        files: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EndedTurn:
        """End a turn: what was said is taken in and where the work is noted, so that it can be handed on.

        thread: The thread: the name of the work that goes on over several sessions.
        turns: What was said since the last time, in order.
        session: The session: one sitting at the thread.
        cwd: The folder the work is in.
        branch: The branch it is on.
        ran: Commands that were run.
        files: Files that were worked on.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def warm_start(
        self,
        thread: str,
        *,
        max_chars: int = 10000,
        framing: Literal["first_person", "neutral"] = "first_person",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> WarmStart:
        """Show what to read when a thread is taken up again.

        thread: The thread: the name of the work that goes on over several sessions.
        max_chars: How long it may be.
        framing: How headings speak: first_person or neutral.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def bridge(
        self,
        thread: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBridge:
        """Show where the work of a thread stands: plans with their states, decisions, names.

        thread: The thread: the name of the work that goes on over several sessions.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def providers(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ProviderList:
        """List who adds lines to contexts, by priority, and how long each takes.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def hook_report(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ProviderList:
        """Show how long clients waited before and after turns, against 150 and 250 ms.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def proof_check(
        self,
        text: str,
        *,
        checked: Sequence[Literal["file", "process", "config", "runtime"]] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Proof:
        """Mark what an answer says about files, processes, settings or builds that nobody looked at.

        text: The answer.
        checked: What was looked at in this turn: file, process, config, runtime.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def compacted(
        self,
        thread: str,
        *,
        session: str = "",
        summary: str = "",
        removed_turns: int = 0,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBridge:
        """Say that a conversation is being compacted: the work is handed on and its summary kept.

        thread: The thread: the name of the work that goes on over several sessions.
        session: The session: one sitting at the thread.
        summary: What the client keeps instead of the messages; its statements are kept as memories.
        removed_turns: How many messages go.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def metabolism(
        self,
        thread: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownMetabolism:
        """Show how unsettled the last exchange of a thread was.

        thread: The thread.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def inquiries(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> InquiryList:
        """List what is thought over.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def contemplate(
        self,
        inquiry: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownInquiry:
        """Take the next pass of an inquiry: at once, after four hours, after twenty.

        inquiry: The id of the inquiry.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def crystallise(
        self,
        inquiry: str,
        file: Literal["SOUL.md", "AGENTS.md", "ANCHOR.md", "TOOLS.md", "MEMORY.md"],
        text: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Propose that an inquiry changes an identity file: time and principles decide, then you.

        inquiry: The id of the inquiry.
        file: The identity file that would change.
        text: The line that would be added to it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def standing(
        self,
        person: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownStanding:
        """Show where a person stands, where that is assessed at all.

        person: Whose standing.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def dynamics(
        self,
        thread: str,
        *,
        last: int = 10,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownDynamics:
        """Show how surprising the last turns of a thread were.

        thread: The thread.
        last: How many turns back.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def proposals(
        self,
        *,
        thread: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ProposalList:
        """List what repeated friction suggests to change; nothing is applied.

        thread: The thread whose friction is looked at; without one, what was proposed is listed.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def proposal_decide(
        self,
        proposal: str,
        decision: Literal["accept", "reject"],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownProposal:
        """Accept or reject a proposal.

        proposal: The id of the proposal.
        decision: accept or reject.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def bundle_make(
        self,
        thread: str,
        *,
        dry_run: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBundle:
        """Make a research bundle of a thread: what it would hold, without what must not leave.

        thread: The thread.
        dry_run: Only say what it would hold.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def bundle_approve(
        self,
        bundle: str,
        *,
        training: bool = False,
        yes: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBundle:
        """Approve a research bundle; for training only where you say so.

        bundle: The id of the bundle.
        training: Also approve it for training.
        yes: Say that you have looked at it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def bundle_export(
        self,
        bundle: str,
        to: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownBundle:
        """Write an approved research bundle to a file.

        bundle: The id of the bundle.
        to: The file to write: JSON lines, the first of them the manifest.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def identity_show(
        self,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> IdentityFiles:
        """Show the identity files: who the agent is, how it works, whom it works for.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def identity_plan(
        self,
        file: Literal["SOUL.md", "AGENTS.md", "ANCHOR.md", "TOOLS.md", "MEMORY.md"],
        text: str,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Plan what an identity file is to say; nothing is written before you apply it.

        file: Which file.
        text: What it is to say from then on, as a whole.
        reason: Why.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def identity_plans(
        self,
        *,
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> IdentityPlanList:
        """List plans for identity files, with what each changes.

        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def identity_apply(
        self,
        plan: str,
        *,
        yes: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Write what a plan for an identity file says.

        plan: The id of the plan.
        yes: Say that you have looked at what it changes.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def identity_rollback(
        self,
        plan: str,
        *,
        yes: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownIdentityPlan:
        """Give back what an identity file said before a plan was applied.

        plan: The id of the plan.
        yes: Say that you have looked at what it changes.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def attach(
        self,
        name: str,
        *,
        content: str = "",
        thread: str = "",
        session: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownReceipt:
        """Keep a receipt of a file before a model is shown it; the file is not copied.

        name: The file's path, or its name where its content is handed over.
        content: The content in base64, instead of a path; only the operator names paths.
        thread: The thread it is shown in.
        session: The session it is shown in.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def receipts(
        self,
        *,
        thread: str = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ReceiptList:
        """List what was attached, and whether its sources still are what they were.

        thread: Only those shown in this thread.
        limit: How many at most, the last changed first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def receipt_check(
        self,
        receipt: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownReceipt:
        """Look whether the source of a receipt is unchanged, changed or missing.

        receipt: The id of the receipt, att_...

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def observe_attachment(
        self,
        receipt: str,
        text: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownReceipt:
        """Keep what was seen in an attachment.

        receipt: The id of the receipt, att_...
        text: What was seen in it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def capture_status(self) -> CaptureStatus:
        """Show what may be captured on this machine: adapters, pause, private and allowed lists, last events."""
    async def capture_enable(self, adapter: str, *, folders: Sequence[str] = ()) -> CaptureStatus:
        """Switch an adapter on; nothing is captured by one that is not.

        adapter: shell, git, files, window, music, or one that a plugin brings.
        folders: Folders that files and git look at, beside those they look at already.
        """
    async def capture_disable(self, adapter: str, *, folders: Sequence[str] = ()) -> CaptureStatus:
        """Switch an adapter off; what it saw stays until it is burnt.

        adapter: shell, git, files, window, music, or one that a plugin brings.
        folders: Folders that files and git look at, beside those they look at already.
        """
    async def capture_private(
        self,
        what: Literal["app", "path", "command"],
        pattern: str,
        *,
        remove: bool = False,
    ) -> CaptureStatus:
        """Make an app, a path or a command private: nothing of it is read.

        what: app, path or command.
        pattern: Which: a name, a folder with all below it, or a pattern with * in it.
        remove: Take it off the list again.
        """
    async def capture_allow(
        self,
        what: Literal["app", "path", "command"],
        pattern: str,
        *,
        remove: bool = False,
    ) -> CaptureStatus:
        """Put an app or a path on the list of what alone may be captured.

        what: app, path or command.
        pattern: Which: a name, a folder with all below it, or a pattern with * in it.
        remove: Take it off the list again.
        """
    async def capture_only(self, *, only: bool = True) -> CaptureStatus:
        """Capture nothing but what is allowed, or all but what is private.

        only: Whether nothing but what is on the list of allowed is captured.
        """
    async def capture_events(self, events: Sequence[GivenEvent | Mapping[str, Any]]) -> TakenEvents:
        """Hand over what was done on the machine; the gate decides about each, and the audit trail says how.

        events: What was done: objects with kind, source, reference, at and metadata.
        """
    async def capture_git(self, repository: str, *, limit: int = 200) -> TakenEvents:
        """Take in the commits of a repository that are new, with the languages they touched.

        repository: The folder of the repository.
        limit: How many of its newest commits at most.
        """
    async def raw_events(
        self,
        *,
        source: str | UUID = "",
        kind: Literal["command", "commit", "file", "app_activation", "music"] | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 50,
    ) -> RawEventList:
        """List what was captured on this machine, newest first.

        source: Only of this adapter, path or reference.
        kind: Only of this kind.
        after: Only since then.
        before: Only before then.
        limit: How many at most, the newest first.
        """
    async def capture_task(
        self,
        task: str,
        result: str,
        *,
        run: str = "",
        tools: int = 0,
        recurring: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what came of a task.

        task: The task, by its name.
        result: What came of it.
        run: Which run of it; its session is task:RUN.
        tools: How many tools were used.
        recurring: Whether it runs again and again: then only findings are kept.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def capture_flow_node(
        self,
        flow: str,
        node: str,
        output: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what a node of a flow gave, in the memory of the flow.

        flow: The flow, by its name; its memory is the project flow:NAME.
        node: The node.
        output: What it gave.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def capture_flow(
        self,
        flow: str,
        nodes: Sequence[str],
        *,
        failed: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep how a flow ran, as a procedure.

        flow: The flow, by its name.
        nodes: Its nodes, in the order in which they ran.
        failed: The node that failed, if one did.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def capture_round(
        self,
        facts: str,
        *,
        tool_results: Sequence[str] = (),
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what a round of an orchestrator found out.

        facts: What the round found out.
        tool_results: What tools gave.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def capture_research(
        self,
        query: str,
        findings: Sequence[GivenFinding | Mapping[str, Any]],
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep the findings of a research, each with its source.

        query: What was looked for.
        findings: What was found: objects with text, url, confidence and supports.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def store_execution(
        self,
        goal: str,
        steps: Sequence[str],
        outcome: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep how something was done, step by step.

        goal: What was to be done.
        steps: What was done, step by step.
        outcome: What came of it.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def capture_skill(
        self,
        skill: str,
        text: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Captured:
        """Keep what a skill learnt, for itself alone.

        skill: The skill, by its id; its memory is the channel skill:ID.
        text: What it learnt.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def restart_begin(
        self,
        session: str,
        continuation: str,
        *,
        budget: int = 3,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownRestart:
        """Declare a restart: the session, the message it goes on with, and what that may cost.

        session: The key of the session that is about to be restarted.
        continuation: The one message with which it goes on.
        budget: How many calls going on may cost.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def restart_step(
        self,
        session: str,
        step: Literal["reach", "identify", "continue"],
        *,
        found: str = "",
        failure: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownRestart:
        """Take the next step of a restart; one too many, a wrong key or the same failure twice stops it.

        session: The key of the session that was restarted.
        step: reach: is it there (two calls); identify: is it the one (one call); continue: go on (the budget).
        found: The key that answered, for identify.
        failure: What failed, in a word; the same twice stops the restart.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def restart_state(
        self,
        session: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownRestart:
        """Show where a restart stands.

        session: The key of the session.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_save(
        self,
        *,
        place: str = "",
        memory: str | UUID = "",
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ShownSnapshot:
        """Keep how the workspace stands now, at a place or with a memory: references, never contents.

        place: Where it belongs, such as work.desk; the place of the memory when one is named.
        memory: The memory it belongs to: id, address or name. It goes with the memory.
        cwd: The folder the work is in; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_list(
        self,
        *,
        place: str = "",
        memory: str | UUID = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotList:
        """List snapshots of the workspace, newest first.

        place: Only at this place, or at those that a pattern names: work.**.
        memory: Only those of this memory.
        limit: How many at most, the newest first.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_show(
        self,
        snapshot: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> WholeSnapshot:
        """Show what was open when a snapshot was taken.

        snapshot: The id of the snapshot, or its first or last digits.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_diff(
        self,
        snapshot: str,
        *,
        other: str | UUID = "",
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotDifferences:
        """Compare a snapshot with another, or with how the workspace stands now.

        snapshot: The id of the snapshot, or its first or last digits.
        other: The snapshot it is compared with; how the workspace stands now when left out.
        cwd: The folder the work is in; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_restore(
        self,
        snapshot: str,
        *,
        yes: bool = False,
        music: bool = False,
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotRestored:
        """Bring a workspace back in five steps; without --yes it is only said what would be done.

        snapshot: The id of the snapshot, or its first or last digits.
        yes: Do it; without this it is only said what would be done.
        music: Let the music go on where it was, too.
        cwd: The folder the work is in; that of the program that is asked when left out.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_share(
        self,
        snapshot: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SharedSnapshot:
        """Write a snapshot for somebody else, without what is private.

        snapshot: The id of the snapshot, or its first or last digits.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def snapshot_drop(
        self,
        snapshot: str,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> DroppedSnapshot:
        """Erase a snapshot for good, from the archive too.

        snapshot: The id of the snapshot, or its first or last digits.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def export(
        self,
        to: str,
        *,
        format: Literal["auto", "bundle", "markdown", "palace", "encrypted"] = "auto",
        place: str = "",
        user: str = "",
        passphrase: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Exported:
        """Write memories to a new file: a bundle, a folder of Markdown, an encrypted archive or a copy.

        to: The new file to write, or the new folder for markdown.
        format: What to write; by the file's ending when left out.
        place: Only from this place; work.* is directly below it, work.** all of it.
        user: Only what belongs to this user, in whatever project or channel: all they have a right to.
        passphrase: The passphrase of an encrypted archive.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def import_(
        self,
        file: str,
        *,
        format: Literal["auto", "bundle", "markdown", "palace", "encrypted", "chatgpt", "claude", "mem0", "mcp-memory", "notes", "chromium", "firefox", "icalendar", "shell-history", "atuin", "activitywatch"] = "auto",
        place: str = "",
        dry_run: bool = False,
        reader: str = "",
        passphrase: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Imported:
        """Take in a file of another program or another palace, in quarantine, and say what became of it.

        file: The file or folder to read.
        format: What it is; found out from its content when left out.
        place: Where what it tells goes: imports, or a place below it; by the format when left out.
        dry_run: Read and count only; nothing is written.
        reader: Read it with the importer of this name that a plugin brings.
        passphrase: The passphrase of an encrypted archive.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def status(self) -> Status:
        """Say how much of everything there is."""
    async def doctor(self) -> Diagnosis:
        """Look at the whole palace and say what to do."""
    async def health(self) -> Health:
        """Say in words how the palace is: jobs, backups, search, speed, memory and disk."""
    async def verify(self) -> Verified:
        """Compare every index, tag and chain with the truth and name the differences."""
    async def backup(self, target: str | UUID) -> BackedUp:
        """Copy the palace file to a new file while it is in use; an encrypted one stays encrypted.

        target: The new file to write.
        """
    async def events(
        self,
        *,
        after: str = "0",
        limit: int = 100,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> EventList:
        """Show what happened to memories, oldest first: the journal, without content.

        after: Only events after this: seq or last as it came, 0 for the first on, now for none yet.
        limit: How many at most.

        The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is.
        """
    async def settings(self) -> SettingList:
        """Show every setting: its value, where that comes from, and what it is for."""
    async def setting_put(self, name: str, value: str) -> ShownSetting:
        """Change a setting of this palace; most hold at once, in every process that has it open.

        name: The setting, as `settings` names it.
        value: Its value; an empty one goes back to the default.
        """
    async def jobs(self) -> JobList:
        """Show what is done while nobody asks: each job, how far it is and what came of its last run."""
    async def run(self, job: str, *, limit: int = 1000, dry_run: bool = False) -> RunList:
        """Run a job now, or only say what it would do.

        job: The job, as `jobs` names it; `due` runs every job whose turn has come.
        limit: How many memories to deal with, at most.
        dry_run: Only say what it would do.
        """
    async def cancel(self, job: str) -> Cancelled:
        """Ask a job that runs to stop after the step in hand.

        job: The job, as `jobs` names it.
        """
    async def undo(self, job: str, *, since: datetime | None = None) -> ShownRun:
        """Take back what a job or a dream did: recall finds what it found before.

        job: The job whose doing is taken back, as `jobs` names it, or the id of a dream's report.
        since: Take back what it did since this moment; its last run when left out.
        """
    async def spaces(self) -> SpaceList:
        """List the vector spaces: which answers, which fills, which are kept to go back to."""
    async def space_retire(self, name: str) -> SpaceList:
        """Let a kept vector space go for good, with its vectors.

        name: The space to let go.
        """
    async def add(
        self,
        text: str,
        *,
        place: str = "",
        kind: str = "",
        name: str = "",
        tags: Sequence[str] = (),
        importance: float | None = None,
        pinned: bool | None = None,
        durability: Literal["permanent", "semester", "decaying", "transient"] | None = None,
        at: datetime | None = None,
        speaker: str = "",
        conflict: Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"] | None = None,
        verbatim: bool = False,
        metadata: Mapping[str, Any] | None = None,
        if_revision: int | None = None,
        snapshot: bool = False,
        cwd: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Kept:
        """The same as `remember`: keep a text for good, and say what became of it."""
    async def search(
        self,
        cue: str,
        *,
        limit: int = 10,
        budget_tokens: int | None = None,
        place: str = "",
        kinds: Sequence[str] = (),
        after: datetime | None = None,
        before: datetime | None = None,
        as_of: datetime | None = None,
        thread: str = "",
        history: Sequence[str | GivenTurn | Mapping[str, Any]] = (),
        speaker: str = "",
        preset: Literal["fast", "balanced", "deep"] = "balanced",
        rerank: Literal["none", "mmr", "model", "client"] = "none",
        mode: Literal["relevance", "balanced", "recent", "important", "historical", "broad"] = "relevance",
        fusion: Literal["sum", "rank", "max"] = "sum",
        min_relevance: float | None = None,
        mood: float = 0.0,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Recalled:
        """The same as `recall`: find the memories that matter for a cue, best first, each with its reasons."""
    async def get_all(
        self,
        *,
        place: str = "",
        kinds: Sequence[str] = (),
        state: Literal["live", "archived", "forgotten", "all"] = "live",
        as_of: datetime | None = None,
        limit: int = 50,
        cursor: str = "",
        count: bool = False,
        metadata: Mapping[str, Any] | None = None,
        tag: str = "",
        include_deprecated: bool = False,
        after: datetime | None = None,
        before: datetime | None = None,
        mentions: Sequence[str] = (),
        layers: Sequence[Literal["raw", "episodic", "semantic", "procedural", "relational"]] = (),
        sentiment: Literal["positive", "neutral", "negative"] | None = None,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> MemoryPage:
        """The same as `list`: list memories, newest first."""
    async def delete(
        self,
        memory: str | UUID,
        *,
        reason: str = "",
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> ChangedMemory:
        """The same as `forget`: forget a memory: it is found no more, and can be restored."""
    async def traverse(
        self,
        memory: str | UUID,
        *,
        direction: Literal["out", "in", "both"] = "both",
        kinds: Sequence[EdgeKind] = (),
        depth: int = 2,
        limit: int = 100,
        include_deprecated: bool = False,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> Walked:
        """The same as `walk`: follow the links of a memory."""
    async def snapshots(
        self,
        *,
        place: str = "",
        memory: str | UUID = "",
        limit: int = 50,
        project: str | None = None,
        squad: str | None = None,
        agent_id: str | None = None,
        channel: str | None = None,
        run_id: str | None = None,
        user_id: str | None = None,
    ) -> SnapshotList:
        """The same as `snapshot_list`: list snapshots of the workspace, newest first."""
