"""What keeps somebody from harm is told from what does not, in the languages that people write in."""

import datetime as dt
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Draft
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.reflect.gather import Facts
from openclaw_memory_plugin.words.safety import is_safety

NOW = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
SAFETY = (
    "Is diabetic.",
    "Has type 1 diabetes.",
    "Takes blood thinners.",
    "Takes warfarin daily.",
    "Has epilepsy.",
    "Carries an EpiPen.",
    "Is lactose intolerant.",
    "Cannot have ibuprofen.",
    "Must not eat shellfish.",
    "Is coeliac.",
    "Has a pacemaker.",
    "Is pregnant.",
    "Had an anaphylactic shock.",
    "Ist Diabetiker.",
    "Verträgt keine Laktose.",
    "Hat eine Nussallergie.",
    "Nimmt Blutverdünner.",
    "对花生过敏。",
    "有糖尿病。",
    "不能吃海鲜。",
    "エビアレルギーです。",
    "糖尿病です。",
    "Es alérgico a las nueces.",
    "Tiene diabetes.",
    "Est allergique aux noix.",
    "Est diabétique.",
    "É alérgico a amendoim.",
    "Tem asma.",
    "No peanuts for Ben, ever.",
    "Keep nuts away from Ben.",
    "Keep Ben away from peanuts.",
    "Never give him penicillin.",
    "Can't eat gluten.",
    "May not drink alcohol.",
    "Darf keine Nüsse essen.",
    "Darf nie wieder Alkohol trinken.",
    "Verträgt Laktose nicht.",
    "No puede comer gluten.",
    "Ne doit pas manger de noix.",
    "Não pode comer camarão.",
    "エビが食べられない。",
    "牛乳は飲めません。",
    "千万别吃花生。",
    "Hat eine Laktoseunverträglichkeit.",
    "Ne supporte pas le lactose.",
    "Hat eine Bienengiftallergie",
    "Takes lithium.",
    "On beta blockers since May.",
    "Has a severe reaction to latex.",
    "Cannot take aspirin with her medicine",
    "Should never be given codeine.",
    "Doesn't tolerate dairy.",
    "服用华法林。",
    "Does not tolerate lactose.",
    "Bluthochdruck.",
)
OTHERWISE = (
    "Cannot have meetings before nine.",
    "Can't eat out tonight.",
    "Verträgt keine Kritik.",
    "Must not take the train on Monday.",
    "No fish for dinner.",
    "Works in a toxic culture.",
    "Asma called about the invoice.",
    "不能吃亏。",
    "Keep the team away from the release.",
    "Bought a lithium battery.",
    "Prefers written agendas.",
    "Must not have duplicates in the list.",
    "Never takes the bus.",
    "Likes nuts.",
    "Darf keine Rechnungen schreiben.",
    "Cannot drink and drive the demo at the same time",
    "Likes milk in coffee.",
    "No eggs today at the market.",
    "Keep the milk away.",
    "Cannot take the call.",
    "Never eats lunch before noon.",
    "Kann heute nicht essen gehen.",
    "Never use latex for the paper.",
    "No puede tomar decisiones.",
    "Can't tolerate noise.",
    "I cannot eat now.",
    "Ate fish at the quay.",
    "Never had eggs like these.",
    "Cannot use fish shell scripts.",
    "The wheat harvest was late.",
    "我不能吃饭了，要开会。",
    "No milk for the office.",
    "Don't use soy-based ink.",
)


@pytest.mark.parametrize("text", SAFETY)
def test_what_keeps_from_harm(text: str) -> None:
    """A condition, an allergy, a medicine, something that must not be eaten or given."""
    assert is_safety(text)


@pytest.mark.parametrize("text", OTHERWISE)
def test_what_only_sounds_like_it(text: str) -> None:
    """The same words about meetings, trains and criticism, and food that nobody is kept from."""
    assert not is_safety(text)


def test_all_of_it_is_found_in_the_index_and_kept(tmp_path: Path) -> None:
    """Reflection finds each by its words, and upkeep proposes none of them, however little it is worth."""
    (tmp_path / "memory").mkdir()
    lines = [f"- W(s=0.05) @Ben: {text}\n" for text in (*SAFETY, *OTHERWISE)]
    (tmp_path / "memory/2025-01-01.md").write_text("".join(lines), "utf-8")
    with Memory.open(tmp_path) as memory:
        memory.sync(now=NOW)
        facts = Facts.read(memory.index.connection)
        assert {facts.content(seq) for seq in facts.safety()} == set(SAFETY)
        for number in range(20):
            memory.retain(Draft(text=f"The pier has plank {number}.", day=dt.date(2026, 3, 1), salience=0.7), now=NOW)
        chosen = {one.fact.content for one in memory.maintain(preview=True, now=NOW).plan.chosen}
        assert chosen
        assert chosen & set(SAFETY) == set()
