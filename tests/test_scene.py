"""Who may see what: the decisions made from what OpenClaw says about a session."""

from pathlib import Path

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
from openclaw_memory_plugin.faces.host.shown import shows_whole

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
        ("agent:main:whatsapp:123@g.us:direct:x", "group"),
        ("agent:main:Group:direct:x", "group"),
        ("agent:main:slack:room:7:direct:3", "group"),
        ("agent:main:discord:guild:5:direct:9", "group"),
        ("agent:main:discord:hall:5:direct:9", "unknown"),
        ("agent:main:matrix:direct:@ana:example.org", "direct"),
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
        ({"chat_type": "Group"}, False),
        ({"chat_type": "supergroup"}, False),
        ({"chat_type": "room"}, False),
        ({"chat_type": "Direct"}, True),
        ({"sender_is_owner": False}, False),
        ({"sender_is_owner": False, "trigger": "heartbeat"}, True),
        ({"sender_is_owner": False, "trigger": "heartbeat", "sender_id": "8"}, False),
        ({"sender_is_owner": False, "trigger": "heartbeat", "chat_type": "group"}, False),
        ({"owners": ("telegram:7",), "channel": "telegram", "sender_id": "7"}, True),
        ({"owners": ("telegram:7",), "channel": "telegram", "sender_id": "8"}, False),
        ({"owners": ("telegram:7",), "channel": "webchat", "sender_id": "8"}, True),
        ({"owners": ("telegram:7",), "sender_id": "8"}, False),
        ({"owners": ("telegram:7",)}, True),
        ({"agent_id": "other"}, False),
    ],
)
def test_every_sign_must_say_private(facts: dict[str, object], private: bool) -> None:
    """The main session is private; one sign against it is enough."""
    assert is_private(attrs.evolve(MAIN, **facts)) is private


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"trigger": "heartbeat", "sender_is_owner": False},
        {"sender_id": "{peer}"},
        {"sender_id": "{peer}", "channel": "webchat"},
        {"sender_id": "{peer}", "channel": "telegram"},
        {"sender_is_owner": True, "sender_id": "7", "channel": "telegram"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "key", ["telegram:direct:{peer}", "telegram:default:dm:{peer}", "telegram:direct:{peer}:thread:4"]
)
def test_the_person_in_the_key_must_be_an_owner(key: str, facts: dict[str, object]) -> None:
    """Whoever speaks, and whatever is said of the channel: a direct session is that of the person in its key."""
    for peer, owners, private in (
        ("7", ("telegram:7",), True),
        ("7", ("7",), True),
        ("999", ("telegram:7",), False),
        ("7", ("whatsapp:7",), False),
    ):
        said = {name: peer if value == "{peer}" else value for name, value in facts.items()}
        assert is_private(of("agent:main:" + key.format(peer=peer), owners=owners, **said)) is private


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
    ("key", "shown"),
    [
        ("agent:main:main", True),
        ("agent:main:named", True),
        ("agent:main:discord:group:7", False),
        ("agent:main:cron:j", False),
    ],
)
def test_the_host_shows_core_memory_in_direct_sessions(key: str, shown: bool) -> None:
    """Not in those that are shared or unattended."""
    assert shows_core(of(key)) is shown


LINE = "- 老板的猫喜欢在下午三点晒太阳。\n"
"""18 characters, 50 bytes."""


@pytest.mark.parametrize(
    ("pages", "limits", "shown"),
    [
        ({"MEMORY.md": "x" * 100}, {}, True),
        ({}, {}, False),
        ({"memory.md": "x"}, {}, False),
        ({"MEMORY.md": "x" * 20_000}, {}, True),
        ({"MEMORY.md": "x" * 20_001}, {}, False),
        ({"MEMORY.md": "x" * 20_000 + "\n \n"}, {}, True),
        ({"MEMORY.md": "x" * 101}, {"file_chars": 100}, False),
        ({"MEMORY.md": LINE * 1_100}, {}, True),
        ({"MEMORY.md": LINE * 1_200}, {}, False),
        ({"MEMORY.md": "🎉" * 10_000}, {}, True),
        ({"MEMORY.md": "🎉" * 10_001}, {}, False),
        ({"MEMORY.md": "x" * 15_000, "AGENTS.md": "x" * 90_000, "SOUL.md": "x" * 20_000}, {}, True),
        (
            {"MEMORY.md": "x" * 15_000, **dict.fromkeys(("AGENTS.md", "SOUL.md", "IDENTITY.md"), "x" * 18_000)},
            {},
            False,
        ),
        (
            {"MEMORY.md": LINE * 1_100, **dict.fromkeys(("AGENTS.md", "SOUL.md"), LINE * 1_000)},
            {},
            True,
        ),
        ({"MEMORY.md": "x" * 15_000, "USER.md": "x" * 50_000}, {}, True),
        ({"MEMORY.md": "x" * 500, "AGENTS.md": "x" * 700}, {"total_chars": 1_000}, False),
    ],
)
def test_core_memory_is_shown_by_the_host_or_by_us_never_by_both(
    tmp_path: Path, pages: dict[str, str], limits: dict[str, int], shown: bool
) -> None:
    """The host shows MEMORY.md whole when its characters fit into the limits, that for one file and that for all."""
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert shows_whole(tmp_path, **{"file_chars": None, "total_chars": None, **limits}) is shown


def test_incognito_sessions_are_known_by_their_key() -> None:
    """The host marks sessions of which nothing is to be kept."""
    assert is_incognito(of("agent:main:dashboard:incognito-42"))
    assert not is_incognito(of("agent:main:main"))
