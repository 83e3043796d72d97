"""A question is answered from real files: by words, neighbours, names, times and opinions."""

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Kind, Recalled, RecallRequest
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.index import Index, open_index
from openclaw_memory_plugin.recall import recall
from openclaw_memory_plugin.recall.score import score
from openclaw_memory_plugin.recall.telling import explain
from openclaw_memory_plugin.workspace import Workspace

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
CONFIG = Config()

Ask = Callable[..., Recalled]


@pytest.fixture
def open_files(tmp_path: Path) -> Callable[[dict[str, str]], Index]:
    """Write files and open their index."""

    def opened(files: dict[str, str]) -> Index:
        for path, text in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        index = open_index(Workspace(root=tmp_path, zone=dt.UTC), CONFIG)
        index.sync()
        return index

    return opened


def ask(index: Index, query: str, **request: object) -> Recalled:
    """Ask with the built-in scorer, without cut-off unless told."""
    values: dict[str, object] = {"query": query, "now": NOW, "cutoff": False} | request
    return recall(index, RecallRequest(**values), lambda r, c: (score(r, c, CONFIG), []), CONFIG)  # type: ignore[arg-type]


def contents(answer: Recalled) -> list[str]:
    return [hit.fact.content for hit in answer.hits]


DIARY = {
    "memory/2026-03-02.md": """# 2026-03-02

## Retain
- W @router-k2: Runs firmware 4.1; the guest network stays off.
- O(c=0.9) @Peter: Finds voice messages a nuisance.
- W @Jörg: Is from 9 to 13 March 2026 in Linz at the timber fair.
- W @Owen: Leads the support desk.
""",
    "memory/2026-03-16.md": """# 2026-03-16

## Retain
- W @router-k2: Now runs firmware 4.3 because of a bug.
- O(c=0.6) @Peter: Admits that short voice messages can be handy.
- W @Zara: Leads the support desk since today.
""",
    "memory/2026-03-20.md": """# 2026-03-20

## Trip
- Did you find a place for the bicycle?
- Yes, behind the shed
- The shed key hangs in the kitchen
""",
}


def test_hits_are_cited_and_say_why(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Each hit names its place, and its parts make up its score."""
    hit = ask(open_files(DIARY), "Where does the shed key hang?").hits[0]
    assert str(hit.fact.source) == "memory/2026-03-20.md#L6"
    assert hit.why["base"] == 1.0
    assert sum(hit.why["scored"].values()) == pytest.approx(hit.score, abs=0.001)


def test_an_answer_is_found_beside_its_question(open_files: Callable[[dict[str, str]], Index]) -> None:
    """`Yes, behind the shed` holds no word of the question; the line before it does."""
    found = contents(ask(open_files(DIARY), "place of the bicycle"))
    assert "Yes, behind the shed" in found[:2]


def test_the_newest_valid_statement_goes_first_and_the_older_is_kept(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """Asked for now, the older statement follows and names the one that takes its place."""
    answer = ask(open_files(DIARY), "Which firmware does router-k2 run now?")
    assert contents(answer)[:2] == [
        "Now runs firmware 4.3 because of a bug.",
        "Runs firmware 4.1; the guest network stays off.",
    ]
    assert answer.hits[1].why["superseded_by"] == answer.hits[0].fact.id


def test_what_held_on_a_day_is_told_from_before_that_day(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Asked for a day between two statements, the earlier one held."""
    answer = ask(open_files(DIARY), "Which firmware did router-k2 run on 10 March?")
    assert contents(answer)[0] == "Runs firmware 4.1; the guest network stays off."


def test_a_fact_from_the_future_is_never_current(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Dated after now, a statement does not take the place of today's."""
    answer = ask(open_files(DIARY), "Which firmware does router-k2 run now?", now=NOW.replace(day=10))
    assert contents(answer)[0] == "Runs firmware 4.1; the guest network stays off."


def test_a_time_of_validity_is_found_by_any_of_its_days(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Where Jörg is on a day of his journey is answered by the journey."""
    assert contents(ask(open_files(DIARY), "Wo ist Jörg am 10. März?"))[0].startswith("Is from 9 to 13 March")


def test_an_opinion_is_answered_by_opinions_current_one_first(open_files: Callable[[dict[str, str]], Index]) -> None:
    """With confidence and date, the older one behind."""
    answer = ask(open_files(DIARY), "Does Peter like voice messages?")
    assert [(hit.fact.kind, hit.fact.confidence) for hit in answer.hits[:2]] == [
        (Kind.OPINION, 0.6),
        (Kind.OPINION, 0.9),
    ]


def test_an_exact_match_is_found_behind_any_filter_and_any_crowd(open_files: Callable[[dict[str, str]], Index]) -> None:
    """A hundred better matches that a filter leaves out do not hide the one that it lets through."""
    crowd = "\n".join(f"- B @ship{i}: harbour pilot number {i}" for i in range(100))
    index = open_files(
        {
            "memory/2020-01-01.md": "# 2020-01-01\n\n## Retain\n- O(c=0.8,s=0.9) @Ines: The harbour has "
            "many ships and far too few of the people that a pilot needs.\n",
            "memory/2026-03-01.md": f"# 2026-03-01\n\n## Retain\n{crowd}\n",
        }
    )
    for filters in (
        {"kinds": (Kind.OPINION,)},
        {"until": dt.date(2021, 1, 1)},
        {"min_salience": 0.8},
        {"entities": ("ines",)},
    ):
        assert [str(hit.fact.source) for hit in ask(index, "harbour pilot", **filters).hits] == [
            "memory/2020-01-01.md#L4"
        ]


def test_private_facts_are_neither_found_nor_counted_where_others_listen(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """Nor do they lend their words to their neighbours."""
    index = open_files(
        {
            "memory/2026-03-01.md": "# 2026-03-01\n\n## Retain\n- W(private) @Ann: The safe code is 4711.\n"
            "- W @Ann: Likes tea.\n"
        }
    )
    assert ask(index, "safe code").hits
    alone = ask(index, "safe code", include_private=False)
    assert (alone.hits, alone.candidates) == ((), 0)


def test_two_people_of_whom_the_same_is_said_are_both_found(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Facts of the same text about different people are different answers, each cited where it stands."""
    text = "## Retain\n\n- W @Tom: Works with Sarah.\n- W @Ann: Works with Sarah.\n"
    answer = ask(open_files({"memory/2026-03-20.md": text}), "who works with Sarah?")
    assert {hit.fact.entities[0]: [c.line for c in hit.fact.citations] for hit in answer.hits} == {
        "Tom": [3],
        "Ann": [4],
    }


def test_a_link_goes_behind_what_says_something(open_files: Callable[[dict[str, str]], Index]) -> None:
    """A note that is nothing but a link shares the words of a question without answering it."""
    answer = ask(
        open_files({"memory/2026-03-20.md": "# 2026-03-20\n\n- [USER.md](USER.md)\n- The user file says so.\n"}),
        "user file",
    )
    assert contents(answer) == ["The user file says so.", "[USER.md](USER.md)"]
    assert answer.hits[1].why["noise"] < 1


def test_an_unknown_entity_is_said(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Nothing can be about somebody whom nobody mentions; the answer says so."""
    answer = ask(open_files(DIARY), "firmware", entities=("Nobody",))
    assert answer.hits == ()
    assert "Nobody" in answer.degraded[0]


def test_a_name_is_found_by_its_alias(open_files: Callable[[dict[str, str]], Index]) -> None:
    """What is known under one name is found under the other."""
    index = open_files(
        {
            "bank/entities/林静.md": "# 林静\n\n别名：静姐\n\n- 生日是五月四日\n",
            "memory/2026-03-01.md": "# 2026-03-01\n\n## Retain\n- W @林静: 常驻杭州。\n- W @阿木: 常驻成都。\n",
        }
    )
    assert contents(ask(index, "静姐常驻哪里？"))[0] == "常驻杭州。"


def test_compounds_are_found_by_part(open_files: Callable[[dict[str, str]], Index]) -> None:
    """A part of a German compound finds it, from its beginning, its end and its middle."""
    index = open_files(
        {
            "memory/2026-03-01.md": "# 2026-03-01\n\n- Die Garantieunterlagen liegen im Schrank\n"
            "- Das ist der Plan für die Eichenbohlen\n- Die Krankenversicherungskarte ist in der Lade\n"
            "- Neue Kreissägeblätter sind bestellt, und das ist gut\n"
        }
    )
    assert contents(ask(index, "Wo ist die Versicherung?"))[0] == "Die Krankenversicherungskarte ist in der Lade"
    assert contents(ask(index, "Was ist mit der Säge?"))[0].startswith("Neue Kreissägeblätter")
    assert contents(ask(index, "Wo ist der Schal?")) == []
    assert contents(ask(index, "Wo sind die Garantiepapiere?"))[0] == "Die Garantieunterlagen liegen im Schrank"
    assert contents(ask(index, "Wann kommen die Bohlen?"))[0] == "Das ist der Plan für die Eichenbohlen"


@pytest.mark.parametrize("query", ["", "😀", "? * ' \" (", "AND OR NOT NEAR(", "x" * 100_000, "\x00", "the of and"])
def test_any_query_gives_an_answer(query: str, open_files: Callable[[dict[str, str]], Index]) -> None:
    """An empty list at worst, never an error."""
    assert ask(open_files(DIARY), query).degraded == ()


def test_the_answer_does_not_depend_on_the_order_in_which_files_were_read(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """Files read one after the other, backwards, answer as a rebuilt index does."""
    index = open_files({})
    for path in sorted(DIARY, reverse=True):
        open_files({path: DIARY[path]})
        index.sync()
    queries = ["firmware of router-k2", "Peter's opinion on messages", "who leads the desk", "last week"]
    before = [[(hit.fact, hit.score) for hit in ask(index, query).hits] for query in queries]
    index.rebuild()
    assert before == [[(hit.fact, hit.score) for hit in ask(index, query).hits] for query in queries]


def test_explaining_a_fact_gives_its_parts_and_its_place(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Also of one that is not the best; one that does not match has none."""
    index = open_files(DIARY)
    second = ask(index, "Who leads the support desk?").hits[1].fact.id
    request = RecallRequest(query="Who leads the support desk?", now=NOW)
    told = explain(index, second, request, lambda r, c: (score(r, c, CONFIG), []), CONFIG)
    assert told["place"] == 2
    assert told["words"] > 0
    assert explain(index, "0" * 12, request, lambda r, c: (score(r, c, CONFIG), []), CONFIG)["place"] is None


def test_what_is_damaged_is_built_anew_and_said(open_files: Callable[[dict[str, str]], Index]) -> None:
    """An index that lost a table answers as before, and the answer says what happened."""
    index = open_files(DIARY)
    before = contents(ask(index, "firmware"))
    index.connection.execute("DROP TABLE sections")
    answer = ask(index, "firmware")
    assert contents(answer) == before
    assert "damaged" in answer.degraded[0]


def test_of_many_equals_the_same_are_found_whatever_the_order_of_reading(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """Sixty facts that match alike: which of them are hits depends on the facts, not on when they were read."""
    lines = [f"- the harbour has berth b{i}\n" for i in range(60)]
    index = open_files({"memory/2026-03-02.md": "# 2026-03-02\n\n" + "".join(lines[30:])})
    open_files({"memory/2026-03-01.md": "# 2026-03-01\n\n" + "".join(lines[:30])})
    index.sync()
    before = [hit.fact.id for hit in ask(index, "harbour", k=100).hits]
    index.rebuild()
    assert [hit.fact.id for hit in ask(index, "harbour", k=100).hits] == before


def test_a_lone_character_does_not_outweigh_what_is_asked(tmp_path: Path) -> None:
    """A single character of a question counts by all words that begin with it, not as the rare word it never is."""
    shutil.copytree(Path(__file__).parent / "workspaces/zh-biji", tmp_path, dirs_exist_ok=True)
    index = open_index(Workspace(root=tmp_path, zone=dt.UTC), CONFIG)
    index.sync()
    answer = ask(index, "给林静的报告现在该用什么格式？")
    assert str(answer.hits[0].fact.source) == "memory.md#L8"


NAMED = {
    "bank/entities/Jörg.md": "# Jörg\nAliase: Maßmann, Chef\n- Fährt mit dem Rad zur Arbeit\n",
    "memory/2026-03-02.md": "# 2026-03-02\n- Maßmann rief an.\n- W @Jörg: Will die Rechnungen gesammelt.\n"
    "- W @Käthe: Will die Rechnungen einzeln.\n- W @Lena: Fährt mit dem Bus zur Arbeit\n",
}


@pytest.mark.parametrize("name", ["Maßmann", "Chef", "Jörg"])
def test_any_name_of_an_entity_counts_as_a_word_of_its_facts(
    name: str, open_files: Callable[[dict[str, str]], Index]
) -> None:
    """Whichever name the question uses: a fact about that entity holds it, by whatever name it calls it."""
    index = open_files(NAMED)
    assert contents(ask(index, f"Wie kommt {name} zur Arbeit?"))[0] == "Fährt mit dem Rad zur Arbeit"
    assert contents(ask(index, f"Wie will {name} die Rechnungen?"))[0] == "Will die Rechnungen gesammelt."


def test_facts_under_another_name_are_found_without_any_word_of_the_question(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """The page's title in the question, an alias as the head of the bullet."""
    files = {
        "bank/entities/Minato.md": "# Minato\naliases: Captain\n",
        "memory/2026-03-02.md": "- W @Captain: Owns two dogs.\n",
    }
    assert contents(ask(open_files(files), "Which pets has Minato?")) == ["Owns two dogs."]


def test_what_belongs_to_somebody_is_not_about_them(open_files: Callable[[dict[str, str]], Index]) -> None:
    """`Peter's mother: …` neither answers for Peter nor replaces what is known of him."""
    files = {
        "memory/2026-03-01.md": "- W @Peter: Lives in Graz since February.\n",
        "memory/2026-03-20.md": "- W @Peter's mother: Lives two streets away and has the key.\n",
    }
    index = open_files(files)
    answer = ask(index, "Where does Peter live now?")
    assert contents(answer)[0] == "Lives in Graz since February."
    assert not any("superseded_by" in hit.why for hit in answer.hits)
    assert contents(ask(index, "Where does Peter's mother live?"))[0].startswith("Peter's mother")


def test_the_end_of_a_name_and_what_stands_beside_it_is_no_word(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """`静的` in 林静的报告 is chance where 林静 is known: what is asked about decides."""
    files = {
        "memory/2026-03-01.md": "- 报告默认用表格，不超过一页\n",
        "memory/2026-03-02.md": "- W @林静 @阿木：清明一起回绍兴。\n"
        "- 阿木：林静的弟弟，开一家修表铺\n- W @林静：生日是五月四日。\n",
    }
    assert contents(ask(open_files(files), "林静的报告用什么格式？"))[0] == "报告默认用表格，不超过一页"


def test_japanese_verbs_are_found_in_any_form(open_files: Callable[[dict[str, str]], Index]) -> None:
    """`飲む` asks for what is said with `飲まず`: the character stays, its ending changes."""
    files = {"memory/2026-03-01.md": "- コーヒーは飲まず、ほうじ茶だけ\n- 朝の会議を嫌がる\n- 犬を二匹飼っている\n"}
    index = open_files(files)
    assert contents(ask(index, "何を飲む？"))[0].startswith("コーヒー")
    assert contents(ask(index, "犬を飼う人は？"))[0].startswith("犬")


def test_what_was_moved_goes_before_what_was_planned(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Asked when: the newer statement that says it was changed, even in other words; asked for the original: not."""
    files = {
        "memory/2026-03-02.md": "- 星空文具签了，从4月6日开始\n",
        "memory/2026-03-12.md": "- 星空文具的开始日改到4月20日\n",
        "memory/2026-03-03.md": "- W @Harbour: The contract with Harbour starts on 6 April.\n",
        "memory/2026-03-13.md": "- W @Harbour: The start was moved to 20 April.\n",
    }
    index = open_files(files)
    assert contents(ask(index, "星空文具什么时候开始？"))[0] == "星空文具的开始日改到4月20日"
    assert contents(ask(index, "When does the contract with Harbour start?"))[0] == "The start was moved to 20 April."
    assert "6 April" in contents(ask(index, "When was the contract with Harbour originally due to start?"))[0]


def test_the_state_at_a_time_is_what_was_said_last_before_it(open_files: Callable[[dict[str, str]], Index]) -> None:
    """What was said only after the asked time does not hold then, however well it matches."""
    files = {
        "memory/2026-01-20.md": "- W @Bluebird: Launch is planned for 2 March.\n",
        "memory/2026-02-11.md": "- W @Bluebird: Launch slipped from 2 March to 16 March.\n",
        "memory/2026-03-12.md": "- W @Bluebird: Launch now fixed for 30 March; the date of 16 March is void.\n",
    }
    answer = ask(open_files(files), "What was the launch date of Bluebird in mid February?")
    assert contents(answer)[0].startswith("Launch slipped")


def test_a_day_alone_is_answered_by_what_was_recorded_on_it(open_files: Callable[[dict[str, str]], Index]) -> None:
    """A question of nothing but a time and small words asks for that day, not for texts with those words."""
    files = {
        "memory/2026-03-02.md": "- Der Fühler war am Freitag lose\n- Was am Tor war, war der Wind\n",
        "memory/2026-03-06.md": "- Kreissäge ausgefallen\n- Übergabe an Jörg\n",
    }
    assert set(contents(ask(open_files(files), "Was war am 6. März?"))[:2]) == {
        "Kreissäge ausgefallen",
        "Übergabe an Jörg",
    }


def test_a_deadline_is_found_by_its_day(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Asked what is due before a day: what names that day, though everything else lies before it too."""
    files = {
        "memory/2026-02-27.md": "- 压力测试由小贝负责，截止3/18\n"
        "- 周会改到周二\n- 白鹭改到3月30日上线\n- 接口审核通过\n"
    }
    assert contents(ask(open_files(files), "3.18之前要做完什么？"))[0].startswith("压力测试")


def test_where_somebody_is_is_where_they_are_today(open_files: Callable[[dict[str, str]], Index]) -> None:
    """`Wo ist Jörg?` asks for now: a stay that holds today goes before others and before what is only recorded."""
    files = {
        "memory/2026-03-01.md": "- W @Jörg: Ist vom 2. bis 4. März in Wien.\n"
        "- W @Jörg: Ist vom 24. bis 27. März in Linz.\n"
        "- W @Jörg: Ist Leiter.\n",
    }
    assert "Linz" in contents(ask(open_files(files), "Wo ist Jörg?"))[0]


def test_what_is_left_to_do_is_an_open_task(open_files: Callable[[dict[str, str]], Index]) -> None:
    """An unticked box goes first where the question asks for what is still open."""
    files = {
        "memory/2026-03-02.md": "- Angebote immer als PDF\n"
        "- [ ] Angebot für Familie Übel schreiben\n- [x] Angebot Dorn\n"
    }
    assert "Übel" in contents(ask(open_files(files), "Welches Angebot ist noch offen?"))[0]


def test_a_word_that_no_fact_has_stands_for_what_is_nearly_the_same(
    open_files: Callable[[dict[str, str]], Index],
) -> None:
    """`allergies` finds `allergic` where nobody wrote of allergies; a word that is found stands for itself alone."""
    files = {
        "memory/2026-03-02.md": "- W @Andy: Is allergic to peanuts.\n- W @Andy: Likes walks.\n- W @Bo: Eats all.\n"
    }
    index = open_files(files)
    assert contents(ask(index, "Which allergies has Andy?"))[0] == "Is allergic to peanuts."
    assert ask(index, "Who likes peanuts and walks?").hits


def test_a_day_alone_leads_nowhere(open_files: Callable[[dict[str, str]], Index]) -> None:
    """Asked for a day and nothing else, what is only connected with its facts is no answer."""
    files = {
        "memory/2026-03-02.md": "- W @Heron: Is built in Basel.\n- W @Basel: Has a museum.\n",
        "memory/2026-03-20.md": "- W @Heron: Got a new motor.\n",
    }
    answer = ask(open_files(files), "What happened on 20 March?")
    assert contents(answer)[0] == "Got a new motor."
    assert not any("association" in hit.why for hit in answer.hits)
