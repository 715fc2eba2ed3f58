"""Who is let in to the dashboard, by what, and what a page of another origin can do: nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.daemon import Running, as_operator, daemon, environment, token_for

from palazzo import Memory
from palazzo.surfaces.web.site import FOLDER, files

MOST_BYTES = 250_000


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("sign-in") / "palace"
    Memory(folder, embedder="none").close()
    with daemon(folder) as found:
        yield found


def link(running: Running, subject: str = "operator") -> str:
    return str(as_operator(running.folder, "token_create", subject=subject, once=True).token)


def signed_in(running: Running, **given: str) -> tuple[str, str]:
    """The cookie and the page key of a new session."""
    status, headers, told = running.request("POST", "/session", json.dumps(given).encode())
    assert status == 200
    return headers["set-cookie"].partition(";")[0], told["key"]


def who(running: Running, cookie: str, key: str) -> tuple[int, Any]:
    status, _, told = running.request("GET", "/session", Cookie=cookie, X_Palazzo_Page=key)
    return status, told


def test_a_link_signs_the_operator_in_once(running: Running) -> None:
    text = link(running)
    cookie, key = signed_in(running, link=text)
    assert who(running, cookie, key)[1]["subject"] == "operator"
    assert running.request("POST", "/session", json.dumps({"link": text}).encode())[0] == 401


def test_a_link_is_no_token_and_a_token_is_no_link(running: Running) -> None:
    assert running.post("status", {}, link(running))[0] == 401
    token = token_for(running.folder, "agent:reader", "read_public")
    assert running.request("POST", "/session", json.dumps({"link": token}).encode())[0] == 401
    assert running.request("POST", "/session", json.dumps({"token": link(running)}).encode())[0] == 401


def test_a_session_of_a_token_is_its_subject_and_ends_with_the_token(running: Running) -> None:
    made = as_operator(running.folder, "token_create", subject="agent:visitor")
    cookie, key = signed_in(running, token=made.token)
    assert who(running, cookie, key)[1]["subject"] == "agent:visitor"
    as_operator(running.folder, "token_revoke", token=str(made.info.id))
    assert who(running, cookie, key)[0] == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(running: Running) -> None:
    _, headers, _ = running.request("POST", "/session", json.dumps({"link": link(running)}).encode())
    flags = {flag.strip() for flag in headers["set-cookie"].split(";")[1:]}
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= flags
    assert headers["set-cookie"].startswith(f"palazzo_{running.port}=")


@pytest.mark.parametrize("method", ["read", "write", "stream", "leave"])
def test_a_cookie_without_the_page_key_opens_nothing(running: Running, method: str) -> None:
    cookie, key = signed_in(running, link=link(running))
    other, _ = signed_in(running, link=link(running))
    for sent, given in ((cookie, ""), (cookie, "x" * 43), ("", key), (other, key)):
        headers = {"Cookie": sent, "X_Palazzo_Page": given}
        if method == "stream":
            found = running.request("GET", "/v1/events", **headers)[0]
        elif method == "leave":
            found = running.request("DELETE", "/session", **headers)[0]
        else:
            name, body = ("status", b"{}") if method == "read" else ("remember", b'{"text": "I am in."}')
            found = running.request("POST", f"/v1/{name}", body, **headers)[0]
        assert found == 401
    assert who(running, cookie, key)[0] == 200


def test_signing_out_ends_the_session(running: Running) -> None:
    cookie, key = signed_in(running, link=link(running))
    status, headers, _ = running.request("DELETE", "/session", Cookie=cookie, X_Palazzo_Page=key)
    assert (status, "Max-Age=0" in headers["set-cookie"]) == (200, True)
    assert who(running, cookie, key)[0] == 401


def test_pages_of_other_origins_and_names_are_refused(running: Running) -> None:
    cookie, key = signed_in(running, link=link(running))
    held = {"Cookie": cookie, "X_Palazzo_Page": key}
    for path in ("/", "/session", "/ui/app.js", "/v1/status"):
        method = "POST" if path.startswith("/v1") else "GET"
        assert running.request(method, path, Origin="https://evil.example", **held)[0] == 403
        assert running.request(method, path, Host="evil.example", **held)[0] == 421
    body = json.dumps({"link": link(running)}).encode()
    assert running.request("POST", "/session", body, Content_Type="text/plain")[0] == 415
    assert running.request("POST", "/session", body, Content_Type="application/x-www-form-urlencoded")[0] == 415


def test_every_file_keeps_the_page_to_itself(running: Running) -> None:
    for path in ("/", "/ui/app.js", "/ui/app.css", "/ui/views.js"):
        status, headers, _ = running.request("GET", path)
        policy = headers["content-security-policy"]
        assert status == 200
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "frame-ancestors 'none'" in policy
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
        again = running.request("GET", path, If_None_Match=headers["etag"])
        assert (again[0], again[2]) == (304, "")
    assert running.request("GET", "/ui/../page.py")[0] == 404
    assert running.request("GET", "/ui/nothing.js")[0] == 404
    assert running.request("PUT", "/ui/app.js")[0] == 405


def test_the_whole_page_is_light_and_asks_for_nothing_from_elsewhere() -> None:
    shown = {
        name: reply for name, reply in files().items() if name == "index.html" or reply.headers[-1][1] != b"no-cache"
    }
    assert sum(len(reply.body) for reply in shown.values()) < MOST_BYTES
    assert len(shown) > len(list((FOLDER / "views").iterdir()))
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix in (".js", ".css", ".html") and path.parent.name != "vendor":
            text = path.read_text("utf-8")
            assert not re.search(r"https?://|\beval\(|new Function|innerHTML|dangerouslySet|\bonclick=", text), path
    index = (FOLDER / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=", index)


def test_the_command_says_a_link_that_the_running_daemon_takes(running: Running) -> None:
    command = [sys.executable, "-m", "palazzo", "--palace", str(running.folder), "--json", "open", "--print"]
    told = json.loads(subprocess.run(command, capture_output=True, check=True, env=environment()).stdout)
    assert told["url"] == running.url
    cookie, key = signed_in(running, link=told["link"].partition("#sign-in=")[2])
    assert who(running, cookie, key)[1]["operator"] is True


def test_the_command_runs_a_daemon_where_none_does(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "palazzo", "--palace", str(tmp_path / "palace"), "--json", "open", "--print"]
    command += ["--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        connection = HTTPConnection("127.0.0.1", int(told["url"].rpartition(":")[2]), timeout=60)
        connection.request("GET", "/")
        assert b"<title>Palazzo" in connection.getresponse().read()
        connection.close()
    finally:
        process.terminate()
        assert process.wait(60) == 0
        process.stdout.close()  # type: ignore[union-attr]
