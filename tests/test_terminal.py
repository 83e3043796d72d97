"""Promises of the command line as a program in a terminal: what it shows, to whom, and what it waits for."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commanding import NOW, Run, answer
from openclaw_memory_plugin.faces.cli import main


def test_nothing_in_a_file_steers_the_terminal(run: Run, workspace: Path) -> None:
    """Escape sequences and control characters from files are never printed."""
    (workspace / "memory/2026-03-21.md").write_text(
        "- The harbour \x1b[2J\x1b]0;owned\x07 is\x9b31m red\u202e.\n- W @Pe\x1bter: Likes the harbour.\n",
        encoding="utf-8",
    )
    for arguments in (("recall", "harbour"), ("facts",), ("doctor",)):
        out = run(*arguments)[1]
        assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e"}
    err = run("retain", "x", "--type", "\x1b[2J")[2]
    assert "\x1b" not in err


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour in a pipe, none with NO_COLOR or a dumb terminal."""
    from openclaw_memory_plugin.faces.commands.render import Pen

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert Pen.for_stream(Terminal(), {"TERM": "xterm"})("good", "x") == "\x1b[32mx\x1b[0m"
    for stream, environ in ((io.StringIO(), {}), (Terminal(), {"NO_COLOR": "1"}), (Terminal(), {"TERM": "dumb"})):
        assert Pen.for_stream(stream, environ)("good", "x") == "x"


def test_demo_walks_through_retain_recall_and_explain(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The demo works in a new temporary folder and shows each step with its answer."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["demo", "--json"]) == 0
    walk = json.loads(capsys.readouterr().out)
    assert [step["command"].split()[0] for step in walk["steps"]] == ["retain", "recall", "recall", "recall", "explain"]
    assert Path(walk["workspace"]).parent == tmp_path
    assert walk["steps"][1]["answer"]["hits"][0]["content"] == "Prefers concise replies without greetings."
    assert walk["steps"][2]["answer"]["hits"][0]["id"] == walk["steps"][0]["answer"]["id"]
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "✓ Retained: B(s=0.95) @Sarah @project: Sarah announced" in out
    assert "Direct matches" in out


def program(*arguments: str, **environ: str) -> "subprocess.Popen[bytes]":
    code = "import sys; from openclaw_memory_plugin.faces.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environ},
    )


def test_a_reader_that_leaves_early_is_no_error(workspace: Path) -> None:
    """A closed pipe ends the program without a traceback."""
    (workspace / "memory/2026-03-21.md").write_text("".join(f"- Note {n} about the harbour.\n" for n in range(3000)))
    process = program("--workspace", str(workspace), "facts")
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_any_terminal_can_show_any_fact(workspace: Path, encoding: str, form: tuple[str, ...]) -> None:
    """What the output's encoding lacks is replaced or escaped, never an exception."""
    (workspace / "memory/2026-03-21.md").write_text("- 会议 café 🎉 in the harbour.\n", encoding="utf-8")
    process = program("--workspace", str(workspace), "recall", "harbour", *form, PYTHONIOENCODING=encoding)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    if form:
        assert json.loads(out.decode(encoding))["hits"][0]["content"] == "会议 café 🎉 in the harbour."


def test_a_file_name_that_is_no_text_is_listed(run: Run, workspace: Path) -> None:
    """A path that is not UTF-8 is left out and said by `doctor`; everything else works."""
    try:
        Path(os.fsdecode(os.fsencode(workspace / "memory") + b"/2026-03-22-caf\xe9.md")).write_text(
            "- Harbour notes.\n"
        )
    except OSError:
        pytest.skip("this file system takes no such names")
    assert len(answer(run, "facts")["facts"]) == 3
    code, out, _ = run("doctor", "--json")
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["path"]) == (1, "memory/2026-03-22-caf\\udce9.md")


def test_what_is_no_readable_file_is_listed_and_waits_for_nobody(run: Run, workspace: Path) -> None:
    """Endless, special, half-written and foreign files are passed over with a line in `doctor`."""
    memory = workspace / "memory"
    os.mkfifo(memory / "2026-03-21.md")
    (memory / "2026-03-22.md").symlink_to("/dev/zero")
    (memory / "2026-03-23.md").symlink_to(workspace / "gone.md")
    (memory / "2026-03-24.md").write_bytes(b"- half a caf\xc3")
    assert answer(run, "recall", "concise replies")["hits"][0]["content"] == "Prefers concise replies."
    code, out, _ = run("doctor", "--json")
    paths = [finding["path"] for finding in json.loads(out)["findings"]]
    assert (code, sorted(paths)) == (1, [f"memory/2026-03-{day}.md" for day in (21, 22, 23, 24)])


class Terminal(io.StringIO):
    """A standard error at which somebody looks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "command",
    [("recall", "ladder"), ("facts",), ("explain", "0"), ("entity", "Peter"), ("doctor",), ("stats",)],
    ids=lambda command: command[0],
)
def test_whatever_reads_many_files_shows_how_far_it_is(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Every command that syncs shows a person a bar on standard error when that takes long."""
    from openclaw_memory_plugin.faces.commands import progress

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    main(["--workspace", str(workspace), *NOW, *command])
    assert "Reading" in terminal.getvalue()
