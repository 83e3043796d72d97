"""Who may see what: the decisions made from what OpenClaw says about a session."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.faces.host.scene import (
    Scene,
    is_by_user,
    is_incognito,
    is_private,
    kind_of_session,
    shows_core,
)

MAIN = Scene(agent_id="main", workspace="/w", session_key="agent:main:main", trigger="user")


def of(key: str, **facts: object) -> Scene:
    return attrs.evolve(MAIN, session_key=key, **facts)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("agent:main:main", "direct"),
        ("AGENT:Main:MAIN", "direct"),
        ("agent:main:main:thread:17", "direct"),
        ("agent:main:direct:ana", "direct"),
        ("agent:main:telegram:direct:7", "direct"),
        ("agent:main:telegram:default:dm:7", "direct"),
        ("agent:main:notes", "direct"),
        ("agent:main:explicit:abc", "direct"),
        ("agent:main:discord:group:7", "group"),
        ("agent:main:slack:channel:c0123:thread:1.2", "group"),
        ("agent:main:group:direct", "group"),
        ("agent:main:123@g.us", "group"),
        ("agent:main:subagent:0f", "unattended"),
        ("agent:main:cron:j:run:r", "unattended"),
        ("agent:main:acp:x", "unattended"),
        ("agent:other:main", "unknown"),
        ("agent:main:weird:thing:7", "unknown"),
        ("agent:main:", "unknown"),
        ("agent:main", "unknown"),
        ("global", "unknown"),
        ("", "unknown"),
        ("agent::main", "unknown"),
    ],
)
def test_session_keys_tell_the_kind_of_conversation(key: str, kind: str) -> None:
    """Each form of session key has one kind; what cannot be told is unknown."""
    assert kind_of_session(of(key)) == kind


@given(st.text(max_size=60))
def test_odd_session_keys_never_fail_and_groups_are_never_private(text: str) -> None:
    """Any text may be a key; one that names a group is private under no circumstances."""
    kind_of_session(of(text))
    assert not is_private(of(f"agent:main:chat:group:{text}"))


@pytest.mark.parametrize(
    ("facts", "private"),
    [
        ({}, True),
        ({"sandboxed": True}, False),
        ({"sandbox_mode": "all"}, False),
        ({"sandbox_mode": "non-main"}, True),
        ({"chat_type": "group"}, False),
        ({"chat_type": "channel"}, False),
        ({"sender_is_owner": False}, False),
        ({"owners": ("telegram:7",), "channel": "telegram", "sender_id": "7"}, True),
        ({"owners": ("telegram:7",), "channel": "telegram", "sender_id": "8"}, False),
        ({"owners": ("telegram:7",), "channel": "webchat", "sender_id": "8"}, True),
        ({"agent_id": "other"}, False),
    ],
)
def test_every_sign_must_say_private(facts: dict[str, object], private: bool) -> None:
    """The main session is private; one sign against it is enough."""
    assert is_private(attrs.evolve(MAIN, **facts)) is private


def test_non_main_sandboxing_concerns_all_but_the_main_session() -> None:
    """Mode `non-main` sandboxes every session that is not the main one."""
    assert not is_private(of("agent:main:telegram:direct:7", sandbox_mode="non-main"))


@pytest.mark.parametrize(
    ("facts", "by_user"),
    [
        ({}, True),
        ({"origin": "external_user"}, True),
        ({"origin": "internal_system"}, False),
        ({"origin": "inter_session"}, False),
        ({"trigger": "heartbeat"}, False),
        ({"trigger": "cron"}, False),
        ({"trigger": "memory"}, False),
        ({"trigger": ""}, False),
        ({"session_key": "agent:main:subagent:1"}, False),
    ],
)
def test_only_a_persons_turn_is_a_users_turn(facts: dict[str, object], by_user: bool) -> None:
    """The host's own signals tell people from heartbeats, jobs, flushes, sub-agents and other sessions."""
    assert is_by_user(attrs.evolve(MAIN, **facts)) is by_user


@pytest.mark.parametrize(
    ("key", "size", "limit", "shown"),
    [
        ("agent:main:main", 100, None, True),
        ("agent:main:main", None, None, False),
        ("agent:main:main", 20_001, None, False),
        ("agent:main:main", 101, 100, False),
        ("agent:main:discord:group:7", 100, None, False),
        ("agent:main:cron:j", 100, None, False),
    ],
)
def test_core_memory_is_shown_by_the_host_or_by_us_never_by_both(
    key: str, size: int | None, limit: int | None, shown: bool
) -> None:
    """The host shows MEMORY.md whole up to its limit, in sessions that are not shared or unattended."""
    assert shows_core(of(key, shown_chars=limit), size) is shown


def test_incognito_sessions_are_known_by_their_key() -> None:
    """The host marks sessions of which nothing is to be kept."""
    assert is_incognito(of("agent:main:dashboard:incognito-42"))
    assert not is_incognito(of("agent:main:main"))
