"""Capsules: shrink makes them, replay takes them, and hostile ones are refused by name."""
import copy
import json
import random
import unittest

from support import FINDING, NONDETERMINISM, USAGE, WorldTest, kvlog_config, seedfall, times

INT_MAX = 2**63 - 1


def short_config():
    config = kvlog_config("ack-before-fsync")
    config["workload"]["args"] = ["-duration=600ms", "-quiet=500ms"]
    config["faults"]["crash_per_sec"] = 4
    return config


class Capsules(WorldTest):
    """One capsule for all tests: shrinking takes some seconds."""

    @classmethod
    def setUpClass(cls):
        cls.made = None

    def setUp(self):
        super().setUp()
        self.write("w.json", short_config())
        if Capsules.made is None:
            Capsules.made = self.shrink()
        self.capsule = copy.deepcopy(Capsules.made)

    def shrink(self):
        found = seedfall("run", "-c", "w.json", "-seeds", "1-30", "-json", cwd=self.folder)
        seed = self.expect(found, FINDING).json["lowest_failing_seed"]
        done = seedfall("shrink", "-c", "w.json", "-seed", seed, cwd=self.folder)
        self.expect(done, FINDING)
        self.assertRegex(done.out, r"^\d+ faults -> [12](, \d+ preemptions -> \d+)? after \d+ runs")
        path = f".seedfall/kvlog-ack-before-fsync-{seed}.capsule.json"
        self.assertIn(f"replay it: seedfall replay -capsule {path}\n", done.out)
        return json.loads((self.folder / path).read_text())

    def replay(self, capsule, *arguments):
        content = capsule if isinstance(capsule, (str, bytes)) else json.dumps(capsule)
        self.write(".seedfall/c.json", content)
        return seedfall("replay", "-capsule", ".seedfall/c.json", *arguments, cwd=self.folder)

    def test_a_capsule_replays_to_the_same_finding_and_hash(self):
        first = self.expect(self.replay(self.capsule), FINDING)
        self.assertEqual(self.replay(self.capsule).out, first.out)
        self.assertIn(self.capsule["finding"]["message"], first.out)
        self.assertTrue(first.out.endswith(f"trace hash {self.capsule['trace_hash']}\n"))
        self.assertNotIn("warning", first.err)

    def test_shrinking_twice_gives_the_same_capsule(self):
        self.assertEqual(self.shrink(), self.capsule)

    def test_a_shrunk_power_loss_loses_only_what_the_finding_needs(self):
        losses = [f["parameters"]["survivors"] for f in self.capsule["faults"]
                  if "survivors" in f["parameters"]]
        lossy = [s for s in losses if s["kept"] < s["pending"]]
        self.assertTrue(lossy, losses)
        for survivors in lossy:
            # An acknowledged record that is gone needs no tear, and one lost operation is enough.
            self.assertNotIn("torn_bytes", survivors)
            kept = survivors["kept"]
            survivors["kept"] = survivors["pending"]
            self.expect(self.replay(self.capsule), NONDETERMINISM)
            survivors["kept"] = kept

    def test_without_its_faults_the_finding_is_gone(self):
        self.capsule["faults"] = []
        done = self.expect(self.replay(self.capsule), NONDETERMINISM)
        self.assertIn("trace hash", done.err)
        self.assertNotIn("FAIL", done.out)

    def test_another_hash_is_reported_as_nondeterminism(self):
        self.capsule["trace_hash"] = "0123456789abcdef"
        done = self.expect(self.replay(self.capsule), NONDETERMINISM)
        self.assertIn("NONDETERMINISM: the capsule's run had trace hash 0123456789abcdef", done.err)

    def test_another_program_or_config_is_a_warning(self):
        self.capsule["guests"][0]["wasm"] = "0" * 32
        done = self.expect(self.replay(self.capsule), FINDING)
        self.assertIn("warning: the program of server has changed since the capsule was made",
                      done.err)
        self.write("w.json", short_config() | {"horizon": "59s"})
        done = self.replay(Capsules.made)
        self.assertIn("warning: the config has changed", done.err)

    def refused(self, capsule, message, code=USAGE):
        done = self.expect(self.replay(capsule), code)
        self.assertIn(message, done.err)
        self.assertEqual(done.out, "")

    def changed(self, path, value):
        """The capsule with the value at a path ("faults.0.kind") replaced."""
        capsule = copy.deepcopy(self.capsule)
        at = capsule
        *way, last = path.split(".")
        for key in way:
            at = at[int(key) if key.isdigit() else key]
        at[int(last) if last.isdigit() else last] = value
        return capsule

    def test_what_is_wrong_with_a_capsule_is_named_with_its_place(self):
        place = ".seedfall/c.json: $"
        for path, value, message in (
                ("format", "zip", f"{place}: this is no seedfall capsule"),
                ("format", 1, f"{place}.format: expected a string"),
                ("version", 3, f"{place}.version: capsule version 3 is newer than this seedfall"),
                ("version", 0, f"{place}.version: expected at least 1"),
                ("seed", -1, f"{place}.seed: expected a whole number"),
                ("seed", "1", f"{place}.seed: expected a whole number"),
                ("faults", {}, f"{place}.faults: expected a list"),
                ("faults.0", 7, f"{place}.faults[0]: expected an object"),
                ("faults.0.kind", "meteor", f'{place}.faults[0].kind: unknown word "meteor"'),
                ("faults.0.trigger", None, f"{place}.faults[0].trigger: expected an object"),
                ("faults.0.trigger.time_ns", -5, f"{place}.faults[0].trigger.time_ns: "),
                ("faults.0.trigger.incarnation", 2**40,
                 f"{place}.faults[0].trigger.incarnation: expected at most 4294967295"),
                ("faults.0.parameters", {"restart_after_ns": 0, "pages_kept": 2**40},
                 f"{place}.faults[0].parameters.pages_kept: expected at most 4294967295"),
                ("trace_hash", "-000000000000001", f"{place}.trace_hash: expected 16 hexadecimal"),
                ("trace_hash", "12", f"{place}.trace_hash: expected 16 hexadecimal"),
                ("world", [], f"{place}.world: expected an object"),
                ("guests", "x", f"{place}.guests: expected a list")):
            with self.subTest(path=path, value=value):
                self.refused(self.changed(path, value), message)

    def test_a_file_that_is_no_capsule_is_named(self):
        self.refused("", "c.json:1:1: ")
        self.refused("[]", "c.json: $: expected an object")
        self.refused("{}", "c.json: $: missing key format")
        self.refused(b"\xff\xfe\x00", "c.json:1:")
        self.refused("[" * 100_000, "c.json:1:")

    def test_a_missing_key_is_named(self):
        for key in ("format", "version", "world", "guests", "seed", "reseeds", "faults", "finding",
                    "trace_hash"):
            capsule = copy.deepcopy(self.capsule)
            del capsule[key]
            self.refused(capsule, key)

    # Such a capsule is well formed; its faults just never happen, or at once, or for ever.
    def test_absurd_faults_are_harmless(self):
        power = self.capsule["faults"][0]
        crash = {"id": "x", "kind": "kill", "target": "server",
                 "trigger": {"time_ns": 1_000_000, "incarnation": 1},
                 "parameters": {"restart_after_ns": 1}, "effects": {}}
        cut = {"id": "p", "kind": "partition", "target": "server|client",
               "trigger": {"time_ns": 1_000_000},
               "parameters": {"length_ns": INT_MAX, "links": [["server", "client"]]}, "effects": {}}
        cases = {
            "never restarts": [crash | {"parameters": {"restart_after_ns": INT_MAX}}],
            "nobody's": [crash | {"target": "no such node"}],
            "at the end of time": [crash | {"trigger": {"time_ns": INT_MAX, "incarnation": 1}}],
            "ten at once": [crash | {"id": f"x{i}"} for i in range(10)],
            "the same id ten times": [crash] * 10,
            "for ever": [cut],
            "a cut of nothing": [cut | {"parameters": {"length_ns": 1, "links": [["x", "y"]]}}],
            "a loop": [cut | {"parameters": {"length_ns": 5, "links": [["server", "server"]] * 3}}],
            "far operation": [power | {"trigger": power["trigger"] | {"disk_op": INT_MAX,
                                                                      "op": "write",
                                                                      "phase": "after"}}],
            "many survivors": [power | {"parameters": power["parameters"] | {
                "survivors": {"kept": 2**64 - 1, "pending": 2**64 - 1, "torn_bytes": 4095}}}],
        }
        for name, faults in cases.items():
            with self.subTest(name):
                done = self.replay(self.capsule | {"faults": faults}, "-kind", "fault,end")
                self.assertIn(done.code, (FINDING, NONDETERMINISM), done.err[-2000:])
                self.assertIn("end of the run", done.out)

    def test_reseeds_replay_and_absurd_ones_are_harmless(self):
        for reseeds in ([{"time_ns": 300_000_000, "root": 2**64 - 1}],
                        [{"time_ns": INT_MAX, "root": 0}],
                        [{"time_ns": 5, "root": 1}, {"time_ns": 4, "root": 2}]):
            capsule = self.capsule | {"reseeds": reseeds}
            done = self.replay(capsule, "-kind", "fault,end")
            self.assertIn(done.code, (FINDING, NONDETERMINISM, USAGE), done.err[-2000:])
            self.assertEqual(self.replay(capsule, "-kind", "fault,end").out, done.out)

    # Method: replace one random byte or value after another; nothing may crash, hang or say nothing.
    def test_mutated_capsules_are_refused_or_run(self):
        rng = random.Random(7)
        text = json.dumps(self.capsule)
        for _ in range(times(25, 2000)):
            at = rng.randrange(len(text))
            mutated = text[:at] + rng.choice('0"{}[],:-x9\\') + text[at + rng.randrange(3):]
            done = self.replay(mutated, "-kind", "end")
            self.assertIn(done.code, range(5), f"{mutated}\n{done.err[-2000:]}")
            if done.code in (2, 3):
                self.assertTrue(done.err.strip(), mutated)


if __name__ == "__main__":
    unittest.main()
