from __future__ import annotations

import pytest

from palazzo.bootstrap import settings_from
from palazzo.errors import InvalidInput
from palazzo.settings import SETTINGS, Settings


def test_defaults_are_valid_values_of_their_own_settings() -> None:
    for setting in SETTINGS:
        assert setting.read(setting.default) == setting.default


def test_the_environment_is_overlaid_by_what_is_given() -> None:
    environment = {"PALAZZO_CACHE_MB": "64", "PALAZZO_DURABLE": "no", "OTHER": "x"}
    settings = settings_from(environment, {"cache_mb": 8, "palace": None})
    assert (settings["cache_mb"], settings["durable"], settings["palace"]) == (8, False, "")


@pytest.mark.parametrize(
    ("name", "value"), [("cache_mb", "lots"), ("cache_mb", 0), ("durable", "maybe"), ("nonsense", 1)]
)
def test_a_bad_value_is_an_error_that_names_the_setting(name: str, value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        Settings.of({name: value})
    assert caught.value.field == name


def test_secrets_are_not_shown_when_settings_are_printed() -> None:
    shown = repr(Settings.of({"passphrase": "correct horse", "openai_api_key": "sk-1"}))
    assert "correct horse" not in shown
    assert "sk-1" not in shown
