"""Programs that want more than there is (tests/guests/hostile): the errno or verdict each ends in,
how much of the host's memory and time it takes, and that a neighbour does not notice.

Repetitions are few in the push tier; the long tier takes those that fill: 10 GB written, a million
files open, a million names in one directory.
"""
import os
import subprocess
import time
import unittest
from pathlib import Path

import c_programs
from support import (CLEAN, FINDING, GUESTS, IS_SANITIZED, Done, WorldTest, command, environment,
                     times)

REAL_SECONDS_MAX = 900 if IS_SANITIZED else times(60, 300)
MEBIBYTE = 1 << 20
HOST_BYTES = 64 * MEBIBYTE   # the program with the engine, before any guest has done anything
MEMORY = 64 * MEBIBYTE       # of a guest
DISK = 64 * MEBIBYTE


def run_measured(*arguments, cwd):
    """Runs the program; also the most memory that it or a child of it ever held, in bytes."""
    begin = time.monotonic()
    with open(cwd / "out", "w+b") as out, open(cwd / "err", "w+b") as err:
        bounded = ("timeout", "--signal=KILL", str(REAL_SECONDS_MAX))
        process = subprocess.Popen(command(*arguments, prefix=bounded), cwd=cwd, env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        done = Done(process.returncode, out.read().decode(), err.read().decode(),
                    time.monotonic() - begin)
    return done, usage.ru_maxrss * 1024


class Hostile(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.module = c_programs.module("hostile", GUESTS / "hostile",
                                       {"hostile": (Path("hostile.c"), [])})

    def node(self, name, mode, repetitions=1, **more):
        return {"name": name, "wasm": str(self.module), "args": [mode, str(repetitions)],
                "memory": f"{MEMORY // MEBIBYTE}MiB",
                "disk": {"capacity": f"{DISK // MEBIBYTE}MiB"}} | more

    def world(self, mode, repetitions=1, limits=None, **more):
        return {"nodes": [self.node("peer", "peer")],
                "workload": self.node("bad", mode, repetitions, **more), "horizon": "100s",
                "limits": {"spin": "500ms", "output_bytes": 200_000, "steps": 200_000_000}
                | (limits or {})}

    def run_world(self, world, code, memory, *flags):
        """The run's JSON. `memory` is what the host may use beside itself, in bytes."""
        path = self.write("w.json", world)
        done, peak = run_measured("run", "-c", path, "-seeds", "1", "-json", *flags,
                                  cwd=self.folder)
        self.expect(done, code)
        if not IS_SANITIZED:
            self.assertLess(peak, HOST_BYTES + memory, f"{peak // MEBIBYTE} MiB")
        return done.json

    def survives(self, mode, repetitions=1, memory=MEMORY, **more):
        """The program meets only errors it expects."""
        answer = self.run_world(self.world(mode, repetitions, **more), CLEAN, memory)
        self.assertEqual(answer["seeds"]["clean"], 1, answer["findings"])

    def ends(self, mode, kind, message, repetitions=1, **more):
        answer = self.run_world(self.world(mode, repetitions, **more), FINDING, 2 * MEMORY)
        found = answer["findings"][0]
        self.assertEqual(found["kind"], kind)
        self.assertRegex(found["message"], message)


class Verdicts(Hostile):
    def test_a_loop_without_calls(self):
        self.ends("spin", "spin", r"^bad used 500ms of CPU time without any host call")

    def test_recursion_without_end(self):
        self.ends("recurse", "trap", r"^bad trapped: (out of bounds memory access|call stack)")

    def test_output_without_end(self):
        self.ends("print", "output", r"^bad printed more than 195\.3KiB \(limits\.output_bytes\)$")

    def test_traps(self):
        self.ends("trap", "trap", r"^bad trapped: unreachable executed in trap$")
        self.ends("divide", "trap", r"^bad trapped: integer divide by zero in divide$")
        self.ends("touch-nothing", "trap", r"^bad trapped: out of bounds memory access")

    def test_without_console_and_root_the_exit_code_still_comes(self):
        self.ends("close-everything", "exit", r"^bad exited with code 42$")
        self.ends("renumber-everything", "exit", r"^bad exited with code 42$")

    def test_yields_without_end_come_to_the_horizon(self):
        self.ends("yield", "horizon", r"^the horizon", repetitions=10_000_000)


class Memory(Hostile):
    def test_memory_comes_to_an_end(self):
        self.survives("allocate")

    def test_a_stream_takes_no_more_than_its_window(self):
        self.survives("flood", times(20, 2000))


class Space(Hostile):
    # Content is kept for both views of the disk, and for writes that are not synced yet.
    def test_gigabytes_written_over_each_other(self):
        self.survives("overwrite", times(500, 10_000), memory=2 * DISK + MEMORY)

    def test_writes_to_a_full_disk(self):
        self.survives("fill", times(500, 10_000), memory=2 * DISK + MEMORY)

    def test_blocks_without_end(self):
        self.survives("allocate-blocks", times(50, 2000), memory=2 * DISK + MEMORY)

    def test_bytes_far_from_each_other(self):
        self.survives("scatter", times(20_000, 1_000_000), memory=4 * DISK + MEMORY)


class Names(Hostile):
    def test_open_files_end_at_the_limit(self):
        self.survives("open-files", 2000)
        count = times(50_000, 1_000_000)
        self.survives("open-files", count + 10, limits={"open_files": count},
                      memory=MEMORY + 600 * count)

    def fills(self, mode, count, bytes_each, **more):
        disk = {"capacity": "1GiB"}
        self.survives(mode, count, memory=MEMORY + bytes_each * count, disk=disk, **more)

    # "In-order" keeps two views of each name, and the last 8,192 operations.
    def test_a_directory_of_very_many_files(self):
        self.fills("many-files", times(30_000, 1_000_000), 2000)

    def test_very_many_directories(self):
        self.fills("many-directories", times(30_000, 64_000), 2000)

    def test_hard_links_end_at_their_limit(self):
        self.fills("many-links", 65_010, 1000)

    def test_names_and_links_are_bounded_by_the_disk(self):
        self.survives("many-symlinks", times(20_000, 1_000_000), memory=4 * DISK + MEMORY)

    def test_folders_deep_within_each_other(self):
        self.survives("deep", times(5000, 100_000), memory=4 * DISK + MEMORY)

    def test_links_that_make_a_short_path_long(self):
        self.survives("long-links", times(20, 1000))


class Calls(Hostile):
    def test_very_many_subscriptions(self):
        self.survives("subscribe", times(20, 1000))

    def test_connections_without_end(self):
        self.survives("dial", times(10_000, 1_000_000))
        self.survives("dial-and-keep", times(5000, 50_000))

    def test_properties_that_no_two_calls_share(self):
        self.survives("properties", times(20_000, 1_000_000))

    def test_assertions_that_fail_without_end_end_a_run_that_keeps_going(self):
        world = self.world("assertions", times(20_000, 1_000_000))
        answer = self.run_world(world, FINDING, MEMORY, "-keep-going")
        self.assertEqual(answer["seeds"]["failing"], 1)

    def test_quiet_windows_without_end(self):
        self.survives("quiet", times(50_000, 1_000_000))
        self.survives("setups", times(50_000, 1_000_000))

    def test_syncs_without_end(self):
        self.survives("syncs", times(50_000, 1_000_000))


    def test_numbers_of_any_size(self):
        self.survives("wild-numbers", memory=2 * DISK + MEMORY)


class Neighbour(Hostile):
    def life(self, mode, repetitions):
        """All that a neighbour does, to the nanosecond, while the other one runs."""
        world = {"nodes": [self.node("bad", mode, repetitions)],
                 "workload": self.node("peer", "peer"), "horizon": "100s",
                 "limits": {"spin": "50s", "output_bytes": 100_000_000}}
        path = self.write("w.json", world)
        done, _ = run_measured("replay", "-c", path, "-seed", "1", "-json", "-node", "peer",
                               cwd=self.folder)
        self.expect(done, CLEAN)
        # What arrives from the network is noted at its destination, and nobody there hears of it.
        return [{k: v for k, v in e.items() if k != "step"} for e in done.events
                if e["kind"] != "net"]

    def test_the_life_of_a_neighbour_does_not_change(self):
        quiet = self.life("idle", 1)
        self.assertTrue(any("all is well at" in event["what"] for event in quiet))
        for mode, repetitions in (("overwrite", 100), ("fill", 100), ("many-files", 5000),
                                  ("subscribe", 5), ("properties", 2000), ("syncs", 2000),
                                  ("allocate", 1), ("dial", 1000), ("flood", 3),
                                  ("allocate-blocks", 10), ("long-links", 2)):
            with self.subTest(mode):
                life = self.life(mode, repetitions)
                for event, without in zip(life, quiet):
                    self.assertEqual(event, without)
                self.assertEqual(len(life), len(quiet))


if __name__ == "__main__":
    unittest.main()
