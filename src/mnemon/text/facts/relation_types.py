"""The closed vocabulary of relations between entities, with their inverses.

Owns the names, which pairs read both ways, and the words of kinship and acquaintance that express them. Knows
nothing about sentences. Invariant: every inverse is itself in the vocabulary and points back; a symmetric
relation is its own inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from mnemon.text.words.lexicon import page

_PAGE: Final = page("relations")


@dataclass(frozen=True, slots=True)
class RelationType:
    """One relation of the vocabulary; `inverse` is the same tie read from the other end."""

    name: str
    inverse: str
    symmetric: bool = False
    acyclic: bool = False
    """Whether following it from anything never leads back there."""


_PAIRS: Final = (
    ("parent_of", "child_of", True),
    ("grandparent_of", "grandchild_of", True),
    ("aunt_or_uncle_of", "niece_or_nephew_of", True),
    ("manages", "reports_to", True),
    ("works_for", "employs", False),
    ("client_of", "has_client", False),
    ("teaches", "taught_by", False),
    ("mentors", "mentored_by", False),
    ("treats", "treated_by", False),
    ("landlord_of", "tenant_of", False),
    ("lives_in", "home_of", False),
    ("born_in", "birthplace_of", False),
    ("comes_from", "origin_of", False),
    ("visited", "visited_by", False),
    ("studies_at", "has_student", False),
    ("graduated_from", "has_graduate", False),
    ("member_of", "has_member", False),
    ("owns", "owned_by", False),
    ("part_of", "has_part", True),
    ("located_in", "location_of", True),
    ("created", "created_by", False),
    ("uses", "used_by", False),
    ("depends_on", "required_by", True),
    ("replaces", "replaced_by", True),
    ("prefers", "preferred_by", False),
    ("likes", "liked_by", False),
    ("dislikes", "disliked_by", False),
    ("allergic_to", "allergen_of", False),
    ("speaks", "spoken_by", False),
    ("interested_in", "interests", False),
    ("works_on", "worked_on_by", False),
    ("runs_on", "hosts", False),
)
_SYMMETRIC: Final = (
    "married_to", "partner_of", "sibling_of", "cousin_of", "friend_of", "knows", "colleague_of", "lives_with",
    "neighbor_of", "classmate_of", "related_to", "also_known_as",
)  # fmt: skip


def _vocabulary() -> Mapping[str, RelationType]:
    found: dict[str, RelationType] = {}
    for forward, backward, acyclic in _PAIRS:
        found[forward] = RelationType(forward, backward, acyclic=acyclic)
        found[backward] = RelationType(backward, forward, acyclic=acyclic)
    for name in _SYMMETRIC:
        found[name] = RelationType(name, name, symmetric=True)
    return MappingProxyType(found)


RELATIONS: Final[Mapping[str, RelationType]] = _vocabulary()

# What Y is to X in "X's <word> Y": (Y, relation, X).
KIN: Final = _PAGE.labelled("kin")
