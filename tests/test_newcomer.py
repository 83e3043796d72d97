"""Promises to those who do not know the command line yet: mistakes are named, and nothing is made by mistake."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from commanding import NOW, Run, answer
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces import hosted
from openclaw_memory_plugin.faces.cli import main
from openclaw_memory_plugin.faces.commands import options


@pytest.mark.parametrize(
    "command", ["recall x", "retain x", "facts", "doctor", "sync", "stats", "reflect", "plugins", "history"]
)
def test_any_other_folder_is_no_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A command on a folder without a sign of a workspace exits with 2, says how to make one and creates nothing."""
    (tmp_path / "src").mkdir()
    (tmp_path / "README.md").write_text("# Some project\n")
    before = sorted(tmp_path.rglob("*"))
    assert main(["--workspace", str(tmp_path), *command.split()]) == 2
    assert f"init --workspace {tmp_path}" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("sign", ["memory/", "bank/", ".memory/", "MEMORY.md", "USER.md", "AGENTS.md"])
def test_one_sign_makes_a_folder_a_workspace(tmp_path: Path, sign: str) -> None:
    """What is read, what is ours and what OpenClaw puts there are signs enough."""
    path = tmp_path / sign
    path.mkdir() if sign.endswith("/") else path.write_text("# Notes\n")
    assert main(["--workspace", str(tmp_path), "recall", "x"]) == 0


def test_a_host_may_name_an_empty_folder(tmp_path: Path) -> None:
    """The workspace that a host, or a program in Python, names is opened as it is."""
    assert hosted.main(["--agents", f'{{"main": "{tmp_path.as_posix()}"}}', "--", "recall", "x"]) == 0
    (tmp_path / "other").mkdir()
    with Memory.open(tmp_path / "other") as memory:
        assert memory.facts() == []


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["recal", "x"], "(did you mean recall?)"),
        (["doctr"], "(did you mean doctor?)"),
        (["recall", "x", "--enity", "Peter"], "(did you mean --entity?)"),
        (["--worksapce", "/x", "recall", "x"], "(did you mean --workspace?)"),
    ],
)
def test_a_misspelt_word_is_answered_with_what_was_meant(run: Run, words: list[str], meant: str) -> None:
    """Commands and options, and the usage is that of the command that was named."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert meant in err
    usage = re.search(r"^usage: (.*)", err, re.MULTILINE)
    assert usage is None or words[0] not in options.COMMANDS or f"{options.PROGRAM} {words[0]} " in usage[1]


@pytest.mark.parametrize(("words", "same"), [(["help"], ["--help"]), (["help", "recall"], ["recall", "--help"])])
def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str], words: Sequence[str], same: Sequence[str]) -> None:
    """`help` and `help COMMAND` print what `--help` prints."""
    assert main(words) == 0
    out = capsys.readouterr().out
    assert main(same) == 0
    assert out == capsys.readouterr().out


def test_help_tells_common_options_last(capsys: pytest.CaptureFixture[str]) -> None:
    """What is the command's own comes first."""
    main(["retain", "--help"])
    out = capsys.readouterr().out.partition("\noptions:")[2]
    own, _, common = out.partition("common options:")
    assert "--entity" in own
    assert set(re.findall(r"^  (--[a-z-]+)", common, re.MULTILINE)) == {
        "--workspace", "--agent-id", "--now", "--config", "--json",
    }  # fmt: skip


def test_errors_never_go_to_standard_output(run: Run) -> None:
    """With `--json` too: standard output stays empty and the exit code tells which kind of failure it is."""
    code, out, err = run("explain", "ffff", "--json")
    assert (code, out) == (2, "")
    assert err.startswith("openclaw-memory-plugin: no fact has the id 'ffff'")


def test_opinion_and_core_alone_show(run: Run) -> None:
    """Without a word they list; a name is enough for `opinion`."""
    assert run("opinion") == run("opinion", "show")
    assert run("opinion", "Peter") == run("opinion", "show", "Peter")
    assert run("core") == run("core", "diff")


def test_a_word_that_is_no_name_yet_says_how_to_make_it_one(run: Run, workspace: Path) -> None:
    """`entity` counts the facts that hold the word and says how a name becomes known."""
    (workspace / "memory/2026-03-22.md").write_text("- anna called\n- we met anna\n")
    err = run("entity", "anna")[2]
    assert "no entity is called 'anna', though 2 facts hold the word" in err
    assert "@anna or [[anna]]" in err


def test_hits_are_numbered_as_they_stand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the groups, the numbers of an answer count from one without a gap."""
    import shutil

    shutil.copytree(Path(__file__).parent / "workspaces" / "hub-studio", tmp_path / "ws")
    words = ["recall", "Who runs the Lisbon office?", "--associative-depth", "2", "--no-cutoff", "--no-track"]
    assert main(["--workspace", str(tmp_path / "ws"), *NOW, *words]) == 0
    out = capsys.readouterr().out
    numbers = [int(number) for number in re.findall(r"^ ?(\d+)\. ", out, re.MULTILINE)]
    assert "-hop connections" in out
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_the_cut_off_left_out_is_said(run: Run, workspace: Path) -> None:
    """With how many there are and the option that shows them; never where all are shown."""
    lines = ["- The harbour master of Graz drinks tea.", *(f"- Tea number {n} was cold." for n in range(3))]
    (workspace / "memory/2026-03-22.md").write_text("\n".join(lines) + "\n")
    query = ("recall", "Which harbour master of Graz drinks tea?", "--no-track")
    assert re.search(r"^\d+ weaker ones? left out; --no-cutoff shows", run(*query)[1], re.MULTILINE)
    assert "weaker" not in run(*query, "--no-cutoff")[1]


def test_plugins_tell_of_names_that_nobody_has(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blocked name that is no plugin's is listed, so that a misspelt one is seen."""
    monkeypatch.setenv("OPENCLAW_MEMORY_BLOCK", "nope")
    assert "nope not installed" in run("plugins")[1]


def test_an_unknown_agent_is_told_where_none_is_configured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A configuration that does not exist is not said to know anybody."""
    monkeypatch.delenv("OPENCLAW_WORKSPACE", raising=False)
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(tmp_path / "openclaw.json"))
    assert main(["--agent-id", "bob", "facts"]) == 2
    assert f"no configuration at {tmp_path / 'openclaw.json'}" in capsys.readouterr().err


@pytest.mark.parametrize(("said", "code"), [("n\n", 1), ("", 1), ("y\n", 0)])
def test_no_is_an_answer_and_no_misuse(
    run: Run, monkeypatch: pytest.MonkeyPatch, workspace: Path, said: str, code: int
) -> None:
    """Who is asked and does not say yes gets 1 and keeps everything; where nobody can be asked it is 2."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    fact = answer(run, "retain", "W @Zoe: Plays the cello.")["id"]
    assert run("forget", fact)[0] == 2
    monkeypatch.setattr("sys.stdin", Terminal(said))
    monkeypatch.setattr("sys.stderr", Terminal())
    assert run("forget", fact)[0] == code
    kept = "Plays the cello." in (workspace / "memory/2026-03-25.md").read_text()
    assert kept == bool(code)
