"""Front matter: the few keys of it that we use."""

import re
from collections.abc import Sequence

import attrs

from openclaw_memory_plugin.markdown.nouns import Defect

_MAX_CHARS = 32_000
_SIMPLE_ALIASES = re.compile(r"^aliases?\s*:\s*\[?([^\[\]{}]*)\]?\s*$", re.I)


@attrs.frozen(kw_only=True)
class FrontMatter:
    """What the front matter of a page says."""

    title: str | None = None
    aliases: tuple[str, ...] = ()
    evergreen: bool = False
    """The page is reference: a date in its name says nothing about its notes."""
    defects: tuple[Defect, ...] = ()


def read_front(lines: Sequence[str]) -> FrontMatter:
    """Read the lines between the `---`; what is no YAML is reported, its plain `aliases:` line is used all the same."""
    import yaml

    text = "\n".join(lines)
    try:
        values = yaml.safe_load(text) if len(text) <= _MAX_CHARS else None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else 1
        problem = getattr(error, "problem", None) or error
        defect = Defect(line=line, message=f"front matter is not YAML: {problem}", remedy="correct or remove it")
        simple = next((match[1] for line in lines if (match := _SIMPLE_ALIASES.match(line))), "")
        return FrontMatter(aliases=_names(simple.split(",")), defects=(defect,))
    if not isinstance(values, dict):
        return FrontMatter()
    keys = {str(key).lower(): value for key, value in values.items()}
    title = keys.get("title")
    aliases = keys.get("aliases", keys.get("alias"))
    return FrontMatter(
        title=title.strip() or None if isinstance(title, str) else None,
        aliases=_names(aliases if isinstance(aliases, list) else re.split(r"[,，、;]", str(aliases or ""))),
        evergreen=keys.get("evergreen") is True,
    )


def _names(values: Sequence[object]) -> tuple[str, ...]:
    names = (str(value).strip().strip("'\"") for value in values if isinstance(value, str | int))
    return tuple(dict.fromkeys(name for name in names if name))
