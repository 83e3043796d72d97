"""
Load plugins and ask them, so that none of them can take a turn down.

Every plugin, the engine included, is registered in one pluggy manager for the project `openclaw`. Third parties are
found by entry point, in the order of their names; blocked ones are never imported. Each stands behind a guard that
puts its name on whatever it raises, which is how an answer can say who failed.
"""

import functools
import inspect
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import pluggy

from openclaw_memory_hookspecs import PROJECT, Candidate, Draft, Note, Recalled, RecallRequest, Turn, specs
from openclaw_memory_plugin import config
from openclaw_memory_plugin.errors import OpenClawMemoryError, PluginError, RetainError
from openclaw_memory_plugin.plugins import entrypoints
from openclaw_memory_plugin.plugins.isolate import NamedError, isolated, say

BLOCK_VARIABLE = "OPENCLAW_MEMORY_BLOCK"
"""Environment variable with entry-point names, comma separated, that are never imported."""

ENGINE = "memory"
"""Name under which the engine is registered, and which nobody else may take."""

_SEES = {
    "on_start": "facts",
    "on_turn_start": "conversation",
    "on_turn_end": "conversation",
    "on_recall_request": "facts",
    "prepare_retain": "facts",
    "on_retain": "facts",
    "score_candidates": "facts",
    "embed_texts": "facts",
}


class _Guard:
    """What is registered for a third party: its hooks, each behind a stand-in that names it."""


@attrs.frozen(kw_only=True)
class PluginState:
    """What became of one entry point."""

    name: str
    target: str
    """`module:attribute` it points to."""
    distribution: str = ""
    """Name and version of the package that installed it."""
    state: str
    """`loaded`, `blocked`, `not allowed`, `failed`, or `not installed` where only the settings name it."""
    hooks: tuple[str, ...] = ()
    problem: str | None = None
    """What is wrong, also with a loaded one (a hook that does not exist)."""

    @property
    def reads(self) -> tuple[str, ...]:
        """What of memory it gets to see: `facts`, `conversation`."""
        return tuple(sorted({_SEES[hook] for hook in self.hooks if hook in _SEES}))


class Plugins:
    """The plugins of one opened memory. Not thread-safe: one memory, one thread."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(specs)
        self._engine: Any = None
        self._answered: dict[str, str] = {}
        self.states: list[PluginState] = []

    @classmethod
    def load(cls, settings: config.Plugins, environ: Mapping[str, str] = os.environ) -> "Plugins":
        """
        Import and register what the entry points name, except what is blocked or not allowed.

        Never raises for a plugin: what went wrong stands in `states` and `problems`.
        """
        plugins = cls()
        blocked = {*settings.block, *(name.strip() for name in environ.get(BLOCK_VARIABLE, "").split(","))}
        named = {*blocked, *(settings.allow or ())} - {""}
        for point in entrypoints.published():
            named.discard(point.name)
            state = functools.partial(
                PluginState, name=point.name, target=point.value, distribution=entrypoints.distribution(point)
            )
            if point.name in blocked:
                plugins.states.append(state(state="blocked"))
            elif settings.allow is not None and point.name not in settings.allow:
                plugins.states.append(state(state="not allowed"))
            else:
                try:
                    hooks, problem = plugins._register(point.name, point.load())
                    plugins.states.append(state(state="loaded", hooks=hooks, problem=problem))
                except (Exception, SystemExit) as error:
                    plugins.states.append(state(state="failed", problem=say(error)))
        plugins.states += [PluginState(name=name, target="", state="not installed") for name in sorted(named)]
        return plugins

    def register(self, name: str, plugin: object) -> None:
        """
        Register a plugin that is already an object; for hosts and tests.

        Raises:
            PluginError: Another plugin has this name, or a hook takes arguments that its specification does not have.
        """
        hooks, problem = self._register(name, plugin)
        target = type(plugin).__qualname__
        self.states.append(PluginState(name=name, target=target, state="loaded", hooks=hooks, problem=problem))

    def attach(self, engine: object) -> None:
        """Register the engine, after everybody else: pluggy asks the newest first, and the engine comes last."""
        for name, plugin in sorted(self._manager.list_name_plugin(), reverse=True):
            self._manager.unregister(plugin)
            self._manager.register(plugin, name=name)
        self._manager.register(engine, name=ENGINE)
        self._engine = engine

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each plugin that could not be loaded as it stands."""
        return tuple(f"plugin {state.name}: {state.problem}" for state in self.states if state.problem)

    def notify(self, hook: str, **arguments: Any) -> None:
        """
        Tell every observer, whatever the others do.

        Raises:
            ExceptionGroup: Of one PluginError for each that raised, after all have been told.
        """
        failures = [answer for _, answer in self._each(hook, lambda: arguments) if isinstance(answer, PluginError)]
        if failures:
            raise ExceptionGroup(f"{hook} failed in {len(failures)} of the plugins", failures)

    def notes(self, hook: str, **arguments: Any) -> tuple[list[Note], list[PluginError]]:
        """Collect the notes of `on_heartbeat`-like hooks in plugin order, and who failed."""
        notes: list[Note] = []
        failures: list[PluginError] = []
        for _, answer in self._each(hook, lambda: arguments):
            _sort_answer(answer, notes, failures)
        return notes, failures

    def turn_start(self, turn: Turn) -> tuple[list[Note], list[PluginError]]:
        """Collect what goes before the agent; each plugin is told the budget that those before it left."""
        notes: list[Note] = []
        failures: list[PluginError] = []

        def left() -> int | None:
            return None if turn.budget_tokens is None else turn.budget_tokens - sum(note.tokens for note in notes)

        for _, answer in self._each("on_turn_start", lambda: {"turn": attrs.evolve(turn, budget_tokens=left())}):
            budget = left()
            if not isinstance(answer, Note) or budget is None or answer.tokens <= budget:
                _sort_answer(answer, notes, failures)
        return notes, failures

    def recall(self, request: RecallRequest) -> tuple[Recalled, list[str]]:
        """
        Let the first plugin answer, the engine last; who fails is left out and named.

        Returns:
            The answer, and one sentence for each plugin that failed.
        """
        failures: list[str] = []
        out: list[Any] = []
        while True:
            caller = self._manager.subset_hook_caller("on_recall_request", out)
            try:
                answer: Recalled = caller(request=request)
                return answer, failures
            except NamedError as error:
                failures.append(str(error))
                out.append(self._manager.get_plugin(error.plugin))

    def score(self, request: RecallRequest, candidates: Sequence[Candidate]) -> tuple[list[float], list[str]]:
        """
        Let the first plugin score, else the built-in scorer.

        Returns:
            n finite floats in the order of the candidates, and what was wrong with a plugin's answer, if anything.
        """
        if not candidates:
            return [], []
        candidates = tuple(candidates)
        self._answered.pop("score_candidates", None)
        try:
            return _numbers(self._manager.hook.score_candidates(request=request, candidates=candidates), candidates), []
        except PluginError as error:
            wrong = str(error)
        except ValueError as error:
            wrong = f"plugin {self._answered.get('score_candidates', ENGINE)}: score_candidates {error}"
        others = [plugin for _, plugin in self._manager.list_name_plugin() if plugin is not self._engine]
        builtin = self._manager.subset_hook_caller("score_candidates", others)
        scores = builtin(request=request, candidates=candidates)
        return [float(score) for score in scores], [f"{wrong}; the built-in scorer answered"]

    def prepare(self, draft: Draft) -> Draft:
        """
        Hand a draft from plugin to plugin, the engine last.

        Raises:
            RetainError: Somebody vetoed it or could not check it; the message says who.
        """
        seen = {"draft": draft}
        for name, answer in self._each("prepare_retain", lambda: seen):
            if answer is False:
                raise RetainError(f"not retained: plugin {name} vetoed it")
            if isinstance(answer, PluginError):
                raise RetainError(f"not retained, because it could not be checked: {answer}") from answer
            if isinstance(answer, Draft):
                seen["draft"] = answer
        return seen["draft"]

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | None:
        """
        Let the first plugin make vectors; None when nobody does.

        Raises:
            PluginError: The one that answers failed.
        """
        answer: Sequence[Sequence[float]] | None = self._manager.hook.embed_texts(texts=texts)
        return answer

    def implementing(self, hook: str) -> list[str]:
        """Name the plugins beside the engine that implement a hook, in the order in which they are called."""
        caller = getattr(self._manager.hook, hook)
        mine = [impl.plugin_name for impl in caller.get_hookimpls() if impl.plugin is not self._engine]
        return sorted(mine)

    def _register(self, name: str, plugin: object) -> tuple[tuple[str, ...], str | None]:
        """Put a plugin behind its guard and register it; give its hooks and what is odd about it."""
        if name == ENGINE or self._manager.has_plugin(name):
            raise PluginError(f"the name {name!r} is taken; rename the entry point")
        instance = plugin() if inspect.isclass(plugin) else plugin
        guard = _Guard()
        known: list[str] = []
        unknown: list[str] = []
        for attribute in dir(instance):
            options = self._manager.parse_hookimpl_opts(instance, attribute)
            if options is None:
                continue
            hook = options.get("specname") or attribute
            if not hasattr(specs, hook):
                if not options.get("optionalhook"):
                    unknown.append(hook)
                continue
            known.append(hook)
            setattr(guard, attribute, isolated(name, hook, getattr(instance, attribute), self._answered))
        try:
            self._manager.register(guard, name=name)
        except pluggy.PluginValidationError as error:
            raise PluginError(str(error).strip().splitlines()[-1]) from error
        self._manager.check_pending()
        problem = f"unknown hook {', '.join(unknown)}; the hooks are {', '.join(_hook_names())}" if unknown else None
        return tuple(known), problem

    def _each(self, hook: str, arguments: Callable[[], Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Call every plugin on its own, in order; give its name and what it answered or the PluginError."""
        plugins = self._manager.list_name_plugin()
        for name, plugin in sorted(plugins, key=lambda item: (item[0] == ENGINE, item[0])):
            others = [other for _, other in plugins if other is not plugin]
            caller = self._manager.subset_hook_caller(hook, others)
            if not any(impl.plugin is plugin for impl in caller.get_hookimpls()):
                continue
            try:
                answers = caller(**arguments())
                yield name, answers[-1] if answers else None
            except PluginError as error:
                yield name, error
            except (OpenClawMemoryError, OSError) as error:
                if hook == "prepare_retain":
                    raise
                yield name, PluginError(f"{hook}: {error}")


def _hook_names() -> list[str]:
    return [name for name, value in vars(specs).items() if hasattr(value, f"{PROJECT}_spec")]


def _sort_answer(answer: Any, notes: list[Note], failures: list[PluginError]) -> None:
    if isinstance(answer, Note):
        notes.append(answer)
    elif isinstance(answer, PluginError):
        failures.append(answer)


def _numbers(scores: Any, candidates: Sequence[Candidate]) -> list[float]:
    """
    Return a scorer's answer as floats.

    Raises:
        ValueError: It is not one finite number for each candidate; the message says what it is.
    """
    try:
        numbers = [float(score) for score in scores]
    except OverflowError as error:
        raise ValueError("answered a score that is not finite") from error
    except Exception as error:
        raise ValueError(f"answered {type(scores).__name__}, not {len(candidates)} numbers") from error
    if len(numbers) != len(candidates):
        raise ValueError(f"answered {len(numbers)} scores for {len(candidates)} candidates")
    if not all(map(math.isfinite, numbers)):
        raise ValueError("answered a score that is not finite")
    return numbers
