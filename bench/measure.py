"""The measurements: each runs the programs of this folder and returns plain numbers.

Variants that are compared take turns within each round, and each number is the least of its rounds:
noise of a shared machine only ever adds. CPU time is user plus system time.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure_wasi


class Failed(Exception):
    pass


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Bench:
    """Where the programs lie, and how they are run."""

    def __init__(self, root, build, cpu, quick):
        self.root = root
        self.given_build = build
        self.build = build or root / "build" / "release"
        self.made = self.build / "bench-out"      # what this runner makes beside the build
        self.cpu = cpu
        self.quick = quick

    def rounds(self, quick, full):
        return quick if self.quick else full

    def build_all(self):
        say("building")
        if not self.given_build:
            for command in ([self.root / "scripts" / "build", "release"],
                            ["cmake", "--build", self.build, "--target", "bench"]):
                if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
                    raise Failed("the build failed")
        self.made.mkdir(parents=True, exist_ok=True)
        self.native = self.made / "guest_speed"
        self.wasm = self.made / "guest_speed.wasm"
        self.wazero = self.made / "wazero_host"
        here = self.root / "bench"
        self.must(["go", "build", "-trimpath", "-o", self.native, "."], cwd=here / "guest_speed")
        self.must(["go", "build", "-trimpath", "-o", self.wasm, "."], cwd=here / "guest_speed",
                  env={"GOOS": "wasip1", "GOARCH": "wasm"})
        self.must(["go", "build", "-trimpath", "-o", self.wazero, "."], cwd=here / "wazero_host")

    def must(self, command, cwd=None, env=None):
        """Runs the command; returns its stdout. A failure ends everything."""
        done = subprocess.run([str(part) for part in command], cwd=cwd, text=True, check=False,
                              env={**os.environ, **(env or {})}, capture_output=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))}: exit {done.returncode}\n"
                         f"{done.stdout}{done.stderr}")
        return done.stdout

    def pinned(self, command, env=None):
        """As must, on one processor."""
        return self.must(["taskset", "-c", self.cpu, *command], env=env)

    def host(self, name, *args):
        """Runs one of our measuring programs and reads its "name value" lines."""
        lines = self.pinned([self.build / "bench" / name, *args],
                            env={"SEEDFALL_SDK_DIR": str(self.root / "sdk" / "go")}).splitlines()
        return {key: float(value) for key, value in (line.split() for line in lines)}

    def native_ms(self, test):
        """CPU time of the whole process, as the kernel counts it."""
        log = self.made / "native.time"
        self.pinned(["bash", "-c", 'TIMEFORMAT="%3U %3S"; { time "$@" 2>&3; } 3>&2 2>"$0"',
                     log, self.native, test], env={"GOMAXPROCS": "1"})
        return 1000 * sum(float(part) for part in log.read_text().split())


# ---- guest speed

VARIANTS = {
    "native": lambda bench, test: bench.native_ms(test),
    "seedfall": lambda bench, test: bench.host("speed_host", bench.wasm, test)["ms"],
    "no_tick": lambda bench, test: bench.host("speed_host", "--no-tick", bench.wasm, test)["ms"],
    "wazero": lambda bench, test: float(bench.pinned(
        [bench.wazero, bench.made / "wazero-cache", bench.wasm, test], env={"GOMAXPROCS": "1"})),
}


def speed(bench):
    tests = bench.must([bench.native, "list"]).split()
    least = {}
    for count in range(1, bench.rounds(2, 7) + 1):
        for test in ["empty", *tests]:
            for variant, take in VARIANTS.items():
                key = (test, variant)
                least[key] = min(least.get(key, float("inf")), take(bench, test))
        say(f"speed: round {count} is done")
    # What an empty program costs (start of the runtime, the idle node) is not the test's.
    ms = {test: {v: least[test, v] - least["empty", v] for v in VARIANTS} for test in tests}
    clock = bench.host("speed_host", bench.wasm, "clock")
    clock_ms = ms.pop("clock")
    return {
        "ms": ms,
        "empty_ms": {v: least["empty", v] for v in VARIANTS},
        "clock_ns_per_call": {v: clock_ms[v] * 1e6 / clock["host_calls"] for v in VARIANTS},
    }


# ---- restarts, kvlog, fork

def restarts(bench):
    return {**bench.host("restart_host", bench.wasm, bench.rounds(2500, 10_000)),
            "wasm_mb": bench.wasm.stat().st_size / 1e6}


def kvlog(bench):
    config = bench.root / "examples" / "kvlog" / "fixed.json"
    seeds = ["1", str(bench.rounds(10, 40))]
    plain = split = None
    for _ in range(bench.rounds(2, 5)):
        # The second looks at the boundary, so its times are a little longer.
        plain = lesser(plain, bench.host("sweep_host", config, *seeds))
        split = lesser(split, bench.host("sweep_host", "--split", config, *seeds))
    return {"plain": plain, "split": split}


# ---- preemption

POLICIES = ["off", "random", "burst"]


def preemption(bench):
    """Seeds until a planted race is found, and what preempting costs a program without one."""
    guests = bench.root / "tests" / "guests"
    campaigns = 20
    limit = bench.rounds(200, 400)
    races = {}
    for guest in ("race1", "race2", "race3"):
        for policy in POLICIES:
            # Without preemption every seed is alike: a few of them say it all.
            most = 20 if policy == "off" else limit
            races[f"{guest} {policy}"] = {
                **bench.host("race_host", guests, guest, policy, campaigns, most),
                "campaigns": campaigns, "limit": most}
            say(f"preemption: {guest}, {policy} is done")
    cost = {}
    with tempfile.TemporaryDirectory(prefix="seedfall-bench-") as folder:
        world = json.loads((bench.root / "examples" / "kvlog" / "fixed.json").read_text())
        shutil.copytree(bench.root / "examples" / "kvlog", Path(folder) / "kvlog",
                        ignore=shutil.ignore_patterns(".seedfall"))
        mod = Path(folder) / "kvlog" / "go.mod"
        mod.write_text(mod.read_text().replace("../../sdk/go", str(bench.root / "sdk" / "go")))
        for _ in range(bench.rounds(2, 5)):
            for policy in POLICIES:
                config = Path(folder) / "kvlog" / f"{policy}.json"
                config.write_text(json.dumps({**world, "cpu": {"preempt": policy}}))
                now = bench.host("sweep_host", config, "1", str(bench.rounds(10, 40)))
                # Schedules differ, and with them how much a seed computes.
                now["ns_per_tick"] = now["ms"] * 1e6 / now["ticks"]
                if policy not in cost or now["ns_per_tick"] < cost[policy]["ns_per_tick"]:
                    cost[policy] = now
    return {"races": races, "cost": cost}


def lesser(a, b):
    return b if a is None or b["ms"] < a["ms"] else a


def fork(bench):
    megabytes = "32"
    best = {}
    for _ in range(bench.rounds(1, 3)):
        for name, flags in {"plain": [], "huge_pages": ["--huge-pages"]}.items():
            now = bench.host("fork_host", *flags, bench.wasm, megabytes, "50")
            if now["hashes_equal"] != 1:
                raise Failed("fork: parent, child and a run without fork have different hashes")
            if name not in best or now["fork_ms_median"] < best[name]["fork_ms_median"]:
                best[name] = now
    return best


# ---- branching: images and sites

def branching(bench):
    """Disk images that programs were restarted on, and crash sites, per CPU second. The cost of a
    command with one seed is taken off: building and loading the guests."""
    world = short_kvlog(bench)
    seeds = f"1-{bench.rounds(8, 40)}"
    variants = {
        "start": ["-seeds", "1-1"],
        "plain": ["-seeds", seeds],
        "fanout": ["-seeds", seeds, "-fanout", "16"],
        "sites": ["-sites"],
    }
    least = {}
    for _ in range(bench.rounds(1, 3)):
        for name, flags in variants.items():
            now = command_cost(bench, ["run", "-c", world, "-workers", "1", "-json", *flags])
            if name not in least or now["cpu"] < least[name]["cpu"]:
                least[name] = now
    start = least["start"]
    crashes = start["answer"]["evidence"]["crash"]
    plain, fanout = least["plain"]["answer"], least["fanout"]["answer"]
    sites = least["sites"]["answer"]["sites"]
    return {
        "seeds": plain["seeds"]["completed"],
        "plain_images": plain["evidence"]["crash"] - crashes,
        "plain_cpu": least["plain"]["cpu"] - start["cpu"],
        "fanout_images": fanout["images"]["run"] - crashes,
        "fanout_cpu": least["fanout"]["cpu"] - start["cpu"],
        "sites": sites["power"] + sites["kill"],
        "sites_tried": sites["power"] + sites["kill"] + sites["repeated"],
        "sites_operations": sites["operations"],
        "sites_cpu": least["sites"]["cpu"] - start["cpu"],
    }


def short_kvlog(bench):
    """kvlog's correct server with a workload of 300 ms, since a site costs the rest of its run."""
    kvlog_folder = bench.root / "examples" / "kvlog"
    config = json.loads((kvlog_folder / "fixed.json").read_text())
    config["nodes"][0]["pkg"] = str(kvlog_folder / "server")
    config["workload"] = {"name": "client", "pkg": str(kvlog_folder / "client"),
                          "args": ["-duration=300ms", "-quiet=300ms"]}
    config["faults"]["crash_per_sec"] = 4
    path = bench.made / "kvlog-short.json"
    path.write_text(json.dumps(config))
    return path


def command_cost(bench, arguments):
    """The JSON answer of a clean command, and the CPU time of all its processes."""
    log, out = bench.made / "branching.time", bench.made / "branching.json"
    bench.pinned(
        ["bash", "-c", 'TIMEFORMAT="%3U %3S"; out=$1; shift; '
         '{ time "$@" >"$out" 2>/dev/null; } 2>"$0"',
         log, out, bench.build / "seedfall", *arguments])
    return {"answer": json.loads(out.read_text()),
            "cpu": sum(float(part) for part in log.read_text().split())}


# ---- a freshly edited guest

GO_SHIM = """#!/bin/bash
# Notes how long each call of go took, then is transparent.
TIMEFORMAT='%R'
{ time "$REAL_GO" "$@" 2>&3; } 3>&2 2>>"$GO_TIMES"
"""


def edit(bench):
    """Copies kvlog, edits the server, and runs one seed; several times."""
    with tempfile.TemporaryDirectory(prefix="seedfall-bench-") as folder:
        folder = Path(folder)
        copy = folder / "kvlog"
        shutil.copytree(bench.root / "examples" / "kvlog", copy,
                        ignore=shutil.ignore_patterns(".seedfall"))
        mod = copy / "go.mod"
        mod.write_text(mod.read_text().replace("../../sdk/go", str(bench.root / "sdk" / "go")))
        shim = folder / "bin" / "go"
        shim.parent.mkdir()
        shim.write_text(GO_SHIM)
        shim.chmod(0o755)
        first_seed(bench, folder)      # what an edit leaves alone is in the caches now
        edited, again = [], []
        for count in range(bench.rounds(2, 5)):
            (copy / "server" / "edited.go").write_text(
                f"package main\n\nvar edited = {time.time_ns() + count}\n\n"
                "func init() { edited++ }\n")
            edited.append(first_seed(bench, folder))
            again.append(first_seed(bench, folder))
    least = lambda runs: {key: min(run[key] for run in runs) for key in runs[0]}
    return {"edited": least(edited), "again": least(again)}


def first_seed(bench, folder):
    log = folder / "go.times"
    log.write_text("")
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
           "REAL_GO": shutil.which("go"), "GO_TIMES": str(log)}
    before = time.monotonic()
    done = subprocess.run([bench.build / "seedfall", "run", "-c", folder / "kvlog" / "fixed.json",
                           "-seeds", "1-1"], env=env, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - before
    if done.returncode != 0:
        raise Failed(f"edit: seedfall ended with {done.returncode}\n{done.stdout}{done.stderr}")
    in_go = sum(float(line) for line in log.read_text().split())
    return {"seconds": seconds, "go_seconds": in_go, "own_seconds": seconds - in_go}


# ---- parts

def parts(bench):
    program = bench.build / "bench" / "micro"
    if not program.exists():
        return None
    text = bench.pinned([program, "--benchmark_format=json", "--benchmark_repetitions=5",
                         "--benchmark_min_time=0.1"])
    least = {}
    for entry in json.loads(text)["benchmarks"]:
        if entry["run_type"] == "iteration":
            name = entry["run_name"]
            least[name] = min(least.get(name, float("inf")), entry["cpu_time"])
    return least


MEASUREMENTS = {"speed": speed, "restarts": restarts, "kvlog": kvlog, "preemption": preemption,
                "edit": edit, "fork": fork, "branching": branching,
                "host_calls": measure_wasi.host_calls, "std": measure_wasi.standard_tests,
                "parts": parts}


# ---- where and when

def machine(root):
    def first(command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
        return done.stdout.split("\n", maxsplit=1)[0] if done.returncode == 0 else "unknown"

    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    huge = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    uname = os.uname()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cpu": model[1] if model else "unknown",
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory[1]) / (1 << 20), 1) if memory else 0,
        "kernel": f"{uname.sysname} {uname.release}",
        "commit": first(["git", "describe", "--always", "--dirty"]),
        "compiler": first(["g++", "--version"]),
        "go": first(["go", "env", "GOVERSION"]),
        "huge_pages": re.search(r"\[(\w+)\]", huge.read_text())[1] if huge.exists() else "none",
        "load_before": os.getloadavg()[0],
    }
