"""Processes of a sweep: none is left behind, and what becomes of a run that is cut short."""
import json
import os
import signal
import time
import unittest

import support
from support import CANNOT_RUN, FINDING, WorldTest, guest, kvlog_config, seedfall

SWEEP = ("run", "-seeds", "1-100000", "-workers", 2)


class Sweep(WorldTest):
    def start(self, config, *arguments, seconds=1):
        """Starts a sweep, waits until both of its workers are in the middle of a seed (they have
        used processor time, and less than the seed takes) and lets it work for that long."""
        path = self.write("w.json", config)
        process = support.start(*arguments, "-c", path)
        self.addCleanup(support.end_group, process)

        def workers():
            found = [pid for pid in support.group_members(process.pid) if pid != process.pid]
            names = {self.name_of(pid) for pid in found}
            if len(found) != 2 or names != {"seedfall"}:
                return None
            return found if all(self.ticks_of(pid) >= 2 for pid in found) else None
        children = support.wait_until(workers, 60, "two workers in a seed")
        time.sleep(seconds)
        return process, children

    @staticmethod
    def name_of(pid):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                return file.read().strip()
        except (FileNotFoundError, ProcessLookupError):
            return ""

    @staticmethod
    def ticks_of(pid):
        """Processor time used, in clock ticks (10 ms)."""
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
                return int(fields[11]) + int(fields[12])
        except (FileNotFoundError, ProcessLookupError):
            return 0

    def finish(self, process, seconds=10):
        out, err = process.communicate(timeout=seconds)
        self.assert_nobody_is_left(process)
        return process.returncode, out.decode(), err.decode()

    def assert_nobody_is_left(self, process):
        support.wait_until(lambda: not support.group_members(process.pid), 5, "no process left")

    def test_an_interrupt_ends_a_sweep_with_what_was_completed(self):
        process, _ = self.start(kvlog_config("fixed"), *SWEEP)
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        code, out, err = self.finish(process)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(code, CANNOT_RUN, err)
        self.assertRegex(out, r"interrupted after [\d,]+ of 100,000 seeds; "
                         r"go on with -seeds \d+-100000\n")
        self.assertNotIn("BROKEN", out)

    def test_a_terminals_interrupt_reaches_all_processes_and_means_the_same(self):
        process, _ = self.start(kvlog_config("fixed"), *SWEEP, "-json")
        os.killpg(process.pid, signal.SIGINT)
        code, out, err = self.finish(process)
        self.assertEqual(code, CANNOT_RUN, err)
        answer = json.loads(out)
        self.assertTrue(answer["interrupted"])
        self.assertEqual(answer["troubles"], [])
        self.assertEqual(answer["seeds"]["completed"], answer["seeds"]["clean"])

    def test_an_interrupted_sweep_that_found_something_says_so(self):
        config = {"nodes": [guest("idle", "ill", "idle")],
                  "workload": guest("ill", "ill", "exit")}
        process, _ = self.start(config, *SWEEP, "-json")
        os.kill(process.pid, signal.SIGINT)
        code, out, _ = self.finish(process)
        self.assertEqual(code, FINDING)
        answer = json.loads(out)
        self.assertEqual(answer["lowest_failing_seed"], 1)
        self.assertEqual(answer["seeds"]["completed"], answer["seeds"]["failing"])

    def test_workers_do_not_outlive_a_sweep_that_is_killed(self):
        process, _ = self.start(kvlog_config("fixed"), *SWEEP)
        os.kill(process.pid, signal.SIGKILL)
        code, _, _ = self.finish(process)
        self.assertEqual(code, -signal.SIGKILL)

    def test_an_order_to_terminate_is_an_interrupt(self):
        process, _ = self.start(kvlog_config("fixed"), *SWEEP)
        os.kill(process.pid, signal.SIGTERM)
        code, out, _ = self.finish(process)
        self.assertEqual(code, CANNOT_RUN)
        self.assertIn("interrupted after ", out)

    def test_a_worker_that_is_killed_breaks_its_seed_and_no_other(self):
        process, workers = self.start(kvlog_config("fixed"), "run", "-seeds", "1-12", "-workers", 2,
                                      "-json", seconds=0)
        os.kill(workers[0], signal.SIGKILL)
        code, out, err = self.finish(process, 120)
        self.assertEqual(code, CANNOT_RUN, err)
        answer = json.loads(out)
        self.assertEqual(answer["seeds"]["completed"], 12)
        self.assertEqual(answer["seeds"]["clean"], 11)
        self.assertEqual(answer["seeds"]["broken"], 1)
        self.assertEqual(len(answer["troubles"]), 1)
        self.assertRegex(answer["troubles"][0]["what"],
                         r"the worker process was killed by signal 9 \(Killed\)")
        broken = answer["troubles"][0]["seed"]
        config = self.folder / "w.json"
        again = self.expect(seedfall("run", "-c", config, "-seeds", broken), support.CLEAN)
        self.assertIn("1 clean", again.out)

    def test_a_reader_that_goes_away_is_no_crash(self):
        path = self.write("w.json", {"nodes": [guest("idle", "ill", "idle")],
                                     "workload": guest("ill", "ill", "exit")})
        process = support.start("run", "-seeds", "1-3", "-c", path)
        self.addCleanup(support.end_group, process)
        process.stdout.close()
        err = process.stderr.read().decode()
        process.wait(timeout=60)
        self.assertEqual(process.returncode, CANNOT_RUN)
        self.assertIn("cannot write the output: Broken pipe", err)
        self.assert_nobody_is_left(process)

    def test_a_finished_sweep_leaves_nobody(self):
        path = self.write("w.json", {"nodes": [guest("idle", "ill", "idle")],
                                     "workload": guest("ill", "ill", "idle")})
        process = support.start("run", "-seeds", "1-20", "-workers", 4, "-c", path)
        self.addCleanup(support.end_group, process)
        code, _, _ = self.finish(process, 60)
        self.assertEqual(code, support.CLEAN)


if __name__ == "__main__":
    unittest.main()
