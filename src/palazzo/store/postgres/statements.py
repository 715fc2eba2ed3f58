"""Statements of the shared room as PostgreSQL understands them, for one palace.

Owns what the two engines say differently: placeholders, the fence of the palace round each table, what happens to a key
that is there already, keys bound as an array, joins without a condition, and a handful of words. Knows no connection
and no values. Invariants: every table that is read, changed or deleted from is narrowed to its palace here, below what
row-level security does; the same statement is translated once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

_TOKEN: Final = re.compile(
    r"""\s+|--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\?\d*|[A-Za-z_]\w*|\d+(?:\.\d+)?|->>|<>|<=|>=|!=|==|\|\||<<|>>|.""",
    re.DOTALL,
)
_OPENED: Final = re.compile(r"iif\(typeof\(([\w.]+)\) = 'blob', opened\(\1, ([\w.]+)\), \1\)")
_HEX_TEXT: Final = re.compile(r"CAST\(x'([0-9a-f]*)' AS TEXT\)")
_HINTS: Final = re.compile(r"\bINDEXED\s+BY\s+\w+|\bNOT\s+INDEXED\b")
_ENDS_FROM: Final = frozenset(
    [
        "WHERE",
        "GROUP",
        "ORDER",
        "LIMIT",
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "HAVING",
        "RETURNING",
        "SET",
        "WINDOW",
        "VALUES",
        "SELECT",
    ]
)
_NOT_ALIAS: Final = _ENDS_FROM | frozenset(
    ["ON", "JOIN", "LEFT", "CROSS", "INNER", "NATURAL", "AS", "USING", "DO", "DEFAULT", "WITH"]
)
_ONE_ROW: Final = re.compile(
    r"""(INSERT\ INTO\ .*?VALUES\ ?)\((\$\d+(?:,\ ?\$\d+)*)\)
        ((?:\ ON\ CONFLICT\ (?:\([\w,\ ]*\)\ )?DO\ (?:NOTHING|UPDATE\ SET\ [^$]*?))?)(?:\ RETURNING\ \w+)?$""",
    re.DOTALL | re.VERBOSE,
)
"""A row that is added and nothing else: two of them in one statement are as good as two statements. Of many nobody asks
which number they got."""
_KEYED: Final = re.compile(r"\(([\w, \"]+)\) *VALUES .* ON CONFLICT \(([\w, ]+)\) DO UPDATE ", re.DOTALL)
"""A row that takes the place of the one with its key: its columns, and which of them are the key."""
_TYPES: Final = {"INTEGER": "bigint", "BLOB": "bytea", "REAL": "double precision"}
_SETTLED: Final = frozenset({"NULL", "NOT", "TRUE", "FALSE", "DISTINCT"})
_RESERVED: Final = frozenset({"user"})


class Table(msgspec.Struct, frozen=True):
    """A table of the schema: its columns in order, without `palace`, and those of its key."""

    columns: tuple[str, ...]
    key: tuple[str, ...]
    numbered: bool = False
    """Whether a row that is given no number gets one."""
    shared: bool = False
    """Whether it belongs to no palace."""


class Translated(msgspec.Struct, frozen=True):
    """A statement of PostgreSQL, whether it changes anything, and whether it tells the number of the row it made."""

    text: str
    changes: bool
    numbers: bool = False
    _of_rows: dict[int, str | None] = {}

    def apart(self, rows: Sequence[Sequence[object]]) -> bool:
        """Whether one statement may add them all: no two of them take the place of the same row."""
        if len(rows) < 2 or "DO UPDATE" not in self.text:
            return True
        found = _KEYED.search(self.text)
        if found is None:
            return False
        columns, key = ([name.strip() for name in told.split(",")] for told in found.groups())
        at = [columns.index(name) for name in key if name != "palace"]
        return len({tuple([row[n] for n in at]) for row in rows}) == len(rows)

    def of_rows(self, count: int) -> str | None:
        """The same for that many rows; None where it is no plain row of values that an INSERT adds."""
        if count not in self._of_rows:
            self._of_rows[count] = self._with_rows(count)
        return self._of_rows[count]

    def _with_rows(self, count: int) -> str | None:
        found = _ONE_ROW.match(self.text)
        if found is None:
            return None
        width = found[2].count("$")
        rows = ",".join(f"({','.join(f'${row * width + n + 1}' for n in range(width))})" for row in range(count))
        return found[1] + rows + found[3]


class Translator:
    """Translates for one palace; `aside` holds, by table, a condition that damaged rows do not fulfil."""

    def __init__(
        self, palace: int, tables: Mapping[str, Table], aside: Mapping[str, str] | None = None, most: int = 4_096
    ) -> None:
        self.palace = palace
        self.tables = tables
        self._aside = aside or {}
        self._known: dict[str, Translated] = {}
        self._most = most

    def __call__(self, statement: str) -> Translated:
        found = self._known.get(statement)
        if found is None:
            if len(self._known) >= self._most:
                self._known.clear()
            found = self._known[statement] = self._translated(statement)
        return found

    def _translated(self, statement: str) -> Translated:
        text = _OPENED.sub(r"opened(\1, \2)", statement)
        text = _HEX_TEXT.sub(lambda found: f"convert_from('\\x{found[1]}', 'UTF8')", text)
        text = _HINTS.sub("", text)
        tokens = [token for token in _TOKEN.findall(text) if not token.startswith("--")]
        return _Statement(self, tokens).translated()

    def source(self, table: str, *, whole: bool = False) -> str:
        """What stands for a table in a FROM clause."""
        if self.tables[table].shared:
            return table
        kept = "" if whole or table not in self._aside else f" AND ({self._aside[table]})"
        return f"(SELECT * FROM {table} WHERE palace = {self.palace}{kept})"


class _Statement:
    """One statement on its way: its tokens, and what has been written of it."""

    def __init__(self, translator: Translator, tokens: list[str]) -> None:
        self.t = translator
        self.tokens = tokens
        self.at = 0
        self.out: list[str] = []
        self.asked = 0
        self.from_at = [False]
        """For each open parenthesis whether it stands in a FROM clause."""
        self.nested: list[bool] = []
        self.unnamed = 0
        self.wants_table = False
        self.target = ""
        self.ignores = self.replaces = False
        self.filtered = self.closed = False
        self.kind = self.alias = ""
        self.previous: list[str] = []

    def translated(self) -> Translated:
        while self.at < len(self.tokens):
            self._step()
        end = ""
        if self.kind in ("UPDATE", "DELETE") and not self.closed:
            end = ")" if self.filtered else self._fence(" WHERE ")
        text = "".join(self.out) + end
        if self.kind == "INSERT":
            text = self._conflict(text)
        numbers = (
            self.kind == "INSERT" and self.t.tables[self.target].numbered and not re.search(r"\bRETURNING\b", text)
        )
        if numbers:
            text += f" RETURNING {self.t.tables[self.target].key[0]}"
        return Translated(text, self.kind in ("INSERT", "UPDATE", "DELETE"), numbers)

    def _conflict(self, text: str) -> str:
        table = self.t.tables[self.target]
        if self.ignores:
            return f"{text} ON CONFLICT DO NOTHING"
        if self.replaces:
            rest = [column for column in table.columns if column not in table.key]
            told = ", ".join(f"{column} = excluded.{column}" for column in rest)
            key = ", ".join(("palace", *table.key))
            return f"{text} ON CONFLICT ({key}) DO {f'UPDATE SET {told}' if rest else 'NOTHING'}"
        return text

    # -- one token ----------------------------------------------------------------------------------------------------

    def _peek(self, ahead: int = 0) -> str:
        """The token that many words ahead, spaces left out; upper case."""
        at = self.at
        while at < len(self.tokens):
            token = self.tokens[at]
            if not token.isspace():
                if not ahead:
                    return token.upper()
                ahead -= 1
            at += 1
        return ""

    def _take(self) -> str:
        """The next token that is no space."""
        while self.tokens[self.at].isspace():
            self.at += 1
        self.at += 1
        return self.tokens[self.at - 1]

    def _step(self) -> None:
        token = self.tokens[self.at]
        self.at += 1
        if token.isspace():
            self.out.append(" ")
            return
        word = token.upper()
        self._word(token, word)
        self.previous = [*self.previous[-2:], word]

    def _word(self, token: str, word: str) -> None:
        if token[0] == "?":
            self.out.append(self._value(token))
        elif token[0] in "'\"":
            self.out.append(token)
        elif word == "(":
            self.from_at.append(False)
            self.nested.append(self.wants_table)
            self.wants_table = False
            self.out.append(token)
        elif word == ")":
            self.from_at.pop()
            self.wants_table = False
            self.out.append(token)
            if self.previous[-2:] == ["IN", "("]:
                self.out[-1] = "NULL)"  # none of nothing
            if self.nested and self.nested.pop():
                self.unnamed += 1
                self.out.append(f" {self._alias(f'unnamed_{self.unnamed}')}")
        elif word == ",":
            self.wants_table = self.from_at[-1]
            self.out.append(token)
        elif not self.kind and word in ("INSERT", "UPDATE", "DELETE") and self._begins(word):
            pass
        elif word in ("FROM", "JOIN") and "DISTINCT" not in self.previous[-1:]:
            self._from(token, word)
        elif word == "CROSS":
            pass  # said again, or not, by the JOIN that follows
        elif self.wants_table:
            self._table(token)
        else:
            self._other(token, word)

    def _value(self, token: str) -> str:
        """A value's number: a bare one follows the largest so far."""
        number = int(token[1:] or self.asked + 1)
        self.asked = max(self.asked, number)
        return f"${number}"

    def _from(self, token: str, word: str) -> None:
        self.wants_table = True
        self.from_at[-1] = True
        if word == "JOIN":
            plain = not self.previous or self.previous[-1] not in ("LEFT", "INNER", "OUTER", "FULL", "RIGHT")
            self.out.append("CROSS JOIN" if plain and not self._has_condition() else token)
        else:
            self.out.append(token)

    def _has_condition(self) -> bool:
        """Whether the JOIN here has an ON."""
        depth = 0
        for token in self.tokens[self.at :]:
            word = token.upper()
            if word == "(":
                depth += 1
            elif word == ")":
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0 and word in ("ON", "USING"):
                return True
            elif depth == 0 and (word in _ENDS_FROM or word in ("JOIN", "LEFT", "CROSS", ",")):
                return False
        return False

    def _alias(self, fallback: str) -> str:
        if self._peek() == "AS":
            self._take()
            return self._take()
        following = self._peek()
        if following and following not in _NOT_ALIAS and (following[0].isalpha() or following[0] == "_"):
            return self._take()
        return fallback

    def _table(self, token: str) -> None:
        self.wants_table = False
        whole = False
        if token.lower() == "main" and self._peek() == ".":
            self._take()
            token, whole = self._take(), True
        if token == "carray":  # noqa: S105 - a word of a statement
            self._take()
            asked = self._value(self._take())
            self._take()
            self.out.append(f"unnest({asked}) {self._alias('carray')}(value)")
        elif token in self.t.tables:
            alias = self._alias(token)
            self.out.append(f"{self.t.source(token, whole=whole)} {alias}")
        else:
            self.out.append(token)

    def _begins(self, word: str) -> bool:
        """A change: its table, written as it is and narrowed at the end."""
        if self.out and "".join(self.out).strip() and not "".join(self.out).lstrip().upper().startswith("WITH"):
            return False
        self.kind = word
        if self._peek() == "OR":
            self._take()
            how = self._take().upper()
            self.ignores, self.replaces = how == "IGNORE", how == "REPLACE"
        if word in ("INSERT", "DELETE"):
            self._take()
        self.target = self._take()
        if self.target not in self.t.tables:
            self.kind = "OTHER"
            self.out.append(
                f"{word} {'INTO' if word == 'INSERT' else 'FROM' if word == 'DELETE' else ''} {self.target}"
            )
            return True
        alias = self._alias(self.target)
        verb = {"INSERT": "INSERT INTO", "UPDATE": "UPDATE", "DELETE": "DELETE FROM"}[word]
        self.out.append(f"{verb} {self.target} AS {alias} ")
        self.alias = alias
        if word == "INSERT" and self._peek() in ("VALUES", "SELECT", "WITH"):
            self.out.append(f"({', '.join(_named(c) for c in self.t.tables[self.target].columns)}) ")
        return True

    def _fence(self, before: str) -> str:
        if self.t.tables[self.target].shared:
            return ""
        return f"{before}{self.alias}.palace = {self.t.palace}"

    def _other(self, token: str, word: str) -> None:
        if word in _ENDS_FROM or word == "ON":
            if word != "ON":
                self.from_at[-1] = False
            if word == "ON" and self._peek() == "CONFLICT":
                self._on_conflict()
                return
            if word == "WHERE" and self.kind in ("UPDATE", "DELETE") and len(self.from_at) == 1 and not self.filtered:
                self.filtered = True
                fence = self._fence("") or "TRUE"
                self.out.append(f"WHERE {fence} AND (")
                return
            if word == "RETURNING" and self.kind in ("UPDATE", "DELETE") and len(self.from_at) == 1:
                self.out.append(") " if self.filtered else self._fence(" WHERE ") + " ")
                self.closed = True
        if word in ("MAX", "MIN") and self._peek() == "(" and self._of_two():
            self.out.append("greatest" if word == "MAX" else "least")
        elif word == "GLOB" and self._peek().startswith("'"):
            self.out.append(f"~ {_pattern(self._take())}")
        elif word == "NOT" and self._peek() == "GLOB":
            self._take()
            self.out.append(f"!~ {_pattern(self._take())}")
        elif word in _TYPES and self.previous[-1:] == ["AS"]:
            self.out.append(_TYPES[word])
        elif word == "IS":
            self._is(token)
        elif word == "==":
            self.out.append("=")
        elif word == "MAIN" and self._peek() == ".":
            self._take()
        else:
            self.out.append(_named(token))

    def _is(self, token: str) -> None:
        if self._peek() == "NOT":
            if self._peek(1) in _SETTLED:
                self.out.append(token)
                return
            self._take()
            self.out.append("IS DISTINCT FROM")
        else:
            self.out.append(token if self._peek() in _SETTLED else "IS NOT DISTINCT FROM")

    def _on_conflict(self) -> None:
        self._take()
        if self._peek() == "(" and not self.t.tables[self.target].shared:
            self._take()
            self.from_at.append(False)
            self.nested.append(False)
            self.out.append("ON CONFLICT (palace, ")
        else:
            self.out.append("ON CONFLICT ")

    def _of_two(self) -> bool:
        depth = 0
        for sign in self.tokens[self.at :]:
            depth += (sign == "(") - (sign == ")")
            if sign == ")" and not depth:
                return False
            if sign == "," and depth == 1:
                return True
        return False


def _named(token: str) -> str:
    return f'"{token}"' if token in _RESERVED else token


def _pattern(literal: str) -> str:
    """A glob of SQLite, quoted, as a regular expression."""
    body = "".join(
        {"*": ".*", "?": "."}.get(sign, sign if sign in "[]-" or sign.isalnum() else f"\\{sign}")
        for sign in literal[1:-1]
    )
    return f"'^{body}$'"


def parts_of(statements: str) -> Sequence[str]:
    """The statements of a script, comments left out."""
    bare = re.sub(r"--[^\n]*", "", statements)
    return [part.strip() for part in bare.split(";") if part.strip()]
