"""A golden trace: what a fixed program does under fixed seeds, as text that changes only on purpose.

golden/*.txt: a line "# run: …" for people, then the trace. Times are left out and of the calls only
those on files, so that neither the speed of a Go version nor the calls of its runtime matter. After
a change on purpose: python3 tests/cli/golden_test.py --rebase
"""
import sys
import unittest
from pathlib import Path

from support import CLEAN, WorldTest, guest, seedfall

FOLDER = Path(__file__).resolve().parent / "golden"
CALLS = ("mkdir", "create", "open", "read", "write", "fsync", "rename", "close", "unlink")
KINDS = ("boot", "console", "fault", "exit", "end")

WORLD = {
    "name": "golden",
    "nodes": [guest("counter", "golden", "count")],
    "workload": guest("waiter", "golden", "wait"),
    "faults": {"crash_on_io": 0.06, "torn_writes": 1, "restart_after": "20ms"},
    "cpu": {"preempt": "off"},
}
# File name and what replaces parts of the world. Between them the seeds show a crash before, inside
# and after an operation, a torn write, lost names, and a program that trusted too much.
CASES = {
    "power.txt": (1, {}),
    "power-scc.txt": (8, {"disk": {"profile": "scc"}}),
    "control.txt": (2, {"disk": {"profile": "control"}}),
    "calm.txt": (1, {"faults": {}}),
}
REBASE = "--rebase"


def is_about_files(event):
    words = event["what"].split()
    return event["kind"] == "call" and words[0] in CALLS and len(words) > 1 and "/data" in words[1]


def lines(events):
    for event in events:
        if event["node"] == "waiter" or not (event["kind"] in KINDS or is_about_files(event)):
            continue
        yield f"{event['node'] or '-':<8} {event['kind']:<8} {event['what']:<58} " \
              f"{event['outcome']}".rstrip()


class Golden(WorldTest):
    def trace(self, seed, changes):
        config = self.write("golden.json", WORLD | changes)
        done = self.expect(seedfall("replay", "-c", config, "-seed", seed, "-json"), CLEAN)
        return "\n".join(lines(done.events)) + "\n"

    def test_traces_are_the_stored_ones(self):
        for name, (seed, changes) in CASES.items():
            with self.subTest(name):
                path = FOLDER / name
                trace = f"# run: seed {seed} with {changes or 'nothing'} changed; " \
                        f"see golden_test.py\n{self.trace(seed, changes)}"
                if REBASE in sys.argv:
                    path.write_text(trace)
                self.assertEqual(trace, path.read_text(), f"{name} differs; if that is meant: "
                                 f"python3 {Path(__file__).name} {REBASE}")

    def test_the_traces_show_what_they_are_for(self):
        text = "".join(path.read_text() for path in sorted(FOLDER.glob("*.txt")))
        for what in ("crash (power) inside", "crash (power) before", "crash (power) after", "kept",
                     "boot incarnation 2", "rename /data/new -> /data/count", "| done"):
            self.assertIn(what, text)


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != REBASE])
