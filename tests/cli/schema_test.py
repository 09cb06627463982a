"""The JSON Schema of seedfall.json agrees with the decoder, as judged by ajv.

ajv is installed by npm, in the versions of ajv/package-lock.json, into the user's cache folder.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import CANNOT_RUN, CLEAN, ROOT, USAGE, WorldTest, seedfall

AJV = Path(__file__).resolve().parent / "ajv"
CACHE = Path(os.environ.get("SEEDFALL_CACHE")
             or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "seedfall")

NODE = {"name": "a", "wasm": "./a.wasm"}


def top(**keys):
    return {"nodes": [NODE]} | keys


def node(**keys):
    return {"nodes": [NODE | keys]}


def faults(**keys):
    return top(faults=keys)


GOOD = [
    top(),
    top(workload={"name": "w", "wasm": "./a.wasm"}),
    top(workload=[{"name": "w", "wasm": "./a.wasm"}, {"name": "v", "wasm": "./a.wasm"}]),
    top(**{"$schema": "./seedfall.schema.json", "//": ["any", 1], "name": "a world"}),
    top(horizon="1h2m3.5s", horizon_ok=True, supervise=True),
    top(horizon="1.5µs"), top(horizon="1.5μs"), top(horizon=".5s1.m"),
    top(net_overlay=False, swarm=False, antithesis="off"),
    node(count=100, args=["-x", ""], env={"A": "", "b c": "d"}, memory="64MiB", drift_ppm=-5),
    node(memory=1 << 20, clock_offset="-1h", disk={"capacity": "1.5GiB", "//": "small"}),
    node(clock_offset="0"),
    node(name="A.b-c_9"),
    top(disk={"profile": "strict-posix", "sector": 4096, "tear": "page", "fsync": "0"}),
    top(disk={"profile": "in-order", "prefix_scope": "file", "dirents": "strict",
              "tear": "sector", "writeback": "5s", "op": " exp  2ms cap 9ms "}),
    top(network={"latency": "0.1ms..1ms"}), top(network={"latency": "lognormal 1ms .5 cap 9ms"}),
    top(network={"latency": "lognormal 1ms 5e-1"}),
    top(cpu={"preempt": "burst", "preempt_rate": 100, "slice": "1ms", "host_call_ns": 0}),
    faults(crash_per_sec=0.5, crash_on_io=1, torn_writes=True, until="5s"),
    faults(torn_writes=0.5, pause_per_sec=0, udp_loss=0, workload=False),
    top(limits={"steps": 1, "output_bytes": 5000, "spin": "5s"}),
]

BAD = [
    {}, [], {"nodes": []}, {"nodes": {}}, {"nodes": [{"name": "a"}]},
    {"nodes": [{"name": "a", "c": "a.c"}]}, {"nodes": [{"name": "a", "c": {}}]},
    {"nodes": [{"name": "a", "c": {"sources": []}}]},
    {"nodes": [{"name": "a", "c": {"sources": ["a.h"]}}]},
    {"nodes": [{"name": "a", "c": {"sources": ["a.c"], "flags": "-O1"}}]},
    {"nodes": [{"wasm": "./a.wasm"}]}, node(pkg="./a"), node(c={"sources": ["a.c"]}), node(wasm=""), node(wasm="-x"),
    node(wasm="a\0b"), top(workload=[]), top(workload="w"),
    node(name=""), node(name="-a"), node(name="127.0.0.1"), node(name="LocalHost"),
    node(name="a b"), node(name="a" * 64), node(count=0), node(count=101), node(count="2"),
    node(args="-x"), node(args=[1]), node(env={"A": 1}), node(env={"A=B": "c"}), node(env=["A=b"]),
    node(memory="64 MiB"), node(memory="64mib"), node(memory=-1), node(memory=1.5),
    node(after=["b"]), node(upgrade="x"), node(horizon="1s"),
    top(name="a/b"), top(name=".a"), top(name=""), top(name="a\nb"), top(name=5),
    top(horizon=60), top(horizon="60"), top(horizon="-1s"), top(horizon="1 s"), top(horizon=""),
    top(horizon="00"), top(horizon="1x"), top(horizon_ok="yes"), top(supervise=1),
    top(net_overlay=True), top(swarm=True), top(antithesis="on"), top(antithesis="auto"),
    top(budget={}), top(check={}), top(fualts={}), top(crash_per_sec=1),
    top(disk={"profile": "ext4"}), top(disk={"profile": "scc "}), top(disk={"sector": 1024}),
    top(disk={"tear": "bit"}), top(disk=[]), top(disk=None),
    top(network={"latency": "1ms.."}), top(network={"latency": "exp"}),
    top(network={"latency": "exp 1ms cap"}), top(network={"latency": "lognormal 1ms"}),
    top(network={"latency": "1ms 2ms"}), top(network={"latency": ""}),
    top(network={"bandwidth": "1MB"}),
    top(cpu={"preempt": "on"}), top(cpu={"preempt_rate": 0}), top(cpu={"host_call_ns": -1}),
    faults(crash_per_sec=-1), faults(crash_per_sec=1001), faults(crash_per_sec="often"),
    faults(crash_per_sec=True), faults(crash_on_io=1.5), faults(crash_on_io=True),
    faults(torn_writes="yes"), faults(pause_per_sec=0.1), faults(clock_skew="1s"),
    faults(crash_per_second=1), faults(restart_after=1), faults(**{"/": 1}),
    top(limits={"steps": 0}), top(limits={"open_files": 7}), top(limits={"steps": 1.5}),
]

# What the decoder alone can know; config_schema.cc says why. A schema that starts to refuse one of
# these has become better, and this list shorter.
ONLY_THE_DECODER = [
    top(horizon="10000h"), node(memory="1KiB"), top(network={"latency": "1ns"}),
    faults(crash_per_sec=1e-12), {"nodes": [NODE, NODE]},
    top(network={"latency": "2ms..1ms"}), top(network={"latency": "lognormal 1ms 9"}),
]


def without_comments(text):
    """JSON of a config: outside of strings, // and /* */ are comments."""
    parts = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.S)
    return json.loads(parts.sub(lambda m: m.group(1) or "", text))


def ajv_folder():
    """The folder with the pinned node_modules; installs them where they are not there yet."""
    lock = (AJV / "package-lock.json").read_bytes()
    folder = CACHE / ("ajv-" + hashlib.sha256(lock).hexdigest()[:16])
    if folder.is_dir():
        return folder
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            raise AssertionError(f"{tool} is not in PATH; type: apt-get install -y nodejs npm")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="ajv-new-") as fresh:
        made = Path(fresh) / "made"
        made.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(AJV / name, made)
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=made,
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise AssertionError("npm ci failed:\n" + done.stderr[-2000:])
        try:
            made.rename(folder)
        except OSError:   # another test was faster
            if not folder.is_dir():
                raise
    return folder


class Schema(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.ajv = ajv_folder()

    def schema(self):
        return self.expect(seedfall("schema"), CLEAN).json

    def judge(self, values, schema=None):
        """For each value "" or what is wrong with it, as ajv says."""
        done = subprocess.run(["node", AJV / "validate.mjs"], cwd=self.ajv, capture_output=True,
                              input=json.dumps({"schema": schema or self.schema(),
                                                "values": values}),
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return json.loads(done.stdout)

    def decoder_accepts(self, value):
        """The program of these configs is no module: with a good config, that is the error."""
        self.write("a.wasm", "no module")
        self.write("w.json", value)
        done = seedfall("run", "-c", "w.json", "-seeds", "1-1", cwd=self.folder)
        self.assertIn(done.code, (USAGE, CANNOT_RUN), done.err)
        if done.code == CANNOT_RUN:
            self.assertIn("not a WebAssembly module", done.err)
        return done.code == CANNOT_RUN

    def test_the_schema_names_its_draft_and_explains_every_key(self):
        schema = self.schema()
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        for place in (schema, schema["$defs"]["node"], schema["properties"]["faults"]):
            for name, key in place["properties"].items():
                self.assertTrue(key["description"].endswith("."), name)
        self.assertEqual(schema["properties"]["horizon"]["default"], "60s")
        self.assertIs(schema["properties"]["horizon_ok"]["default"], False)

    def test_every_config_of_the_examples_is_valid(self):
        paths = [p for p in sorted((ROOT / "examples").glob("*/*.json"))
                 if p.name != "expected.json"]
        self.assertGreater(len(paths), 15)
        answers = self.judge([without_comments(p.read_text()) for p in paths])
        self.assertEqual([(p.name, a) for p, a in zip(paths, answers) if a], [])

    def test_every_default_is_valid(self):
        def defaults(schema):
            keys = schema.get("properties", {}).items()
            return ({k: v["default"] for k, v in keys if "default" in v}
                    | {k: defaults(v) for k, v in keys if "properties" in v})
        schema = self.schema()
        world = top(**defaults(schema), disk=defaults(schema["$defs"]["disk"]))
        world["nodes"] = [NODE | defaults(schema["$defs"]["node"])]
        self.assertIn("fsync", world["disk"])
        self.assertIn("crash_per_sec", world["faults"])
        self.assertEqual(self.judge([world]), [""])
        self.assertTrue(self.decoder_accepts(world))

    def test_schema_and_decoder_accept_the_same_good_configs(self):
        for value, answer in zip(GOOD, self.judge(GOOD)):
            with self.subTest(value):
                self.assertEqual(answer, "")
                self.assertTrue(self.decoder_accepts(value))

    def test_schema_and_decoder_refuse_the_same_bad_configs(self):
        for value, answer in zip(BAD, self.judge(BAD)):
            with self.subTest(value):
                self.assertNotEqual(answer, "", "ajv accepts it")
                self.assertFalse(self.decoder_accepts(value))

    def test_what_only_the_decoder_can_refuse_is_this(self):
        for value, answer in zip(ONLY_THE_DECODER, self.judge(ONLY_THE_DECODER)):
            with self.subTest(value):
                self.assertEqual(answer, "")
                self.assertFalse(self.decoder_accepts(value))

    def test_the_judge_itself_can_refuse_and_accept(self):
        self.assertEqual(self.judge([1, "x"], {"type": "integer"}), ["", "data must be integer"])

    def test_it_takes_no_arguments(self):
        done = self.expect(seedfall("schema", "x"), USAGE)
        self.assertIn("`seedfall help schema` shows how", done.err)
        self.assertEqual(done.out, "")


if __name__ == "__main__":
    unittest.main()
