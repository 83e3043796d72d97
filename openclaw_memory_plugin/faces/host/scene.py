"""
Who may see what: what the host says about a call, and what follows from it.

Nothing is guessed in the owner's disfavour: a session counts as private only when every sign says so. A session key
reads `agent:<id>:<rest>`; what a channel makes has the kind of conversation in it (`telegram:direct:7`,
`discord:channel:9`), what an operator names himself has none. What a key says of channel and person goes before what
is said beside it.
"""

import re

import attrs

_DIRECT = ("direct", "dm")
_SHARED = ("group", "supergroup", "channel", "room", "guild", "forum")
_WHATSAPP_GROUP = "@g.us"
_UNATTENDED = ("subagent", "cron", "acp", "hook")
_NOBODY = ("global", "unknown")
_OWN_CHANNELS = ("webchat", "cli", "tui", "internal", "gateway", "local")
_THREAD = re.compile(r":thread:[^:]*$")


@attrs.frozen(kw_only=True)
class Scene:
    """Where a call comes from, as the host tells it; everything it does not tell keeps its default."""

    agent_id: str | None = None
    workspace: str | None = None
    """Absolute path; None for an agent that the host's configuration does not know."""
    session_key: str = ""
    session_id: str = ""
    run_id: str = ""
    trigger: str = ""
    origin: str | None = None
    """`external_user`, `inter_session` or `internal_system` when the host classified the input."""
    channel: str | None = None
    chat_type: str | None = None
    """What the host's session store says: `direct`, or any other kind, which is shared."""
    main_key: str = "main"
    sandboxed: bool | None = None
    sandbox_mode: str = "off"
    """`off`, `non-main` or `all`: decides when `sandboxed` is not told."""
    sender_id: str | None = None
    sender_is_owner: bool | None = None
    owners: tuple[str, ...] = ()
    """Configured owners, as `channel:id` or a bare id; empty when none are."""
    shown_chars: int | None = None
    """What the host shows of one page at most, when configured."""
    shown_total_chars: int | None = None
    """What it shows of all pages together."""
    zone: str | None = None


def kind_of_session(scene: Scene) -> str:
    """
    Say what kind of conversation a session is.

    Returns:
        `direct`, `group`, `unattended` (sub-agents, scheduled jobs, hooks), or `unknown`.
    """
    agent, rest = _parts(scene.session_key)
    if rest is None or (agent is not None and agent != (scene.agent_id or "").lower()):
        return "unknown"
    words = _words(scene)
    if words[0] in _UNATTENDED:
        return "unattended"
    is_shared = any(word in _SHARED for word in words[:-1]) or _WHATSAPP_GROUP in rest
    if is_shared or (scene.chat_type or "direct").lower() != "direct":
        return "group"
    if words == [scene.main_key.lower()] or _peer(scene)[1] is not None:
        return "direct"
    named_by_operator = len(words) == 1 or words[0] in ("explicit", "dashboard")
    if named_by_operator and words[0] not in _NOBODY and (scene.channel or "webchat").lower() in _OWN_CHANNELS:
        return "direct"
    return "unknown"


def is_private(scene: Scene) -> bool:
    """Tell whether this is the owner's own direct session: core memory and private facts may be shown."""
    return kind_of_session(scene) == "direct" and not _is_sandboxed(scene) and _by_owner(scene)


def is_by_user(scene: Scene) -> bool:
    """Tell whether a person spoke: no heartbeat, scheduled job, flush, sub-agent or message of another session."""
    is_spoken = scene.trigger == "user" and scene.origin in (None, "external_user")
    return is_spoken and kind_of_session(scene) != "unattended"


def is_incognito(scene: Scene) -> bool:
    """Tell whether the owner asked the host to keep nothing of this session: nothing is captured from it."""
    return any(word.startswith("incognito-") for word in (_parts(scene.session_key)[1] or "").split(":"))


def shows_core(scene: Scene) -> bool:
    """Tell whether the host itself puts MEMORY.md before the agent, when it has room for it."""
    return kind_of_session(scene) in ("direct", "unknown")


def _parts(key: str) -> tuple[str | None, str | None]:
    """Split `agent:<id>:<rest>`, lower-case; a key without that form is all rest, an empty one has none."""
    text = key.strip().lower()
    if not text:
        return None, None
    if not text.startswith("agent:"):
        return None, text
    _, agent, *rest = text.split(":", 2)
    return agent, rest[0] if rest and rest[0] else None


def _words(scene: Scene) -> list[str]:
    """The parts of a key behind its agent, without the thread."""
    return _THREAD.sub("", _parts(scene.session_key)[1] or "").split(":")


def _is_sandboxed(scene: Scene) -> bool:
    if scene.sandboxed is not None:
        return scene.sandboxed
    if scene.sandbox_mode == "off":
        return False
    return scene.sandbox_mode != "non-main" or _parts(scene.session_key)[1] != scene.main_key.lower()


def _peer(scene: Scene) -> tuple[str | None, str | None]:
    """
    Return the channel and the person that the key of a direct conversation names, None for what it does not.

    It reads `direct:<person>`, `<channel>:direct:<person>` or `<channel>:<account>:direct:<person>`.
    """
    words = _words(scene)
    at = next((i for i, word in enumerate(words[:3]) if word in _DIRECT), None)
    if at is None or at + 1 >= len(words):
        return None, None
    return words[0] if at else None, ":".join(words[at + 1 :])


def _by_owner(scene: Scene) -> bool:
    """
    Tell whether the owner is who speaks; in a heartbeat, which nobody sends, whether it is his session.

    Where owners are configured, whomever the key names must be one, whoever speaks. Without them everybody whom the
    host lets into a direct session is taken for the owner.
    """
    named, peer = _peer(scene)
    channel = named or (scene.channel or "").lower()
    if scene.owners and peer is not None and not _is_owner(scene, channel, peer):
        return False
    if scene.sender_is_owner is not None and not (scene.trigger == "heartbeat" and scene.sender_id is None):
        return scene.sender_is_owner
    if not scene.owners or scene.sender_id is None or channel in _OWN_CHANNELS:
        return True
    return _is_owner(scene, channel, scene.sender_id.lower())


def _is_owner(scene: Scene, channel: str, person: str) -> bool:
    return not {person, f"{channel}:{person}"}.isdisjoint(owner.lower() for owner in scene.owners)
