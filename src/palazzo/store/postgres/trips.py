"""Round trips to the server: statements that are prepared once they are met again, and several of them in one trip.

Owns how a session speaks with the server below the driver's cursors, which cost more than what they carry. Knows no
table and no transaction. Invariants: a trip of several statements ends with all their answers read, or with the session
closed; of several the first failure is told, and what came after it was not done; who waits for an answer lets other
threads go on.
"""

from __future__ import annotations

import select
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import abc
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

PREPARED_AT: Final = 3
"""A statement is prepared when it is met for this time: one that is met once costs less as it is."""
MOST_PREPARED: Final = 2_000
_FAILED: Final = frozenset({ExecStatus.FATAL_ERROR, ExecStatus.BAD_RESPONSE})


class Bound(NamedTuple):
    """A statement with its values as they travel."""

    text: str
    values: Sequence[Any] = ()
    types: tuple[int, ...] = ()
    formats: Sequence[Format] = ()


def bound(binding: abc.Transformer, text: str, values: Sequence[Any] | None) -> Bound:
    """Binds values to a statement."""
    if not values:
        return Bound(text)
    told = binding.dump_sequence(values, [PyFormat.AUTO] * len(values))
    return Bound(text, told, binding.types or (), binding.formats or ())


class Trips:
    """The trips of one session; of one thread at a time, as the session is."""

    def __init__(self, session: psycopg.Connection[Any]) -> None:
        self._session = session
        self._reading = Transformer(session)
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}
        self._met: dict[tuple[str, tuple[int, ...]], int] = {}
        self._made = 0
        self._poll: Any = None
        self._fresh: dict[tuple[str, tuple[int, ...]], bytes] = {}
        """What is being prepared by a trip under way."""

    @property
    def under_way(self) -> bool:
        """Whether statements have left whose answers were not read yet."""
        return bool(self._session.pgconn.pipeline_status)

    def bound(self, text: str, values: Sequence[Any] | None) -> Bound:
        """Binds values that say their types."""
        return bound(self._reading, text, values)

    def rows(self, result: PGresult) -> list[Any] | None:
        """The rows of an answer; None where the statement gives none."""
        if result.status != ExecStatus.TUPLES_OK:
            return None
        self._reading.set_pgresult(result)
        return self._reading.load_rows(0, result.ntuples, tuple)

    def plain(self, statements: str) -> PGresult:
        """Statements as they stand, in one trip; the answer to the last.

        Raises: psycopg.Error.
        """
        return self._checked(self._session.pgconn.exec_(statements.encode()))

    def ask(self, said: Bound) -> PGresult:
        """One statement, in one trip.

        Raises: psycopg.Error.
        """
        server = self._session.pgconn
        fresh: dict[tuple[str, tuple[int, ...]], bytes] = {}
        name, is_fresh = self._name(said, fresh)
        if not name:
            result = server.exec_params(said.text.encode(), said.values, said.types, said.formats, Format.BINARY)
            return self._checked(result)
        if is_fresh:
            self._checked(server.prepare(name, said.text.encode(), said.types))
            self._names.update(fresh)
        return self._checked(server.exec_prepared(name, said.values, said.formats, Format.BINARY))

    def send(self, several: Sequence[Bound]) -> None:
        """Lets several leave: the server is at them while this process goes on. `ask_all` tells what became of them.

        Raises: psycopg.Error.
        """
        try:
            self._leave(several)
            self._session.pgconn.flush()
        except BaseException:
            self._session.close()
            raise

    def ask_all(self, several: Sequence[Bound]) -> list[PGresult]:
        """Several and those that have left already, in one trip; the answers in their order, among them those to what
        was prepared for it.

        Raises: psycopg.Error: of the first that failed.
        """
        try:
            return self._together(several)
        except BaseException:
            if self._session.pgconn.pipeline_status:
                self._session.close()  # answers are under way that nobody will read
            raise

    def _leave(self, several: Sequence[Bound]) -> None:
        server = self._session.pgconn
        if not server.pipeline_status:
            self._fresh = {}
            server.enter_pipeline_mode()
        for said in several:
            name, is_fresh = self._name(said, self._fresh)
            if not name:
                server.send_query_params(said.text.encode(), said.values, said.types, said.formats, Format.BINARY)
                continue
            if is_fresh:
                server.send_prepare(name, said.text.encode(), said.types)
            server.send_query_prepared(name, said.values, said.formats, Format.BINARY)

    def _together(self, several: Sequence[Bound]) -> list[PGresult]:
        server = self._session.pgconn
        self._leave(several)
        server.pipeline_sync()
        results: list[PGresult] = []
        failed = None
        while (found := self._awaited()) is None or found.status != ExecStatus.PIPELINE_SYNC:
            if found is not None:
                results.append(found)
                if failed is None and found.status in _FAILED:
                    failed = found
        server.exit_pipeline_mode()
        if failed is not None:
            raise psycopg.errors.error_from_result(failed)
        self._names.update(self._fresh)
        if not results:
            raise psycopg.OperationalError("no answer")
        return results

    def _awaited(self) -> PGresult | None:
        """The next answer, None between two statements."""
        server = self._session.pgconn
        if self._poll is None:
            self._poll = select.poll()
        while server.flush():
            self._poll.register(server.socket, select.POLLIN | select.POLLOUT)
            self._poll.poll()
            server.consume_input()
        if server.is_busy():
            self._poll.register(server.socket, select.POLLIN)
            while server.is_busy():
                self._poll.poll()
                server.consume_input()
        return server.get_result()

    def _name(self, said: Bound, fresh: dict[tuple[str, tuple[int, ...]], bytes]) -> tuple[bytes, bool]:
        """The name of a statement that is prepared or is to be now, and whether it is to be; none: not yet."""
        key = said.text, said.types
        if (name := self._names.get(key) or fresh.get(key)) is not None:
            return name, False
        met = self._met[key] = self._met.get(key, 0) + 1
        if met < PREPARED_AT:
            if len(self._met) > MOST_PREPARED:
                self._met.clear()
            return b"", False
        self._made += 1
        name = fresh[key] = b"palazzo_%d" % self._made
        return name, True

    def tidy(self) -> None:
        """Lets go of what was prepared once that is very much; between two transactions."""
        if len(self._names) >= MOST_PREPARED:
            self.plain("DEALLOCATE ALL")
            self._names.clear()

    def _checked(self, result: PGresult) -> PGresult:
        if self._session.closed:
            raise psycopg.OperationalError("the connection is lost")
        if result.status in _FAILED:
            raise psycopg.errors.error_from_result(result)
        return result
