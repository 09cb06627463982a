"""Programs that misbehave: each is a named outcome within bounds, and nobody else is hurt.

The programs are tests/guests/ill and tests/guests/wild. Bounds of real time are generous: they are
there to notice a hang, on a busy machine too.
"""
import unittest

from support import CLEAN, FINDING, IS_SANITIZED, WorldTest, guest, seedfall, times

REAL_SECONDS_MAX = 600 if IS_SANITIZED else times(60, 1200)


def ill(*arguments, **changes):
    """A world in which one program misbehaves beside one that does not."""
    return {
        "name": "ill",
        "nodes": [guest("peer", "ill", "peer")],
        "workload": guest("ill", "ill", *arguments, memory="64MiB", disk={"capacity": "8MiB"}),
        "horizon": "2s",
        "limits": {"spin": "100ms", "output_bytes": 200_000},
    } | changes


class Guests(WorldTest):
    def sweep(self, config, *arguments):
        path = self.write("w.json", config)
        done = seedfall("run", "-c", path, "-json", *arguments, timeout=REAL_SECONDS_MAX)
        self.assertIn(done.code, (CLEAN, FINDING), done.err[-3000:])
        return done.json

    def finding(self, config):
        """The only finding of a seed."""
        answer = self.sweep(config, "-seeds", "1-1")
        self.assertEqual(len(answer["findings"]), 1, answer)
        return answer["findings"][0]

    def replay(self, config, *arguments, code=FINDING):
        path = self.write("w.json", config)
        return self.expect(seedfall("replay", "-c", path, *arguments, timeout=REAL_SECONDS_MAX), code)

    def ends(self, config, kind, message):
        found = self.finding(config)
        self.assertEqual((found["kind"], found["node"]), (kind, "" if kind == "horizon" else "ill"))
        self.assertRegex(found["message"], message)

    def lives(self, *arguments, **changes):
        """A program that checks for itself what the host answers."""
        answer = self.sweep(ill(*arguments, **changes), "-seeds", "1-2")
        self.assertEqual(answer["seeds"]["clean"], 2, answer["findings"])


class Cpu(Guests):
    def test_a_loop_without_calls_is_a_spin_that_names_the_function(self):
        self.ends(ill("spin"), "spin",
                  r"^ill used 100ms of CPU time without any host call \(limits\.spin\)$")
        self.assertIn("computes in main.spin (example.com/guests/ill/cpu.go:",
                      self.replay(ill("spin")).out)

    def test_a_loop_of_clock_reads_ends_at_the_horizon(self):
        slow_clock = {"clock_read_ns": 2000}
        self.ends(ill("clock", horizon="300ms", cpu=slow_clock), "horizon",
                  r"^the horizon \(300ms\) came before the workload was done$")

    def test_a_loop_of_clock_reads_ends_at_the_limit_of_steps(self):
        config = ill("clock", limits={"steps": 100_000})
        found = self.finding(config)
        self.assertEqual(found["kind"], "limit")
        self.assertEqual(found["message"], "more than 100,000 steps (limits.steps)")

    def test_a_loop_of_yields_ends_at_the_horizon(self):
        self.ends(ill("yield", horizon="300ms"), "horizon", "^the horizon")

    def test_polls_of_huge_tables_cost_simulated_time(self):
        self.ends(ill("polls", horizon="300ms"), "horizon", "^the horizon")

    def test_vectors_over_the_same_memory_do_not_multiply_it(self):
        self.lives("vectors", limits={"spin": "5s"})


class Memory(Guests):
    # Go prints the reason, then the stacks of all goroutines.
    def test_endless_recursion_is_named(self):
        found = self.finding(ill("recurse", limits={"spin": "5s"}))
        self.assertIn(found["kind"], ("exit", "trap"))
        self.assertRegex(found["message"], r"stack|out of memory|call stack exhausted")

    def test_endless_allocation_is_named(self):
        found = self.finding(ill("allocate", limits={"spin": "5s"}))
        self.assertEqual(found["kind"], "exit")
        self.assertRegex(found["message"], r"^ill exited with code 2: fatal error: .*out of memory")


class Ends(Guests):
    def test_endless_output_is_named(self):
        for mode in ("print", "line"):
            self.ends(ill(mode), "output",
                      r"^ill printed more than 195\.3KiB \(limits\.output_bytes\)$")

    def test_a_deadlock_of_goroutines_is_named(self):
        self.ends(ill("deadlock"), "exit", r"^ill exited with code 2: fatal error: all goroutines "
                  r"are asleep - deadlock!$")

    def test_a_panic_is_named_with_its_line(self):
        self.ends(ill("panic"), "exit", r"^ill exited with code 2: panic: out of cheese$")
        self.assertRegex(self.replay(ill("panic")).out, r"main\.main\(\)\n\s+example\.com/guests/ill"
                         r"/main\.go:\d+")

    def test_a_nil_pointer_is_gos_panic(self):
        self.ends(ill("nil"), "exit", r"^ill exited with code 2: panic: runtime error: invalid "
                  r"memory address or nil pointer dereference")

    def test_an_exit_code_is_named(self):
        self.ends(ill("exit"), "exit", r"^ill exited with code 3$")

    def test_an_exit_of_a_service_is_named(self):
        config = ill("peer") | {"nodes": [guest("bad", "ill", "exit")]}
        found = self.finding(config)
        self.assertEqual((found["kind"], found["node"]), ("exit", "bad"))

    def test_a_service_that_ends_again_and_again_is_a_crash_loop(self):
        config = ill("peer", supervise=True, faults={"restart_after": "1ms"})
        config["nodes"] = [guest("bad", "ill", "exit")]
        found = self.finding(config)
        self.assertEqual(found["kind"], "crash-loop")
        self.assertIn("bad exited with code 3", found["message"])

    def test_an_assertion_is_named(self):
        self.ends(ill("assert"), "assertion", r"^the sky is green$")


class Text(Guests):
    def test_what_guests_print_cannot_drive_the_terminal(self):
        for config in (ill("garbage"), ill("hostbytes")):
            text = self.replay(config)
            self.assertNotRegex(text.out + text.err, r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
            swept = seedfall("run", "-c", self.folder / "w.json", "-seeds", "1-2")
            self.assertNotRegex(swept.out + swept.err, r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
        self.assertIn(r"\x1b[31m", text.out)

    def test_an_event_stays_on_its_line_and_json_stays_json(self):
        config = ill("garbage")
        events = self.replay(config, "-json").events
        self.assertTrue(any("\n" in e["what"] for e in events), "control: a name with a newline")
        lines = self.replay(config).out.splitlines()
        self.assertEqual(lines.index(""), len(events))


class Files(Guests):
    def test_the_limit_of_open_files_holds_and_is_given_back(self):
        self.lives("files")
        out = self.replay(ill("files", limits={"open_files": 100}), "-kind", "console", "-node",
                          "ill", code=CLEAN).out
        self.assertIn("| could open 96", out)   # the console has three, the root one

    def test_a_full_disk_is_enospc_and_can_be_emptied(self):
        self.lives("fill")
        out = self.replay(ill("fill"), "-kind", "console", "-node", "ill", code=CLEAN).out
        self.assertRegex(out, r"\| could write [78]\d{6}\n")

    def test_holes_cost_nothing_and_sizes_are_bounded(self):
        self.lives("grow")

    def test_no_path_leads_out_of_the_disk(self):
        self.lives("paths")


class Calls(Guests):
    def test_negative_and_endless_quiet_windows(self):
        self.lives("quiet", faults={"kill_per_sec": 50, "partition_per_sec": 50})

    def test_unknown_numbers_of_sdk_calls_are_enosys(self):
        self.lives("numbers")

    def test_properties_with_bad_pointers_are_refused(self):
        self.lives("property")


class Wild(Guests):
    def world(self, mode):
        return ill("idle", workload=guest("wild", "wild", mode), horizon="60s",
                   limits={"spin": "5s"})

    def test_hostile_arguments_of_every_call_are_answered(self):
        done = self.replay(self.world("walk"), "-kind", "console,exit,finding", "-node", "wild",
                           code=CLEAN)
        self.assertRegex(done.out, r"\| wild: \d{5} calls answered, \d+ of them with success\n")

    def test_hostile_paths_are_answered(self):
        done = self.replay(self.world("paths"), "-kind", "console,exit,finding", "-node", "wild",
                           code=CLEAN)
        self.assertRegex(done.out, r"\| wild: \d{4,5} calls answered, \d+ of them with success\n")

    def test_random_hostile_arguments_are_answered(self):
        seeds = times(6, 300)
        answer = self.sweep(self.world("fuzz"), "-seeds", f"1-{seeds}")
        self.assertEqual(answer["seeds"]["clean"], seeds, answer["findings"])
        # The same again, and each seed twice: nothing of it depends on the host's memory.
        self.assertEqual(self.sweep(self.world("fuzz"), "-seeds", f"1-{seeds}", "-check"), answer)

    def test_an_absurd_exit_code_is_only_a_number(self):
        found = self.finding(self.world("exit"))
        self.assertEqual(found["message"], "wild exited with code -1")


class Others(Guests):
    """Nobody but the one who misbehaves is hurt."""

    def test_other_seeds_of_the_sweep_are_unhurt(self):
        for mode, kind in (("spin", "spin"), ("print", "output"), ("nil", "exit"),
                           ("allocate", "exit"), ("assert", "assertion")):
            with self.subTest(mode):
                answer = self.sweep(ill(mode, "sometimes"), "-seeds", "1-12", "-workers", 2)
                seeds = answer["seeds"]
                self.assertEqual(seeds["completed"], 12)
                self.assertEqual(seeds["clean"] + seeds["failing"], 12)
                self.assertGreaterEqual(seeds["clean"], 2)
                self.assertGreaterEqual(seeds["failing"], 2)
                self.assertEqual([f["kind"] for f in answer["findings"]], [kind])

    # The neighbour's whole life, to the nanosecond, must be what it is beside a quiet node.
    def test_the_life_of_a_neighbour_does_not_change(self):
        def neighbour(node):
            config = ill("idle") | {"nodes": [node], "workload": guest("peer", "ill", "peer")}
            return self.replay(config, "-node", "peer", "-json", code=CLEAN).events

        def life(node):
            return [{k: v for k, v in e.items() if k != "step"} for e in neighbour(node)]
        quiet = life(guest("wild", "ill", "idle"))
        self.assertTrue(any("| all is well at 17356896002" in event["what"] for event in quiet))
        for package, mode in (("wild", "walk"), ("wild", "fuzz"), ("ill", "paths"), ("ill", "files"),
                              ("ill", "vectors"), ("ill", "yield"), ("ill", "quiet")):
            with self.subTest(mode):
                self.assertEqual(life(guest("wild", package, mode)), quiet)


if __name__ == "__main__":
    unittest.main()
