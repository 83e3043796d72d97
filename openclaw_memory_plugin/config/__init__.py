"""
Settings of one workspace: frozen records, read from `.memory/config.yaml` (or a YAML or JSON file that a caller names).

Without a file nothing is imported and the defaults hold. With one, cattrs is the only converter; it never guesses: a
number is a number, an unknown key is an error that names file, key and remedy.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.errors import ConfigError, WorkspaceError

PATH = ".memory/config.yaml"
"""Where a workspace keeps its settings, relative to its root."""

SCORERS = ("composite", "relevance")
PROVIDERS = ("auto", "off", "universal", "ollama", "plugin")
CURVES = ("half-life", "power")
CORE_UPDATES = ("apply", "propose", "off")

_Check = Callable[[object, "attrs.Attribute[Any]", Any], None]


def _between(low: float, high: float = math.inf, *, open_low: bool = False) -> _Check:
    def check(instance: object, attribute: "attrs.Attribute[Any]", value: float | None) -> None:
        if value is None:
            return
        inside = math.isfinite(value) and low <= value <= high and not (open_low and value == low)
        if not inside:
            bound = f"in {'(' if open_low else '['}{low:g}, {high:g}]" if high < math.inf else f"at least {low:g}"
            bound = f"greater than {low:g}" if open_low and high == math.inf else bound
            raise ValueError(f"{attribute.name} must be {bound}, got {value!r}")

    return check


def _one_of(names: tuple[str, ...]) -> _Check:
    def check(instance: object, attribute: "attrs.Attribute[Any]", value: str) -> None:
        if value not in names:
            raise ValueError(f"{attribute.name} must be one of {', '.join(names)}, got {value!r}")

    return check


def _zone(instance: object, attribute: "attrs.Attribute[Any]", value: str | None) -> None:
    if value is None:
        return
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{attribute.name} must be a time zone such as Europe/Vienna, got {value!r}") from None


@attrs.frozen(kw_only=True)
class Plugins:
    """Which third-party plugins may be imported, by entry-point name."""

    block: tuple[str, ...] = ()
    """Never imported."""
    allow: tuple[str, ...] | None = None
    """When given, only these are imported."""


@attrs.frozen(kw_only=True)
class Scoring:
    """Numbers of the built-in scorers. Source: `base · B + salience · S + access · decay · boost`."""

    base: float = attrs.field(default=0.40, validator=_between(0, 1))
    salience: float = attrs.field(default=0.35, validator=_between(0, 1))
    access: float = attrs.field(default=0.25, validator=_between(0, 1))
    curve: str = attrs.field(default="half-life", validator=_one_of(CURVES))
    """How an access fades: `half-life` (exponential) or `power`."""
    half_life_days: float = attrs.field(default=7.0, validator=_between(0, open_low=True))
    floor: float = attrs.field(default=0.25, validator=_between(0, 1))
    """What fading never falls below, and what a fact never accessed has."""
    boost: float = attrs.field(default=0.1, validator=_between(0, 1))
    """Weight of `ln(1 + access_count)`."""

    def __attrs_post_init__(self) -> None:
        total = self.base + self.salience + self.access
        if abs(total - 1.0) > 1e-6:
            raise ValueError(f"base, salience and access must sum to 1, got {total:.2f}; edit or remove them")


@attrs.frozen(kw_only=True)
class Recalling:
    """Defaults of a recall, the same for every caller."""

    k: int = attrs.field(default=10, validator=_between(0, 1000))
    budget_tokens: int | None = attrs.field(default=None, validator=_between(0))
    cutoff: float = attrs.field(default=0.7, validator=_between(0, 1))
    """Hits whose match is below this share of the best one are left out unless the caller asks for all."""
    associative_depth: int | None = attrs.field(default=None, validator=_between(0, 3))
    """None lets the density of the index decide."""
    activation_decay: float = attrs.field(default=0.5, validator=_between(0, 1, open_low=True))
    inject_tokens: int = attrs.field(default=600, validator=_between(0))
    """Budget of what is put beside a user's message, wrapper included."""
    inject_k: int = attrs.field(default=6, validator=_between(0, 100))


@attrs.frozen(kw_only=True)
class Vectors:
    """Vectors beside words; nothing of it is loaded where none are made."""

    provider: str = attrs.field(default="auto", validator=_one_of(PROVIDERS))
    """`auto` uses the packaged encoder where the extra `semantic` is installed, else nothing."""
    model: str = "nomic-embed-text"
    """Which model of `ollama`."""
    url: str = "http://127.0.0.1:11434"
    """Where `ollama` listens."""
    allow_remote: bool = False
    """Whether `url` may be another machine: your notes would go there."""
    wait: bool = False
    """Whether the command line waits for the packaged encoder to load, as `--vectors` makes it."""
    weight: float = attrs.field(default=0.35, validator=_between(0, 0.9))
    """Share of the match that likeness of meaning makes up at most, in [0, 0.9]."""


@attrs.frozen(kw_only=True)
class Core:
    """Core memory: the managed block in MEMORY.md."""

    max_tokens: int = attrs.field(default=2048, validator=_between(0))
    update: str = attrs.field(default="apply", validator=_one_of(CORE_UPDATES))


@attrs.frozen(kw_only=True)
class Upkeep:
    """Keeping memory small; nothing is archived until the owner says so."""

    window: int | None = attrs.field(default=None, validator=_between(1))
    """Most facts kept outside the archive; None is no limit."""
    threshold: float = attrs.field(default=0.35, validator=_between(0, 1))
    """Retention score under which a fact may be archived."""
    enable_auto_prune: bool = False
    min_age_days: int = attrs.field(default=7, validator=_between(0))
    batch: int = attrs.field(default=50, validator=_between(1))
    max_share: float = attrs.field(default=0.20, validator=_between(0, 1))
    """Most facts archived in one run, as a share of all."""
    retention_days: int = attrs.field(default=90, validator=_between(1))
    """Age of an archived fact from which it is reported; nothing is ever deleted by age."""


@attrs.frozen(kw_only=True)
class Config:
    """All settings of one workspace; `Config()` is what holds without a file."""

    zone: str | None = attrs.field(default=None, validator=_zone)
    """IANA time zone of the owner; None takes OpenClaw's, else the system's."""
    extra_paths: tuple[str, ...] = ()
    """Further files and folders of the workspace to read, such as `library/`."""
    scorer: str = attrs.field(default="composite", validator=_one_of(SCORERS))
    plugins: Plugins = attrs.field(factory=Plugins)
    scoring: Scoring = attrs.field(factory=Scoring)
    recall: Recalling = attrs.field(factory=Recalling)
    vectors: Vectors = attrs.field(factory=Vectors)
    core: Core = attrs.field(factory=Core)
    upkeep: Upkeep = attrs.field(factory=Upkeep)
    left_aside: tuple[tuple[str, str], ...] = attrs.field(default=(), eq=False)
    """File and key of limits in a file of the memory-optimization design that are not used here; no setting."""


def load_config(workspace_root: Path, file: Path | None = None) -> Config:
    """
    Read the settings of a workspace.

    `file` (YAML, or JSON when its name ends so) wins over the workspace's own file and must exist.

    Raises:
        ConfigError: The file cannot be read or parsed, or holds an unknown key or a value that cannot be.
    """
    path = file or workspace_root / PATH
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError) as error:
        if file is None and isinstance(error, FileNotFoundError):
            return Config()
        if file is None:
            raise WorkspaceError(f"{path.parent} is a file where a folder has to be; move it") from None
        raise ConfigError(f"{path}: no such file; name an existing one or leave out --config") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); it must be a UTF-8 text file") from error
    raw = _parse(text, path)
    if raw is None:
        return Config()
    if not isinstance(raw, Mapping):
        raise ConfigError(
            f"{path}: must hold keys and values, got {type(raw).__name__}; see the README's configuration"
        )
    from openclaw_memory_plugin.config.optimization import limits_left_aside, translate

    theirs = translate(raw, str(path))
    if theirs is None:
        return structure(raw, str(path))
    return attrs.evolve(
        structure(theirs, str(path)), left_aside=tuple((path.name, key) for key in limits_left_aside(raw))
    )


def structure(raw: Mapping[str, Any], source: str) -> Config:
    """
    Turn plain mappings into settings; `source` is named in errors.

    Raises:
        ConfigError: An unknown key or a value that cannot be; all of them, one a line. A section without keys is none.
    """
    from cattrs.errors import BaseValidationError

    sections = {field.name for field in attrs.fields(Config) if field.type and attrs.has(field.type)}
    for key in sections.intersection(raw):
        if raw[key] is not None and not isinstance(raw[key], Mapping):
            raise ConfigError(f"{source}: {key} must hold keys and values, got {raw[key]!r}")
    given = {key: value for key, value in raw.items() if value is not None or key not in sections}
    try:
        config: Config = _converter().structure(given, Config)
    except BaseValidationError as group:
        raise ConfigError("\n".join(f"{source}: {line}" for line in _lines(group, ()))) from group
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{source}: {error}") from error
    return config


def _parse(text: str, path: Path) -> Any:
    if path.suffix == ".json":
        import json

        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}: not JSON ({error}); correct that place") from error
    import yaml

    try:
        return yaml.safe_load(text)
    except RecursionError as error:
        raise ConfigError(f"{path}: not YAML (nested too deeply); correct it") from error
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f"#L{where.line + 1}" if where is not None else ""
        problem = getattr(error, "problem", None) or error
        raise ConfigError(f"{path}{line}: not YAML ({problem}); correct that line") from error


def _converter() -> Any:
    """Make the one converter: strict about types and keys."""
    import cattrs
    from cattrs.gen import make_dict_structure_fn, override

    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind, name in ((str, "text"), (int, "a whole number"), (float, "a number"), (bool, "true or false")):
        converter.register_structure_hook(kind, _exactly(kind, name))
    converter.register_structure_hook_func(lambda kind: kind == tuple[str, ...], _texts)
    settings = make_dict_structure_fn(Config, converter, _cattrs_forbid_extra_keys=True, left_aside=override(omit=True))
    converter.register_structure_hook(Config, settings)
    return converter


def _exactly(kind: type, name: str) -> Callable[[Any, Any], Any]:
    def take(value: Any, _: Any) -> Any:
        if kind is float and type(value) is int:
            return float(value)
        if kind is str and value is False:
            return "off"  # YAML reads the plain word so
        if type(value) is not kind:
            raise TypeError(f"must be {name}, got {value!r}")
        return value

    return take


def _texts(value: Any, _: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"must be a list of texts, got {value!r}")
    return tuple(value)


def _lines(error: BaseException, path: tuple[str, ...]) -> Iterator[str]:
    """Say every leaf of a validation error as `key: what is wrong; remedy`."""
    from cattrs.errors import AttributeValidationNote, BaseValidationError, ForbiddenExtraKeysError

    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            path = (*path, note.name)
    if isinstance(error, BaseValidationError):
        for child in error.exceptions:
            yield from _lines(child, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = [field.name for field in attrs.fields(error.cl)]
        for key in sorted(map(str, error.extra_fields)):
            yield f"unknown key {'.'.join((*path, key))}; {_remedy(key, known)}"
    else:
        yield f"{'.'.join(path)}: {error}" if path else str(error)


def _remedy(key: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {close[0]}?" if close else f"remove it; known keys are {', '.join(known)}"
