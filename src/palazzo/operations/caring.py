"""Operations about the palace as a whole: status, doctor, verify, backup.

They tell names and numbers, never content.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from palazzo.adapters import key_file
from palazzo.files.raw_files import named
from palazzo.intake.rebuild import gaps
from palazzo.operations import care_results as r
from palazzo.operations import parameters as p
from palazzo.operations.context import Context
from palazzo.store.api import Finding
from palazzo.text.safety import injection_head

Progress = Callable[[str, int, int], None]


def status(context: Context, _asked: p.Nothing) -> r.Status:
    """How much there is; for anyone but the operator, of what they may know of."""
    if context.access.is_operator:
        found = context.engine.store.care.overview()
    else:
        with context.engine.store.reading(context.view()) as reading:
            found = reading.counts.within()
    spaces = tuple(r.VectorSpace(**space) for space in found.pop("spaces"))
    return r.Status(**found, spaces=spaces)


def doctor(context: Context, _asked: p.Nothing) -> r.Diagnosis:
    """What is well and what is not; the figures are the operator's, for they are of the whole palace."""
    context.engine.finish_erasures()
    found = [*context.engine.store.care.doctor(), *context.engine.examined()]
    if not injection_head.available():
        told = "planted instructions are told by their form alone: the weights of the head are not installed"
        found.append(Finding("injection", "warning", told, "install the package whole"))
    full = context.access.is_operator
    return r.Diagnosis(
        well=all(f.level != "bad" for f in found),
        findings=tuple(
            r.Finding(check=f.check, level=f.level, detail=f.detail if full else "", advice=f.advice if full else "")
            for f in found
        ),
    )


def verify(context: Context, _asked: p.Nothing, progress: Progress | None = None) -> r.Verified:
    """Whether everything agrees; what does not, the operator is told."""
    engine = context.engine
    cut = (f"archive: {gap}; put the file back from a copy" for gap in gaps(engine.store, engine.intake) if gap.lost)
    problems = (*engine.store.care.verify(progress), *cut)
    return r.Verified(clean=not problems, problems=problems if context.access.is_operator else ())


def backup(context: Context, asked: p.Backup, progress: Progress | None = None) -> r.BackedUp:
    """Copies the palace file, and beside it the note of how its key is obtained."""
    target = named(asked.target, "target")
    told = None if progress is None else partial(progress, "pages")
    store = context.engine.store
    noted: list[str] = []
    store.care.backup(target, told, lambda: noted.append(key_file.copy_beside(context.engine.folder, target)))
    return r.BackedUp(backup=str(target), bytes=target.stat().st_size, key_file=noted[0])
