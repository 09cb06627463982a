"""Shared by the tests of the program: running it, and worlds in temporary folders.

The program is $SEEDFALL_BIN, else build/release/seedfall of this clone.
"""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("SEEDFALL_BIN") or str(ROOT / "build" / "release" / "seedfall")
GUESTS = ROOT / "tests" / "guests"
KVLOG = ROOT / "examples" / "kvlog"

# Longer tests try more seeds, mutations, …: LONG or the short number.
IS_LONG = bool(os.environ.get("SEEDFALL_TEST_LONG"))
# Sanitizers take much more memory and time than what they watch.
IS_SANITIZED = bool(os.environ.get("SEEDFALL_TEST_SANITIZED"))


def times(short, longer):
    return longer if IS_LONG else short


CLEAN, FINDING, USAGE, CANNOT_RUN, NONDETERMINISM = range(5)


class Done(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def events(self):
        """The objects of `replay -json`."""
        return [json.loads(line) for line in self.out.splitlines()]


def environment(**extra):
    """What the program is started with: nothing that colours output or reaches a network."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "CLICOLOR_FORCE")}
    return env | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "GOPROXY": "off",
                  "GOFLAGS": ""} | extra


def command(*arguments, prefix=()):
    return [*prefix, BIN, *(a if isinstance(a, bytes) else str(a) for a in arguments)]


def seedfall(*arguments, cwd=None, prefix=(), timeout=120, env=None):
    """Runs the program to its end. A test fails when that takes longer than `timeout` seconds."""
    begin = time.monotonic()
    done = subprocess.run(command(*arguments, prefix=prefix), cwd=cwd, env=env or environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                          check=False)
    # Output of ours is UTF-8, whatever a guest printed: a strict decoder says so.
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode(),
                time.monotonic() - begin)


class WorldTest(unittest.TestCase):
    """A test with a folder of its own for configs."""
    maxDiff = None
    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sf-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def write(self, name, content):
        """Writes a file; anything but text and bytes becomes JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def expect(self, done, code):
        self.assertEqual(done.code, code, f"stdout:\n{done.out[-3000:]}\nstderr:\n{done.err[-3000:]}")
        return done


def guest(name, package, *arguments, **more):
    """One node of a config that runs a program of tests/guests."""
    return {"name": name, "pkg": str(GUESTS / package), "args": list(arguments)} | more


def kvlog_config(variant, **changes):
    """A config of the example that can live in any folder."""
    config = json.loads((KVLOG / f"{variant}.json").read_text())
    config["nodes"][0]["pkg"] = str(KVLOG / "server")
    config["workload"]["pkg"] = str(KVLOG / "client")
    return config | changes


# ---- processes ----------------------------------------------------------------------------------

def start(*arguments, cwd=None):
    """Starts the program as the leader of a process group."""
    return subprocess.Popen(command(*arguments), cwd=cwd, env=environment(),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)


def group_members(group):
    """Process ids of a group, the zombies left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.append(int(entry.name))
    return found


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


def end_group(process):
    """Makes sure that a test leaves nothing behind."""
    for pid in group_members(process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.communicate(timeout=20)
