"""Every setting, declared once: name, type, default, range, help. Flags, environment names and the docs table derive
from this list. Never reads the environment; bootstrap does, and hands the values over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from palazzo.errors import InvalidInput
from palazzo.model.zone import zone_named

_WANTED = {str: "text", bool: "yes or no", int: "a whole number", float: "a number"}


class Setting(msgspec.Struct, frozen=True):
    name: str
    type: type
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def environment(self) -> str:
        return "PALAZZO_" + self.name.upper()

    def read(self, value: Any) -> Any:
        """The value in its type and range.

        Raises: InvalidInput.
        """
        try:
            typed = _boolean(value) if self.type is bool else self.type(value)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"setting {self.name} wants {_WANTED[self.type]}, not {value!r}", field=self.name
            ) from error
        if self.low is not None and not self.low <= typed <= (self.high if self.high is not None else typed):
            raise InvalidInput(f"setting {self.name} is outside {self.low}..{self.high}", field=self.name)
        if self.choices and typed not in self.choices:
            raise InvalidInput(f"setting {self.name} is one of {', '.join(self.choices)}", field=self.name)
        return typed


def _boolean(value: Any) -> bool:
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise ValueError(text)


_METRICS = ("cosine", "dot", "l2")
SETTINGS: tuple[Setting, ...] = (
    Setting("palace", str, "", "Folder of the palace, or postgresql://...; empty means the platform's data folder."),
    Setting("durable", bool, True, "Sync every commit. Off: a power cut may lose the last commits, never tear one."),
    Setting("busy_wait_s", float, 60.0, "How long a write waits for other processes before it fails.", 0.1, 3600),
    Setting("cache_mb", int, 8, "SQLite page cache per connection that reads.", 1, 4096),
    Setting("mmap_mb", int, 16, "How much of the file is memory-mapped; 0 turns it off.", 0, 65536),
    Setting("text_cache_mb", int, 64, "Bound of the text index cache.", 1, 4096),
    Setting("vector_cache_mb", int, 96, "Bound of the vector index cache.", 1, 4096),
    Setting("kernel", bool, True, "Use the compiled kernel where it was built. Off: numpy, slower, same answers."),
    Setting("upkeep", bool, True, "Merge index tails in a background thread."),
    Setting("embedder", str, "builtin", "builtin, none, a model folder, ollama:MODEL, openai:MODEL or plugin:NAME."),
    Setting("metric", str, "cosine", "How near two vectors are, as the embedder wants it.", choices=_METRICS),
    Setting("spaces_keep", int, 3, "Spaces of earlier embedders that are kept to go back to.", 0, 100),
    Setting("embedder_url", str, "", "Base address of the embedding endpoint, for openai: and ollama: embedders."),
    Setting("completer", str, "", "Language model that reads messages, openai:MODEL, ollama:MODEL or plugin:NAME."),
    Setting("completer_url", str, "", "Base address of the completer's endpoint."),
    Setting("daemon", bool, True, "Let commands use a running daemon of the palace instead of opening it."),
    Setting("redis", str, "", "Redis or Valkey that many machines share: redis://HOST:6379/0, rediss://, unix://PATH."),
    Setting("reranker", str, "", "Cross-encoder behind a /rerank address, or plugin:NAME; used when a cue asks."),
    Setting("reranker_url", str, "", "Base address of the reranker's endpoint."),
    Setting("context_providers", str, "", "Plugins that add lines to contexts: plugin:NAME, several with commas."),
    Setting(
        "snapshot_parts", str, "folder,git,tmux,editors,vscode,territory,wallpaper,music",
        "What a snapshot of the workspace holds, with commas: these, browser, plugin:NAME.",
    ),
    Setting("persona", str, "", "What is assessed at a turn's end, off by default: seal, standing, dynamics."),
    Setting("proof_loop", bool, False, "Oblige models to check what they say of files, processes and builds."),
    Setting("min_relevance", float, 0.1, "Relevance (0 to 1) below which recall says that it knows nothing.", 0, 1),
    Setting("tokenizer", str, "", "A tokenizer.json to count tokens of contexts exactly; empty: an estimate."),
    Setting("models", str, "", "A JSON file of language models by prefix, laid over the built-in table."),
    Setting("archive", bool, True, "Keep a daily archive of what was told, from which the palace can be made again."),
    Setting("zone", str, "", "Time zone in which dates are read where a message has none: Europe/Berlin or +02:00."),
    Setting("paused", bool, False, "Take nothing in; reads go on."),
    Setting("reads_per_minute", int, 20, "Calls a minute of a subject that may not read everything.", 1, 1_000_000),
    Setting("reads_per_session", int, 200, "The same, for a whole session.", 1, 1_000_000_000),
    Setting("writes_per_minute", int, 600, "Writing calls a minute of anyone but the operator.", 1, 1_000_000),
    Setting("score_noise", float, 0.0, "Noise on the scores shown to a subject that may not read everything.", 0, 1),
    Setting("floor_ms", int, 0, "Shortest time of an answer to a subject that may not read everything.", 0, 10_000),
    Setting("vault_passphrase", str, "", "Opens the vault for the operator of this process. Prefer the prompt."),
    Setting("passphrase", str, "", "Passphrase of an encrypted palace. Prefer the prompt or the keyring."),
    Setting("new_passphrase", str, "", "The passphrase `palazzo rotate` changes to; empty: the same, with a new key."),
    Setting("require_encryption", bool, False, "Refuse sensitive text while the palace has no key to seal it with."),
    Setting("heartbeat_s", float, 60.0, "How often a daemon looks which jobs are due.", 0.05, 86_400),
    Setting("raw_days", float, 14.0, "Days for which what was captured on the machine is kept as raw events.", 7, 30),
    Setting("purge_after_days", float, 90.0, "Days after which what was forgotten is erased for good.", 0, 36_525),
    Setting("backup_every_h", float, 24.0, "Hours between the backups a palace makes by itself; 0: none.", 0, 8760),
    Setting("backup_keep", int, 3, "How many of the backups it made by itself a palace keeps.", 1, 1000),
    Setting("budget_mb", int, 0, "Memory a process should stay within; 0: half a GB up to 8 GB, else one.", 0, 1 << 20),
    Setting(
        "dream_passes", str, "", "Which passes of a dream are off, on or only propose: consolidate=on, gaps=off. Those"
        " that are not named are as docs/mind.md says.",
    ),
    Setting(
        "dream_completer", str, "", "Language model that dreams ask what is worth keeping and how to sum up, named as"
        " completer is; empty: rules alone.",
    ),
    Setting("dream_drop", float, 1.0, "Points of answer@10 a dream may cost before it takes itself back.", 0, 100),
    Setting(
        "publish_above", float, 0.0, "Importance (0 to 1) above which what agents keep in a project is published to the"
        " others of it by itself, such as 0.6; 0: never.", 0, 1,
    ),
    Setting("stale_above", float, 0.7, "Staleness (0 to 1) above which a memory is marked.", 0, 0.99),
    Setting("hide_times", bool, False, "Keep file times fixed; backups that go by file times then miss changes."),
    Setting("keyring", bool, False, "Keep the key of an encrypted palace in the system keyring."),
    Setting("openai_api_key", str, "", "Key for an OpenAI-compatible endpoint. Never stored, never logged."),
)  # fmt: skip
SECRET_SETTINGS = frozenset({"passphrase", "new_passphrase", "vault_passphrase", "openai_api_key", "redis"})


class TunedSetting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting as it is in force: its value, where that comes from, and whether a change holds at once."""

    setting: Setting
    value: Any
    source: str
    at_once: bool


class Settings(msgspec.Struct, frozen=True):
    """A complete, checked set of values; `sources` says where those come from that are not the defaults."""

    values: Mapping[str, Any]
    sources: Mapping[str, str] = {}

    @classmethod
    def of(cls, given: Mapping[str, Any] | None = None) -> Settings:
        """Defaults overlaid with what is given.

        Raises: InvalidInput for unknown names and values out of range.
        """
        given = given or {}
        known = {setting.name: setting for setting in SETTINGS}
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise InvalidInput(f"unknown setting {unknown[0]!r}", field=unknown[0], hint="see docs/settings.md")
        values = {name: setting.default for name, setting in known.items()}
        values.update({name: known[name].read(value) for name, value in given.items()})
        if values["zone"]:
            zone_named(values["zone"])
        return cls(values)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __repr__(self) -> str:
        shown = {k: "***" if k in SECRET_SETTINGS and v else v for k, v in self.values.items()}
        return f"Settings({shown})"
