"""Modules that cannot run, through `exec` and `run`: each is refused with its name and the reason,
and whatever its texts hold, nothing of them acts on the terminal."""
import subprocess
import unittest

import wasm
from support import CANNOT_RUN, FINDING, WorldTest, command, environment, guest, seedfall

NOT_EXECUTABLE, ABORTED = 126, 134
TABLE = b"\x70\x00"      # function references, no maximum

# Those that are well-formed and fail when they are set up: the module, and what is said.
UNFIT = {
    "data": (wasm.module({wasm.MEMORY: b"\x01\x00\x01",
                          wasm.DATA: wasm.vector(b"\x00" + wasm.constant(65536) + wasm.sized(b"x"))}),
             "a data segment lies outside the memory"),
    "element": (wasm.module({wasm.TABLE: wasm.vector(TABLE + wasm.number(1)),
                             wasm.ELEMENT: wasm.vector(b"\x00" + wasm.constant(5) + b"\x01\x00")}),
                "an element segment lies outside its table"),
    "table": (wasm.module({wasm.TABLE: wasm.vector(TABLE + wasm.number(100_000_000))}),
              "tables of 4,194,304 elements"),
}
# And those that are refused by their form.
ILL = {
    "empty": (b"", "not a WebAssembly module"),
    "text": (b"#!/bin/sh\n", "not a WebAssembly module"),
    "component": (b"\0asm\x0d\0\1\0", "a component, perhaps"),
    "no-start": (wasm.module({}, export=b"run"), "exports no function _start"),
    "reactor": (wasm.module({}, export=b"_initialize"), "exports no function _start"),
    "memory64": (wasm.module({wasm.MEMORY: b"\x01\x04\x01"}), "64-bit memory"),
    "shared": (wasm.module({wasm.MEMORY: b"\x01\x03\x01\x01"}), "threads (a shared memory)"),
    "import": (wasm.importing(b"env", b"fork"), "imports env.fork, which seedfall does not offer"),
    "wasi": (wasm.importing(b"wasi_snapshot_preview1", b"fd_reed"), "the nearest name is fd_read"),
    "draft": (wasm.importing(b"wasi_unstable", b"fd_read"), "the draft before WASI preview 1"),
    "memory": (wasm.importing(b"env", b"memory", b"\x02\x00\x01"), "a memory; seedfall offers"),
    "invalid": (wasm.module({}, body=b"\x1a" + wasm.END), "invalid WebAssembly"),
}
# What a module's author may have chosen.
ESCAPE = b"\x1b]0;owned\x07\x1b[2J\nseedfall: all is well\r"
LONG = b"n" * 100_000


def start_that_traps():
    """The start section's function traps; _start itself does not."""
    bodies = wasm.vector(wasm.sized(b"\x00" + wasm.UNREACHABLE + wasm.END),
                         wasm.sized(b"\x00" + wasm.END))
    return wasm.module({wasm.FUNCTION: b"\x02\x00\x00", wasm.START: b"\x00", wasm.CODE: bodies,
                        wasm.EXPORT: wasm.vector(wasm.exported(b"_start", index=1))})


def hostile_texts():
    """Modules whose names are hostile, by the place of the name."""
    for what, text in (("escape", ESCAPE), ("long", LONG), ("bytes", b"\xff\xfe\x9b2J")):
        yield f"{what} import", wasm.importing(b"wasi_snapshot_preview1", text)
        yield f"{what} module", wasm.importing(text, b"fd_read")
        yield f"{what} memory", wasm.importing(text, text, b"\x02\x00\x01")
        yield f"{what} type", wasm.importing(b"seedfall", text)
        yield f"{what} export", wasm.module(
            {wasm.EXPORT: wasm.vector(wasm.exported(text), wasm.exported(text))})
        yield f"{what} twice", wasm.module(
            {wasm.EXPORT: wasm.vector(wasm.exported(b"_start"), wasm.exported(text),
                                      wasm.exported(text))})


class Modules(WorldTest):
    def run_exec(self, content, code):
        self.write("x.wasm", content)
        done = subprocess.run(command("exec", "x.wasm"), cwd=self.folder, env=environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr[-2000:])
        self.assertEqual(done.stdout, b"")
        return done.stderr

    def run_world(self, content, code):
        self.write("x.wasm", content)
        self.write("c.json", {"nodes": [guest("bystander", "tool", "sleep", "1ms"),
                                        {"name": "odd", "wasm": "x.wasm"}]})
        return self.expect(seedfall("run", "-c", "c.json", "-seeds", "1-2", cwd=self.folder), code)

    def test_a_module_that_can_run_is_not_refused(self):
        self.assertEqual(self.run_exec(wasm.module({}), 0), b"")

    def test_exec_refuses_with_the_files_name_and_the_reason(self):
        for name, (content, reason) in (UNFIT | ILL).items():
            with self.subTest(name):
                err = self.run_exec(content, NOT_EXECUTABLE).decode()
                self.assertRegex(err, r"^seedfall exec: /.*/x\.wasm: ")
                self.assertIn(reason, err)

    def test_a_world_is_refused_before_its_sweep(self):
        for name, (content, reason) in UNFIT.items():
            with self.subTest(name):
                done = self.run_world(content, CANNOT_RUN)
                self.assertRegex(done.err, r"c\.json:1:\d+: \$\.nodes\[1\]\.wasm: x\.wasm: ")
                self.assertIn(reason, done.err)
                self.assertNotIn("BROKEN", done.out + done.err)

    def test_more_memory_than_the_node_may_have_is_named_with_the_key(self):
        done = self.run_world(wasm.module({wasm.MEMORY: b"\x01\x00" + wasm.number(8192)}),
                              CANNOT_RUN)
        self.assertIn("starts with 512MiB of memory, above the bound of 256MiB", done.err)
        self.assertIn("memory, in a config", done.err)

    def test_a_start_function_that_traps_is_a_trap(self):
        self.assertIn(b"unreachable executed", self.run_exec(start_that_traps(), ABORTED))
        self.assertIn("unreachable executed", self.run_world(start_that_traps(), FINDING).out)

    def test_names_of_a_module_are_quoted_harmlessly_and_briefly(self):
        for name, content in hostile_texts():
            with self.subTest(name):
                err = self.run_exec(content, NOT_EXECUTABLE)
                self.assertLess(len(err), 2000)
                self.assertRegex(err.decode(), r"\A[^\x00-\x1f\x7f-\x9f]+\n\Z")

    def test_names_in_a_stack_are_quoted_harmlessly(self):
        function = b"\x1b[2Jfunction"
        names = b"\x01" + wasm.sized(wasm.vector(b"\x00" + wasm.sized(function)))
        content = (wasm.module({}, body=wasm.UNREACHABLE + wasm.END)
                   + b"\x00" + wasm.sized(wasm.sized(b"name") + names))
        self.assertIn(rb"in \x1b[2Jfunction", self.run_exec(content, ABORTED))
        self.assertIn(r"in \x1b[2Jfunction", self.run_world(content, FINDING).out)

    def test_names_of_files_in_a_stack_of_go_are_quoted_harmlessly(self):
        self.write("go.mod", "module example.com/odd\n\ngo 1.23\n")
        self.write("main.go", 'package main\n\nimport "unsafe"\n\n'
                   "var wild = uintptr(0xfffffff0)\n\n//line /\x1b[2Jfile.go:1\n"
                   "func main() { println(*(*int)(unsafe.Pointer(wild))) }\n")
        self.write("c.json", {"nodes": [{"name": "odd", "pkg": "."}]})
        done = self.expect(seedfall("run", "-c", "c.json", "-seeds", "1", cwd=self.folder), FINDING)
        self.assertIn("out of bounds memory access", done.out)
        self.assertIn(r"\x1b[2Jfile.go", done.out)
        self.assertNotIn("\x1b", done.out)

    def test_a_world_quotes_them_so_too(self):
        content = wasm.importing(ESCAPE, LONG)
        err = self.run_world(content, CANNOT_RUN).err
        self.assertIn("imports \\x1b]0;owned", err)
        self.assertLess(max(map(len, err.split("\n"))), 2000)
        self.assertNotIn("\x1b]", err)


if __name__ == "__main__":
    unittest.main()
