"""`demo`: sandbox hub, sandbox Telegram and the real bridge; it shows the conversation and ends by itself."""

import subprocess
import sys

from tests.cli.conftest import Run, environment


def test_the_demo_shows_a_conversation_and_ends(bridge_process: Run) -> None:
    """Every change in place names its message, an answer is shown once, nothing is padded."""
    done = bridge_process("demo", "--speed", "20", "--scenario", "plan")
    assert (done.returncode, done.stderr) == (0, "")
    shown, lines = done.stdout, done.stdout.splitlines()
    assert "🔕 comes silently   🔔 rings   ✎ changes in place" in "\n".join(lines[:5])
    assert "You · web: Make a plan first, please." in shown
    order = ["Plan to approve", "Ada presses", "Step 1 is in", "1 session: "]
    places = [shown.index(words) for words in order]
    assert places == sorted(places)
    assert "[Approve]" in shown
    assert "Ada pressed 1 button, wrote 0 messages" in shown
    asked = next(lines[at - 1] for at, line in enumerate(lines) if "Plan to approve" in line)
    number = asked.split()[-2]
    assert asked.endswith(f"{number} 🔔")
    assert any(line.endswith(f"Ada presses [Approve] on {number}") for line in lines)
    assert any(f"{number} ✎ Plan to approve" in line for line in lines)
    assert shown.count("Sending…") <= 1, "told once per press"
    assert sum("Step 1 is in" in line for line in lines) == 1
    assert not [line for line in lines if line != line.rstrip()]


def test_the_demos_visitor_answers_several_questions_and_in_own_words(bridge_process: Run) -> None:
    done = bridge_process("demo", "--speed", "50", "--scenario", "questions")
    assert (done.returncode, done.stderr) == (0, "")
    assert "comes from tea@example.org" in done.stdout
    assert "Ada pressed 4 buttons, wrote 1 message" in done.stdout


def test_an_unknown_scenario_is_answered_with_those_there_are(bridge: Run) -> None:
    done = bridge("demo", "--scenario", "nope")
    assert done.returncode == 2
    assert done.stderr.startswith("there is no scenario nope; there are agents, bugfix, ")


def test_ctrl_c_stops_it(tmp_path: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bridge", "demo"],
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("What Ada's phone would show.")
        process.send_signal(2)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("stopped\n")


def test_the_demo_speaks_the_language_it_is_told_and_its_visitor_finds_the_buttons(bridge_process: Run) -> None:
    done = bridge_process("demo", "--speed", "20", "--scenario", "plan", env={"BRIDGE_LANGUAGE": "zh-cn"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ada presses [批准]" in done.stdout
    assert "Step 1 is in" in done.stdout


def test_a_language_there_is_not_is_named_with_those_there_are(bridge_process: Run) -> None:
    done = bridge_process("demo", "--scenario", "plan", env={"BRIDGE_LANGUAGE": "tlh"})
    assert done.returncode == 2
    assert "expects one of en, zh-CN" in done.stderr


def test_what_the_demo_shows_first_waits_for_no_database() -> None:
    """The page's address is there before the bridge is, which loads what only the bridge needs."""
    loads = "import sys, bridge.cli.demo; print([name for name in ('sqlalchemy', 'alembic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, timeout=45, check=True)
    assert done.stdout.strip() == "[]"
