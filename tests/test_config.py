"""Promises of the configuration."""

from pathlib import Path

import pytest

from openclaw_memory_plugin.config import Config, load_config
from openclaw_memory_plugin.errors import ConfigError


def write(root: Path, text: str, name: str = ".memory/config.yaml") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_means_defaults(tmp_path: Path) -> None:
    """A workspace without a configuration file has the documented defaults."""
    assert load_config(tmp_path) == Config()


def test_empty_file_means_defaults(tmp_path: Path) -> None:
    """A file with nothing but comments changes nothing."""
    write(tmp_path, "# nothing yet\n")
    assert load_config(tmp_path) == Config()


def test_every_section_is_read(tmp_path: Path) -> None:
    """YAML values reach the settings they are named after, whole numbers where numbers are meant included."""
    write(
        tmp_path,
        "zone: Europe/Vienna\nextra_paths: [library/]\nscorer: relevance\nplugins: {block: [noisy], allow: [good]}\n"
        "scoring: {half_life_days: 14}\nrecall: {k: 5, budget_tokens: 400}\ncore: {max_tokens: 1000}\n"
        "upkeep: {window: 200}\n",
    )
    config = load_config(tmp_path)
    assert config.zone == "Europe/Vienna"
    assert config.extra_paths == ("library/",)
    assert config.scorer == "relevance"
    assert config.plugins.block == ("noisy",)
    assert config.plugins.allow == ("good",)
    assert config.scoring.half_life_days == 14.0
    assert (config.recall.k, config.recall.budget_tokens) == (5, 400)
    assert config.core.max_tokens == 1000
    assert config.upkeep.window == 200


def test_json_is_read_where_a_caller_names_it(tmp_path: Path) -> None:
    """`--config FILE` takes JSON, and wins over the workspace's own file."""
    write(tmp_path, "scorer: relevance\n")
    named = write(tmp_path, '{"recall": {"k": 3}}', "mine.json")
    assert load_config(tmp_path, named) == Config(recall=load_config(tmp_path, named).recall)
    assert load_config(tmp_path, named).recall.k == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("scorrer: relevance\n", "unknown key scorrer; did you mean scorer?"),
        ("recall: {limit: 5}\n", "unknown key recall.limit; remove it; known keys are k,"),
        ("scorer: best\n", "scorer must be one of composite, relevance, got 'best'"),
        ("scoring: {floor: 1.5}\n", "scoring: floor must be in [0, 1], got 1.5"),
        ("scoring: {floor: .nan}\n", "scoring: floor must be in [0, 1], got nan"),
        ("scoring: {base: 0.9}\n", "base, salience and access must sum to 1, got 1.50"),
        ("recall: {k: '5'}\n", "recall.k: must be a whole number, got '5'"),
        ("recall: {k: true}\n", "recall.k: must be a whole number, got True"),
        ("upkeep: {enable_auto_prune: 'no'}\n", "upkeep.enable_auto_prune: must be true or false, got 'no'"),
        ("extra_paths: library\n", "extra_paths: must be a list of texts, got 'library'"),
        ("zone: Mars/Olympus\n", "zone must be a time zone such as Europe/Vienna, got 'Mars/Olympus'"),
        ("- a\n- b\n", "must hold keys and values, got list"),
        ("recall: [\n", "not YAML"),
        ("recall: 5\n", "recall must hold keys and values, got 5"),
        ("recall: [k]\n", "recall must hold keys and values, got ['k']"),
    ],
)
def test_what_cannot_be_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    """An unknown key or impossible value is an error with file, key and remedy."""
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    assert str(path) in str(caught.value)
    assert says in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """Two mistakes give two lines."""
    write(tmp_path, "scorrer: x\nrecall: {k: -1}\n")
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    assert len(str(caught.value).splitlines()) == 2


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    """A configuration that a caller names and that is not there is an error, not the defaults."""
    with pytest.raises(ConfigError, match="no such file"):
        load_config(tmp_path, tmp_path / "gone.yaml")


def test_not_utf8_is_an_error_not_a_traceback(tmp_path: Path) -> None:
    """A binary configuration file is named."""
    path = tmp_path / ".memory/config.yaml"
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


def test_a_section_without_keys_is_none(tmp_path: Path) -> None:
    """A section of which every line is commented out leaves the defaults."""
    path = write(tmp_path, "recall:\n#  k: 5\nplugins:\n")
    assert load_config(tmp_path, path) == Config()


def test_a_plain_off_is_the_word(tmp_path: Path) -> None:
    """YAML reads `off` as false; where a setting is a word it is meant as the word."""
    write(tmp_path, "core: {update: off}\nvectors: {provider: off}\n")
    config = load_config(tmp_path)
    assert (config.core.update, config.vectors.provider) == ("off", "off")
