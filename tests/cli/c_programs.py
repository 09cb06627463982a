"""Programs of tests/guests in C, compiled with Debian's clang and wasi-libc.

A module is kept beside the program under test, under a hash of what it is made of.
"""
import fcntl
import hashlib
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import BIN

CLANG = "clang-19"
FLAGS = ["--target=wasm32-wasi", "-O1", "-Wall", "-Wextra", "-Werror"]
JOBS = 2


def module(name, folder, units):
    """The path of a module of the C files in `folder`. `units` gives each object file its source, a
    path or text, and its flags."""
    content = hashlib.sha256(repr((FLAGS, sorted(units.items()))).encode())
    for path in sorted(folder.glob("*.[ch]")):
        content.update(path.name.encode() + b"\0" + path.read_bytes())
    place = Path(BIN).resolve().parent / "c-guests" / name
    made = place / f"{content.hexdigest()[:16]}.wasm"
    if made.exists():
        return made
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)   # another test may be about to do the same
        if not made.exists():
            _build(made, folder, units)
    return made


def _build(made, folder, units):
    place = made.parent
    for old in place.glob("*.wasm"):
        old.unlink()

    def compile_one(unit):
        name, (source, flags) = unit
        if not isinstance(source, Path):
            path = place / f"{name}.c"
            path.write_text(source)
            source = path
        subprocess.run([CLANG, *FLAGS, *flags, "-c", source, "-o", place / f"{name}.o"],
                       cwd=folder, check=True)
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(compile_one, units.items()))
    part = place / "part"
    subprocess.run([CLANG, *FLAGS, *(place / f"{name}.o" for name in units), "-o", part],
                   check=True)
    part.rename(made)
