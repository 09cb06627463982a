"""The scripts themselves: they parse, and regress and try notice what they should notice.

Method: a stand-in for the program answers from a table of canned JSON, one case per behaviour.
"""
import json
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Answers `run` and `shrink` with the files run.json and shrink.json beside it.
STAND_IN = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(__file__).parent
answer = json.loads((here / f"{sys.argv[1]}.json").read_text())
print(json.dumps(answer))
sys.exit(1 if sys.argv[1] == "run" and answer["seeds"]["failing"] else 0)
"""
FAILING = {
    "schema": 1, "world": "w", "lowest_failing_seed": 3,
    "seeds": {"from": 1, "to": 20, "completed": 20, "clean": 18, "failing": 2},
    "findings": [{"id": "F1", "message": "entry 9 lost", "seeds": 2, "lowest": 3}],
    "evidence": {"crash": 40, "torn_tail": 2},
}
CLEAN = FAILING | {
    "seeds": {"from": 1, "to": 20, "completed": 20, "clean": 20, "failing": 0},
    "findings": [], "lowest_failing_seed": None,
}
SHRINK = {"faults_before": 12, "faults": [{}, {}], "runs": 15, "capsule": "c.json"}
FINDING = {"config": "a.json", "seeds": "1-20", "verdict": "finding", "message": "entry .* lost",
           "max_faults": 2, "evidence": {"crash": 40}}


def bash_scripts():
    files = [p for folder in ("scripts", ".ci") for p in (ROOT / folder).iterdir() if p.is_file()]
    return sorted(p for p in files
                  if p.suffix == ".sh" or "bash" in p.read_text().split("\n", maxsplit=1)[0])


class Scripts(unittest.TestCase):
    def test_bash_can_parse_each_script(self):
        self.assertGreater(len(bash_scripts()), 5)
        for path in bash_scripts():
            done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_scripts_without_a_suffix_are_executable(self):
        for path in (ROOT / "scripts").iterdir():
            if path.is_file() and not path.suffix:
                self.assertTrue(os.access(path, os.X_OK), path.name)

    def test_setup_that_may_not_install_names_the_command_and_ends_with_3(self):
        # A dpkg-query that knows no package stands in for a bare machine.
        with tempfile.TemporaryDirectory() as folder:
            write_program(Path(folder) / "dpkg-query", "#!/bin/sh\nexit 1\n")
            done = subprocess.run(
                [ROOT / "scripts/setup", "--no-install"], capture_output=True, text=True,
                check=False, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("apt-get install -y --no-install-recommends g++ cmake", done.stderr)


def write_program(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class StdTests(unittest.TestCase):
    """The list of exceptions is held to what runs. A stand-in for the program answers like go."""

    def std_tests(self, exceptions, outcomes, passes=1):
        events = [{"Action": action, "Package": "p", "Test": test}
                  for test, end in outcomes.items() for action in ("run", end)]
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "events").write_text("".join(json.dumps(e) + "\n" for e in events))
            write_program(folder / "seedfall", f"#!/bin/sh\ncat {folder}/events\n"
                          f"exit {int('fail' in outcomes.values() or not outcomes)}\n")
            go = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True,
                                check=True).stdout.strip()
            (folder / "list.json").write_text(json.dumps(
                {"go": go, "packages": {"p": {"pass": passes, "exceptions": exceptions}}}))
            done = subprocess.run(
                [ROOT / "scripts/std-tests", "--bin", folder / "seedfall", "--list",
                 folder / "list.json"], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def test_each_difference_is_named(self):
        good = {"TestA": "pass", "TestB": "skip"}
        reason = {"TestB": "needs a moon"}
        self.assertEqual(self.std_tests(reason, good)[0], 0)
        for exceptions, outcomes, text in (
                (reason | {"TestGone": "needs it"}, good, "TestGone is on the list, but there is no"),
                ({}, good, "TestB is skipped and not on the list"),
                ({"TestB": "?"}, good, "TestB is on the list without a reason"),
                (reason, {"TestA": "pass", "TestB": "pass"}, "TestB passes, but the list says"),
                (reason, good | {"TestC": "fail"}, "TestC fails"),
                (reason, {"TestB": "skip"}, "0 tests pass, the list says 1"),
                (reason, {}, "the package as a whole fails")):
            with self.subTest(text):
                code, output = self.std_tests(exceptions, outcomes)
                self.assertEqual(code, 1, output)
                self.assertIn(text, output)
        self.assertNotIn("no such test", self.std_tests(reason, {})[1])


class Regress(unittest.TestCase):
    def regress(self, expected, run=FAILING, shrink=SHRINK, options=(), **whole):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write_program(folder / "seedfall", STAND_IN)
            (folder / "run.json").write_text(json.dumps(run))
            (folder / "shrink.json").write_text(json.dumps(shrink))
            example = folder / "examples" / "demo"
            example.mkdir(parents=True)
            (example / "a.json").write_text("{}")
            (example / "expected.json").write_text(json.dumps({"configs": [expected]} | whole))
            done = subprocess.run(
                [ROOT / "scripts/regress", "--bin", folder / "seedfall",
                 "--examples", folder / "examples", *options],
                capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def differs(self, text, *arguments, **options):
        code, output = self.regress(*arguments, **options)
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_expected_finding_and_expected_clean_are_ok(self):
        code, output = self.regress(FINDING)
        self.assertEqual(code, 0, output)
        self.assertIn("ok     demo/a.json seeds 1-20: 2 failing, lowest 3, 12 faults -> 2", output)
        self.assertEqual(self.regress(FINDING | {"message": "^entry … lost$"})[0], 0)
        code, output = self.regress(FINDING | {"verdict": "clean"}, run=CLEAN)
        self.assertEqual(code, 0, output)

    def test_each_difference_is_named(self):
        self.differs("expected 1", FINDING, run=CLEAN)
        self.differs("expected 0", FINDING | {"verdict": "clean"})
        self.differs("does not match", FINDING | {"message": "dirty read"})
        self.differs("2 faults, expected at most 1", FINDING | {"max_faults": 1})
        self.differs("evidence torn_tail: 2", FINDING | {"evidence": {"torn_tail": 3}})
        self.differs("evidence kill: 0", FINDING | {"evidence": {"kill": 1}})
        self.differs("completed", FINDING | {"seeds": "1-30"})
        self.differs("lacks", FINDING, run={"schema": 1, "seeds": {"failing": 1}})

    def test_quick_takes_fewer_seeds_and_scales_the_evidence(self):
        full = FINDING | {"seeds": "1-200", "quick_seeds": "1-20", "evidence": {"crash": 400}}
        self.assertEqual(self.regress(full, options=["-quick"])[0], 0)
        more = FINDING | {"quick_seeds": "1-500"}
        self.assertEqual(self.regress(more, options=["-quick"])[0], 0)
        full["evidence"] = {"crash": 410}
        self.differs("expected at least 41", full, options=["-quick"])

    def test_an_example_is_built_first_and_may_be_left_out_of_the_quick_ones(self):
        self.differs("cat b.txt failed: cat: b.txt: No such file", FINDING, build="cat b.txt")
        self.assertEqual(self.regress(FINDING, build="test -f a.json")[0], 0)
        code, output = self.regress(FINDING, options=["-quick"], quick=False, build="false")
        self.assertEqual(code, 2, output)   # nothing is left to run
        self.assertIn("no examples with an expected.json to run", output)
        for name in ("demo", "demo/a", "dem"):
            code, output = self.regress(FINDING, options=["-quick", name], quick=False)
            self.assertEqual(code, 2, output)
            self.assertIn(f"{name}: demo is left out with -quick", output)
            self.assertIn("nothing was run", output)
        code, output = self.regress(FINDING, options=["-quick", "demo", "other"])
        self.assertEqual(code, 2, output)
        self.assertIn("other: no such example", output)

    def test_unusable_expectations_end_with_2(self):
        self.assertEqual(self.regress(FINDING, bild="make")[0], 2)
        self.assertEqual(self.regress(FINDING | {"verdict": "maybe"})[0], 2)
        self.assertEqual(self.regress(FINDING | {"mesage": "x"})[0], 2)
        self.assertEqual(self.regress(FINDING | {"seeds": "9-1"})[0], 2)
        self.assertEqual(self.regress(FINDING | {"config": "b.json"})[0], 2)
        self.assertEqual(self.regress(FINDING, options=["no-such-name"])[0], 2)


if __name__ == "__main__":
    unittest.main()
