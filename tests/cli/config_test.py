"""Configs and programs that are wrong: the message names the place, what is wrong and what to do."""
import subprocess
import unittest

import support
from support import CANNOT_RUN, GUESTS, USAGE, WorldTest, guest, seedfall

NODE = guest("a", "ill", "idle")


class Keys(WorldTest):
    def fails(self, content, message, code=USAGE):
        """Runs a config as text. `message` follows the file's name; stdout stays empty."""
        self.write("w.json", content)
        done = self.expect(seedfall("run", "-c", "w.json", "-seeds", "1-1", cwd=self.folder), code)
        self.assertEqual(done.out, "")
        self.assertTrue(done.err.endswith(f"w.json:{message}\n"), done.err)
        self.assertEqual(done.err.count("\n"), 1, done.err)

    def lines(self, *keys):
        """A config with these lines behind a good node, which is line 2."""
        return "\n".join(['{', '"nodes": [{"name": "a", "pkg": "./a"}]', *[f", {k}" for k in keys],
                          "}"])

    def test_an_unknown_key_is_answered_with_its_place_and_the_nearest(self):
        self.fails(self.lines('"horizon": "1s"', '"faults": {\n  "crash_per_second": 1}'),
                   "5:3: $.faults.crash_per_second: unknown key; did you mean crash_per_sec?")
        self.fails(self.lines('"crash_per_sec": 1'),
                   "3:3: $.crash_per_sec: unknown key; did you mean faults.crash_per_sec?")
        self.fails(self.lines('"x": 1'), "3:3: $.x: unknown key")

    def test_what_is_not_built_yet_says_so(self):
        self.fails(self.lines('"faults": {"pause_per_sec": 0.1}'),
                   "3:14: $.faults.pause_per_sec: not built yet: pause_per_sec comes with a later "
                   "version")
        self.fails(self.lines('"disk": {"profile": "ext4"}'),
                   "3:23: $.disk.profile: not built yet: ext4 comes with a later version; "
                   "built so far: control, scc, in-order, strict-posix")

    def test_a_wrong_type_says_what_is_expected(self):
        self.fails(self.lines('"horizon": 60'), '3:14: $.horizon: expected a duration such as '
                   '"250ms", found 60; write "60s" if seconds are meant')
        self.fails('[]', "1:1: $: expected an object, found a list")
        self.fails('{"nodes": {}}', "1:11: $.nodes: expected a list of objects, found an object")

    def test_absurd_rates_are_refused(self):
        for value, message in (
                ("-1", "a rate cannot be negative, found -1"),
                ("1e300", "1e+300 per simulated second is more than the 1000 that make sense"),
                ('"often"', "expected ")):
            with self.subTest(value):
                self.write("w.json", self.lines('"faults": {"crash_per_sec": ' + value + "}"))
                done = self.expect(seedfall("run", "-c", "w.json", cwd=self.folder), USAGE)
                self.assertIn("w.json:3:31: $.faults.crash_per_sec: " + message, done.err)
        self.fails(self.lines('"faults": {"crash_on_io": 1.5}'),
                   "3:29: $.faults.crash_on_io: odds go from 0 to 1, found 1.5")

    def test_text_that_is_no_json_is_placed(self):
        for content in ("", "{", '{"nodes": [}', "\xff\xfe", "[" * 100_000):
            self.write("w.json", content)
            done = self.expect(seedfall("run", "-c", "w.json", cwd=self.folder), USAGE)
            self.assertRegex(done.err, r"^w\.json:\d+:\d+: ")
            self.assertLess(len(done.err), 400)

    def test_a_world_without_nodes_shows_how_to_write_one(self):
        self.fails("{}", '1:1: $: nodes is missing; for example '
                   '"nodes": [{"name": "server", "pkg": "./server"}]')


class Programs(WorldTest):
    def prepare(self, node, code=CANNOT_RUN):
        self.write("w.json", {"nodes": [node]})
        done = self.expect(seedfall("run", "-c", "w.json", "-seeds", "1-1", cwd=self.folder), code)
        self.assertEqual(done.out, "")
        return done.err

    def test_a_missing_package_is_answered_with_the_folders_there_are(self):
        for name in ("server", "client"):
            self.write(f"{name}/main.go", "package main\n\nfunc main() {}\n")
        self.assertIn("$.nodes[0].pkg: ./sever: no such folder beside the config; did you mean "
                      "./server?", self.prepare({"name": "a", "pkg": "./sever"}, USAGE))

    def test_code_that_does_not_build_shows_the_compilers_message_once(self):
        err = self.prepare({"name": "a", "pkg": str(GUESTS / "broken")})
        self.assertEqual(err.count("undefined: undefinedThing"), 1)
        self.assertEqual(err.count("does not build for wasip1"), 1)
        self.assertIn("broken/main.go:5:2: undefined: undefinedThing", err)
        self.assertIn("$.nodes[0].pkg", err)

    def test_a_package_that_does_not_build_is_sent_to_the_doctor_from_here(self):
        self.write("app/go.mod", "module example.com/app\n\ngo 1.23\n")
        self.write("app/srv/main.go", "package main\n\nfunc main() { undefinedThing() }\n")
        config = self.write("app/w.json", {"nodes": [{"name": "a", "pkg": "./srv"}]})
        for folder, shown in ((self.folder, "./app/srv"), (config.parent, "./srv"),
                              (config.parent / "srv", ".")):
            done = seedfall("run", "-c", config, cwd=folder)
            self.expect(done, CANNOT_RUN)
            self.assertTrue(done.err.endswith(
                f"\nrun `seedfall doctor {shown}`: it looks for the cause\n"), done.err)
        advice = seedfall("doctor", "./app/srv", cwd=self.folder)
        self.expect(advice, CANNOT_RUN)
        self.assertIn("undefined: undefinedThing", advice.out)
        self.assertNotIn("it looks for the cause", advice.out)

    def test_a_package_that_is_not_main_is_no_program(self):
        self.write("lib/go.mod", "module example.com/lib\n\ngo 1.23\n")
        self.write("lib/lib.go", "package lib\n")
        self.assertIn("is no program: its package is not main",
                      self.prepare({"name": "a", "pkg": "./lib"}))

    def test_an_import_that_is_not_offered_is_named(self):
        err = self.prepare(guest("a", "noise", "ignore"))
        self.assertIn("imports test.host_value, which seedfall does not offer", err)
        self.assertIn("$.nodes[0].pkg", err)

    def real_module(self):
        path = self.folder / "real.wasm"
        subprocess.run(["go", "build", "-o", path, "./golden"], cwd=GUESTS, check=True, timeout=120,
                       env=support.environment(GOOS="wasip1", GOARCH="wasm", CGO_ENABLED="0"))
        return path.read_bytes()

    def test_a_file_that_is_no_module_is_named(self):
        for name, content, message in (
                ("text.wasm", b"hello\n", "not a WebAssembly module"),
                ("empty.wasm", b"", "not a WebAssembly module"),
                ("component.wasm", b"\0asm\x0d\0\x01\0", "not version 1 of WebAssembly"),
                ("head.wasm", b"\0asm", "truncated: the header needs 8 bytes")):
            with self.subTest(name):
                self.write(name, content)
                err = self.prepare({"name": "a", "wasm": f"./{name}"})
                self.assertIn(f"w.json:1:34: $.nodes[0].wasm: ./{name}: {message}", err)

    def test_a_module_that_was_cut_or_damaged_is_refused_whereever_the_damage_is(self):
        real = self.real_module()
        damaged = {f"cut at {n}": real[:n] for n in (9, 100, len(real) // 2, len(real) - 1)}
        for at in (8, 20, 400, len(real) // 3):
            damaged[f"flipped at {at}"] = real[:at] + bytes(b ^ 0xff for b in real[at:at + 16]) \
                + real[at + 16:]
        for name, content in damaged.items():
            with self.subTest(name):
                self.write("bad.wasm", content)
                err = self.prepare({"name": "a", "wasm": "./bad.wasm"})
                self.assertIn("$.nodes[0].wasm: ./bad.wasm: ", err)
                self.assertLess(len(err), 700, err)
                self.assertNotRegex(err, r"core dumped|signal|terminate called")

    def test_the_same_module_unharmed_runs(self):
        self.write("good.wasm", self.real_module())
        self.write("w.json", {"nodes": [guest("idle", "ill", "idle")],
                              "workload": {"name": "a", "wasm": "./good.wasm", "args": ["count"]}})
        done = seedfall("run", "-c", "w.json", "-seeds", "1-1", cwd=self.folder)
        self.expect(done, support.CLEAN)


if __name__ == "__main__":
    unittest.main()
