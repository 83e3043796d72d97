"""
What a name is: its key (under which all spellings of one name meet), its file name, and which strings can be one.

Pure and cheap; keys are memoised, because the same few names return in every line of a workspace.
"""

import functools
import re
import unicodedata

_POSSESSIVE = re.compile(r"(?<=\w)['’＇](?:s|S)?$")
_JOINT = re.compile(r"[\s\-_\u00ad\u2010-\u2013\u30fb]+")
_HONORIFIC = r"(?<=[\u3040-\u30ff\u3400-\u9fff々])(?:さん|さま|様|ちゃん|くん|氏|殿)$"
_NO_HONORIFIC = frozenset(
    (
        "仕様",
        "模様",
        "同様",
        "多様",
        "異様",
        "一様",
        "神様",
        "王様",
        "皆様",
        "お客様",
        "奥様",
        "摂氏",
        "華氏",
        "両氏",
        "宮殿",
        "神殿",
    )
)
_NOBODY = frozenset(
    (
        "everyone",
        "everybody",
        "channel",
        "here",
        "all",
        "alle",
        "todos",
        "tous",
        "所有人",
        "全体成员",
        "全體成員",
        "全員",
    )
)
_QUANTITY = re.compile(
    r"\d+(?:[.,:]\d+)*(?:x|p|i|k|m|s|h|ms|hz|khz|mhz|ghz|fps|dpi|ppi|am|pm|kb|mb|gb|tb|v|w|kg|km|cm|mm|°c)?", re.I
)
_DOMAIN = re.compile(
    r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|mil|info|example|invalid|localhost|test|local"
    r"|de|at|ch|fr|es|pt|it|nl|uk|eu|us|jp|cn|kr|tw|br|co)",
    re.I,
)
_FILE = re.compile(r".*\.(?:png|jpe?g|gif|svg|webp|pdf|ico|mp[34]|wav|zip|gz)", re.I)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\u2028\u2029]+")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)
_SLUG_BYTES = 120


@functools.lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """
    Return the key under which all spellings of a name meet; empty when nothing is left.

    Unicode forms, case, a leading `@`, a possessive `'s` and Japanese honorifics make no difference; blanks, hyphens
    and underscores are one and the same joint. `C`, `C++` and `C#` stay three names.
    """
    if name.isascii():
        key = name.lower()
    else:
        key = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    key = _POSSESSIVE.sub("", key.strip().lstrip("@").strip())
    if not key.isascii() and key not in _NO_HONORIFIC:
        key = re.sub(_HONORIFIC, "", key)
    return _JOINT.sub(" ", key).strip()


@functools.lru_cache(maxsize=65536)
def bare_name(written: str) -> str:
    """Return a name as a person would show it: NFC, without `@`, possessive and honorific, case kept."""
    name = written if written.isascii() else unicodedata.normalize("NFC", written)
    name = _POSSESSIVE.sub("", name.strip().lstrip("@＠").strip())
    if not name.isascii() and name not in _NO_HONORIFIC:
        name = re.sub(_HONORIFIC, "", name)
    return name


def slug(name: str) -> str:
    """
    Return the file name of an entity's page, without `.md`: `Jörg Maßmann` -> `Jörg-Maßmann`.

    Case and script are kept; what no file system takes becomes a hyphen; at most 120 bytes. Different names can
    share a slug: the page's title decides whose page it is.
    """
    text = _FORBIDDEN.sub("-", bare_name(name))
    text = re.sub(r"\s+", "-", text).strip(" .-") or "_"
    if _DEVICE.fullmatch(text):
        device, dot, rest = text.partition(".")
        text = f"{device}_{dot}{rest}"
    return text.encode()[:_SLUG_BYTES].decode(errors="ignore")


@functools.lru_cache(maxsize=65536)
def is_name(text: str) -> bool:
    """
    Tell whether an explicit mark can be a name at all.

    Any string with a letter can, whatever stop-lists say; a group (`@everyone`), a quantity (`@2x`, `@60Hz`), a bare
    number, a mail domain, a file name and a redacted secret cannot.
    """
    key = name_key(text)
    if (
        not key
        or len(key) > 120
        or "@" in key
        or "[redacted]" in key
        or key in _NOBODY
        or not any(c.isalpha() for c in key)
    ):
        return False
    return not (_QUANTITY.fullmatch(key) or _DOMAIN.fullmatch(key) or _FILE.fullmatch(key))
