"""Who may knock: the Host and Origin of a request, and where the daemon may listen.

Owns the checks that need no palace. A page in a browser can send requests to 127.0.0.1 and, with a name server of its
own, make them look local; the Host check stops the second, the Origin check the first. Invariant: without TLS or an
explicit word nothing listens beyond this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from palazzo.errors import InvalidInput
from palazzo.surfaces.http.replies import Reply, problem
from palazzo.surfaces.wire import Fault

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def check_bind(host: str, *, tls: bool, insecure: bool) -> None:
    """Raises: InvalidInput when the daemon would be reached from other machines without TLS."""
    if not is_loopback(host) and not tls and not insecure:
        raise InvalidInput(
            f"{host} is reached from other machines, and tokens would cross the network in clear", field="host",
            hint="give --tls-cert and --tls-key, or --insecure where something else in front encrypts",
        )  # fmt: skip


def _name(host: str) -> str:
    """A Host without its port."""
    return (urlsplit(f"//{host}").hostname or "").lower()


def _origin_host(origin: str) -> str | None:
    """The host and port of an Origin; None for one that is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Door:
    """The names this daemon answers to, and the origins beside its own whose pages may call it."""

    hosts: frozenset[str] = LOCAL
    origins: frozenset[str] = frozenset()

    def refusal(self, host: str, origin: str) -> Reply | None:
        """Why a request is not let in; None when it is."""
        try:
            known = _name(host) in self.hosts
        except ValueError:
            known = False
        if not known:
            return problem(421, Fault("host_refused", "this server has another name", "see --allow-host"))
        if origin and origin not in self.origins and _origin_host(origin) != host:
            return problem(403, Fault("origin_refused", "pages of this origin may not call", "see --allow-origin"))
        return None
