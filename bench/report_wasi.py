"""The sections of docs/benchmarks.md about single programs under `seedfall exec`."""


def host_calls(data, _goals):
    lines = "\n".join(f"| {call.replace('_oneoff_', '_oneoff, subscriptions: ')} | {ns:,.0f} |"
                      for call, ns in data.items())
    return f"""
## Host calls

`seedfall exec` with `bench/host_calls`, a Go program that makes the calls past Go's library, on a disk
of the profile in-order. Nanoseconds of CPU per call, all in: the program's loop, time charged, trace
record hashed, one disk operation counted where the call is one. fd_write and fd_read move 64 bytes;
path_open is followed by fd_close; of the subscriptions (clocks) of a poll one is due.

| call | ns |
| --- | --- |
{lines}
"""


def standard_tests(data, goals):
    rows, worst = [], 0.0
    for package, ms in data.items():
        ratio = ms["seedfall"] / ms["wazero"]
        worst = max(worst, ratio)
        rows.append(f"| {package} | {ms['seedfall']:,.0f} | {ms['wazero']:,.0f} | {ratio:.2f} |")
    total = {name: sum(ms[name] for ms in data.values()) for name in ("seedfall", "wazero")}
    ratio = total["seedfall"] / total["wazero"]
    goals.append(("standard library's tests, times wazero's CPU", "≤ 0.8", f"{ratio:.2f}",
                  ratio <= 0.8))
    lines = "\n".join(rows)
    return f"""
## The standard library's tests

`go test -short` of four packages, one binary for both hosts, machine code from each one's cache. CPU
milliseconds: of seedfall the whole process, of wazero the run alone, with the host's file system.
wazero waits in real time where seedfall's clock is simulated, which costs no CPU. The worst ratio of
a package is {worst:.2f}.

| package | seedfall | wazero | ratio |
| --- | --- | --- | --- |
{lines}
| together | {total['seedfall']:,.0f} | {total['wazero']:,.0f} | **{ratio:.2f}** |
"""
