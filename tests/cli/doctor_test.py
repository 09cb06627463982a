"""`seedfall doctor`: each check says what is there, and what is missing with what to type."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import support
import wasm
from support import CANNOT_RUN, CLEAN, USAGE, WorldTest, seedfall

GO = Path(shutil.which("go") or "/usr/local/go/bin/go").resolve()


class Doctor(WorldTest):
    def doctor(self, *arguments, code=CLEAN, prefix=(), **env):
        done = self.expect(seedfall("doctor", "-json", *arguments, cwd=self.folder, prefix=prefix,
                                    env=support.environment(**env)), code)
        self.assertEqual(done.json["schema"], 1)
        self.assertEqual(done.json["ready"], code == CLEAN)
        for check in done.json["checks"]:
            self.assertIn(check["level"], ("ok", "advice", "problem"))
            self.assertEqual(check["fix"] == "", check["level"] == "ok", check)
        return {check["id"]: check for check in done.json["checks"]}

    def tools(self, *names, **scripts):
        """A folder for PATH with only these programs, real ones and shell scripts."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        for name in names:
            os.symlink(shutil.which(name), folder / name)
        for name, text in scripts.items():
            path = folder / name
            path.write_text("#!/bin/sh\n" + text)
            path.chmod(0o755)
        return str(folder)

    def package(self, main, **files):
        self.write("app/go.mod", "module example.com/app\n\ngo 1.23\n")
        self.write("app/main.go", main)
        for name, text in files.items():
            self.write(f"app/{name}/{name}.go", text)
        return "./app"


class ThisMachine(Doctor):
    def test_all_is_well_where_the_tests_run(self):
        checks = self.doctor()
        for name in ("seedfall", "cache", "sdk", "limits.files", "limits.address-space", "go",
                     "go.overlay", "go.probe", "go.preemption"):
            self.assertEqual(checks[name]["level"], "ok", checks[name])
        self.assertRegex(checks["seedfall"]["text"], r"^seedfall \d.*, engine wasmtime \d+")
        for name in ("memory", "huge-pages", "clang", "clang++", "rustc"):
            self.assertIn(checks[name]["level"], ("ok", "advice"))

    def test_the_text_says_the_same(self):
        done = self.expect(seedfall("doctor", cwd=self.folder), CLEAN)
        rows = [line for line in done.out.splitlines() if line[:9].strip() in ("ok", "advice")]
        checks = self.doctor()
        # Free memory is another one each time.
        self.assertEqual([re.sub(r"^\S+iB of memory", "memory", row[9:]) for row in rows],
                         [re.sub(r"^\S+iB of memory", "memory", c["text"].splitlines()[0])
                          for c in checks.values()])
        self.assertRegex(done.out, rf"\nready: {len(checks)} checks(, \d+ with advice)?\n$")

    def test_without_go_it_is_not_ready(self):
        checks = self.doctor(code=CANNOT_RUN, PATH=self.tools("sh"), RUSTC_WASI="/nowhere/rustc")
        self.assertEqual(checks["go"]["level"], "problem")
        self.assertIn("install Go", checks["go"]["fix"])
        self.assertNotIn("go.probe", checks)
        self.assertEqual(checks["clang"]["level"], "advice")
        self.assertIn("there is no compiler for C", checks["clang"]["text"])
        self.assertIn("apt-get install", checks["clang"]["fix"])
        self.assertNotIn("clang++", checks)
        self.assertEqual(checks["rustc"]["text"], "/nowhere/rustc (RUSTC_WASI) cannot run; "
                         "Rust guests cannot be built")

    def test_an_old_go_is_refused(self):
        old = 'echo \'{"GOVERSION": "go1.21.3", "GOROOT": "/x"}\'\n'
        checks = self.doctor(code=CANNOT_RUN, PATH=self.tools("sh", go=old))
        self.assertEqual(checks["go"]["text"], "go1.21.3 is too old: 1.23 is needed")

    def test_a_go_whose_library_was_changed_is_refused(self):
        root = self.folder / "goroot"
        changed = root / "src/internal/poll/fd_fsync_posix.go"
        changed.parent.mkdir(parents=True)
        changed.write_text("package poll\n")
        other = f'echo \'{{"GOVERSION": "go1.26.8", "GOROOT": "{root}"}}\'\n'
        checks = self.doctor(code=CANNOT_RUN, PATH=self.tools("sh", go=other))
        self.assertEqual(checks["go"]["level"], "ok")
        self.assertEqual(checks["go.overlay"]["level"], "problem")
        self.assertIn("does not hold the text that is to be replaced",
                      checks["go.overlay"]["text"])

    def test_a_go_that_cannot_build_is_refused(self):
        broken = f'if [ "$1" = build ]; then echo broken >&2; exit 1; fi\nexec {GO} "$@"\n'
        checks = self.doctor(code=CANNOT_RUN, PATH=self.tools("sh", go=broken))
        self.assertEqual(checks["go.probe"]["level"], "problem")
        self.assertIn("broken", checks["go.probe"]["text"])

    def test_a_clang_that_knows_no_wasi_is_advice(self):
        script = ('if [ "$1" = --version ]; then echo "clang version 99"; exit 0; fi\n'
                  'echo "error: unknown target" >&2\nexit 1\n')
        tools = self.tools("sh", clang=script)
        checks = self.doctor(PATH=f"{tools}:{GO.parent}")
        self.assertEqual(checks["clang"]["level"], "advice")
        self.assertIn("clang version 99 cannot compile for WASI: error: unknown target",
                      checks["clang"]["text"])

    def test_a_clang_without_the_library_of_cxx_is_advice_for_cxx_only(self):
        self.write("good.wasm", wasm.module({}))
        script = ('if [ "$1" = --version ]; then echo "clang version 99"; exit 0; fi\n'
                  'for a; do case "$a" in --driver-mode=g++) '
                  'echo "fatal error: \'map\' file not found" >&2; exit 1;; esac; done\n'
                  f'cp {self.folder}/good.wasm probe.wasm\n')
        checks = self.doctor(PATH=f"{self.tools('sh', 'cp', clang=script)}:{GO.parent}")
        self.assertEqual(checks["clang"]["level"], "ok", checks["clang"])
        self.assertEqual(checks["clang"]["text"],
                         "clang version 99: a C program for WASI compiles and runs")
        self.assertEqual(checks["clang++"]["level"], "advice")
        self.assertIn("'map' file not found; C++ guests cannot be built",
                      checks["clang++"]["text"])
        self.assertIn("libc++-99-dev-wasm32", checks["clang++"]["fix"])

    def test_limits_that_are_too_low_are_named(self):
        checks = self.doctor(code=CANNOT_RUN, prefix=("prlimit", "--nofile=64"))
        self.assertEqual(checks["limits.files"]["level"], "problem")
        self.assertEqual(checks["limits.files"]["fix"], "ulimit -n 1024")
        checks = self.doctor(code=CANNOT_RUN, prefix=("prlimit", f"--as={8 << 30}"))
        self.assertEqual(checks["limits.address-space"]["level"], "problem")
        self.assertEqual(checks["limits.address-space"]["fix"], "ulimit -v unlimited")

    def test_a_cache_that_cannot_be_made_is_named(self):
        self.write("file", "")
        checks = self.doctor(code=CANNOT_RUN, SEEDFALL_CACHE=str(self.folder / "file/cache"))
        self.assertEqual(checks["cache"]["level"], "problem")
        self.assertIn("SEEDFALL_CACHE", checks["cache"]["fix"])

    def test_a_missing_sdk_is_named(self):
        checks = self.doctor(code=CANNOT_RUN, SEEDFALL_SDK_DIR="/nowhere")
        self.assertEqual(checks["sdk"]["level"], "problem")


class Rust(Doctor):
    """The check looks for what examples/minimal-rust/build looks for."""
    INSTALL = "apt-get install --no-install-recommends rustc libstd-rust-dev-wasm32 lld-19"

    def rustc(self, target="wasm32-wasi", make=None, wasm_ld=True):
        """The check with a compiler of ours that has a library for this target, and a linker."""
        (self.folder / "lib").mkdir(exist_ok=True)
        self.write("made.wasm", make if make is not None else wasm.module({}))
        script = (
            'if [ "$1" = --version ]; then echo "rustc 9.9"; exit 0; fi\n'
            'if [ "$1" = --print ]; then\n'
            f'  if [ "$4" = {target} ]; then echo {self.folder}/lib; else echo /none; fi; exit 0\n'
            f'fi\necho "$@" > {self.folder}/arguments\ncp {self.folder}/made.wasm probe.wasm\n')
        tools = {"my-rustc": script} | ({"wasm-ld-16": "echo LLD 16\n"} if wasm_ld else {})
        path = self.tools("sh", "cp", **tools)
        return self.doctor(PATH=f"{path}:{GO.parent}", RUSTC_WASI=f"{path}/my-rustc")["rustc"]

    def test_a_compiler_with_the_library_and_a_linker_is_well(self):
        check = self.rustc()
        self.assertEqual(check["level"], "ok", check)
        self.assertRegex(check["text"],
                         r"^rustc 9\.9 \(/.*/my-rustc\): a Rust program for WASI compiles and runs$")
        arguments = (self.folder / "arguments").read_text()
        self.assertIn("--target=wasm32-wasi ", arguments)
        self.assertIn("-C linker=wasm-ld-16", arguments)

    def test_a_newer_compiler_brings_its_linker(self):
        self.assertEqual(self.rustc("wasm32-wasip1", wasm_ld=False)["level"], "ok")
        arguments = (self.folder / "arguments").read_text()
        self.assertIn("--target=wasm32-wasip1 ", arguments)
        self.assertNotIn("linker=", arguments)

    def test_what_is_missing_is_named(self):
        for case, text in (({"target": "none"}, "has no library for wasm32-wasi"),
                           ({"wasm_ld": False}, "needs a wasm-ld, and there is none"),
                           ({"make": b"junk"}, "makes programs that do not load"),
                           ({"make": wasm.module({}, body=wasm.UNREACHABLE + wasm.END)},
                            "makes programs that do not run")):
            with self.subTest(text):
                shutil.rmtree(self.folder / "bin", ignore_errors=True)
                check = self.rustc(**case)
                self.assertEqual(check["level"], "advice")
                self.assertIn(text, check["text"])
                self.assertIn("Rust guests cannot be built", check["text"])
                self.assertIn(self.INSTALL, check["fix"])

    def test_the_guides_say_the_same(self):
        for path in ("docs/guide/c-and-rust.md", "docs/guide/exit-codes-and-output.md",
                     "examples/minimal-rust/README.md"):
            self.assertIn(self.INSTALL, (support.ROOT / path).read_text(), path)

    def test_the_check_agrees_with_the_build_of_the_example(self):
        example = support.ROOT / "examples" / "minimal-rust"
        shutil.copytree(example, self.folder / "example")
        build = subprocess.run([self.folder / "example" / "build"], env=support.environment(),
                               capture_output=True, text=True, timeout=300, check=False)
        check = self.doctor()["rustc"]
        self.assertEqual(check["level"] == "ok" and "(rustc)" not in check["text"],
                         build.returncode == 0, f"{check}\n{build.stderr}")


class Package(Doctor):
    def test_a_program_that_builds_is_well(self):
        checks = self.doctor(self.package("package main\n\nfunc main() {}\n"))
        self.assertEqual(checks["package"]["text"], "./app builds for wasip1 and loads")
        self.assertFalse([name for name in checks if name.startswith("package.")])

    def test_a_memory_map_is_named_with_the_way_to_it(self):
        package = self.package(
            'package main\n\nimport "example.com/app/middle"\n\nfunc main() { middle.Do() }\n',
            middle='package middle\n\nimport "example.com/app/deep"\n\nfunc Do() { deep.Map() }\n',
            deep='package deep\n\nimport "syscall"\n\nfunc Map() { syscall.Mmap(0, 0, 1, 1, 1) }\n')
        check = self.doctor(package, code=CANNOT_RUN)["package"]
        lines = check["text"].splitlines()
        self.assertEqual(lines[0], "./app does not build for wasip1: example.com/app/deep uses "
                         "memory maps, which wasip1 does not have")
        self.assertEqual(lines[1], "  imported by way of example.com/app -> "
                         "example.com/app/middle -> example.com/app/deep")
        self.assertEqual(lines[2], "  | # example.com/app/deep")
        self.assertIn("undefined: syscall.Mmap", check["text"])
        self.assertIn("//go:build !wasip1", check["fix"])

    def test_a_package_without_files_for_wasip1_is_named(self):
        package = self.package(
            'package main\n\nimport "example.com/app/native"\n\nfunc main() { native.Do() }\n',
            native="//go:build linux\n\npackage native\n\nfunc Do() {}\n")
        check = self.doctor(package, code=CANNOT_RUN)["package"]
        self.assertIn("example.com/app/native has no files for wasip1", check["text"])

    def test_a_missing_module_is_no_matter_of_wasip1(self):
        package = self.package('package main\n\nimport _ "example.org/other"\n\nfunc main() {}\n')
        check = self.doctor(package, code=CANNOT_RUN)["package"]
        self.assertEqual(check["fix"], "go mod tidy")

    def test_a_folder_that_is_not_there_is_a_problem(self):
        check = self.doctor("./nowhere", code=CANNOT_RUN)["package"]
        self.assertEqual(check["text"], "./nowhere: no such folder")

    def test_imports_that_do_nothing_in_the_simulator_are_advice(self):
        package = self.package('package main\n\nimport (\n\t"net"\n\t"os/exec"\n)\n\nfunc main() {\n'
                               '\tnet.Listen("tcp", ":1")\n\texec.Command("x").Run()\n}\n')
        checks = self.doctor(package)
        self.assertEqual(checks["package"]["level"], "ok")
        self.assertIn("example.com/app imports net", checks["package.net"]["text"])
        self.assertIn("ENOSYS", checks["package.os/exec"]["text"])

    def test_wrong_usage_is_said(self):
        done = self.expect(seedfall("doctor", "./a", "./b"), USAGE)
        self.assertIn("`seedfall help doctor` shows how", done.err)


if __name__ == "__main__":
    unittest.main()
