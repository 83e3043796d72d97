"""Whatever is done in whatever order: nothing is lost, nothing forgotten is left, a rebuilt index says the same."""

import datetime as dt
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from openclaw_memory_hookspecs import Draft, Fact, Provenance
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Upkeep
from openclaw_memory_plugin.errors import ConflictError, RetainError, UsageError
from openclaw_memory_plugin.workspace import hidden

CONFIG = Config(zone="UTC", upkeep=Upkeep(threshold=0.6, min_age_days=0, max_share=0.5))
WORDS = ("anchor", "beacon", "cutter", "dinghy", "estuary", "fender", "galley", "hawser")
"""Each statement of the machine holds one of these, and nothing else of the workspace does."""


class Life(RuleBasedStateMachine):
    """One memory to which things happen; `shown`, `away` and `gone` are the words that must be where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.root = Path(self.folder) / "ws"
        (self.root / "memory").mkdir(parents=True)
        (self.root / "MEMORY.md").write_text("# Memory\n\nMine.\n")
        self.now = dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)
        self.memory = Memory.open(self.root, config=CONFIG)
        self.memory.sync(now=self.now)
        self.shown: set[str] = set()
        self.away: set[str] = set()
        self.gone: set[str] = set()
        self.bytes_before: dict[str, bytes] = {}

    @rule(word=st.sampled_from(WORDS), days=st.integers(0, 3))
    def owner_retains(self, word: str, days: int) -> None:
        self.now += dt.timedelta(days=days, minutes=1)
        self.memory.retain(self._draft(word), now=self.now)
        self._move(word, self.shown)

    @rule(word=st.sampled_from(WORDS))
    def agent_retains(self, word: str) -> None:
        self.now += dt.timedelta(minutes=1)
        try:
            self.memory.retain(self._draft(word, Provenance.AGENT), now=self.now)
        except RetainError:
            assert word in self.gone
        else:
            assert word not in self.gone
            self._move(word, self.shown)

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def archive(self, data: st.DataObject) -> None:
        word = data.draw(st.sampled_from(sorted(self.shown)))
        self.memory.archive(self._fact(word).id, now=self.now)
        self._move(word, self.away)

    @precondition(lambda self: self.away)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        word = data.draw(st.sampled_from(sorted(self.away)))
        self.memory.restore(self._fact(word).id, now=self.now)
        self._move(word, self.shown)

    @precondition(lambda self: self.shown or self.away)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        word = data.draw(st.sampled_from(sorted(self.shown | self.away)))
        self.memory.forget(self._fact(word).id, now=self.now)
        self._move(word, self.gone)

    @rule(days=st.integers(1, 40))
    def maintain(self, days: int) -> None:
        self.now += dt.timedelta(days=days)
        for entry in self.memory.maintain(preview=False, now=self.now).archived:
            self._move(next(word for word in WORDS if word in entry.content), self.away)

    @rule()
    def reflect(self) -> None:
        self.now += dt.timedelta(hours=1)
        self.memory.reflect(now=self.now)

    @rule()
    def undo(self) -> None:
        """What the last change wrote goes; what it had taken away comes back."""
        before = {fact.id for fact in self.memory.facts(include_archived=True)}
        try:
            self.memory.undo(now=self.now)
        except (UsageError, ConflictError):
            return
        left = {fact.id: fact for fact in self.memory.facts(include_archived=True)}
        for word in sorted(self.shown | self.away):
            if not any(word in fact.content for fact in left.values()):
                self.shown.discard(word)
                self.away.discard(word)
        assert left.keys() <= before

    @rule(word=st.sampled_from(WORDS))
    def checkout(self, word: str) -> None:
        """A file of another branch appears that says something, forgotten or not."""
        self.now += dt.timedelta(minutes=1)
        path = self.root / f"memory/2025-01-{WORDS.index(word) + 1:02d}.md"
        path.write_text(f"- W @Boat: The {word} is on board.\n")
        self.memory.sync(now=self.now)
        if word not in self.gone | self.shown | self.away:
            self.shown.add(word)
        if word in self.gone:
            path.unlink()
            self.memory.sync(now=self.now)

    @rule()
    def lose_the_state_folder(self) -> None:
        self.memory.close()
        shutil.rmtree(self.root / ".memory")
        self.memory = Memory.open(self.root, config=CONFIG)
        self.memory.sync(now=self.now)

    @invariant()
    def everything_is_where_it_should_be(self) -> None:
        shown = " ".join(fact.content for fact in self.memory.facts())
        known = " ".join(fact.content for fact in self.memory.facts(include_archived=True))
        assert {word for word in WORDS if word in shown} == self.shown
        assert {word for word in WORDS if word in known} == self.shown | self.away
        assert len(hidden.read_archive(self.root).entries) >= len(self.away)

    @invariant()
    def what_is_forgotten_is_nowhere(self) -> None:
        for path in self.root.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                assert [word for word in self.gone if f"The {word}".encode() in data] == [], path

    def teardown(self) -> None:
        before = self.memory.facts(), self.memory.facts(include_archived=True)
        self.memory.rebuild()
        assert (self.memory.facts(), self.memory.facts(include_archived=True)) == before
        assert (self.root / "MEMORY.md").read_text().startswith("# Memory\n\nMine.\n")
        self.memory.close()
        shutil.rmtree(self.folder)

    def _draft(self, word: str, provenance: Provenance = Provenance.OWNER) -> Draft:
        return Draft(text=f"The {word} is on board.", entities=("Boat",), provenance=provenance, salience=0.3)

    def _fact(self, word: str) -> Fact:
        return next(fact for fact in self.memory.facts(include_archived=True) if word in fact.content)

    def _move(self, word: str, where: set[str]) -> None:
        for words in (self.shown, self.away, self.gone):
            words.discard(word)
        where.add(word)


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=12, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
