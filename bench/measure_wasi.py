"""What single programs cost under `seedfall exec`: host calls, and the standard library's tests."""
import os
import resource
import subprocess
from pathlib import Path

# Calls, and how often: a tenth of a second and more of each.
CALLS = {"clock_time_get": 2_000_000, "fd_write": 300_000, "fd_read": 500_000, "path_open": 200_000,
         "poll_oneoff_1": 300_000, "poll_oneoff_100": 50_000, "poll_oneoff_10000": 1_000}
PACKAGES = ["os", "time", "encoding/json", "compress/flate"]


def cpu_ms(bench, command, cwd=None):
    """CPU time of a whole process on one processor, and its stdout."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["taskset", "-c", str(bench.cpu), *map(str, command)], cwd=cwd, text=True,
                          env={**os.environ, "GOMAXPROCS": "1"}, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: exit {done.returncode}\n{done.stdout[-3000:]}{done.stderr}")
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), done.stdout


def host_calls(bench):
    """Nanoseconds of a call, guest's loop included."""
    wasm = bench.made / "host_calls.wasm"
    bench.must(["go", "build", "-trimpath", "-o", wasm, "."], cwd=bench.root / "bench" / "host_calls",
               env={"GOOS": "wasip1", "GOARCH": "wasm"})
    exec_command = [bench.build / "seedfall", "exec", "-bare", "-profile", "in-order", wasm]
    least = {}
    for _ in range(bench.rounds(2, 5)):
        for call, count in CALLS.items():
            # The empty run costs the start; it is taken off the least of the full ones.
            for times in (1, count):
                ms, _ = cpu_ms(bench, [*exec_command, call, times])
                least[call, times] = min(least.get((call, times), float("inf")), ms)
    return {call: (least[call, count] - least[call, 1]) * 1e6 / (count - 1)
            for call, count in CALLS.items()}


def standard_tests(bench):
    """CPU milliseconds of one run of a package's tests, by seedfall exec and by wazero."""
    go_root = Path(bench.must(["go", "env", "GOROOT"]).strip())
    least = {}
    for package in PACKAGES:
        wasm = bench.made / (package.replace("/", "-") + ".test.wasm")
        bench.must(["go", "test", "-c", "-o", wasm, package],
                   env={"GOOS": "wasip1", "GOARCH": "wasm"})
        folder = go_root / "src" / package
        flags = ["-test.short", "-test.paniconexit0"]
        commands = {"seedfall": [bench.build / "seedfall", "exec", wasm, *flags],
                    "wazero": [bench.wazero, "-mount", bench.made / "wazero-cache", wasm, *flags]}
        for _ in range(bench.rounds(2, 4) + 1):    # the first of each compiles
            for name, command in commands.items():
                ms, out = cpu_ms(bench, command, cwd=folder)
                if name == "wazero":
                    ms = float(out.split()[-1])    # of the run alone
                least[package, name] = min(least.get((package, name), float("inf")), ms)
    return {package: {name: least[package, name] for name in ("seedfall", "wazero")}
            for package in PACKAGES}
