"""The logic of beliefs: ground statements, their negations, and what follows from them.

Owns literals, formulas and sentences (conjunctions of clauses), consistency and entailment. The logic is classical
propositional logic over statements (subject, predicate, value) with one background law: a functional slot (subject,
predicate) has at most one true value. Knows no store, no order and no time. Invariants: a sentence is in canonical form
(its prime implicates), so equivalent formulas make equal sentences; every answer is exact, never a guess.

Also reads formulas as people write them: `editor = vim or not (team.tool = jira)`, `if weather = rain then bus = yes`;
and plain statements that are joined the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import product

import msgspec

from palazzo.errors import InvalidInput
from palazzo.model.memory import Atom

Slot = tuple[str, str]
MOST_CLAUSES = 4_000
"""A formula that needs more clauses than this is refused: canonical forms grow exponentially in the worst case."""


class Statement(msgspec.Struct, frozen=True, order=True):
    """One ground statement. Spelling is canonical: outer space cut, the value without case."""

    subject: str
    predicate: str
    value: str

    @property
    def slot(self) -> Slot:
        return self.subject, self.predicate


class Literal(msgspec.Struct, frozen=True, order=True):
    """A statement or its denial."""

    statement: Statement
    positive: bool = True

    def __invert__(self) -> Literal:
        return Literal(self.statement, not self.positive)

    def __str__(self) -> str:
        told = f"{self.statement.subject} {self.statement.predicate} {self.statement.value}"
        return told if self.positive else f"not ({told})"


Clause = frozenset[Literal]
Sentence = frozenset[Clause]
"""A conjunction of clauses; each clause is a disjunction. The empty sentence is true, the empty clause false."""

TRUE: Sentence = frozenset()
FALSE: Sentence = frozenset({frozenset()})


class Not(msgspec.Struct, frozen=True):
    part: Formula


class And(msgspec.Struct, frozen=True):
    parts: tuple[Formula, ...]


class Or(msgspec.Struct, frozen=True):
    parts: tuple[Formula, ...]


Formula = Literal | Not | And | Or


def statement(subject: str, predicate: str, value: str) -> Literal:
    """A positive literal in canonical spelling."""
    return Literal(Statement(subject.strip(), predicate.strip(), " ".join(value.split()).casefold()))


def literal_of(atom: Atom) -> Literal:
    """The literal an atom states."""
    found = statement(atom.subject, atom.predicate, atom.value)
    return ~found if atom.negated else found


def implies(premises: Iterable[Formula], conclusion: Formula) -> Formula:
    """A rule: if all premises hold, so does the conclusion."""
    return Or((*(Not(premise) for premise in premises), conclusion))


class Formulated(msgspec.Struct, frozen=True):
    """A formula as it was written, and its statements as atoms in the spelling that was given."""

    formula: Formula
    atoms: tuple[Atom, ...]


_PIECES = re.compile(r"""\s*(?:"([^"]*)"|(!=|\+=|=|[()])|((?:(?!!=|\+=)[^\s()="])+))""")
_SIGNS = frozenset({"=", "!=", "+="})
_JOINTS = frozenset({"and", "or", "not", "if", "then"})


def written(text: str, about: str = "user") -> Formulated | None:
    """The formula a text is; None for a text in plain words.

    A statement is `attribute = value` (one value), `attribute += value` (one of several) or `attribute != value`, of
    `about` or of what stands before a dot; `not`, `and`, `or`, `if ... then ...` and brackets join them.
    """
    reader = FormulaReader(text, about)
    if not reader.is_formula:
        return None
    try:
        made = reader.whole()
    except LookupError:
        return None
    return Formulated(made, tuple(reader.atoms))


_RULE = re.compile(r"\s*if\s+(.+?),?\s+then\s+(.+)", re.IGNORECASE | re.DOTALL)
_EITHER = re.compile(r"(?:either\s+)?(.+?\sor\s.+)", re.IGNORECASE | re.DOTALL)
_OR = re.compile(r",?\s+or\s+", re.IGNORECASE)


def told(text: str, read: Callable[[str], tuple[Atom, ...]]) -> Formulated | None:
    """What plain words say that join whole statements by `if ... then ...` or by `or`; None where they join none.

    `read` gives what one statement asserts. Raises: InvalidInput for a rule with a side that asserts nothing.
    """
    rule = _RULE.fullmatch(text)
    if rule is None:
        return _any_of(text, read)
    sides = [_any_of(side, read) or _all_of(side, read) for side in rule.groups()]
    if sides[0] is None or sides[1] is None:
        raise InvalidInput(
            "a rule needs a statement of an attribute and its value on both sides", field="text",
            hint="such as: if my office is in Bonn then my manager is Karl; or: if weather = rain then travel = bus",
        )  # fmt: skip
    return Formulated(implies((sides[0].formula,), sides[1].formula), sides[0].atoms + sides[1].atoms)


def _any_of(text: str, read: Callable[[str], tuple[Atom, ...]]) -> Formulated | None:
    joined = _EITHER.fullmatch(text.strip())
    parts = [_all_of(part, read) for part in _OR.split(joined[1])] if joined else []
    whole = [part for part in parts if part is not None]
    if not whole or len(whole) < len(parts):  # "tea or coffee" is one value in doubt, no choice of two statements
        return None
    return Formulated(Or(tuple(part.formula for part in whole)), tuple(atom for part in whole for atom in part.atoms))


def _all_of(text: str, read: Callable[[str], tuple[Atom, ...]]) -> Formulated | None:
    atoms = read(text)
    return Formulated(And(tuple(map(literal_of, atoms))), atoms) if atoms else None


class FormulaReader:
    """Reads one formula from left to right. Raises: LookupError where the text is none."""

    def __init__(self, text: str, about: str) -> None:
        self._about = about
        self._pieces: list[tuple[str, bool]] = []
        """The text in pieces, each with whether it may be a sign or a joint."""
        end = 0
        for found in _PIECES.finditer(text.strip().rstrip(".")):
            quoted, sign, word = found.groups()
            self._pieces.append((quoted, False) if quoted is not None else (sign or word, True))
            end = found.end()
        self.is_formula = end == len(text.strip().rstrip(".")) and any(p in _SIGNS and s for p, s in self._pieces)
        self._at = 0
        self.atoms: list[Atom] = []

    def whole(self) -> Formula:
        made = self._rule()
        if self._at != len(self._pieces):
            raise LookupError
        return made

    def _next(self, *wanted: str) -> bool:
        """Takes the next piece if it is one of those."""
        if self._at < len(self._pieces):
            piece, free = self._pieces[self._at]
            if free and piece.lower() in wanted:
                self._at += 1
                return True
        return False

    def _must(self, wanted: str) -> None:
        if not self._next(wanted):
            raise LookupError(wanted)

    def _rule(self) -> Formula:
        if not self._next("if"):
            return self._any()
        premise = self._any()
        self._must("then")
        return implies((premise,), self._any())

    def _any(self) -> Formula:
        parts = [self._all()]
        while self._next("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self) -> Formula:
        parts = [self._one()]
        while self._next("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _one(self) -> Formula:
        if self._next("not"):
            return Not(self._one())
        if self._next("("):
            made = self._rule()
            self._must(")")
            return made
        return self._statement()

    def _statement(self) -> Formula:
        name, quoted = self._word()
        subject, dot, predicate = ("", "", name) if quoted else name.rpartition(".")
        if quoted and self._at < len(self._pieces) and self._pieces[self._at][0].startswith("."):
            subject, dot, predicate = name, ".", self._word()[0][1:]
        sign = next((one for one in ("=", "!=", "+=") if self._next(one)), "")
        words = [self._word()[0]]
        while self._more():
            words.append(self._word()[0])
        if not predicate or not sign or (dot and not subject):
            raise LookupError(name)
        value = " ".join(words).rstrip(",")
        atom = Atom(subject or self._about, predicate, value, functional=sign != "+=", negated=sign == "!=")
        self.atoms.append(atom)
        return literal_of(atom)

    def _more(self) -> bool:
        """Whether the value goes on."""
        if self._at >= len(self._pieces):
            return False
        piece, free = self._pieces[self._at]
        return not (free and (piece.lower() in _JOINTS or piece in _SIGNS or piece in "()"))

    def _word(self) -> tuple[str, bool]:
        if self._at >= len(self._pieces) or not self._more():
            raise LookupError
        piece, free = self._pieces[self._at]
        self._at += 1
        return piece, not free


def sentence(formula: Formula) -> Sentence:
    """The canonical form of a formula: all its prime implicates.

    Raises: InvalidInput when the formula is too entangled to bring into that form.
    """
    return _prime_implicates(_clauses(formula, True))


def conjunction(sentences: Iterable[Sentence]) -> Sentence:
    """One sentence that says what all of these say."""
    return _prime_implicates(frozenset().union(*sentences))


def negation(said: Sentence) -> Sentence:
    """What is true exactly when the sentence is not."""
    return sentence(Not(And(tuple(Or(tuple(clause)) for clause in said))))


def _clauses(formula: Formula, positive: bool) -> Sentence:
    """Clauses of the formula, or of its negation, by distribution."""
    if isinstance(formula, Literal):
        return frozenset({frozenset({formula if positive else ~formula})})
    if isinstance(formula, Not):
        return _clauses(formula.part, not positive)
    parts = [_clauses(part, positive) for part in formula.parts]
    if isinstance(formula, And) == positive:
        return frozenset(clause for part in parts for clause in part)
    total: set[Clause] = {frozenset()}
    for part in parts:
        if len(total) * len(part) > MOST_CLAUSES:
            raise InvalidInput("the formula is too entangled", field="formula", hint="state its parts one by one")
        joined = (left | right for left, right in product(total, part))
        total = _without_subsumed({clause for clause in joined if not _tautology(clause)})
    return frozenset(total)


def _tautology(clause: Clause) -> bool:
    return any(literal.positive and ~literal in clause for literal in clause)


def _without_subsumed(clauses: Collection[Clause]) -> set[Clause]:
    kept: list[Clause] = []
    for clause in sorted(clauses, key=len):
        if not any(smaller <= clause for smaller in kept):
            kept.append(clause)
    return set(kept)


def _resolvents(a: Clause, b: Clause) -> Iterator[Clause]:
    for literal in a:
        if ~literal in b:
            made = (a - {literal}) | (b - {~literal})
            if not _tautology(made):
                yield made


def _prime_implicates(clauses: Sentence) -> Sentence:
    """Resolution to a fixed point, subsumed clauses dropped: what is left are the prime implicates."""
    found = _without_subsumed({clause for clause in clauses if not _tautology(clause)})
    while True:
        by_literal: dict[Literal, list[Clause]] = {}
        for clause in found:
            for literal in clause:
                by_literal.setdefault(literal, []).append(clause)
        made = {
            resolvent
            for clause in found
            for literal in clause
            if literal.positive
            for other in by_literal.get(~literal, ())
            for resolvent in _resolvents(clause, other)
        }
        fresh = {clause for clause in made if not any(known <= clause for known in found)}
        if not fresh:
            return frozenset(found)
        found = _without_subsumed(found | fresh)
        if len(found) > MOST_CLAUSES:
            raise InvalidInput("the formula is too entangled", field="formula", hint="state its parts one by one")


def literals_in(said: Iterable[Sentence]) -> frozenset[Literal]:
    """Every literal that occurs."""
    return frozenset(literal for one in said for clause in one for literal in clause)


class Laws:
    """Which slots are functional: the background of every question of consistency."""

    __slots__ = ("functional",)

    def __init__(self, functional: Iterable[Slot] = ()) -> None:
        self.functional = frozenset(functional)

    def consistent(self, *said: Sentence) -> bool:
        """Whether all sentences can be true together under the laws."""
        clauses = [clause for one in said for clause in one]
        rivals: dict[Slot, set[Statement]] = {}
        for clause in clauses:
            for literal in clause:
                if literal.statement.slot in self.functional:
                    rivals.setdefault(literal.statement.slot, set()).add(literal.statement)
        return _satisfiable(clauses, {}, rivals)

    def entails(self, said: Iterable[Sentence], conclusion: Sentence) -> bool:
        """Whether the conclusion follows from the sentences under the laws."""
        known = tuple(said)
        return all(
            not self.consistent(*known, frozenset(frozenset({~literal}) for literal in clause)) for clause in conclusion
        )


def _satisfiable(
    clauses: list[Clause], truth: dict[Statement, bool], rivals: dict[Slot, set[Statement]]
) -> bool:  # fmt: skip
    """Unit propagation with the law of functional slots, then a case split on what is left."""
    truth = dict(truth)
    pending = clauses
    while True:
        left: list[Clause] = []
        moved = False
        for clause in pending:
            open_literals = []
            satisfied = False
            for literal in clause:
                known = truth.get(literal.statement)
                if known is None:
                    open_literals.append(literal)
                elif known == literal.positive:
                    satisfied = True
                    break
            if satisfied:
                continue
            if not open_literals:
                return False
            if len(open_literals) == 1:
                if not _assign(open_literals[0], truth, rivals):
                    return False
                moved = True
            else:
                left.append(frozenset(open_literals))
        pending = left
        if not moved:
            break
    if not pending:
        return True
    chosen = min(pending, key=lambda clause: (len(clause), sorted(clause)))
    literal = min(chosen)
    for choice in (literal, ~literal):
        branch = dict(truth)
        if _assign(choice, branch, rivals) and _satisfiable(pending, branch, rivals):
            return True
    return False


def _assign(literal: Literal, truth: dict[Statement, bool], rivals: dict[Slot, set[Statement]]) -> bool:
    """Makes a literal true, and with it every rival value of a functional slot false; False on a clash."""
    known = truth.get(literal.statement)
    if known is not None:
        return known == literal.positive
    truth[literal.statement] = literal.positive
    if literal.positive:
        for rival in rivals.get(literal.statement.slot, ()):
            if rival != literal.statement:
                if truth.get(rival):
                    return False
                truth[rival] = False
    return True
