"""The suites in suites/, which were written for the original, and pass with ours when their imports are changed."""

import re
import subprocess
import sys
from pathlib import Path

SUITES = sorted((Path(__file__).parent / "suites").glob("*.py"))


def ours(text):
    """Return a program with the imports changed."""
    text = re.sub(r"^import fakeredis$", "from miniserver_testkit import fakeredis", text, flags=re.M)
    return re.sub(r"^from fakeredis import ", "from miniserver_testkit.fakeredis import ", text, flags=re.M)


def passed(folder, change):
    """Run the suites in a folder, changed, and return how many tests have passed. No test may fail, be left out, or warn."""
    folder.mkdir()
    for suite in SUITES:
        (folder / f"test_{suite.name}").write_text(change(suite.read_text()))
    command = [sys.executable, "-m", "pytest", "-q", "-o", "asyncio_mode=auto", "-p", "no:cacheprovider", "-W", "error", "."]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    return int(re.fullmatch(r"(\d+) passed in .*", run.stdout.splitlines()[-1])[1])


def test_suites(tmp_path):
    assert all(ours(suite.read_text()) != suite.read_text() for suite in SUITES)
    written = sum(len(re.findall(r"^(?:async )?def test_", suite.read_text(), re.M)) for suite in SUITES)
    assert passed(tmp_path / "original", lambda text: text) == passed(tmp_path / "ours", ours) >= written
