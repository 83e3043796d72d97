"""What happens when Python, or the gateway, ends in the middle of everything; the last tests stop the gateway."""

import json
import os
import signal
import time
from pathlib import Path

from conftest import Installation, Running
from e2e_model import FakeModel, user_of
from e2e_runtime import Gateway, Home, is_alive

KEY = "Remember that the spare key hangs in the boathouse."


def ended(pid: int, seconds: float = 10) -> bool:
    """Whether a process ends within so many seconds."""
    deadline = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not is_alive(pid)


def remembered(gateway: Gateway, model: FakeModel, session: str, seconds: float = 15) -> bool:
    """Whether the fact is beside the message of a new session within so many seconds: a respawn has its pauses."""
    deadline = time.monotonic() + seconds
    for attempt in range(100):
        gateway.turn("Where does the spare key hang?", session=f"{session}{attempt}")
        if "boathouse" in user_of(model.requests[-1]):
            return True
        if time.monotonic() > deadline:
            break
        time.sleep(0.5)
    return False


def test_a_killed_process_is_replaced(gateway: Gateway, model: FakeModel) -> None:
    """One Python process serves the gateway; killed, the turn completes and the next ones have memory again."""
    gateway.turn(KEY)
    assert remembered(gateway, model, "agent:main:whole")
    (child,) = gateway.children()
    os.kill(child, signal.SIGKILL)
    assert gateway.turn("Where does the spare key hang?", session="agent:main:killed")
    assert remembered(gateway, model, "agent:main:again")
    assert len(gateway.children()) == 1


def test_a_hung_process_costs_one_second_and_is_replaced(gateway: Gateway, model: FakeModel) -> None:
    """A process that answers nothing delays a turn by its time-out, is ended, and replaced."""
    (child,) = gateway.children()
    os.kill(child, signal.SIGSTOP)
    started = time.monotonic()
    assert gateway.turn("Where does the spare key hang?", session="agent:main:hung1")
    assert time.monotonic() - started < 6
    assert ended(child)
    assert remembered(gateway, model, "agent:main:awake")
    assert "memory: on_turn_start goes without memory" in gateway.log()


def test_a_hard_stop_leaves_no_process(running: Running) -> None:
    """SIGKILL gives the gateway no chance; Python leaves by itself."""
    (child,) = running.gateway.children()
    running.gateway.stop(signal.SIGKILL)
    assert ended(child)


def test_a_clean_stop_leaves_no_process(running: Running) -> None:
    """SIGTERM ends gateway and Python."""
    running.restart()
    running.gateway.turn("Hello.")
    (child,) = running.gateway.children()
    running.gateway.stop(signal.SIGTERM)
    assert ended(child)


def test_without_python_the_agent_answers_and_one_warning_says_why(
    home: Home, installation: Installation, model: FakeModel, tmp_path: Path
) -> None:
    """With an interpreter that does not exist a turn of a one-shot run completes, warned once."""
    config = home.config()
    config["plugins"]["entries"]["openclaw-memory-plugin"]["config"]["python"] = str(tmp_path / "no-python")
    other = home.root / "without-python.json"
    other.write_text(json.dumps(config))
    env, home.env = home.env, {**home.env, "OPENCLAW_CONFIG_PATH": str(other)}
    try:
        words = ["agent", "--local", "--agent", "main", "--session-key", "agent:main:nopython"]
        done = home.run(*words, "--message", "Hello.", "--json")
    finally:
        home.env = env
    assert "Noted." in done.stdout
    assert (done.stdout + done.stderr).count("goes without memory") == 1
    assert "no-python" in done.stdout + done.stderr
