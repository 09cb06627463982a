"""WASI preview 1 as C programs see it: each program of tests/guests/conformance, on every disk.

They are linked into one module that runs the one its first argument names: one compilation by the
engine serves them all.
"""
import re
import unittest
from pathlib import Path

import c_programs
from support import CLEAN, FINDING, GUESTS, WorldTest, seedfall

FOLDER = GUESTS / "conformance"
CONTROL = "control_that_fails"


def programs():
    return sorted(path.stem for path in FOLDER.glob("*.c"))


def dispatcher(names):
    """A main that runs the program its first argument names."""
    lines = ["#include <stdio.h>", "#include <string.h>", "#include <unistd.h>"]
    lines += [f"int run_{name}(void);" for name in names]
    lines += ["static const struct { const char* name; int (*run)(void); } all[] = {"]
    lines += [f'  {{"{name}", run_{name}}},' for name in names]
    lines += ["};",
              "int main(int count, char** arguments) {",
              "  for (unsigned i = 0; count == 2 && i < sizeof all / sizeof *all; ++i)",
              "    if (strcmp(all[i].name, arguments[1]) == 0) return all[i].run();",
              '  puts("idle");   // until the others are done',
              "  sleep(30);",
              "  return 0;",
              "}"]
    return "\n".join(lines) + "\n"


def build():
    """The module with all programs. Each is a program of its own, whose main gets another name."""
    names = programs()
    units = {name: (Path(f"{name}.c"), [f"-Dmain=run_{name}"]) for name in names}
    return c_programs.module("conformance", FOLDER, units | {"all": (dispatcher(names), [])})


def exit_code(name):
    """What a program's comment says it ends with; 0 when it says nothing."""
    said = re.search(r"^// exit: (\d+)$", (FOLDER / f"{name}.c").read_text(), re.MULTILINE)
    return int(said[1]) if said else 0


def outcomes(events):
    """Exit code and console lines by node."""
    found = {}
    for event in events:
        code, lines = found.get(event["node"], (None, []))
        if event["kind"] == "console":
            lines = [*lines, event["what"][2:]]
        elif event["kind"] == "exit":
            code = int(event["outcome"].removeprefix("code "))
        found[event["node"]] = (code, lines)
    return found


class Conformance(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.module = build()

    def replay(self, nodes):
        """Outcomes of a world whose nodes are programs; it ends when an idle one has slept."""
        idle = {"name": "idle", "wasm": str(self.module)}
        config = self.write("w.json", {"nodes": nodes, "workload": idle, "horizon": "60s"})
        done = seedfall("replay", "-c", config, "-seed", "1", "-json", "-kind",
                        "console,finding,exit", cwd=self.folder)
        self.assertIn(done.code, (CLEAN, FINDING), done.err[-3000:])
        return outcomes(done.events), done

    def node(self, name, profile):
        return {"name": name.replace("_", "-"), "wasm": str(self.module), "args": [name],
                "disk": {"profile": profile, "capacity": "8MiB"}}

    def run_alone(self, name, profile):
        """Exit code and console lines of one program."""
        found, done = self.replay([self.node(name, profile)])
        return found.get(name.replace("_", "-"), (None, [])), done

    # All of them live in one world, each on a node of its own. The first one that fails ends it,
    # and so does an exit code, so what did not pass there runs alone.
    def check_all(self, profile):
        names = [name for name in programs() if name != CONTROL]
        self.assertGreaterEqual(len(names), 60)
        found, _ = self.replay([self.node(name, profile) for name in names if not exit_code(name)])
        passed = {node.replace("-", "_") for node, outcome in found.items()
                  if outcome == (0, ["ok"])}
        others = [name for name in names if name not in passed]
        failed = 0
        for name in others:
            with self.subTest(name):
                failed += 1
                outcome, done = self.run_alone(name, profile)
                self.assertEqual(outcome, (exit_code(name), ["ok"]), done.err[-2000:])
                failed -= 1
        if failed == 0:
            self.assertEqual(others, [name for name in names if exit_code(name)])

    def test_under_control(self):
        self.check_all("control")

    def test_under_scc(self):
        self.check_all("scc")

    def test_under_in_order(self):
        self.check_all("in-order")

    def test_under_strict_posix(self):
        self.check_all("strict-posix")

    def test_an_expectation_that_does_not_hold_is_reported(self):
        outcome, done = self.run_alone(CONTROL, "in-order")
        self.assertEqual(outcome, (1, [f"{CONTROL}.c:6: 1 + 1: expected 3, got 2"]))
        self.assertEqual(done.code, FINDING)

    def test_every_program_says_what_it_checks(self):
        for name in programs():
            text = (FOLDER / f"{name}.c").read_text()
            self.assertRegex(text, r"^// \S", name)


if __name__ == "__main__":
    unittest.main()
