"""Rules for every test: nothing passes or fails by how busy the machine is.

`make test` tries a test that failed once more, for some of them start browsers, shells and servers. That is for
stumbles: the run names each, and fails where there were more than a few.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

pytest.MonkeyPatch().setenv("PALAZZO_BUDGET_MB", str(64 << 10))
"""A process that has run thousands of tests is large; without this its jobs would wait as they do under pressure."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of our own."""
    parser.addoption("--every-event", action="store_true", help="interrupt long operations at every file event")
    parser.addoption("--every-engine", action="store_true", help="run what is tested over one engine over all of them")


STUMBLES = 3
"""So many tests of a whole run may pass at the second try only."""


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run in which more than a few tests needed a second try is not a good one."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and len(reporter.stats.get("rerun", ())) > STUMBLES and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
