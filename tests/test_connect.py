"""Association in whole recalls: what is connected is found, told how, and kept behind what matches."""

import datetime as dt
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_hookspecs import Hit, RecallRequest
from openclaw_memory_plugin import Memory

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
HUB_STUDIO = Path(__file__).parent / "workspaces" / "hub-studio"

CHAIN = (
    "W @performance: Dropped after the release; the @slow-endpoint is to blame.",
    "W @slow-endpoint: Spends its time in a query on the @database.",
    "W @database: Nobody knows it better than @Sarah.",
    "W @Tom: Paints the fence on Sundays.",
)

Remember = Callable[..., Memory]


@pytest.fixture
def remember(tmp_path: Path) -> Iterator[Remember]:
    opened: list[Memory] = []

    def write(*bullets: str, files: int = 100, name: str = "ws") -> Memory:
        folder = tmp_path / name / "memory"
        folder.mkdir(parents=True)
        for number in range(min(files, len(bullets))):
            lines = "".join(f"- {bullet}\n" for bullet in bullets[number::files])
            (folder / f"2026-03-01-{number:02}.md").write_text(f"## Retain\n{lines}", encoding="utf-8")
        opened.append(Memory.open(tmp_path / name))
        return opened[-1]

    yield write
    for memory in opened:
        memory.close()


def ask(memory: Memory, query: str, **more: Any) -> tuple[Hit, ...]:
    return memory.recall(RecallRequest(query=query, now=NOW, cutoff=False, track=False, **more)).hits


def told(hits: Sequence[Hit]) -> list[tuple[str, tuple[str, ...]]]:
    return [(hit.fact.content, tuple(hit.why.get("via", ()))) for hit in hits]


def test_chain_of_facts(remember: Remember) -> None:
    """What is only connected is found behind what matches, with the entities on the way; what is not stays out."""
    hits = told(ask(remember(*CHAIN), "Why is performance bad?", associative_depth=2))
    assert hits[0] == ("Dropped after the release; the @slow-endpoint is to blame.", ())
    assert sorted(hits[1:]) == [
        ("Nobody knows it better than @Sarah.", ("performance", "slow-endpoint", "database")),
        ("Spends its time in a query on the @database.", ("performance", "slow-endpoint")),
    ]


def test_nearer_is_better(remember: Remember) -> None:
    """Without a depth asked for, what is further away comes later."""
    hits = told(ask(remember(*CHAIN), "Why is performance bad?"))
    assert [via for _, via in hits] == [
        (),
        ("performance", "slow-endpoint"),
        ("performance", "slow-endpoint", "database"),
    ]


def test_depth(remember: Remember) -> None:
    """Depth 0 finds what matches alone, depth 1 what is one entity away."""
    memory = remember(*CHAIN)
    assert [len(ask(memory, "performance", associative_depth=depth)) for depth in (0, 1, 2)] == [1, 2, 3]


@pytest.mark.parametrize("decay", [0.0, -0.1, 1.1, float("nan")])
def test_decay_out_of_range(decay: float) -> None:
    """A decay of 0 would switch association off unsaid: like any other outside (0, 1] it is an error that names it."""
    with pytest.raises(ValueError, match=r"activation_decay must be a number in \(0, 1\]"):
        RecallRequest(query="performance", now=NOW, activation_decay=decay)


def test_trace(remember: Remember) -> None:
    """The traversal tells who handed how much to whom, and where everybody ended."""
    memory = remember(*CHAIN)
    memory.sync()
    traced = memory.trace(RecallRequest(query="performance", now=NOW, associative_depth=2))
    assert traced == {
        "bridges": [],
        "facts": {},
        "counted": True,
        "seeds": ["performance"],
        "hops": {
            "1": [{"from": "performance", "to": "slow-endpoint", "amount": 0.5}],
            "2": [{"from": "slow-endpoint", "to": "database", "amount": 0.25}],
        },
        "activations": {"performance": 1.0, "slow-endpoint": 0.5, "database": 0.25},
    }


def test_filters_hold(remember: Remember) -> None:
    """Association brings nothing that the request leaves out."""
    memory = remember(
        *CHAIN[:1], "W(s=0.1) @slow-endpoint: Was written in a hurry.", "O @slow-endpoint: Deserves a rewrite."
    )
    found = {hit.fact.content for hit in ask(memory, "performance", associative_depth=2, min_salience=0.3)}
    assert "Was written in a hurry." not in found
    assert "Deserves a rewrite." in found


def test_private_facts_connect_nothing_for_others(remember: Remember) -> None:
    """Where others listen, a private fact is neither found nor a bridge to another one."""
    memory = remember("W @Ines: Runs the @Lisbon-office.", "W(private) @Ines: Sees @Dr-Costa.", "W @Dr-Costa: Is away.")
    everybody = told(ask(memory, "Who runs the Lisbon office?", associative_depth=2))
    assert len(everybody) == 3
    assert told(ask(memory, "Who runs the Lisbon office?", associative_depth=2, include_private=False)) == everybody[:1]


def test_archived_facts_connect_nothing(remember: Remember, tmp_path: Path) -> None:
    """What is archived is found by association only when it is asked for."""
    memory = remember(*CHAIN)
    bridge = next(hit for hit in ask(memory, "performance", associative_depth=2) if "query" in hit.fact.content)
    memory.index.connection.execute("UPDATE facts SET archived = 1 WHERE id = ?", (bridge.fact.id,))
    assert len(ask(memory, "performance", associative_depth=2)) == 1
    assert len(ask(memory, "performance", associative_depth=2, include_archived=True)) == 3


def test_direct_matches_stay_in_front(remember: Remember) -> None:
    """By default a fact that holds no word of the question is behind the ones that do lead there."""
    memory = remember(
        "W @Mill: Opens its doors to @Ada at noon.",
        "W @Mill: Closes at noon again.",
        "W @Ada: Breeds pigeons.",
        "W @Ada: Collects stamps.",
    )
    hits = told(ask(memory, "Who repairs the Mill at noon?"))
    assert [via for _, via in hits] == [(), (), ("Mill", "Ada"), ("Mill", "Ada")]


def test_a_name_with_accents_is_found(remember: Remember) -> None:
    """A question names an entity whatever accents it has."""
    memory = remember("W @Jörg: Fährt nach @Linz.", "W @Linz: Hat eine Messe.")
    memory.sync()
    assert memory.trace(RecallRequest(query="Wo ist Jörg?", now=NOW, associative_depth=1))["seeds"] == ["Jörg"]


def test_merged_names_bridge(remember: Remember, tmp_path: Path) -> None:
    """An alias leads on like the name itself."""
    page = tmp_path / "ws" / "bank" / "entities" / "Sarah.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Sarah\n\n**Aliases:** Sally\n", encoding="utf-8")
    memory = remember("W @workshop: Is led by @Sally.", "W @Sarah: Is allergic to nuts.")
    hits = told(ask(memory, "Who leads the workshop?", associative_depth=1))
    assert hits[1] == ("Is allergic to nuts.", ("workshop", "Sarah"))


def test_order_of_files_is_irrelevant(remember: Remember) -> None:
    """The same facts of one day in other orders and files give the same answer."""
    names = ("ada", "ben", "cleo", "dan", "eve")
    draw = random.Random(3)
    bullets = [f"W @{a} @{b}: Word{i} of the day." for i, (a, b) in enumerate(draw.sample(names, 2) for _ in range(25))]
    answers = []
    for number in range(3):
        memory = remember(*bullets, name=f"ws{number}")
        hits = ask(memory, "What did ada do on word3?", associative_depth=2, k=30)
        answers.append([(hit.fact.id, hit.score, hit.why.get("via")) for hit in hits])
        draw.shuffle(bullets)
    assert answers[0] == answers[1] == answers[2]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    import shutil

    root = tmp_path_factory.mktemp("studio") / "ws"
    shutil.copytree(HUB_STUDIO, root)
    with Memory.open(root) as memory:
        memory.sync()
        yield memory


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Booking dinner for whoever runs the Lisbon office: which ingredient must stay off the table?", "walnuts"),
        ("What should Priya know when she collects the twins at the end of the week?", "west gate"),
        ("Who may tune the instrument in the room to which Ravi moved?", "Milo"),
        ("Until when can video of the theft of the cargo bike still be requested?", "ten days"),
    ],
)
def test_answers_in_a_second_fact(studio: Memory, query: str, answer: str) -> None:
    """The fact that answers is among the first five although it shares hardly a word with the question."""
    assert any(answer in hit.fact.content for hit in ask(studio, query, associative_depth=2, k=5))


def test_unnamed_hub_takes_no_activation(studio: Memory) -> None:
    """The hub in half of all facts is neither stirred nor on any path unless the question names it."""
    for query in ("What is new at the Harbour Lane?", "Who closed ticket 714?", "reconnect storm"):
        request = RecallRequest(query=query, now=NOW, associative_depth=3, k=50)
        assert "warelay" not in studio.trace(request)["activations"]
        assert all("warelay" not in hit.why.get("via", ()) for hit in ask(studio, query, associative_depth=3, k=50))
    named = RecallRequest(query="What about warelay?", now=NOW, associative_depth=1)
    assert studio.trace(named)["seeds"] == ["warelay"]


def test_notes_without_names_are_connected_by_rare_words(tmp_path: Path) -> None:
    """A word that few facts have leads from a note to another fact where a depth is asked for, else not."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-05.md").write_text(
        "- Die Garantieunterlagen der Säge liegen im Archivschrank\n\n## Leute\n\n- Maler kommt am Montag\n"
        "- Hof gefegt\n- Licht im Gang geht\n- Besitzt den Schlüssel zum Archivschrank: Frau Dorn\n",
        encoding="utf-8",
    )
    memory = Memory.open(tmp_path)
    question = "Wer holt mir die Garantieunterlagen?"
    hits = memory.recall(RecallRequest(query=question, associative_depth=2, cutoff=False, track=False, now=NOW)).hits
    (found,) = [hit for hit in hits if "Frau Dorn" in hit.fact.content]
    assert found.why["via"] == ["“archivschrank”"]
    hits = memory.recall(RecallRequest(query=question, cutoff=False, track=False, now=NOW)).hits
    assert not any("via" in hit.why for hit in hits)
    memory.close()


CROWD = tuple(f"W @P{number}: Fixed the door number {number}." for number in range(12))


def short(memory: Memory, query: str, **more: Any) -> list[tuple[str, tuple[str, ...]]]:
    return told(memory.recall(RecallRequest(query=query, now=NOW, track=False, **more)).hits)


def test_a_comparison_names_all_that_it_is_about(remember: Remember) -> None:
    """Where a question sets names side by side nothing is bridged by default, and a depth asked for still applies."""
    bullets = (
        "W @Nantong: Is a city with a port in @Jiangsu.",
        "W @Jingdezhen: Is a city of kilns in @Jiangxi.",
        "W @Taizhou: Stands in @Jiangsu, another province than before.",
    )
    memory = remember(*bullets, *CROWD)
    query = "Are Nantong and Jingdezhen cities in the same province?"
    assert [via for _, via in short(memory, query)] == [(), ()]
    assert all("association" not in hit.why for hit in ask(memory, query))
    assert any("association" in hit.why for hit in ask(memory, query, associative_depth=2))


def test_time_alone_bridges_nothing(remember: Remember) -> None:
    """A fact that meets the asked time and no word of the question is not reached by default."""
    memory = remember("W @Peter: Spends 27 to 31 January 2026 in @Ljubljana, where @Andy celebrates.", *CROWD)
    log = memory.workspace.root / "memory/2026-01-27.md"
    log.write_text("## Retain\n- O @Andy: Cannot stand surprise parties.\n", encoding="utf-8")
    query = "In which city was Peter staying on 29 January 2026?"
    assert [content[:6] for content, _ in short(memory, query)] == ["Spends"]


def test_a_question_for_a_time_gets_what_tells_it(remember: Remember) -> None:
    """What a short answer to a question for a time holds is the same with association as without."""
    bullets = (
        "W @Planks: Delivery moved to 23 March because the driver of @Dornbusch is ill.",
        "W @Dornbusch: Drives in the morning only and needs a free gate.",
    )
    memory = remember(*bullets, *CROWD)
    query = "When will the planks be delivered?"
    assert short(memory, query) == short(memory, query, associative_depth=0)
    assert len(ask(memory, query)) == 2


def test_connections_asked_for_are_cut_too(remember: Remember) -> None:
    """With a depth asked for, a short answer holds the way to what is connected, not everything that can be reached."""
    weak = tuple(f"W @P{number} @database: Restarted it in week {number}." for number in range(12))
    memory = remember(*CHAIN, *weak, files=1)
    found = short(memory, "Why is performance bad?", associative_depth=2)
    assert ("Spends its time in a query on the @database.", ("performance", "slow-endpoint")) in found
    assert len(found) < len(ask(memory, "Why is performance bad?", associative_depth=2, k=30))
