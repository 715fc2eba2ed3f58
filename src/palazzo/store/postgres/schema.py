"""The schema on PostgreSQL: the tables of the shared room, each with its palace, in partitions, behind a fence.

Owns how a table's declaration is said here (`palace` in every key, hash partitions, blobs outside and uncompressed),
the functions SQLite has and PostgreSQL has not, the register of palaces, and row-level security. Migrations are the
shared ones: what declares a table runs once for all palaces, what changes rows once for each. Invariants: no row is
seen, written or changed in a session that has not said its palace; rows of a scope the session may not see are not
seen, whatever a statement asks.
"""

from __future__ import annotations

import re
from typing import Final

from palazzo.store.sql.rows import TABLES as SHAPES

SCHEMA: Final = "palazzo"
ROLE: Final = "palazzo_palaces"
"""Who every session works as: it owns nothing, and no fence is lifted for it."""
SHARED: Final = frozenset({"migration", "register", "sqlite_schema"})
"""What belongs to no palace."""
SCOPED: Final = frozenset(
    {
        "memory",
        "atom",
        "entity",
        "alias",
        "session",
        "intake",
        "in_mind",
        "claim",
        "signal",
        "packet",
        "slip",
        "snapshot",
        "raw_event",
    }
)
"""Tables whose rows say their scope."""
_TYPE: Final = {"INTEGER": "bigint", "TEXT": 'text COLLATE "C"', "REAL": "double precision", "BLOB": "bytea"}
PALACE: Final = "current_setting('palazzo.palace')::bigint"

FUNCTIONS: Final = r"""
CREATE FUNCTION fresh_number(told text, key text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint; BEGIN
  EXECUTE format('SELECT coalesce(max(%I), 0) + 1 FROM %I WHERE palace = $1', key, told)
    INTO found USING current_setting('palazzo.palace')::bigint;
  RETURN found; END $$;
CREATE FUNCTION next_number(told text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint; BEGIN
  INSERT INTO numbering AS n (palace, name, last) VALUES (current_setting('palazzo.palace')::bigint, told, 1)
    ON CONFLICT (palace, name) DO UPDATE SET last = n.last + 1 RETURNING last INTO found;
  RETURN found; END $$;
CREATE FUNCTION opened(said text, owner bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN starts_with(said, E'\x01') THEN E'\x02' || owner::text || ':' || substr(said, 2) ELSE said END $$;
CREATE FUNCTION typeof(said text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN said IS NULL THEN 'null' WHEN starts_with(said, E'\x01') THEN 'blob' ELSE 'text' END $$;
CREATE FUNCTION typeof(said bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN said IS NULL THEN 'null' ELSE 'blob' END $$;
CREATE FUNCTION typeof(said bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN said IS NULL THEN 'null' ELSE 'integer' END $$;
CREATE FUNCTION iif(held boolean, yes anycompatible, no anycompatible)
  RETURNS anycompatible LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN held THEN yes ELSE no END $$;
CREATE FUNCTION instr(whole text, part text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT strpos(whole, part)::bigint $$;
CREATE FUNCTION substr(whole text, start bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_catalog.substr(whole, start::integer) $$;
CREATE FUNCTION substr(whole text, start bigint, size bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_catalog.substr(whole, start::integer, size::integer) $$;
CREATE FUNCTION hex(said bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT upper(encode(said, 'hex')) $$;
CREATE FUNCTION hex(said text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT upper(encode(convert_to(said, 'UTF8'), 'hex')) $$;
CREATE FUNCTION hex(said bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT upper(encode(convert_to(said::text, 'UTF8'), 'hex')) $$;
CREATE FUNCTION unhex(said text, without text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT decode(replace(said, without, ''), 'hex') $$;
CREATE FUNCTION json_valid(said text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT starts_with(said, '{') $$;
CREATE FUNCTION json_extract(said text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN starts_with(said, '{') THEN said::jsonb ->> substr(path, 3) END $$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_extract);
CREATE FUNCTION json_each(said text, path text)
  RETURNS TABLE (key text, value text, atom text, type text) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE held jsonb; BEGIN
  IF said IS NULL OR NOT starts_with(said, '{') THEN RETURN; END IF;
  held := said::jsonb -> substr(path, 3);
  IF jsonb_typeof(held) = 'array' THEN
    RETURN QUERY SELECT (n - 1)::text, e #>> '{}', json_atom(e), sql_type(e)
      FROM jsonb_array_elements(held) WITH ORDINALITY AS a(e, n);
  ELSIF jsonb_typeof(held) = 'object' THEN
    RETURN QUERY SELECT o.key, o.value #>> '{}', json_atom(o.value), sql_type(o.value) FROM jsonb_each(held) o;
  END IF; END $$;
CREATE FUNCTION is_number(said text, number double precision) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN said ~ '^-?[0-9][0-9.eE+-]*$' THEN said::double precision = number ELSE false END $$;
CREATE FUNCTION is_number(said text, number bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT is_number(said, number::double precision) $$;
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = bigint, FUNCTION = is_number);
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = double precision, FUNCTION = is_number);
CREATE FUNCTION json_atom(said jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN said = 'true'::jsonb THEN '1' WHEN said = 'false'::jsonb THEN '0' ELSE said #>> '{}' END $$;
CREATE FUNCTION sql_type(said jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE jsonb_typeof(said) WHEN 'string' THEN 'text' WHEN 'boolean' THEN said #>> '{}'
    WHEN 'number' THEN CASE WHEN said #>> '{}' ~ '[.eE]' THEN 'real' ELSE 'integer' END ELSE jsonb_typeof(said) END $$;
CREATE VIEW sqlite_schema AS SELECT tablename::text AS name, 'table'::text AS type FROM pg_catalog.pg_tables
  WHERE schemaname = 'palazzo';
"""
"""What SQLite brings along. A sealed text begins with a sign no text begins with; what is read of it also tells whose
it is, and the session opens it: the key never comes here."""


def table(statement: str, partitions: int) -> list[str]:
    """A CREATE TABLE of SQLite as the statements that make it here."""
    found = re.match(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)\s*\((.*)\)[^)]*$", statement, re.DOTALL)
    if found is None:
        raise ValueError(statement)
    name, body = found[1], found[2]
    columns: list[str] = []
    keys: list[str] = []
    unique: list[str] = []
    blobs: list[str] = []
    for part in _split(body):
        if whole := re.match(r"PRIMARY KEY\s*\((.*)\)$", part):
            keys = [whole[1]]
        elif whole := re.match(r"UNIQUE\s*\((.*)\)$", part):
            unique.append(whole[1])
        else:
            said = column(name, part)
            if " PRIMARY KEY" in part:
                keys = [part.split()[0]]
            if " UNIQUE" in part:
                unique.append(part.split()[0])
            if " bytea" in said:
                blobs.append(part.split()[0])
            columns.append(said)
    if name in SHARED:
        return [f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(columns)}, PRIMARY KEY ({', '.join(keys)}))"]
    columns.append(f"palace bigint NOT NULL DEFAULT {PALACE}")
    columns.append(f"PRIMARY KEY (palace, {', '.join(keys)})")
    columns += [f"UNIQUE (palace, {one})" for one in unique]
    made = [f"CREATE TABLE {name} ({', '.join(columns)}) PARTITION BY HASH (palace)"]
    made += [f"ALTER TABLE {name} ALTER COLUMN {one} SET STORAGE EXTERNAL" for one in blobs]
    made += [
        f"CREATE TABLE {name}_{n} PARTITION OF {name} FOR VALUES WITH (MODULUS {partitions}, REMAINDER {n})"
        for n in range(partitions)
    ]
    return [*made, *fenced(name, {one.split()[0] for one in columns})]


def column(name: str, part: str) -> str:
    """A column as it is declared here."""
    word, *rest = part.split(None, 2)
    typed = rest[0] if rest and rest[0] in _TYPE else ""
    after = " ".join(rest[1:] if typed else rest)
    shape = SHAPES.get(name)
    held = next((one for one in shape.columns if one.name == word), None) if shape is not None else None
    kind = _TYPE["TEXT"] if not typed or (held is not None and held.owner is not None) else _TYPE[typed]
    numbered = typed == "INTEGER" and "PRIMARY KEY" in after
    sequence = "AUTOINCREMENT" in after
    after = re.sub(r"REFERENCES \w+\(\w+\)|PRIMARY KEY|AUTOINCREMENT|\bUNIQUE\b", "", after)
    if numbered:
        after += f" DEFAULT next_number('{name}')" if sequence else f" DEFAULT fresh_number('{name}', '{word}')"
    return f"{quoted(word)} {kind} {after}".strip()


def quoted(word: str) -> str:
    """A name PostgreSQL would take for a word of its own."""
    return f'"{word}"' if word == "user" else word


def fenced(name: str, columns: set[str]) -> list[str]:
    """Row-level security of a table, for its owner too."""
    here = f"palace = (SELECT {PALACE})"
    seen = here
    if name in SCOPED and "scope" in columns:
        seen += (
            " AND ((SELECT current_setting('palazzo.scopes', true) = 'all')"
            " OR scope = ANY ((SELECT nullif(current_setting('palazzo.scopes', true), 'all')::bigint[])::bigint[]))"
        )
    return [
        f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY fence ON {name} USING ({seen}) WITH CHECK ({here})",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {name} TO {ROLE}",
    ]


def index(statement: str) -> str:
    """A CREATE INDEX of SQLite as it is said here: the palace first."""
    text = statement.replace("IF NOT EXISTS ", "")
    return re.sub(r"(ON \w+\s*\()", r"\1palace, ", text, count=1)


def declared(statement: str, partitions: int) -> list[str]:
    """A statement that declares something, as those that do it here."""
    word = statement.split(None, 2)[:2]
    if word == ["CREATE", "TABLE"]:
        return table(statement, partitions)
    if word[0] == "CREATE":
        return [index(statement)]
    added = re.match(r"ALTER TABLE (\w+) ADD COLUMN (.*)$", statement, re.DOTALL)
    if added is None:
        return [statement]
    return [f"ALTER TABLE {added[1]} ADD COLUMN {column(added[1], added[2])}"]


def _split(body: str) -> list[str]:
    """The parts of a declaration, at the commas that stand in no parenthesis."""
    parts, depth, begun = [], 0, 0
    for at, sign in enumerate(body):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(body[begun:at])
            begun = at + 1
    return [" ".join(part.split()) for part in (*parts, body[begun:])]
