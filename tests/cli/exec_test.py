"""`seedfall exec`: one program, with the consoles, folders and exit code of here."""
import os
import shutil
import signal
import subprocess
import time
import unittest

import c_programs
from support import (BIN, GUESTS, ROOT, WorldTest, command, environment, group_members, seedfall,
                     wait_until)

FAILED, NOT_EXECUTABLE, NOT_FOUND, ABORTED, CUT_SHORT = 125, 126, 127, 134, 124


def build_tool():
    """The program tests/guests/tool, built by the command under test."""
    target = GUESTS / ".." / ".." / "build" / "test-out" / "tool.wasm"
    target.parent.mkdir(parents=True, exist_ok=True)
    done = seedfall("go", "build", "-o", target.resolve(), ".", cwd=GUESTS / "tool", timeout=300)
    if done.code != 0:
        raise AssertionError(done.err)
    return target.resolve()


class ExecTest(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.tool = build_tool()

    def run_tool(self, *arguments, flags=(), code=0, stdin=b"", cwd=None):
        """stdout and stderr of the tool under exec, as bytes."""
        done = subprocess.run(command("exec", *flags, self.tool, *arguments), input=stdin,
                              cwd=cwd or self.folder, env=environment(), capture_output=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace"))
        return done.stdout, done.stderr


class Passing(ExecTest):
    def test_arguments_after_the_program_are_its_own(self):
        out, _ = self.run_tool("args", "-seed", "--", "-v", "a b", flags=["-seed", "3"])
        self.assertEqual(out.decode().splitlines()[1:], ['"args"', '"-seed"', '"--"', '"-v"', '"a b"'])

    def test_the_name_of_the_program_is_as_given(self):
        out, _ = self.run_tool("args")
        self.assertEqual(out.decode().splitlines()[0], f'"{self.tool}"')

    def test_streams_pass_through_byte_for_byte(self):
        content = bytes(range(256)) * 300
        out, err = self.run_tool("copy", stdin=content)
        self.assertEqual((out, err), (content, b""))

    def test_a_goroutine_that_computes_does_not_keep_others_from_running(self):
        self.assertEqual(self.run_tool("busy"), (b"stopped\n", b""))

    def test_negative_control_without_preemption_it_does(self):
        config = self.write("stock.json", {"cpu": {"preempt": "off"}, "horizon": "1s"})
        out, err = self.run_tool("busy", flags=["-c", config], code=CUT_SHORT)
        self.assertEqual(out, b"")
        self.assertIn(b"horizon", err)

    def test_stdout_and_stderr_are_kept_apart(self):
        out, err = self.run_tool("noise", "100000")
        self.assertEqual((out, err), (b"x" * 100000, b"x" * 100000))

    def test_exit_codes_pass_through(self):
        for code in (0, 1, 3, 125, 255):
            self.run_tool("exit", code, code=code)

    def test_environment_holds_what_was_asked_for_and_little_else(self):
        out, _ = self.run_tool("env", flags=["-env", "A=1=2", "-env", "LC_ALL", "-env", "NOT_SET"])
        lines = out.decode().splitlines()
        self.assertIn("A=1=2", lines)
        self.assertIn("LC_ALL=C.UTF-8", lines)
        self.assertIn(f"PWD={self.folder}", lines)
        names = {line.split("=")[0] for line in lines}
        self.assertLessEqual(names, {"A", "LC_ALL", "PWD", "HOME", "TMPDIR"})

    def test_sleeping_takes_simulated_time_only(self):
        self.run_tool("sleep", "20h")

    def test_equal_seeds_give_equal_runs_and_others_do_not(self):
        first, again, other = (self.run_tool("random", flags=["-seed", seed])[0]
                               for seed in ("1", "1", "2"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


class OddCommandLines(ExecTest):
    """Bytes and numbers of them that a command line may have on Linux."""

    def test_arguments_that_are_no_text(self):
        out, _ = self.run_tool("args", b"\xff\xfe", "\u20ac", "", "line\nbreak", "\x1b[1m")
        self.assertEqual(out.decode().splitlines()[2:],
                         [r'"\xff\xfe"', '"\u20ac"', '""', r'"line\nbreak"', r'"\x1b[1m"'])

    def test_values_of_variables_that_are_no_text(self):
        out, _ = self.run_tool("env", flags=["-env", b"A=\xff\x80", b"-env=\xc3=b"])
        self.assertIn(b"A=\xff\x80", out.splitlines())
        self.assertIn(b"\xc3=b", out.splitlines())

    def test_names_of_files_that_are_no_text(self):
        name = os.fsencode(self.write("d/x", "content")).replace(b"/x", b"/\xff\xfe")
        os.rename(self.folder / "d" / "x", name)
        flags = ["-bare", "-dir", "d::/d", "-out", "after"]
        out, _ = self.run_tool("cat", b"/d/\xff\xfe", flags=flags[:3])
        self.assertEqual(out, b"content")
        self.run_tool("edit", "append", b"/d/\xff\xfe", "touch", b"/d/\x80", flags=flags)
        self.assertEqual(sorted(os.listdir(os.fsencode(self.folder / "after" / "d"))),
                         [b"\x80", b"\xff\xfe"])

    def test_very_many_and_very_long_ones(self):
        many = [f"{i:0100}" for i in range(5000)]
        long = "y" * 100_000        # Linux allows 128 KiB
        out, _ = self.run_tool("args", *many, long)
        self.assertEqual(out.decode().splitlines()[2:], [f'"{a}"' for a in [*many, long]])
        flags = [f"-env=V{i}={i}" for i in range(3000)]
        out, _ = self.run_tool("env", flags=flags)
        self.assertEqual(len([line for line in out.splitlines() if line.startswith(b"V")]), 3000)

    def test_the_last_of_several_values_holds(self):
        out, _ = self.run_tool("env", flags=["-env", "A=1", "-env", "B=", "-env", "A=2",
                                             "-env", "PWD=/elsewhere", "-env", "HOME=/h"])
        lines = [line for line in out.decode().splitlines() if not line.startswith("TMPDIR")]
        self.assertEqual(lines, ["A=2", "B=", "HOME=/h", "PWD=/elsewhere"])


class Ending(ExecTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sdk = ROOT / "sdk" / "c"
        flags = ["-isystem", str(sdk / "include"), "-DSEEDFALL=1"]
        folder = GUESTS / "exec"
        cls.c_program = c_programs.module("exec", folder, {
            name: (path, flags) for name, path in (
                ("main", folder / "main.c"), ("seedfall", sdk / "seedfall.c"),
                ("socket", sdk / "seedfall_socket.c"))})

    def run_c(self, argument, code):
        done = seedfall("exec", "-bare", self.c_program, argument, cwd=self.folder)
        return self.expect(done, code)

    def test_an_assertion_of_the_sdk_is_reported_like_an_abort(self):
        self.assertEqual(self.run_c("nothing", 0).out, "it held\n")
        err = self.run_c("assert", ABORTED).err
        self.assertIn(r"seedfall exec: the argument is not \x1b[1massert at ", err)
        self.assertIn("main.c:", err)

    def test_a_deadlock_cuts_a_run_short(self):
        err = self.run_c("deadlock", CUT_SHORT).err
        self.assertIn("deadlock", err)
        self.assertIn("sock_accept", err)

    def test_exit_codes_have_eight_bits(self):
        for given, seen in (("256", 0), ("263", 7), ("-1", 255), ("-2147483648", 0)):
            self.run_tool("exit", given, code=seen)

    def interrupt(self, number, *arguments, flags=(), when=lambda process: time.sleep(1)):
        """Exec in the middle of its work gets a signal; nothing of it is left."""
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        process = subprocess.Popen(command("exec", *flags, self.tool, *arguments), cwd=self.folder,
                                   env=environment(TMPDIR=str(temporary)), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        when(process)
        self.assertIsNone(process.poll(), "it still runs")
        process.send_signal(number)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -number)   # which a shell shows as 128 + the number
        self.assertEqual(list(temporary.iterdir()), [])
        with self.assertRaises(ProcessLookupError):     # no process of its group is left
            os.killpg(process.pid, 0)

    def test_signals_end_it_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.interrupt(number, "copy")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["temporary"])

    def test_a_shell_sees_the_number_of_the_signal(self):
        shell = subprocess.Popen(
            ["sh", "-c", f"{' '.join(command('exec'))} {self.tool} copy; echo $?"],
            cwd=self.folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True)
        def children():
            return [pid for pid in group_members(shell.pid) if pid != shell.pid]
        wait_until(children, 20, "exec is started")
        time.sleep(1)
        for pid in children():
            os.kill(pid, signal.SIGTERM)
        self.assertEqual(shell.communicate(timeout=30)[0], b"143\n")

    def test_a_save_that_is_interrupted_leaves_no_half_of_a_file(self):
        def saving(process):
            out = self.folder / "after"
            wait_until(lambda: out.is_dir() and any(out.iterdir()) or process.poll() is not None,
                       120, "the save begins")
        names = [f"/{i}" for i in range(8)]
        flags = ["-bare", "-out", "after"]
        self.interrupt(signal.SIGTERM, "edit", *(part for name in names
                                                 for part in ("fill", name)),
                       flags=flags, when=saving)
        for path in (self.folder / "after").iterdir():
            if not path.name.startswith(".seedfall-"):
                self.assertEqual(path.stat().st_size, 64 << 20, path.name)

    def test_a_program_that_waits_for_nothing_ends_by_itself(self):
        _, err = self.run_tool("wait", code=2)
        self.assertIn(b"all goroutines are asleep", err)

    def test_a_trap_is_reported_like_an_abort(self):
        _, err = self.run_tool("recurse", code=ABORTED)
        self.assertIn(b"trapped", err)

    def test_the_horizon_cuts_a_run_short(self):
        config = self.write("c.json", {"horizon": "5s"})
        _, err = self.run_tool("sleep", "20h", flags=["-c", config], code=CUT_SHORT)
        self.assertIn(b"the horizon (5s) came before the program's end", err)

    def test_too_much_output_cuts_a_run_short(self):
        config = self.write("c.json", {"limits": {"output_bytes": 4096}})
        _, err = self.run_tool("noise", "5000", flags=["-c", config], code=CUT_SHORT)
        self.assertIn(b"limits.output_bytes", err)


class SlowStreams(ExecTest):
    """Streams that somebody else made non-blocking are waited for like any others."""

    def start(self, *arguments, **streams):
        return subprocess.Popen(command("exec", self.tool, *arguments), cwd=self.folder,
                                env=environment(), **streams)

    def test_a_stdin_without_data_is_waited_for(self):
        read, write = os.pipe()
        os.set_blocking(read, False)
        process = self.start("copy", stdin=read, stdout=subprocess.PIPE)
        os.close(read)
        time.sleep(1)                      # it stands in its read by now, most likely
        self.assertIsNone(process.poll())
        os.write(write, b"late")
        time.sleep(0.2)
        os.write(write, b" data")
        os.close(write)
        self.assertEqual(process.communicate(timeout=60)[0], b"late data")
        self.assertEqual(process.returncode, 0)

    def test_a_stdout_that_is_full_is_waited_for(self):
        read, write = os.pipe()
        os.set_blocking(write, False)
        process = self.start("noise", "1000000", stdin=subprocess.DEVNULL, stdout=write,
                             stderr=subprocess.DEVNULL)
        os.close(write)
        time.sleep(1)
        with os.fdopen(read, "rb") as pipe:
            self.assertEqual(len(pipe.read()), 1_000_000)
        self.assertEqual(process.wait(timeout=60), 0)


class BrokenStreams(ExecTest):
    """What the caller closed or filled must not change what a command does."""

    def shell(self, text):
        line = text.replace("EXEC", " ".join(command("exec"))).replace("TOOL", str(self.tool))
        return subprocess.run(["sh", "-c", line], cwd=self.folder, env=environment(),
                              capture_output=True, timeout=120, check=False)

    def test_a_closed_stdin_is_empty(self):
        done = self.shell("EXEC TOOL copy <&-")
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)

    def test_a_stderr_that_takes_nothing_leaves_exit_codes_alone(self):
        for broken in ("2>&-", "2>/dev/full"):
            for arguments, code in (("nosuch", NOT_FOUND), ("TOOL exit 3", 3), ("-v TOOL exit 4", 4),
                                    ("TOOL recurse", ABORTED)):
                done = self.shell(f"EXEC {arguments} {broken}")
                self.assertEqual(done.returncode, code, f"{arguments} {broken}")

    def test_a_stdout_that_takes_nothing_is_a_failure(self):
        for broken in (">&-", ">/dev/full"):
            self.assertEqual(self.shell(f"EXEC TOOL noise 10 {broken}").returncode, FAILED)


class Refusing(ExecTest):
    def refused(self, arguments, code, message):
        done = seedfall("exec", *arguments, cwd=self.folder)
        self.expect(done, code)
        self.assertRegex(done.err, "^seedfall exec: (?!exec)")
        self.assertIn(message, done.err)

    def test_programs_that_cannot_run(self):
        self.write("text.wasm", "not wasm")
        self.write("cut.wasm", self.tool.read_bytes()[:1000])
        self.refused([], FAILED, "no program is given")
        self.refused(["nothing.wasm"], NOT_FOUND, "nothing.wasm: no such file")
        self.refused([self.folder], NOT_EXECUTABLE, "is a folder")
        self.refused(["text.wasm"], NOT_EXECUTABLE, "text.wasm")
        self.refused(["cut.wasm"], NOT_EXECUTABLE, "cut.wasm")
        self.refused([""], NOT_FOUND, "'': no such file")
        os.mkfifo(self.folder / "pipe.wasm")
        self.refused(["pipe.wasm"], NOT_EXECUTABLE, "pipe.wasm: is not a regular file")
        self.refused(["/dev/zero"], NOT_EXECUTABLE, "/dev/zero: is not a regular file")

    def test_flags_that_make_no_sense(self):
        self.refused(["-sed", "1", self.tool], FAILED, "did you mean -seed?")
        self.refused(["-seed"], FAILED, "-seed needs a value")
        self.refused(["-seed", "x", self.tool], FAILED, "not a whole number")
        self.refused(["-profile", "ext9", self.tool], FAILED, "there are control, scc")
        self.refused(["-dir", "nowhere", self.tool], FAILED, "nowhere: no such folder")
        self.refused(["-dir", ".::data", self.tool], FAILED, "must be absolute")
        self.refused(["-dir", ".::/a/../b", self.tool], FAILED, "..")
        self.refused(["-dir", ".::/a", "-dir", ".::/a/", self.tool], FAILED, "shown twice")
        self.refused(["-env", "=1", self.tool], FAILED, "no name")
        for flag in ("-out", "-c", "-profile", "-seed", "-dir"):
            self.refused([flag, "", self.tool], FAILED, f"{flag} needs a value; '' is none")
        self.refused(["-seed", "-1", self.tool], FAILED,
                     "-seed -1: not a whole number from 0 to 18446744073709551615")
        self.refused(["-seed", str(1 << 64), self.tool], FAILED, "not a whole number from 0 to")
        self.refused(["-bare=maybe", self.tool], FAILED, "-bare=maybe: true or false")
        self.refused(["-v=1", self.tool], FAILED, "-v=1: true or false")

    def test_a_host_without_a_cache_is_not_the_programs_fault(self):
        self.write("file", "")
        done = seedfall("exec", self.tool, cwd=self.folder,
                        env=environment(SEEDFALL_CACHE=str(self.folder / "file" / "x")))
        self.expect(done, FAILED)

    def test_configs_that_do_not_fit(self):
        self.write("nodes.json", {"nodes": [{"name": "a", "pkg": "./a"}]})
        self.refused(["-c", "nodes.json", self.tool], FAILED, "$.nodes")
        self.write("none.json", {"nodes": []})
        self.refused(["-c", "none.json", self.tool], FAILED, "from the command line")
        self.write("typo.json", {"faults": {"crash_per_second": 1}})
        self.refused(["-c", "typo.json", self.tool], FAILED, "did you mean crash_per_sec?")
        self.refused(["-c", "absent.json", self.tool], FAILED, "absent.json")
        # -profile goes before the profile of the file, for better and for worse.
        self.write("both.json", {"disk": {"profile": "strict-posix", "tear": "byte"}})
        self.refused(["-c", "both.json", self.tool], FAILED, "both.json:1:")
        self.run_tool("exit", "0", flags=["-c", "both.json", "-profile", "in-order"], code=0)
        self.write("tear.json", {"disk": {"tear": "byte"}})
        self.refused(["-c", "tear.json", "-profile", "strict-posix", self.tool], FAILED,
                     "tear.json:1:")

    def test_results_are_never_written_over_something(self):
        self.write("after/kept", "mine")
        self.write("file", "mine")
        for out, why in (("after", b"is not empty"), ("file", b"is not a folder"),
                         ("file/deeper", b"is not a folder")):
            printed, err = self.run_tool("args", flags=["-bare", "-out", out], code=FAILED)
            self.assertIn(why, err)
            self.assertEqual(printed, b"")   # the program did not run
        self.assertEqual((self.folder / "after" / "kept").read_text(), "mine")

    def test_results_may_go_into_the_project_that_is_shown_by_itself(self):
        self.write("here/.git/HEAD", "")
        self.run_tool("write", "a", "content", flags=["-out", "after"], cwd=self.folder / "here")
        saved = [path for path in (self.folder / "here" / "after").rglob("*") if path.is_file()]
        self.assertEqual([path.name for path in saved], ["a"])
        self.assertFalse((self.folder / "here" / "a").exists())

    def test_results_are_not_written_into_a_folder_that_was_asked_for(self):
        self.write("data/a", "")
        os.symlink("data", self.folder / "link")
        for flags in (["-bare", "-dir", "data::/d", "-out", "data/new"],
                      ["-bare", "-dir", "data::/d", "-out", "link/new"]):
            printed, err = self.run_tool("args", flags=flags, code=FAILED)
            self.assertIn(b"shown to the program and never written", err)
            self.assertEqual(printed, b"")
        self.assertEqual([path.name for path in (self.folder / "data").iterdir()], ["a"])


class Folders(ExecTest):
    def test_the_working_directory_is_shown_and_never_written(self):
        self.write("here/a", "content")
        out, _ = self.run_tool("cat", "here/a")
        self.assertEqual(out, b"content")
        self.run_tool("write", "here/a", "changed")
        self.run_tool("edit", "rm", "here/a", "touch", "here/b")
        self.assertEqual((self.folder / "here" / "a").read_text(), "content")
        self.assertEqual([p.name for p in (self.folder / "here").iterdir()], ["a"])

    def test_a_go_module_is_shown_from_its_root(self):
        out, _ = self.run_tool("ls", "..", cwd=GUESTS / "tool")
        self.assertIn("go.mod", out.decode())

    def test_a_nested_module_sees_the_repository_around_it(self):
        self.write("repo/.git/HEAD", "")
        self.write("repo/shared/golden", "content")
        self.write("repo/inner/go.mod", "module example.com/inner\n")
        out, _ = self.run_tool("cat", "../shared/golden", cwd=self.folder / "repo" / "inner")
        self.assertEqual(out, b"content")

    def test_bare_shows_only_what_is_named(self):
        self.write("data/a", "content")
        out, _ = self.run_tool("ls", "/", flags=["-bare", "-dir", "data::/x/y"])
        self.assertEqual(out.decode().splitlines(), ["dev d---------", "etc d---------", "tmp d---------", "x d---------"])
        out, _ = self.run_tool("cat", "/x/y/a", flags=["-bare", "-dir", "data::/x/y"])
        self.assertEqual(out, b"content")

    def test_a_folder_inside_another_one_is_shown_above_it(self):
        self.write("outer/inner/old", "")
        self.write("instead/new", "")
        flags = ["-bare", "-dir", "instead::/o/inner", "-dir", "outer::/o"]
        out, _ = self.run_tool("ls", "/o/inner", flags=flags)
        self.assertEqual(out, b"new ----------\n")

    def test_names_that_nobody_asks_about_change_nothing(self):
        for tree in ("one", "two"):
            self.write(f"{tree}/t/inner/a", "content")
        self.write("two/t/unrelated", "x")
        self.write("two/t/0/more", "x")

        def trace(tree, *arguments):
            flags = ["-bare", "-v", "-dir", f"{tree}/t::/t", "-dir", f"{tree}/t/inner::/t/inner"]
            out, err = self.run_tool(*arguments, flags=flags)
            return out, err.rsplit(b"trace hash ", 1)[1]

        for arguments in (("ls", "/t/inner"), ("cat", "/t/inner/a"),
                          ("edit", "touch", "/t/new", "append", "/t/inner/a")):
            self.assertEqual(trace("one", *arguments), trace("two", *arguments))
        self.assertNotEqual(trace("one", "ls", "/t"), trace("two", "ls", "/t"))

    def test_a_folder_that_is_shown_stays_where_it_is(self):
        self.write("data/sub/a", "")
        flags = ["-bare", "-dir", "data::/x/data"]
        for arguments in (("move", "/x/data"), ("move", "/x"), ("rm", "/x/data")):
            _, err = self.run_tool("edit", *arguments, flags=flags, code=1)
            self.assertIn(b"busy", err.lower())
        self.run_tool("edit", "move", "/x/data/sub", flags=flags)

    def test_links_are_shown_and_do_not_lead_out(self):
        self.write("secret", "of the host")
        self.write("shown/file", "inside")
        os.symlink("file", self.folder / "shown" / "good")
        os.symlink("../secret", self.folder / "shown" / "up")
        os.symlink(self.folder / "secret", self.folder / "shown" / "absolute")
        flags = ["-bare", "-dir", "shown::/s"]
        self.assertEqual(self.run_tool("cat", "/s/good", flags=flags)[0], b"inside")
        for name in ("up", "absolute"):
            _, err = self.run_tool("cat", f"/s/{name}", flags=flags, code=1)
            self.assertIn(b"no such file", err.lower())

    def test_what_is_no_file_is_not_shown(self):
        os.mkfifo(self.folder / "pipe")
        self.write("file", "")
        out, _ = self.run_tool("ls", "/d", flags=["-bare", "-dir", ".::/d"])
        self.assertEqual(out, b"file ----------\n")

    def test_files_that_may_not_be_read_are_errors_of_the_call(self):
        self.write("d/closed", "x").chmod(0)
        self.write("d/empty", "").chmod(0)
        self.write("d/open", "y").chmod(0o644)
        for name, code in (("open", 0), ("empty", 1), ("closed", 1)):
            done = self.as_a_plain_user("exec", "-bare", "-dir", "d::/d", "tool.wasm", "cat",
                                        f"/d/{name}")
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("open /d/closed: permission denied", done.stderr.lower())

    def test_a_program_that_may_not_be_read_cannot_run(self):
        self.write("closed.wasm", self.tool.read_bytes()).chmod(0)
        done = self.as_a_plain_user("exec", "-bare", "closed.wasm")
        self.assertEqual(done.returncode, NOT_EXECUTABLE, done.stderr)
        self.assertIn("closed.wasm: cannot open: Permission denied", done.stderr)

    def as_a_plain_user(self, *arguments):
        """Root may read everything: then all that is needed is copied for the user nobody."""
        self.folder.chmod(0o755)
        for path in self.folder.rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
        shutil.copy(BIN, self.folder / "seedfall")
        shutil.copy(self.tool, self.folder / "tool.wasm")
        cache = self.folder / "cache"
        cache.mkdir(exist_ok=True)
        cache.chmod(0o777)
        drop = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run([self.folder / "seedfall", *arguments], cwd=self.folder, text=True,
                              env=environment(SEEDFALL_CACHE=str(cache), HOME=str(self.folder)),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              check=False, **drop)

    def test_variables_that_are_spelled_oddly_do_no_harm(self):
        self.write("t/kept", "content")
        (self.folder / "link").symlink_to("t")
        for spelled in (f"{self.folder}/t/../t", f"{self.folder}/./link//", "t", "nowhere",
                        f"{self.folder}/link/../t"):
            with self.subTest(spelled):
                done = subprocess.run(
                    command("exec", self.tool, "cat", self.folder / "t" / "kept"), cwd=self.folder,
                    env=environment(TMPDIR=spelled, GOROOT=spelled), capture_output=True,
                    timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, b"content"), done.stderr)
        out = subprocess.run(
            command("exec", self.tool, "cat", self.folder / "link" / "kept"), cwd="/",
            env=environment(TMPDIR=f"{self.folder}/link"), capture_output=True, timeout=60,
            check=False).stdout
        self.assertEqual(out, b"content", "as the variable spells it")

    def test_out_saves_what_was_made_or_changed(self):
        for name in ("same", "grown", "gone", "old", "deep/same"):
            self.write(f"data/{name}", "old\n")
        _, err = self.run_tool(
            "edit", "append", "/data/grown", "rm", "/data/gone", "move", "/data/old",
            "mkdir", "/data/empty", "touch", "/data/new", "link", "/data/link",
            "move", "/data/deep", flags=["-bare", "-dir", "data::/data", "-out", "after"])
        after = self.folder / "after"
        found = sorted(str(path.relative_to(after)) for path in after.rglob("*"))
        self.assertEqual(found, ["data", "data/deep.moved", "data/deep.moved/same", "data/empty",
                                 "data/grown", "data/link", "data/new", "data/old.moved"])
        self.assertEqual((after / "data/grown").read_text(), "old\nmore\n")
        self.assertEqual(os.readlink(after / "data/link"), "target")
        self.assertEqual((self.folder / "data/grown").read_text(), "old\n")
        self.assertIn(b"saved 5 files", err)
        for name in (b"/data/gone", b"/data/old", b"/data/deep"):
            self.assertIn(b"removed " + name, err)

    def test_out_names_everything_that_is_gone(self):
        for number in range(30):
            self.write(f"data/sub/{number}", "")
        flags = ["-bare", "-dir", "data::/data", "-out", "after"]
        _, err = self.run_tool("edit", "move", "/data/sub", "mkdir", "/data/sub", flags=flags)
        lines = err.decode().splitlines()
        self.assertEqual(lines[0], "seedfall exec: saved 30 files to after")
        self.assertEqual(lines[1], "  removed /data/sub/0")
        self.assertEqual(lines[21:], ["  and 10 more removed"])

    def test_out_says_which_path_is_too_long_for_the_host(self):
        self.write("data/sub/a", "x")
        at = os.open(self.folder / "data" / "sub", os.O_RDONLY)
        for _ in range(25):
            os.mkdir("d" * 200, dir_fd=at)
            deeper = os.open("d" * 200, os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = deeper
        os.close(at)
        _, err = self.run_tool("edit", "move", "/data/sub", code=FAILED,
                               flags=["-bare", "-dir", "data::/data", "-out", "after"])
        self.assertRegex(err.decode(), r"^seedfall exec: cannot save /data/sub\.moved/d+….*: its path "
                                       r"on the host would have 4,\d\d\d bytes, at most 4,071 work")
        self.assertLess(len(err), 600)

    def test_a_file_full_of_holes_is_saved_as_one(self):
        self.run_tool("edit", "sparse", "/big", flags=["-bare", "-out", "after"])
        big = self.folder / "after" / "big"
        self.assertEqual(big.stat().st_size, 1 << 40)
        self.assertLess(big.stat().st_blocks * 512, 1 << 20)


class Faults(ExecTest):
    CONFIG = {"faults": {"crash_per_sec": 20, "restart_after": "5ms"}, "horizon": "60s"}

    def test_a_power_loss_restarts_the_program_over_what_it_synced(self):
        config = self.write("c.json", self.CONFIG)
        out, err = self.run_tool("log", "/log", flags=["-v", "-c", config, "-seed", "2"])
        lines = out.decode().splitlines()
        self.assertEqual(lines[0], "found 0 bytes")
        self.assertRegex(lines[-1], r"^found [1-9]\d* bytes$")
        self.assertIn("crash", err.decode())

    def test_without_a_config_nothing_fails(self):
        _, err = self.run_tool("args", flags=["-v"])
        self.assertRegex(err.decode(), r"\Ano faults\nseedfall exec: seed 1, ended at t=\S+, "
                         r"[\d,]+ steps, trace hash [0-9a-f]{16}\n\Z")

    def test_faults_of_a_run_that_ended_well_are_those_of_the_run(self):
        config = self.write("c.json", self.CONFIG)
        _, err = self.run_tool("log", "/log", flags=["-v", "-c", config, "-seed", "2"])
        self.assertRegex(err.decode(), r"\Afaults \(\d+\):\n")

    def test_equal_seeds_give_equal_traces_and_others_do_not(self):
        config = self.write("c.json", self.CONFIG)
        said = [self.run_tool("log", "/log", flags=["-v", "-c", config, "-seed", seed])[1]
                for seed in ("2", "2", "3")]
        hashes = [err.decode().split("trace hash ")[1] for err in said]
        self.assertEqual(said[0], said[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_faults_that_leave_no_time_to_end_are_given_up(self):
        for fault in ("kill", "crash"):
            config = self.write("c.json", {"faults": {f"{fault}_per_sec": 100,
                                                      "restart_after": "1ms"}})
            _, err = self.run_tool("sleep", "1h", flags=["-c", config], code=CUT_SHORT)
            self.assertIn(b"1,000 restarts by faults before the program's end", err)
            self.assertIn(b"lower crash_per_sec or kill_per_sec", err)


if __name__ == "__main__":
    unittest.main()
