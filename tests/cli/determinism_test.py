"""Equal seeds give equal runs, whatever differs outside of them.

On examples/kvlog with few seeds; scripts/regress runs many. Each comparison has a control that must
differ, so that a hash of nothing would be noticed.
"""
import unittest

from support import CLEAN, FINDING, WorldTest, environment, kvlog_config, seedfall, times

CHECKED = times(8, 200)
SEEDS = f"1-{times(12, 200)}"


def short_kvlog(variant="ack-before-fsync", **changes):
    """The example, but with a shorter and rougher life."""
    config = kvlog_config(variant, **changes)
    config["workload"]["args"] = ["-duration=600ms", "-quiet=500ms"]
    config["faults"]["crash_per_sec"] = 4
    return config


class Sweeps(WorldTest):
    def setUp(self):
        super().setUp()
        self.config = self.write("w.json", short_kvlog())

    def sweep(self, *arguments, **how):
        done = seedfall("run", "-c", self.config, "-json", *arguments, **how)
        self.expect(done, FINDING)
        return done.json

    def test_the_number_of_workers_changes_nothing(self):
        one = self.sweep("-seeds", SEEDS, "-workers", 1)
        self.assertGreater(one["evidence"]["crash"], 0)
        self.assertGreater(one["seeds"]["failing"], 0)
        for workers in (2, 3, 8):
            self.assertEqual(self.sweep("-seeds", SEEDS, "-workers", workers), one)
        other = self.sweep("-seeds", "1-4")
        self.assertNotEqual(other["hash"], one["hash"], "control: other seeds, another hash")

    def test_where_memory_lies_changes_nothing(self):
        fixed = self.sweep("-seeds", SEEDS, prefix=("setarch", "-R"))
        self.assertEqual(self.sweep("-seeds", SEEDS), fixed)
        self.assertEqual(self.sweep("-seeds", SEEDS), fixed)

    def test_the_order_of_earlier_seeds_in_a_process_changes_nothing(self):
        alone = [seedfall("replay", "-c", self.config, "-seed", n).out for n in (1, 4)]
        hashes = [text.rsplit("trace hash ", 1)[1] for text in alone]
        self.assertNotEqual(hashes[0], hashes[1], "control")
        # -check runs each seed twice, in a worker that did others before.
        self.expect(seedfall("run", "-c", self.config, "-seeds", "1-4", "-workers", 1, "-check",
                             "-json"), FINDING)

    def test_the_environment_changes_nothing(self):
        odd = environment(TZ="Asia/Kolkata", LANG="de_DE.UTF-8", HOME_SWEET="1",
                                  SEEDFALL_SOMETHING="x" * 10_000)
        self.assertEqual(self.sweep("-seeds", SEEDS, env=odd), self.sweep("-seeds", SEEDS))


class Checks(WorldTest):
    def test_check_finds_nothing_to_complain_about(self):
        config = self.write("w.json", short_kvlog("fixed"))
        done = self.expect(seedfall("run", "-c", config, "-seeds", f"1-{CHECKED}", "-check", "-json"), CLEAN)
        self.assertEqual(done.json["seeds"]["clean"], CHECKED)
        plain = self.expect(seedfall("run", "-c", config, "-seeds", f"1-{CHECKED}", "-json"), CLEAN)
        self.assertEqual(done.json, plain.json, "checking changes no result")


class Replays(WorldTest):
    def replay(self, config, *arguments, code=FINDING):
        return self.expect(seedfall("replay", "-c", config, *arguments), code)

    def setUp(self):
        super().setUp()
        self.config = self.write("w.json", short_kvlog())

    def failing_seed(self):
        done = self.expect(seedfall("run", "-c", self.config, "-seeds", "1-30", "-json"), FINDING)
        return done.json["lowest_failing_seed"]

    def test_two_replays_are_equal_byte_for_byte(self):
        seed = self.failing_seed()
        first = self.replay(self.config, "-seed", seed)
        self.assertEqual(self.replay(self.config, "-seed", seed).out, first.out)
        self.assertGreater(len(first.out.splitlines()), 300)
        as_json = self.replay(self.config, "-seed", seed, "-json")
        self.assertEqual(self.replay(self.config, "-seed", seed, "-json").out, as_json.out)
        other = seedfall("replay", "-c", self.config, "-seed", seed + 1)
        self.assertNotEqual(other.out, first.out, "control: another seed")

    def test_the_folder_of_the_config_changes_nothing(self):
        other = self.write("far/away/w.json", short_kvlog())
        for seed in (1, 2):
            here = seedfall("replay", "-c", self.config, "-seed", seed)
            self.assertEqual(seedfall("replay", "-c", other, "-seed", seed).out, here.out)

    # cpu.slice says how long a node may run alone. Nodes run ahead only as far as nobody can notice,
    # so no event may move, neither a program's nor a fault's.
    def test_the_length_of_slices_changes_nothing(self):
        whole = seedfall("replay", "-c", self.config, "-seed", 2, "-json").events
        self.assertTrue(any(e["kind"] == "fault" for e in whole))
        for slice_length in ("10us", "137us", "20ms", "1s"):
            other = self.write("s.json", short_kvlog(cpu={"slice": slice_length}))
            self.assertEqual(seedfall("replay", "-c", other, "-seed", 2, "-json").events, whole)
        slower = self.write("s.json", short_kvlog(cpu={"ns_per_1000_ticks": 4001}))
        self.assertNotEqual(seedfall("replay", "-c", slower, "-seed", 2, "-json").events, whole,
                            "control: the cost of computing does move events")

    def test_filters_show_a_part_of_the_same_run(self):
        seed = self.failing_seed()
        whole = self.replay(self.config, "-seed", seed, "-json").events
        at = [e["time_ns"] for e in whole if e["kind"] == "fault"][0]
        for words, keep in (
                (["-node", "server"], lambda e: e["node"] == "server"),
                (["-kind", "fault,boot"], lambda e: e["kind"] in ("fault", "boot")),
                (["-from", f"{at}ns"], lambda e: e["time_ns"] >= at),
                (["-to", f"{at}ns"], lambda e: e["time_ns"] <= at),
                (["-node", "client", "-kind", "console", "-from", "1ms"],
                 lambda e: e["node"] == "client" and e["kind"] == "console"
                 and e["time_ns"] >= 1_000_000)):
            with self.subTest(words):
                shown = self.replay(self.config, "-seed", seed, "-json", *words).events
                self.assertEqual(shown, [e for e in whole if keep(e)])
                self.assertTrue(shown)
                self.assertLess(len(shown), len(whole))
        text = self.replay(self.config, "-seed", seed).out
        filtered = self.replay(self.config, "-seed", seed, "-kind", "fault").out
        verdict = text.split("\n\n", 1)[1]
        self.assertTrue(filtered.endswith(verdict), "the verdict does not depend on filters")

    def test_a_stored_trace_shows_what_the_replay_showed(self):
        seed = self.failing_seed()
        file = self.folder / "run.trace"
        replayed = self.replay(self.config, "-seed", seed, "-trace", file)
        stored = self.expect(seedfall("trace", file), CLEAN)
        lines = replayed.out.split("\n\n", 1)[0] + "\n"
        self.assertEqual(stored.out, lines)
        whole = file.read_bytes()
        for damaged in (b"", b"hello", whole[:100], whole[:-1], whole[:len(whole) // 2] + b"\0"):
            file.write_bytes(damaged)
            done = seedfall("trace", file)
            self.assertIn(done.code, (2, 3), done)
            self.assertIn("run.trace", done.err)


if __name__ == "__main__":
    unittest.main()
