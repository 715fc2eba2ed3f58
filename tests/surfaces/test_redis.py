"""Daemons on different machines share a Redis; here they are two processes on two palaces' copies of one file."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from tests.adapters.redis_server import real_redis
from tests.surfaces.daemon import PATIENCE_S, daemon, token_for

from palazzo import Memory


def test_two_daemons_share_limits_and_sessions_and_lose_no_write_when_redis_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with tempfile.TemporaryDirectory() as near, real_redis(Path(near)) as server:
        Memory(folder, embedder="none").close()
        with daemon(folder, "--workers", "2", PALAZZO_REDIS=server.url) as running:
            key = token_for(folder, "operator")
            assert running.post("chat_add", {"session": "quay", "text": "The gale comes at noon."}, key)[0] == 200
            with Memory(folder, embedder="none", redis=server.url) as elsewhere:
                assert elsewhere.chat_get("quay").warm, "another process has it at hand"
            client = server.client()
            names = sorted(name.decode().split(":", 2)[2] for name in client.scan_iter("palazzo:*"))
            client.close()
            assert any(name.startswith("sessions:") and name.endswith(":messages") for name in names)
            assert any(name.startswith("sessions:") and name.endswith(":metadata") for name in names)
            kept: list[str] = []
            faults: list[int] = []
            stop = threading.Event()

            def write() -> None:
                number = 0
                while not stop.is_set():
                    number += 1
                    status, _, made = running.post("remember", {"text": f"Buoy {number} is red."}, key)
                    (kept.extend(made["memories"]) if status == 200 else faults.append(status))

            writer = threading.Thread(target=write)
            writer.start()
            server.kill()
            status, _, told = running.post("chat_get", {"session": "quay"}, key)
            assert (status, told["messages"][0]["text"]) == (200, "The gale comes at noon.")
            assert running.request("GET", "/ready")[0] == 200
            server.start()
            assert running.post("chat_add", {"session": "quay", "text": "The gale is over."}, key)[0] == 200
            stop.set()
            writer.join(PATIENCE_S)
            assert running.stop() == 0
    assert faults == []
    with Memory(folder, embedder="none") as memory:
        assert memory.verify().clean
        assert all(memory.get(one) for one in kept)
        assert [one.text for one in memory.chat_get("quay")][:1] == ["The gale comes at noon."]
