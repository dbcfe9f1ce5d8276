"""Programs that are not miniserver, in PATH and elsewhere: the kit says so, and leaves nothing behind."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from unittest.mock import MagicMock

import pytest
from miniserver_testkit import Server
from miniserver_testkit.program import find

HOSTILE = pathlib.Path(tempfile.mkdtemp())
subprocess.run([pathlib.Path(__file__).parents[2] / "testdata" / "hostile", HOSTILE], check=True)
PS = shutil.which("ps")
CASES = sorted(case.name for case in HOSTILE.iterdir())


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch):
    """Let no other program be found."""
    monkeypatch.delenv("MINISERVER_BINARY", raising=False)
    monkeypatch.setattr("miniserver_testkit.program._packaged", lambda: None)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", ["argument", "MINISERVER_BINARY", "PATH"])
def test_a_hostile_program(monkeypatch, name, way):
    case = HOSTILE / name
    program = case / "miniserver"
    (case / "pids").unlink(missing_ok=True)
    if (case / "hangs").exists():
        monkeypatch.setenv("MINISERVER_START_TIMEOUT", "0.3")
    if way == "PATH":
        monkeypatch.setenv("PATH", os.pathsep.join(["", "/no/such", str(case / "reason"), str(case)]))
    elif way == "MINISERVER_BINARY":
        monkeypatch.setenv(way, str(program))
    with pytest.raises((RuntimeError, FileNotFoundError)) as error:
        Server(binary=program if way == "argument" else None)
    reason = (case / "reason").read_text().strip()
    assert re.search(f"{re.escape(str(program))},?( which)? ({reason})", str(error.value))
    for pid in _pids(case):
        while _runs(pid):  # the system ends it soon
            time.sleep(0.01)


def test_a_mock_in_place_of_a_process_is_sent_no_signal(monkeypatch):
    """Its number would count as 1, and a signal to that group is one to all processes."""
    signals = []
    monkeypatch.setattr("os.killpg", lambda *args: signals.append(args))
    monkeypatch.setattr("miniserver_testkit.program.Popen", MagicMock())
    with pytest.raises(TypeError):
        Server(binary=sys.executable)
    assert not signals


def _pids(case):
    try:
        return (case / "pids").read_text().split()
    except FileNotFoundError:
        return []  # it was ended before it had begun


def _runs(pid):
    """Report whether a process runs. One that has ended may stay until its parent asks how."""
    state = subprocess.run([PS, "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout
    return state.strip()[:1] not in ("", "Z")


@pytest.fixture(scope="session")
def miniserver_path(request):
    return pathlib.Path(find(request.config.getoption("--miniserver")))


def test_what_cannot_run_is_passed_over(monkeypatch, miniserver_path):
    folders = [HOSTILE / name for name in CASES if not re.match("ended|needs|printed|has not", (HOSTILE / name / "reason").read_text())]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [*folders, miniserver_path.parent])))
    with Server() as server:
        assert server.command("PING") == "PONG"


def test_a_limit_that_is_no_number(monkeypatch, miniserver_path):
    monkeypatch.setenv("MINISERVER_START_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="MINISERVER_START_TIMEOUT: soon is not a number of seconds"):
        Server(binary=miniserver_path)
