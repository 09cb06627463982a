"""The command line itself: exit codes, messages, what goes to stdout and what to stderr."""
import os
import pty
import re
import subprocess
import unittest

import support
from support import CANNOT_RUN, CLEAN, FINDING, USAGE, WorldTest, guest, seedfall

COMMANDS = ("run", "replay", "shrink", "trace", "init", "doctor", "schema", "exec", "go", "version",
            "help")
PLANNED = ("cause", "mutate", "mcp", "merge", "explore", "report")


class Words(WorldTest):
    """Command lines that never get as far as a world."""

    def fails(self, arguments, message, code=USAGE):
        done = self.expect(seedfall(*arguments, cwd=self.folder), code)
        self.assertEqual(done.err, message + "\n")
        self.assertEqual(done.out, "", "an error leaves stdout empty")

    def test_no_command_shows_help_and_is_a_usage_error(self):
        done = self.expect(seedfall(), USAGE)
        self.assertIn("Exit codes:", done.out)

    def test_help_fits_on_one_screen_and_names_every_command(self):
        for words in (["help"], ["-h"], ["-help"], ["--help"]):
            done = self.expect(seedfall(*words), CLEAN)
            self.assertEqual(done.err, "")
            self.assertLessEqual(len(done.out.splitlines()), 24)
            for name in COMMANDS:
                self.assertIn(name, done.out)

    def test_help_of_each_command_is_its_own_help_flag(self):
        for name in ("run", "replay", "shrink", "trace", "init", "doctor", "schema", "exec", "go"):
            done = self.expect(seedfall("help", name), CLEAN)
            self.assertEqual(seedfall(name, "-h").out, done.out)
            self.assertEqual(seedfall(name, "--help").out, done.out)
            self.assertGreaterEqual(done.out.count(f"\n  seedfall {name} "), 2, "two examples")
            self.assertIn("-help", done.out)

    def test_version_names_program_and_engine(self):
        for words in (["version"], ["-version"], ["--version"]):
            done = self.expect(seedfall(*words), CLEAN)
            self.assertRegex(done.out, r"^seedfall \d+\.\d+\.\d+\nengine wasmtime \d+.*\n$")
        self.fails(["version", "x"], "version takes no arguments")

    def test_a_wrong_command_is_answered_with_the_nearest(self):
        self.fails(["rum"], "rum: no such command; did you mean run?")
        self.fails(["help", "shrnk"], "shrnk: no such command; did you mean shrink?")
        self.fails(["xyzzy"], "xyzzy: no such command; `seedfall help` lists the commands")

    def test_a_planned_command_says_that_it_is_not_built_yet(self):
        for name in PLANNED:
            self.fails([name, "-x"], f"{name}: this command is not built yet; "
                       "`seedfall help` lists those that are")

    def test_a_wrong_flag_is_answered_with_the_nearest(self):
        self.fails(["run", "-sedes", "1-2"], "-sedes: no such flag of run; did you mean -seeds?")
        self.fails(["run", "--sedes=1-2"], "--sedes=1-2: no such flag of run; did you mean -seeds?")
        self.fails(["replay", "-kinds", "x"], "-kinds: no such flag of replay; did you mean -kind?")
        self.fails(["run", "--"], "--: no such flag of run; `seedfall help run` lists them")

    def test_malformed_flags_are_named(self):
        shows = "; `seedfall help run` shows how"
        range_ = "from 0 to 18446744073709551615"
        self.fails(["run", "-seeds"], "run: -seeds needs a value" + shows)
        self.fails(["run", "-seeds=1", "-seeds=2"], "run: -seeds is given more than once" + shows)
        self.fails(["run", "more"], "run: more: not expected" + shows)
        self.fails(["run", "-workers", "two"], 
                   f"run: -workers two: not a whole number {range_}")
        self.fails(["shrink", "-seed", "1e3"], f"shrink: -seed 1e3: not a whole number {range_}")
        self.fails(["replay", "-seed", "-1"], f"replay: -seed -1: not a whole number {range_}")
        self.fails(["replay", "-seed=-1"], f"replay: -seed -1: not a whole number {range_}")
        self.fails(["run", "-c", ""], "run: -c needs a value; '' is none" + shows)
        self.fails(["run", "-check=maybe"], "run: -check=maybe: true or false" + shows)

    def test_ranges_of_seeds_are_checked(self):
        example = "; for example -seeds 1-500"
        self.fails(["run", "-seeds", "5-1"],
                   "-seeds 5-1: the first seed is above the last; -seeds 1-5")
        for wrong in ("a", "1-", "1-2-3", "1..3", "1,2", "0x10", "99999999999999999999"):
            self.fails(["run", "-seeds", wrong],
                       f"-seeds {wrong}: not a range of seeds{example} or -seeds 7")
        self.fails(["run", "-seeds", "0-18446744073709551615"],
                   f"-seeds 0-18446744073709551615: too many seeds{example}")

    def test_a_missing_config_cannot_run(self):
        hint = "; `seedfall init` writes a first one, -c FILE names another"
        for name in ("run", "replay", "shrink"):
            self.fails([name], "seedfall.json: cannot open: No such file or directory" + hint,
                       CANNOT_RUN)
            self.fails([name, "-c", "no/such.json"],
                       "no/such.json: cannot open: No such file or directory" + hint, CANNOT_RUN)

    def test_help_fits_a_terminal_and_shows_arguments_without_a_dash(self):
        for name in ("init", "doctor", "trace"):
            lines = seedfall("help", name).out.splitlines()
            self.assertRegex(lines[0], rf"^seedfall {name} \[[A-Z]+\]: ")
            self.assertLessEqual(max(map(len, lines[:lines.index("")])), 80)
            self.assertFalse([line for line in lines if line.startswith(("  -PKG", "  -FILE"))])

    def test_a_missing_trace_or_capsule_cannot_run(self):
        self.fails(["replay", "-capsule", "c.json"],
                   "c.json: cannot open: No such file or directory", CANNOT_RUN)
        self.fails(["trace", "no.trace"],
                   "no.trace: cannot open: No such file or directory", CANNOT_RUN)


class Output(WorldTest):
    """What a run prints, and where."""

    def setUp(self):
        super().setUp()
        self.bad = self.write("bad.json", {"workload": guest("ill", "ill", "exit"),
                                           "nodes": [guest("idle", "ill", "idle")]})
        self.good = self.write("good.json", {"workload": guest("ill", "ill", "idle"),
                                             "nodes": [guest("idle", "ill", "idle")]})

    def test_flags_may_have_one_dash_or_two_and_an_equals_sign(self):
        for words in (["-c", "good.json", "-seeds", "1-2"], ["--seeds=1-2", "--c", "good.json"],
                      ["-c=good.json", "-seeds=1-2"]):
            done = self.expect(seedfall("run", *words, cwd=self.folder), CLEAN)
            self.assertTrue(done.out.startswith("2 seeds in "), done.out)

    def test_the_answer_is_on_stdout_and_progress_on_stderr(self):
        done = self.expect(seedfall("run", "-c", self.bad, "-seeds", "1-2"), FINDING)
        self.assertIn("FAIL seed 1 at t=", done.out)
        self.assertIn(f"next: seedfall replay -c {self.bad} -seed 1\n", done.out)
        self.assertIn(f"      seedfall shrink -c {self.bad} -seed 1\n", done.out)
        self.assertIn("guests ready in", done.err)
        self.assertNotIn("guests ready", done.out)
        self.assertNotIn("FAIL", done.err)

    def test_nothing_is_coloured_or_redrawn_when_nobody_watches(self):
        for config in (self.good, self.bad):
            for words in (["run", "-seeds", "1-3"], ["replay"]):
                done = seedfall(*words, "-c", config)
                self.assertNotRegex(done.out + done.err, r"[\x1b\r]")

    def on_a_terminal(self, **env):
        """Both streams of a sweep whose stderr is a terminal."""
        leader, follower = pty.openpty()
        done = subprocess.run(support.command("run", "-c", self.good, "-seeds", "1-40"),
                              env=support.environment(**env), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=follower, timeout=60, check=True)
        os.close(follower)
        shown = b""
        try:
            while block := os.read(leader, 1 << 16):
                shown += block
        except OSError:
            pass   # Linux ends a terminal's output with EIO
        os.close(leader)
        return done.stdout.decode(), shown.decode()

    def test_a_terminal_gets_a_status_line_that_is_cleared_at_the_end(self):
        for env in ({}, {"NO_COLOR": "1"}):
            out, shown = self.on_a_terminal(**env)
            self.assertIn("\r", shown)
            self.assertTrue(shown.endswith("\r\x1b[K") or "\x1b" not in shown.rsplit("\n", 1)[1])
            self.assertNotRegex(out, r"[\x1b\r]", "stdout is no terminal")
            self.assertNotRegex(shown, r"\x1b\[[0-9;]*m", "no colours")

    def test_json_is_one_object_that_says_what_the_text_says(self):
        clean = self.expect(seedfall("run", "-c", self.good, "-seeds", "3-5", "-json"), CLEAN)
        self.assertEqual(clean.json["schema"], 1)
        self.assertEqual(clean.json["seeds"], {"from": 3, "to": 5, "completed": 3, "clean": 3,
                                               "failing": 0, "nondeterministic": 0, "broken": 0})
        self.assertIsNone(clean.json["lowest_failing_seed"])
        self.assertEqual(clean.json["findings"], [])
        found = self.expect(seedfall("run", "-c", self.bad, "-seeds", "3-5", "-json"), FINDING)
        self.assertEqual(found.json["lowest_failing_seed"], 3)
        self.assertEqual(len(found.json["findings"]), 1)
        self.assertEqual(found.json["findings"][0]["message"], "ill exited with code 3")
        self.assertEqual(found.json["findings"][0]["seeds"], 3)

    def test_replay_json_is_one_object_per_event(self):
        done = self.expect(seedfall("replay", "-c", self.bad, "-json"), FINDING)
        events = done.events
        self.assertEqual([e["step"] for e in events], list(range(1, len(events) + 1)))
        self.assertEqual(events[-1]["kind"], "end")
        self.assertEqual(events, sorted(events, key=lambda e: e["time_ns"]))
        text = seedfall("replay", "-c", self.bad).out.splitlines()
        self.assertEqual(len(events), text.index(""), "text has a line per event, then the verdict")

    def test_an_answer_that_cannot_be_written_is_an_error(self):
        for words in (["run", "-seeds", "1-2"], ["replay"], ["run", "-seeds", "1-2", "-json"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(support.command(*words, "-c", self.good), stdout=full,
                                      stderr=subprocess.PIPE, env=support.environment(),
                                      timeout=60, check=False)
            self.assertEqual(done.returncode, CANNOT_RUN)
            self.assertTrue(done.stderr.endswith(
                b"cannot write the output: No space left on device\n"), done.stderr)

    def test_filters_that_name_nothing_are_usage_errors(self):
        for words, message in (
                (["-node", "nobody"], "-node nobody: no such node; nodes: idle, ill"),
                (["-kind", "calls"], "-kind calls: no such kind of event; kinds: call, boot, exit,"),
                (["-from", "x"], "-from x: not a duration; for example -from 0.4s"),
                (["-to", "1 fortnight"], "-to 1 fortnight: not a duration")):
            done = self.expect(seedfall("replay", "-c", self.good, *words), USAGE)
            self.assertIn(message, done.err)
            self.assertEqual(done.out, "")

    def test_numbers_in_the_answer_have_units(self):
        out = seedfall("run", "-c", self.good, "-seeds", "1-2").out
        self.assertRegex(out, r"2 seeds in \d+\.\d s: 2 clean, 0 failing\n")
        self.assertTrue(re.search(r"evidence: .* simulated seconds", out), out)


if __name__ == "__main__":
    unittest.main()
