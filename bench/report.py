"""docs/benchmarks.md from the numbers of one run."""
import math
from string import Template

import report_wasi

PAGE = Template("""\
# Benchmarks

Made by `bench/run$flag` on $date; [bench/README.md](../bench/README.md) says how. Do not edit.
$warning
| | |
| --- | --- |
| machine | $cpu, $cores cores, $memory_gib GiB, $kernel, transparent huge pages: $huge_pages |
| software | seedfall $commit, $compiler, $go |
| load average | $load_before before, $load_after after |

Each number is the least of several rounds in which the variants took turns, pinned to one core. CPU
time is user plus system time. Absolute times differ from machine to machine, and on a virtual
machine with neighbours by 10 to 20 % from run to run; ratios are steadier.
""")


def page(results):
    machine = results["machine"]
    busy = machine["load_before"] > 0.7
    warning = ""
    if results["quick"]:
        warning += "\n**A quick run**: few rounds, so only orders of magnitude count.\n"
    if busy:
        warning += "\n**The machine was busy** when this run began: take none of it as a result.\n"
    text = PAGE.substitute(
        machine, flag=" -quick" if results["quick"] else "", warning=warning,
        load_before=f"{machine['load_before']:.1f}", load_after=f"{machine['load_after']:.1f}")
    goals = []
    sections = [make(results[name], goals) for name, make in SECTIONS.items() if results.get(name)]
    return text + targets(goals) + "".join(sections)


def targets(goals):
    lines = [f"| {what} | {target} | {value} | {'yes' if holds else '**no**'} |"
             for what, target, value, holds in goals]
    return ("\n## Targets\n\n| what | target | measured | holds |\n| --- | --- | --- | --- |\n"
            + "\n".join(lines) + "\n")


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def speed(data, goals):
    rows = data["ms"]
    factor = lambda test, variant: rows[test][variant] / rows[test]["native"]
    lines = []
    for test, ms in rows.items():
        lines.append(f"| {test} | {ms['native']:.0f} | {ms['seedfall']:.0f} | {ms['wazero']:.0f} | "
                     f"{factor(test, 'seedfall'):.1f} | {factor(test, 'no_tick'):.1f} | "
                     f"{factor(test, 'wazero'):.1f} | {ms['wazero'] / ms['seedfall']:.2f} |")
    means = {v: geomean(factor(test, v) for test in rows) for v in ("seedfall", "no_tick", "wazero")}
    ratio = means["wazero"] / means["seedfall"]
    goals.append(("guest speed, times wazero's", "≥ 1.8", f"{ratio:.2f}", ratio >= 1.8))
    clock = data["clock_ns_per_call"]
    empty = data["empty_ms"]
    return f"""
## Guest speed

The programs of `bench/guest_speed`, one binary for both wasm hosts. CPU milliseconds, and factors to
native Go (GOMAXPROCS=1). Seedfall runs each as the workload of a world, tick and slices included;
"no tick" is for information only. What an empty program costs is taken off (seedfall
{empty['seedfall']:.0f} ms for two starts, wazero {empty['wazero']:.0f} ms, native \
{empty['native']:.0f} ms). Natively, sha256 uses the processor's own instructions.

| test | native ms | seedfall ms | wazero ms | seedfall | no tick | wazero | wazero / seedfall |
| --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(lines)}
| **geometric mean** | | | | **{means['seedfall']:.1f}** | {means['no_tick']:.1f} | \
**{means['wazero']:.1f}** | **{ratio:.2f}** |

The tick costs {100 * (means['seedfall'] / means['no_tick'] - 1):.0f} %. Reading a clock from Go costs \
{clock['seedfall']:.0f} ns per host call, all in: time charged, trace record hashed
(wazero: {clock['wazero']:.0f} ns, which asks the real clock).
"""


def restarts(data, goals):
    least = data["cpu_ms_per_start_least"]
    growth = data["rss_mb_end"] - data["rss_mb_warm"]
    goals.append(("CPU per start of a 4 MB Go program", "≤ 1.5 ms", f"{least:.2f} ms", least <= 1.5))
    goals.append((f"memory over {data['restarts']:,.0f} restarts", "flat", f"{growth:+.1f} MB",
                  growth < 2))
    return f"""
## Restarts

A node that runs a {data['wasm_mb']:.1f} MB Go program is killed about 1,000 times per simulated second
and started again, {data['restarts']:,.0f} times; {100 * data['reached_main'] / data['restarts']:.0f} % of \
its lives reached main. A start counts everything: instance, Go runtime, first output, kill, freeing.

| | |
| --- | --- |
| CPU per start | {least:.2f} ms in the best stretch of 250, {data['cpu_ms_per_start']:.2f} ms on average |
| starts per second | {data['starts_per_second']:,.0f} on one core |
| resident memory | {data['rss_mb_warm']:.1f} MB warm, {data['rss_mb_most']:.1f} MB most, \
{data['rss_mb_end']:.1f} MB at the end |
"""


def kvlog(data, goals):
    plain, split = data["plain"], data["split"]
    cpu = plain["ms"] / 1000
    simulated = plain["simulated_seconds"] / cpu
    goals.append(("kvlog: simulated seconds per CPU second", "≥ 40", f"{simulated:.1f}",
                  simulated >= 40))
    sides = {side: split[f"cycles_{side}"] for side in ("guest", "call", "room")}
    share = {side: 100 * cycles / sum(sides.values()) for side, cycles in sides.items()}
    return f"""
## A sweep: kvlog

`examples/kvlog/fixed.json`, seeds 1 to {plain['seeds']:.0f}, in one process; a seed is \
{plain['simulated_seconds'] / plain['seeds']:.1f} simulated seconds on average.

| per CPU second | |
| --- | --- |
| seeds | {plain['seeds'] / cpu:.1f} |
| simulated seconds | {simulated:.1f} |
| ticks | {plain['ticks'] / cpu / 1e6:.0f} million |
| host calls | {plain['host_calls'] / cpu / 1000:,.0f} thousand |
| times a program went on after a wait | {plain['resumptions'] / cpu / 1000:,.0f} thousand |
| starts of programs | {plain['starts'] / cpu:,.0f} |

| where the CPU time goes | share |
| --- | --- |
| guest code, engine included | {share['guest']:.0f} % |
| host calls | {share['call']:.0f} % |
| the simulated kernel: events, journal, faults, starting and freeing programs | \
{share['room']:.0f} % |

The host's operating system takes {100 * plain['system_ms'] / plain['ms']:.0f} % of the whole (page \
faults and mappings of starts; within the shares above). The split reads the time stamp counter at each
crossing, {split['crossings'] / split['seeds'] / 1000:,.0f} thousand times per seed, which changed \
its CPU time by {100 * (split['ms'] / plain['ms'] - 1):+.0f} %.
"""


def preemption(data, goals):
    races, cost = data["races"], data["cost"]
    lines = []
    for guest, depth in (("race1", 1), ("race2", 2), ("race3", 3)):
        cells = []
        for policy in ("off", "random", "burst"):
            race = races[f"{guest} {policy}"]
            if race["found"] == 0:
                cells.append(f"none in {race['seeds']:.0f} seeds")
                continue
            missed = race["campaigns"] - race["found"]
            more = f" ({missed:.0f} of {race['campaigns']:.0f} not within {race['limit']:.0f})"
            cells.append(f"{race['median']:.0f}" + (more if missed else ""))
        lines.append(f"| {depth} | {' | '.join(cells)} |")
    over = {policy: 100 * (cost[policy]["ns_per_tick"] / cost["off"]["ns_per_tick"] - 1)
            for policy in ("random", "burst")}
    goals.append(("CPU of preemption at its default rate", "< 5 %", f"{over['random']:+.1f} %",
                  over["random"] < 5))
    per_million = {policy: 1e6 * cost[policy]["preemptions"] / cost[policy]["ticks"]
                   for policy in ("random", "burst")}
    campaigns = races["race1 random"]["campaigns"]
    return f"""
## Preemption

Seeds until a planted race is found (`tests/guests/race1` to `race3`: so many goroutines must lose the
processor at the right place, one after the other), median of {campaigns:.0f} campaigns of fresh seeds, at \
the default rate.

| depth | off | random | burst |
| --- | --- | --- | --- |
{chr(10).join(lines)}

What it costs, on kvlog's correct server: CPU time per tick against `off` {over['random']:+.1f} % with \
`random` ({per_million['random']:.0f} preemptions per million ticks) and {over['burst']:+.1f} % with \
`burst` ({per_million['burst']:.0f}).
"""


def edit(data, goals):
    edited, again = data["edited"], data["again"]
    return f"""
## From an edit to the first seed

kvlog's server is edited and `seedfall run -seeds 1-1` typed; real time, all cores.

| | all | in `go build` | our part |
| --- | --- | --- | --- |
| after the edit | {edited['seconds']:.1f} s | {edited['go_seconds']:.1f} s | \
{edited['own_seconds']:.1f} s |
| again, nothing edited | {again['seconds']:.1f} s | {again['go_seconds']:.1f} s | \
{again['own_seconds']:.1f} s |

Our part is compiling the wasm to machine code, loading, and the seed itself. Each column is the least of
its own rounds.
"""


def fork(data, goals):
    plain, huge = data["plain"], data["huge_pages"]
    goals.append(("fork() of three running nodes, huge pages", "≤ 2 ms",
                  f"{huge['fork_ms_median']:.2f} ms", huge["fork_ms_median"] <= 2))
    goals.append(("both sides of a fork go on alike", "equal hashes", "equal", True))
    row = lambda name, key, unit: (f"| {name} | {plain[key]:.2f} {unit} | "
                                   f"{huge[key]:.2f} {unit} |")
    return f"""
## fork() of a running world

Three nodes with a live heap of 32 MB each, timers and files, after four simulated seconds. Real time of
the call; child, parent and a run that never forked end with equal hashes.

| | plain | huge pages |
| --- | --- | --- |
| resident memory | {plain['rss_mb']:.0f} MB | {huge['rss_mb']:.0f} MB |
| of it in huge pages | {plain['huge_mb']:.0f} MB | {huge['huge_mb']:.0f} MB |
{row('fork(), median', 'fork_ms_median', 'ms')}
{row('fork(), least', 'fork_ms_least', 'ms')}
{row('CPU of 100 simulated ms without a fork', 'step_cpu_ms', 'ms')}
{row('the same in a child, its first ones', 'child_first_step_cpu_ms', 'ms')}

The last row pays for the pages that the child writes first: a huge page is copied whole.
"""


def branching(data, goals):
    plain = data["plain_images"] / data["plain_cpu"]
    fanout = data["fanout_images"] / data["fanout_cpu"]
    goals.append(("fan-out: images per CPU second against plain seeds", "more",
                  f"{fanout / plain:.1f} times", fanout > plain))
    return f"""
## Branching

`examples/kvlog/fixed.json` with a workload of 300 ms and 4 crashes per second, in one worker; the \
CPU time of all processes, less that of a command with one seed. An image is a disk that a power \
loss left and the program was restarted on; a site is a crash at one disk operation, of which those \
that leave what another one left are not carried on.

| | | per CPU second |
| --- | --- | --- |
| seeds 1 to {data['seeds']} | {data['plain_images']:,} images | {plain:.1f} |
| the same with `-fanout 16` | {data['fanout_images']:,} distinct images | {fanout:.1f} |
| `-sites`: {data['sites_operations']:,} operations | {data['sites']:,} of {data['sites_tried']:,} \
crashes | {data['sites'] / data['sites_cpu']:.1f} |
"""


def parts(data, goals):
    lines = "\n".join(f"| {name} | {ns:.0f} ns |" for name, ns in data.items())
    return f"""
## Parts

| Google Benchmark, CPU time | |
| --- | --- |
{lines}
"""


SECTIONS = {"speed": speed, "restarts": restarts, "kvlog": kvlog, "preemption": preemption,
            "edit": edit, "fork": fork, "branching": branching, "host_calls": report_wasi.host_calls,
            "std": report_wasi.standard_tests, "parts": parts}
