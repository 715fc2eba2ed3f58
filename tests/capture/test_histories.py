"""What was run before capture began is taken in from histories, a day and folder each, without what is private."""

from __future__ import annotations

import http.server
import json
import threading
from pathlib import Path

import apsw
import pytest

from palazzo.porting.detect import READERS, detect
from palazzo.porting.files import Entry
from palazzo.surfaces.cli.commands import found_on_machine

NOW_US = 1_800_000_000_000_000
WATCHED = {
    "buckets": {
        "aw-watcher-window_desk": {
            "type": "currentwindow",
            "events": [
                {"timestamp": "2026-04-19T15:20:00Z", "duration": 600.0, "data": {"app": "Code", "title": "hull.py"}},
                {"timestamp": "2026-04-19T16:20:00Z", "duration": 600.0, "data": {"app": "KeePassXC", "title": "x"}},
            ],
        }
    }
}


def read(path: Path) -> list[str]:
    return [one.text for one in READERS[detect(path)](path, NOW_US) if isinstance(one, Entry)]  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".bash_history", "#1776612000\ngit diff HEAD~1\n#1776612060\npass show bank\n#1776612100\ngit diff HEAD~1\n"),
        (".zsh_history", ": 1776612000:0;git diff HEAD~1\n: 1776612060:2;pass show bank\n"
         ": 1776612100:0;git diff HEAD~1\n"),
        ("fish_history", "- cmd: git diff HEAD~1\n  when: 1776612000\n- cmd: pass show bank\n  when: 1776612060\n"
         "- cmd: git diff HEAD~1\n  when: 1776612100\n"),
    ],
)  # fmt: skip
def test_the_history_of_a_shell_becomes_an_entry_a_day(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert detect(path) == "shell-history"
    assert read(path) == ["Commands run on 2026-04-19: git diff HEAD~1 (2 times)"]


def test_atuin_tells_the_folder_too(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    made = apsw.Connection(str(path))
    made.execute("CREATE TABLE _sqlx_migrations(version)")
    made.execute("CREATE TABLE history(id, timestamp, duration, exit, command, cwd, session, hostname, deleted_at)")
    made.execute(
        "INSERT INTO history VALUES ('a', 1776612000000000000, 5, 0, 'make', '/srv/barge', 's', 'h', NULL),"
        " ('b', 1776612000000000001, 5, 0, 'gone', '/srv/barge', 's', 'h', 7)"
    )
    made.close()
    assert detect(path) == "atuin"
    assert read(path) == ["Commands run on 2026-04-19 in /srv/barge: make"]


def test_activitywatch_is_read_from_its_export_and_from_its_rest(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(WATCHED))
    told = ["Programs in front on 2026-04-19: Code 10 min"]
    assert read(path) == told

    class Rest(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/api/0/export"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(WATCHED).encode())

        def log_message(self, *_: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Rest) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert read(Path(f"http://127.0.0.1:{server.server_address[1]}")) == told


def test_what_is_on_the_machine_is_found_by_its_name_alone(tmp_path: Path) -> None:
    (tmp_path / ".zsh_history").write_text("")
    assert [path.name for path in found_on_machine(tmp_path)] == [".zsh_history"]
