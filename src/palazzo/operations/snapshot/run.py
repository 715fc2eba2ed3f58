"""Operations on snapshots of workspaces.

Owns who may take, see and bring back one. Invariants: nothing is looked at while capture is paused; a snapshot is shown
where everything may be read; bringing one back is an action on the world outside, so the governor decides and without a
person's yes nothing is done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.capture.snapshots import workspace
from palazzo.capture.snapshots.around import Around
from palazzo.errors import InvalidInput, NotPermitted
from palazzo.guard import spine
from palazzo.model.address import ROOT
from palazzo.model.capability import Level, View
from palazzo.model.ids import new_id
from palazzo.model.snapshot import DropSnapshot, KeepSnapshot, Snapshot
from palazzo.operations.context import CallContext, place_called, places_called
from palazzo.operations.shared import moment
from palazzo.operations.snapshot import spec
from palazzo.store.api import ToErase
from palazzo.text.safety.secrets import find_secrets, redact

FORM = "snapshot 1"
MOST_NAMED = 4


def _around(context: CallContext, cwd: str = "") -> Around:
    """The machine around the palace.

    Raises: NotPermitted while capture is paused, InvalidInput for a folder that is not there.
    """
    gate = context.engine.capture.gate()
    if gate.paused:
        raise NotPermitted("capture is paused", hint="the operator resumes it with `palazzo resume`")
    if not cwd:
        return Around(gate=gate)
    folder = Path(cwd).expanduser()
    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {cwd}", field="cwd", hint="name one that is there, or leave it out")
    return Around(folder=folder, gate=gate)


def _view(context: CallContext) -> View:
    """What the caller sees where it may read everything: a workspace tells more than a memory beside it."""
    return replace(context.view(), reach=context.access.globs(Level.read_all))


def _parts(context: CallContext) -> dict[str, Any]:
    return {part.name: part for part in context.engine.snapshot_parts()}


def taken(context: CallContext, memory_id: UUID | None, place: str, cwd: str = "") -> spec.ShownSnapshot:
    """Takes a snapshot and keeps it.

    Raises: NotPermitted while capture is paused.
    """
    around = _around(context, cwd)
    found = workspace.take(tuple(_parts(context).values()), around)
    now_us = context.engine.clock.now_us()
    made = Snapshot(
        id=new_id(now_us), place=place_called(place) if place else ROOT, subject=context.subject, captured_us=now_us,
        state=workspace.encoded(found.state), territory=found.territory, memory_id=memory_id, scope=context.scope,
    )  # fmt: skip
    context.commit(KeepSnapshot(made))
    return replace(_shown(made), left_out=found.left_out)


def snapshot_save(context: CallContext, asked: spec.SnapshotSaveParameters) -> spec.ShownSnapshot:
    if asked.memory:
        if asked.place:
            raise InvalidInput("a snapshot of a memory is where the memory is", field="place", hint="leave it out")
        memory = context.memory(asked.memory)
        context.require_at(memory.place)
        return taken(context, memory.id, memory.place.path, asked.cwd)
    context.require_at(place_called(asked.place) if asked.place else ROOT)
    return taken(context, None, asked.place, asked.cwd)


def _found(context: CallContext, named: str) -> Snapshot:
    """Raises: NotFound, Conflict, InvalidInput."""
    with context.engine.store.reading(_view(context)) as reading:
        return reading.snapshots.get(named)


def _state(found: Snapshot) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode(found.state)
    return told


def _shown(found: Snapshot) -> spec.ShownSnapshot:
    state = _state(found)
    return spec.ShownSnapshot(
        id=found.id, place=found.place.path, territory=found.territory, captured_at=moment(found.captured_us),
        bytes=found.size, parts=tuple(state), summary=_summary(state), by=found.subject, memory=found.memory_id,
    )  # fmt: skip


def _summary(state: dict[str, Any]) -> str:
    """What a workspace was about, in a line."""
    panes = [
        (session["name"], pane)
        for session in state.get("tmux", {}).get("sessions", ())
        for window in session["windows"]
        for pane in window["panes"]
    ]
    editors = [*(pane["editor"] for _, pane in panes if "editor" in pane), *state.get("editors", ())]
    files = [Path(path).name for editor in editors for path, _ in editor["files"]]
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    said = (
        ", ".join(files[:MOST_NAMED]) + more,
        f"branch {state['git']['branch']}" if "git" in state else "",
        f"tmux {', '.join(dict.fromkeys(name for name, _ in panes))}" if panes else "",
        f"{len(state['browser']['tabs'])} tabs" if "browser" in state else "",
        str(state.get("music", {}).get("title", "")),
        f"in {state['folder']}" if "folder" in state else "",
    )
    return "; ".join(filter(None, said))


def snapshot_list(context: CallContext, asked: spec.SnapshotListParameters) -> spec.SnapshotList:
    memory = context.memory(asked.memory, level=Level.read_all).id if asked.memory else None
    with context.engine.store.reading(_view(context)) as reading:
        found = reading.snapshots.newest(places_called(asked.place), memory, asked.limit)
    return spec.SnapshotList(snapshots=tuple(map(_shown, found)))


def snapshot_show(context: CallContext, asked: spec.OneSnapshotParameters) -> spec.WholeSnapshot:
    found = _found(context, asked.snapshot)
    return spec.WholeSnapshot(**msgspec.structs.asdict(_shown(found)), state=_state(found))


def snapshot_diff(context: CallContext, asked: spec.SnapshotDiffParameters) -> spec.SnapshotDifferences:
    before = _state(_found(context, asked.snapshot))
    left: tuple[str, ...] = ()
    if asked.other:
        after = _state(_found(context, asked.other))
    else:
        now = workspace.take(tuple(_parts(context).values()), _around(context, asked.cwd))
        after, left = now.state, now.left_out
    found = workspace.differences(before, after)
    return spec.SnapshotDifferences(
        differences=tuple(spec.ShownDifference(where=where, before=old, after=new) for where, old, new in found),
        left_out=left,
    )  # fmt: skip


def snapshot_restore(context: CallContext, asked: spec.SnapshotRestoreParameters) -> spec.SnapshotRestored:
    found = _found(context, asked.snapshot)
    action = spine.Action(kind="external", basis=("task",), by_operator=context.access.is_operator)
    governed = spine.decide(action, context.engine.clock.now_us())
    dry = not (asked.yes and governed.may_act)
    things = workspace.bring_back(
        _parts(context), _state(found), _around(context, asked.cwd), dry=dry, music=asked.music
    )
    command = f"palazzo snapshot restore {found.id} --yes"
    return spec.SnapshotRestored(
        snapshot=found.id, dry_run=dry, mode=governed.mode,
        things=tuple(
            spec.RestoredThing(step=one.step, what=one.what, outcome=one.state, told=one.told) for one in things
        ),
        next="" if not dry else f"to do it: {command}" if governed.may_act else f"the operator does it: {command}",
    )  # fmt: skip


def snapshot_share(context: CallContext, asked: spec.OneSnapshotParameters) -> spec.SharedSnapshot:
    found = _found(context, asked.snapshot)
    struck: list[str] = []
    state = _screened(_state(found), str(Path.home()), "", struck)
    return spec.SharedSnapshot(
        palazzo=FORM, captured_at=moment(found.captured_us), territory=_screened(found.territory, "", "", struck),
        state=state, struck_out=tuple(dict.fromkeys(struck)),
    )  # fmt: skip


def _screened(value: Any, home: str, name: str, struck: list[str]) -> Any:
    """A value without secrets and without the name of a home folder; what was struck out is noted by where it stood."""
    if isinstance(value, dict):
        return {key: _screened(one, home, f"{name}.{key}" if name else key, struck) for key, one in value.items()}
    if isinstance(value, list):
        return [_screened(one, home, name, struck) for one in value]
    if not isinstance(value, str):
        return value
    if home and (value == home or value.startswith(f"{home}/")):
        value = f"~{value[len(home) :]}"
    secrets = find_secrets(value)
    if secrets:
        struck.append(f"{name}: {', '.join(dict.fromkeys(one.reason for one in secrets))}")
    return redact(value, secrets)


def snapshot_drop(context: CallContext, asked: spec.OneSnapshotParameters) -> spec.DroppedSnapshot:
    found = _found(context, asked.snapshot)
    context.require_at(found.place)
    context.commit(DropSnapshot(found.id))
    archive = context.engine.intake.archive
    if archive is not None:
        archive.erase(ToErase(memories=frozenset({found.id})))
    copies = len(context.engine.store.care.copies())
    left = f"{copies} backups in the folder of the palace may still hold it" if copies else ""
    return spec.DroppedSnapshot(id=found.id, next=left)
