"""Stand between a plugin and everybody else: whatever goes wrong with it is an error that names it."""

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any

from openclaw_memory_hookspecs import PROJECT, specs
from openclaw_memory_plugin.errors import PluginError


class NamedError(PluginError):
    """A plugin raised; `plugin` is its name."""

    def __init__(self, plugin: str, message: str) -> None:
        super().__init__(message)
        self.plugin = plugin


def isolated(name: str, hook: str, method: Callable[..., Any], answered: dict[str, str]) -> Callable[..., Any]:
    """
    Make a stand-in with the same signature and marker that names the plugin in whatever goes wrong with it.

    An answer that is not as the hook's specification says is a failure like an exception. What a wrapper was
    handed and lets pass is not its own.

    Args:
        answered: hook -> who answered it last; kept up to date.
    """

    def failure(what: str) -> PluginError:
        return NamedError(name, f"plugin {name}: {hook} {what}")

    def checked(answer: Any, *, several: bool = False) -> Any:
        if answer is None:
            return None
        from openclaw_memory_plugin.plugins.shape import flaw

        if several and not isinstance(answer, list):
            raise failure(f"answered {type(answer).__name__}, not a list of answers")
        for one in answer if several else (answer,):
            if wrong := flaw(hook, one):
                raise failure(f"answered {wrong}")
        answered[hook] = name
        return answer

    if inspect.isgeneratorfunction(method):
        several = not getattr(getattr(specs, hook), f"{PROJECT}_spec")["firstresult"]
        is_old_style = getattr(method, f"{PROJECT}_impl")["hookwrapper"]

        @functools.wraps(method)
        def wrapper(*arguments: Any) -> Generator[Any, Any, Any]:
            given: BaseException | None = None
            inner: Any = None
            running = method(*arguments)
            try:
                next(running)
                try:
                    inner = yield
                except BaseException as error:
                    given = error
                    running.throw(error)
                else:
                    given = inner.exception if is_old_style else None
                    running.send(inner)
            except StopIteration as done:
                answer = done.value
            except (Exception, SystemExit) as error:
                if error is given:
                    raise
                raise failure(f"raised {say(error)}") from error
            else:
                raise failure("yielded twice")
            if not is_old_style:
                if answer is None and inner is not None:
                    raise failure("answered None in place of an answer")
                return checked(answer, several=several)
            if inner.exception is None:
                try:
                    checked(inner.get_result(), several=several)
                except PluginError as error:
                    inner.force_exception(error)
            return None

        return wrapper

    @functools.wraps(method)
    def call(*arguments: Any) -> Any:
        try:
            answer = method(*arguments)
        except (Exception, SystemExit) as error:
            raise failure(f"raised {say(error)}") from error
        return checked(answer)

    return call


def say(error: BaseException) -> str:
    """Return an exception in one redacted line."""
    from openclaw_memory_plugin.guard import one_line, redact

    text = one_line(redact(str(error).strip().partition("\n")[0]))
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
