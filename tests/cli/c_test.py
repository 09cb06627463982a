"""Programs in C and C++: how they are built, what they can do, and what a user sees when not.

The programs are tests/guests/c.
"""
import shutil
import subprocess
import unittest

from support import CANNOT_RUN, CLEAN, FINDING, GUESTS, USAGE, WorldTest, environment, seedfall

C = GUESTS / "c"


def c_node(name, *sources, args=(), flags=(), **more):
    return {"name": name, "c": {"sources": [str(s) for s in sources], "flags": list(flags)},
            "args": list(args)} | more


class CGuests(WorldTest):
    def world(self, *nodes, **more):
        path = self.write("w.json", {"nodes": [{"name": "idle", "pkg": str(GUESTS / "ill"),
                                                "args": ["idle"]}],
                                     "workload": list(nodes), "horizon": "300s"} | more)
        return path

    def run_world(self, world, code, *arguments, env=None):
        return self.expect(seedfall("run", "-c", world, "-seeds", "1", *arguments, cwd=self.folder,
                                    timeout=240, env=env), code)

    # Goal: each socket function answers as on Linux. Method: the program compares.
    def test_sockets(self):
        for source in ("sockets.c", "wasmedge_v1.c"):
            with self.subTest(source):
                done = self.expect(seedfall("replay", "-c", self.world(c_node("c", C / source)),
                                            "-seed", "1", timeout=240), CLEAN)
                self.assertIn("all of it holds", done.out)

    def test_the_same_sockets_in_two_runs(self):
        self.run_world(self.world(c_node("c", C / "sockets.c")), CLEAN, "-check")

    def test_sdk_from_cxx(self):
        done = self.expect(seedfall("replay", "-c", self.world(c_node("c", C / "sdk.cc")),
                                    "-seed", "1", timeout=240), CLEAN)
        self.assertIn("node c is done", done.out)

    # Goal: a constant message names its property, a formatted one does not; sites name the source.
    def test_properties_are_counted_and_findings_have_their_place(self):
        world = self.world(c_node("c", "sdk.cc", args=["assert"]))
        for name in ("sdk.cc", "check.h"):
            shutil.copy(C / name, self.folder / name)
        done = self.run_world(world, FINDING, "-json")
        finding = done.json["findings"][0]
        self.assertEqual(finding["message"], "there are 2 arguments")
        self.assertRegex(finding["site"], r"^sdk\.cc:\d+ \(main\)$")
        world = self.world(c_node("c", C / "sdk.cc", args=["unreachable"]))
        done = self.run_world(world, FINDING, "-json")
        self.assertEqual(done.json["findings"][0]["message"],
                         "unreachable: the end of the tests")

    # A flag without its value would take the next argument, once the source, for a file to write.
    def test_flags_that_lack_a_value_or_write_files_leave_the_sources_alone(self):
        text = "int main(void) { return 0; }\n"
        source = self.write("two.c", text)
        for flag in ("--serialize-diagnostics", "-serialize-diagnostics", "-save-temps", "-I",
                     "-include", "-help"):
            done = self.run_world(self.world(c_node("c", "two.c", flags=[flag])), USAGE)
            self.assertIn("flags[0]: " + flag, done.err)
        done = self.run_world(self.world(c_node("c", "two.c", flags=["-dependency-file"])),
                              CANNOT_RUN)
        self.assertEqual(source.read_text(), text)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["two.c", "w.json"])

    def test_flags_make_another_program_for_the_other_node(self):
        self.write("say.c", "#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n")
        world = self.world(c_node("one", "say.c", flags=['-DWORD="first"']),
                           c_node("two", "say.c", flags=['-DWORD="second"']))
        done = self.expect(seedfall("replay", "-c", world, "-seed", "1", timeout=240), CLEAN)
        self.assertIn("first", done.out)
        self.assertIn("second", done.out)

    def test_errors_of_the_compiler_come_with_place_and_path(self):
        self.write("bad.c", "int main(void) { return nothing; }\n")
        done = self.run_world(self.world(c_node("c", "bad.c")), CANNOT_RUN)
        self.assertRegex(done.err, r"w\.json:1:\d+: \$\.workload\[0\]\.c: bad\.c does not build for "
                                   r"wasm32-wasi with \S+:\nbad\.c:1:25: error: use of undeclared")
        self.assertEqual(done.out, "")

    def test_exceptions_are_named(self):
        self.write("bad.cc", "int main() { throw 1; }\n")
        done = self.run_world(self.world(c_node("c", "bad.cc")), CANNOT_RUN)
        self.assertIn("C++ exceptions do not exist on wasm32-wasi", done.err)

    def test_a_missing_compiler_names_the_packages(self):
        self.write("a.c", "int main(void) { return 0; }\n")
        done = self.run_world(self.world(c_node("c", "a.c")), CANNOT_RUN,
                              env=environment(SEEDFALL_CLANG="/nonexistent/clang"))
        self.assertIn("apt-get install clang-19 lld-19 wasi-libc", done.err)

    def test_a_missing_source_is_a_usage_error(self):
        done = self.run_world(self.world(c_node("c", "none.c")), USAGE)
        self.assertIn("$.workload[0].c.sources[0]: none.c: no such C or C++ source", done.err)

    # Goal: a stack that overflows ends its program and changes nothing silently.
    def test_an_overflowing_stack_is_a_finding(self):
        self.write("deep.c", "#include <stdio.h>\n"
                             "int deep(volatile int n) { int a[64]; a[n & 63] = n;\n"
                             "  return n < 0 ? a[0] : deep(n + 1) + a[n & 63]; }\n"
                             "int main(void) { printf(\"%d\\n\", deep(0)); return 0; }\n")
        done = self.run_world(self.world(c_node("c", "deep.c")), FINDING, "-json")
        self.assertEqual(done.json["findings"][0]["node"], "c")


class FinishedFiles(WorldTest):
    def world(self, wasm):
        (self.folder / "x.wasm").write_bytes(wasm)
        return self.write("w.json", {"nodes": [{"name": "c", "wasm": "x.wasm"}], "horizon": "1s",
                                     "horizon_ok": True})

    def build(self, source, *flags):
        path = self.write("x.c", source)
        subprocess.run(["clang-19", "--target=wasm32-wasi", "-O1", path, "-o",
                        self.folder / "built.wasm", *flags], check=True)
        return (self.folder / "built.wasm").read_bytes()

    def test_a_c_program_built_elsewhere_runs(self):
        wasm = self.build("#include <stdio.h>\nint main(void) { puts(\"plain\"); }\n")
        done = self.expect(seedfall("replay", "-c", self.world(wasm), "-seed", "1"), CLEAN)
        self.assertIn("plain", done.out)

    def test_unknown_imports_and_the_draft_are_refused_by_name(self):
        source = ("__attribute__((import_module(\"{}\"), import_name(\"{}\"))) int f(int);\n"
                  "int main(void) {{ return f(1); }}\n")
        for module, name, words in (
                ("wasi_unstable", "fd_close",
                 "imports wasi_unstable.fd_close, which seedfall does not offer; that is the draft "
                 "before WASI preview 1: build for wasi_snapshot_preview1"),
                ("env", "magic", "imports env.magic, which seedfall does not offer; nothing is "
                                 "offered in module env"),
                ("wasi_snapshot_preview1", "sock_opne",
                 "imports wasi_snapshot_preview1.sock_opne, which seedfall does not offer; the "
                 "nearest name is sock_open")):
            with self.subTest(module=module, name=name):
                wasm = self.build(source.format(module, name))
                done = self.expect(seedfall("run", "-c", self.world(wasm), "-seeds", "1"),
                                   CANNOT_RUN)
                self.assertIn(words, done.err)
                self.assertIn("$.nodes[0].wasm", done.err)


if __name__ == "__main__":
    unittest.main()
