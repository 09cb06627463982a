"""Runs that branch: disk images of a power loss (-fanout), and one crash at each disk operation
(-sites)."""
import json
import os
import re
import signal
import time
import unittest

import support
from support import (CANNOT_RUN, CLEAN, FINDING, USAGE, WorldTest, guest, kvlog_config, seedfall,
                     times)


def short(variant, **faults):
    """A kvlog world of about half a simulated second."""
    config = kvlog_config(variant)
    config["workload"]["args"] = ["-duration=300ms", "-quiet=200ms"]
    config["faults"] |= {"crash_per_sec": 4} | faults
    return config


def without_times(text):
    return re.sub(r"in [\d.]+ s|\d+ms real", "", text)


class FanOut(WorldTest):
    def sweep(self, config, *arguments, code=None):
        self.write("w.json", config)
        done = seedfall("run", "-c", "w.json", *arguments, cwd=self.folder, timeout=300)
        return done if code is None else self.expect(done, code)

    def test_one_image_is_what_a_run_without_the_flag_is(self):
        plain = self.sweep(short("ack-before-fsync"), "-seeds", "1-6", "-json").json
        one = self.sweep(short("ack-before-fsync"), "-seeds", "1-6", "-fanout", 1, "-json").json
        self.assertEqual(plain, one)
        self.assertNotIn("images", plain)

    def test_more_images_fail_more_seeds_and_change_none(self):
        plain = self.sweep(short("ack-before-fsync"), "-seeds", "1-6", "-json").json
        many = self.sweep(short("ack-before-fsync"), "-seeds", "1-6", "-fanout", 8, "-json").json
        self.assertGreaterEqual(many["seeds"]["failing"], plain["seeds"]["failing"])
        self.assertGreater(many["images"]["failing"], 0)
        self.assertGreater(many["images"]["run"], plain["evidence"]["crash"])
        self.assertEqual(many["evidence"]["image"], many["images"]["run"])
        # Each branch is one more power loss at least, and the seeds' own are what they were.
        self.assertGreaterEqual(many["evidence"]["crash"], many["images"]["run"])

    def test_the_answer_does_not_depend_on_the_number_of_workers(self):
        answers = [self.sweep(short("ack-before-fsync"), "-seeds", "1-5", "-fanout", 6, "-json",
                              "-workers", workers).out for workers in (1, 3)]
        self.assertEqual(*answers)

    def test_every_image_is_what_its_repetition_without_a_fork_is(self):
        done = self.sweep(short("fixed"), "-seeds", times("1-3", "1-20"), "-fanout", 5, "-check",
                          "-json", code=CLEAN)
        self.assertGreater(done.json["images"]["run"], 5)

    def failing_image(self):
        """A seed whose own run is clean while one of its images fails."""
        self.write("w.json", short("ack-before-fsync"))
        for seed in range(1, 30):
            found = seedfall("run", "-c", "w.json", "-seeds", seed, "-fanout", 8, cwd=self.folder)
            match = re.search(r"^next: (seedfall replay -c w.json -seed \d+ -image (\d+\.\d+))$",
                              found.out, re.M)
            if match:
                return seed, match.group(2), found
        self.fail("no image fails where its seed is clean")

    def test_an_image_replays_and_shrinks(self):
        seed, image, found = self.failing_image()
        self.assertIn(f"FAIL seed {seed} image {image} at ", found.out)
        self.assertRegex(found.out, rf"1 seed \(\d+ images?\), lowest {seed} image {image}\n")
        plain = seedfall("replay", "-c", "w.json", "-seed", seed, "-kind", "fault",
                         cwd=self.folder)
        self.expect(plain, CLEAN)
        which = ("-c", "w.json", "-seed", seed, "-image", image)
        first = self.expect(seedfall("replay", *which, cwd=self.folder), FINDING)
        self.assertEqual(seedfall("replay", *which, cwd=self.folder).out, first.out)
        self.assertIn(f"FAIL seed {seed} image {image} at ", first.out)
        shrunk = self.expect(seedfall("shrink", *which, cwd=self.folder), FINDING)
        capsule = f".seedfall/kvlog-ack-before-fsync-{seed}-image-{image}.capsule.json"
        self.assertIn(f"saved {capsule}\n", shrunk.out)
        again = self.expect(seedfall("replay", "-capsule", capsule, cwd=self.folder), FINDING)
        stored = json.loads((self.folder / capsule).read_text())
        self.assertIn(f"trace hash {stored['trace_hash']}\n", again.out)
        self.assertEqual(self.message_of(first.out), self.message_of(again.out))

    @staticmethod
    def message_of(out):
        return re.sub(r"[\d.]+|\".*\"", "…", re.search(r"^FAIL .*\n  (.*)$", out, re.M).group(1))

    def test_the_first_image_is_the_seeds_own(self):
        self.write("w.json", short("ack-before-fsync"))
        own = seedfall("replay", "-c", "w.json", "-seed", 1, cwd=self.folder)
        self.assertRegex(own.out, "crash \\(power\\)")
        first = seedfall("replay", "-c", "w.json", "-seed", 1, "-image", "1.1", cwd=self.folder)
        self.assertEqual(first.out.replace("seed 1 image 1.1", "seed 1"), own.out)

    def test_what_is_no_image_is_named(self):
        self.write("w.json", short("ack-before-fsync"))
        for flags, message in (
                (("replay", "-seed", 1, "-image", "99.2"),
                 "seed 1 has no image 99.2: it has no power loss 99"),
                (("replay", "-seed", 1, "-image", "1.999999"), "seed 1 has no image 1.999999: its "
                 "power loss 1 leaves "),
                (("shrink", "-seed", 1, "-image", "99.2"), "seed 1 has no image 99.2"),
                (("replay", "-image", "x"), "-image: x: not the name of an image; for example 2.3"),
                (("replay", "-image", "1.2", "-capsule", "c.json"), "-image goes with -seed"),
                (("run", "-fanout", 0), "-fanout 0: expected 1 to 1024 images"),
                (("run", "-fanout", 1025), "-fanout 1025: expected 1 to 1024 images"),
                (("run", "-fanout", "many"), "-fanout many: not a whole number")):
            with self.subTest(flags=flags):
                done = self.expect(seedfall(*flags, *(() if "c.json" in flags else
                                                      ("-c", "w.json")), cwd=self.folder), USAGE)
                self.assertIn(message, done.err)


class Sites(WorldTest):
    def sites(self, config, *arguments, code=None):
        self.write("w.json", config)
        done = seedfall("run", "-c", "w.json", "-sites", *arguments, cwd=self.folder, timeout=300)
        return done if code is None else self.expect(done, code)

    @staticmethod
    def tiny(variant):
        config = short(variant)
        config["workload"]["args"] = ["-duration=40ms", "-quiet=100ms"]
        return config

    def test_the_fixed_server_passes_at_every_site(self):
        done = self.sites(self.tiny("fixed"), code=CLEAN)
        match = re.search(r"^all ([\d,]+) single-crash points pass in [\d.]+ s \((\d+) disk "
                          r"operations: ([\d,]+) power losses, ([\d,]+) kills\)$", done.out, re.M)
        self.assertTrue(match, done.out)
        points, operations, power, kill = (int(n.replace(",", "")) for n in match.groups())
        self.assertEqual(points, power + kill)
        self.assertGreaterEqual(power, operations)
        self.assertGreaterEqual(kill, operations)

    def test_a_site_of_the_wrong_server_is_found_and_replays(self):
        done = self.sites(self.tiny("ack-before-fsync"), code=FINDING)
        match = re.search(r"^FAIL seed 1 site (\d+) \(power, (\w+)\) at ", done.out, re.M)
        self.assertTrue(match, done.out)
        self.assertIn("faults before the failure (1):\n", done.out)
        capsule = re.search(r"^next: seedfall replay -capsule (\S+)$", done.out, re.M).group(1)
        self.assertIn(f"-1-site-{match.group(1)}-power-{match.group(2)}.capsule.json", capsule)
        replay = self.expect(seedfall("replay", "-capsule", capsule, cwd=self.folder), FINDING)
        self.assertNotIn("NONDETERMINISM", replay.err)
        stored = json.loads((self.folder / capsule).read_text())
        self.assertIn(f"trace hash {stored['trace_hash']}\n", replay.out)
        # No kill loses what was written.
        self.assertNotIn("(kill, ", done.out)

    def test_the_answer_does_not_depend_on_the_number_of_workers(self):
        answers = [self.sites(self.tiny("ack-before-fsync"), "-json", "-workers", workers).out
                   for workers in (1, 3)]
        self.assertEqual(*answers)
        self.assertGreater(json.loads(answers[0])["sites"]["failing"], 0)

    def test_every_site_is_what_its_repetition_without_a_fork_is(self):
        done = self.sites(self.tiny("fixed"), "-check", "-fanout", 2, "-json", code=CLEAN)
        sites = done.json["sites"]
        self.assertGreater(sites["images"], sites["power"])
        self.assertEqual(sites["spared"], 0)

    def test_several_seeds_are_several_runs(self):
        one = self.sites(self.tiny("fixed"), "-json", code=CLEAN).json["sites"]
        two = self.sites(self.tiny("fixed"), "-seeds", "1-2", "-json", code=CLEAN).json["sites"]
        self.assertEqual(two["completed"], 2)
        self.assertGreater(two["power"], one["power"])

    def test_a_world_that_fails_without_faults_says_so(self):
        config = {"nodes": [guest("idle", "ill", "idle")], "workload": guest("ill", "ill", "exit")}
        done = self.sites(config, code=FINDING)
        self.assertIn("seed 1 fails without any fault: crashes in it would say nothing", done.out)
        capsule = re.search(r"^next: seedfall replay -capsule (\S+)$", done.out, re.M).group(1)
        self.expect(seedfall("replay", "-capsule", capsule, cwd=self.folder), FINDING)

    def test_a_world_without_disk_operations_says_so(self):
        config = {"nodes": [guest("idle", "ill", "idle")], "workload": guest("w", "ill", "idle")}
        done = self.sites(config, code=USAGE)
        self.assertIn("-sites: no service of this world does a disk operation while faults are "
                      "allowed (seed 1)", done.err)
        self.assertEqual(done.out, "")


class Processes(WorldTest):
    """Branches are processes too: none may stay."""

    def start(self, *arguments):
        path = self.write("w.json", kvlog_config("fixed"))
        process = support.start("run", "-c", path, "-workers", 2, *arguments)
        self.addCleanup(support.end_group, process)
        # Two workers, and a branch of at least one of them.
        support.wait_until(lambda: len(support.group_members(process.pid)) > 3, 60, "a branch")
        time.sleep(0.3)
        return process

    def assert_nobody_is_left(self, process):
        support.wait_until(lambda: not support.group_members(process.pid), 5, "no process left")

    def test_branches_do_not_outlive_a_sweep_that_is_killed(self):
        for arguments in (("-seeds", "1-1000", "-fanout", 16), ("-sites",)):
            with self.subTest(arguments=arguments):
                process = self.start(*arguments)
                os.kill(process.pid, signal.SIGKILL)
                process.communicate(timeout=10)
                self.assert_nobody_is_left(process)

    def test_an_interrupt_ends_it_with_what_was_completed(self):
        for arguments, word in ((("-seeds", "1-1000", "-fanout", 16), "interrupted after"),
                                (("-sites",), "interrupted; seeds below 1 are complete")):
            with self.subTest(arguments=arguments):
                process = self.start(*arguments)
                os.killpg(process.pid, signal.SIGINT)
                out, err = process.communicate(timeout=15)
                self.assert_nobody_is_left(process)
                self.assertEqual(process.returncode, CANNOT_RUN, err.decode())
                self.assertIn(word, out.decode())
                self.assertNotIn("BROKEN", out.decode())


if __name__ == "__main__":
    unittest.main()
