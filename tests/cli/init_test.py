"""`seedfall init`: what it writes runs at once, and it never guesses where only the user can know."""
import json
import shutil
import subprocess
import unittest

import support
from support import CANNOT_RUN, CLEAN, FINDING, KVLOG, USAGE, WorldTest, seedfall

MAIN = "package main\n\nfunc main() {}\n"
SERVER = """package main

import "github.com/seedfall/seedfall/sdk/go/sim"

func main() {
	l, err := sim.Listen("tcp", "store:7000")
	if err != nil {
		panic(err)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		c.Close()
	}
}
"""
# Its second start finds the file of the first, and does nothing from then on.
FRAGILE = SERVER.replace('import "github.com/seedfall/seedfall/sdk/go/sim"', """import (
	"os"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)""").replace("func main() {", """func main() {
	if _, err := os.Stat("/started"); err == nil {
		time.Sleep(time.Hour)
	}
	f, err := os.Create("/started")
	if err != nil {
		panic(err)
	}
	f.Sync()""").replace("l, err := sim", "l, err2 := sim").replace(
        '"store:7000")\n\tif err != nil', '"store:7000")\n\tif err2 != nil', 1)


class Init(WorldTest):
    def setUp(self):
        super().setUp()
        self.write("go.mod", "module example.com/shop\n\ngo 1.23\n")

    def init(self, *arguments, code=CLEAN, cwd=None):
        return self.expect(seedfall("init", *arguments, cwd=cwd or self.folder), code)

    def fails(self, arguments, message, code=USAGE):
        before = sorted(self.folder.rglob("*"))
        done = self.init(*arguments, code=code)
        self.assertIn(message, done.err)
        self.assertEqual(done.out, "")
        self.assertEqual(sorted(self.folder.rglob("*")), before, "nothing is written")

    def config(self):
        return json.loads((self.folder / "seedfall.json").read_text())

    def run_it(self, *arguments, code=CLEAN, seeds="1-6"):
        return self.expect(seedfall("run", "-seeds", seeds, "-json", *arguments, cwd=self.folder),
                           code).json

    def test_a_server_gets_a_workload_that_connects_to_it(self):
        self.write("server/main.go", SERVER)
        out = self.init().out
        self.assertIn("wrote seedfall.json: node store (./server)", out)
        self.assertIn("wrote simtest/main.go: states that store:7000 answers after faults", out)
        self.assertIn("next: seedfall run -seeds 1-20\n", out)
        self.assertEqual(self.config()["nodes"], [{"name": "store", "pkg": "./server"}])
        swept = self.run_it()
        self.assertEqual(swept["seeds"]["clean"], 6, swept["findings"])
        self.assertGreater(swept["evidence"]["crash"], 0, "control: there were faults")
        held = {p["message"]: p["held"] for p in swept["properties"]}
        self.assertEqual(held["store does not answer after the faults have ended"], 6)
        self.assertGreater(held["a request was answered while faults happen"], 100)

    def test_the_workload_notices_a_server_that_does_not_recover(self):
        self.write("server/main.go", FRAGILE)
        self.init()
        swept = self.run_it(code=FINDING)
        self.assertEqual([f["message"] for f in swept["findings"]],
                         ["store does not answer after the faults have ended"])

    def test_the_skeleton_is_formatted_and_stays_out_of_other_builds(self):
        for source, package in ((SERVER, "server"), (MAIN, "tool")):
            self.write(f"{package}/main.go", source)
            self.init(f"./{package}", "-workload", f"{package}test", "-c", f"{package}.json")
            done = subprocess.run(["gofmt", "-l", "."], cwd=self.folder, capture_output=True,
                                  text=True, check=True, timeout=60)
            self.assertEqual(done.stdout, "")
        # Natively nothing knows the SDK, and nothing needs it but the server.
        done = subprocess.run(["go", "list", "-find", "./..."], cwd=self.folder, capture_output=True,
                              text=True, check=True, timeout=60, env=support.environment())
        self.assertEqual(done.stdout.split(), ["example.com/shop/server", "example.com/shop/tool"])

    def test_a_program_that_does_not_listen_is_let_run(self):
        self.write("main.go", MAIN)
        out = self.init().out
        self.assertIn("note: .: it does not call sim.Listen", out)
        self.assertEqual(self.config()["nodes"], [{"name": "shop", "pkg": "."}])
        swept = self.run_it()
        self.assertEqual(swept["seeds"]["clean"], 6, swept["findings"])
        self.assertEqual([p["message"] for p in swept["properties"]],
                         ["shop was left alone after 20 s of faults"])

    def test_an_address_that_is_not_plain_to_see_is_asked_for(self):
        self.write("server/main.go", SERVER.replace('"store:7000"', "os.Args[1]")
                   .replace("import ", 'import "os"\nimport '))
        self.assertIn("name it with -dial HOST:PORT", self.init().out)
        self.init("-dial", "store:7000", "-force")
        self.assertIn('address = "store:7000"', (self.folder / "simtest/main.go").read_text())
        self.fails(["-dial", "store", "-force"], "-dial store: no address; for example")

    def test_the_example_kvlog_runs_with_what_init_writes(self):
        shutil.copytree(KVLOG, self.folder / "kvlog", ignore=shutil.ignore_patterns(".seedfall"))
        folder = self.folder / "kvlog"
        self.init("./server", cwd=folder)
        done = self.expect(seedfall("run", "-seeds", "1-3", "-json", cwd=folder), CLEAN)
        self.assertEqual(done.json["seeds"]["clean"], 3)
        self.assertGreaterEqual(len(done.json["properties"]), 3)

    def test_nothing_is_overwritten_without_a_flag(self):
        self.write("main.go", MAIN)
        config = self.write("seedfall.json", "mine")
        self.fails([], "seedfall.json exists already; -force overwrites it")
        config.unlink()
        workload = self.write("simtest/main.go", "mine")
        self.fails([], "simtest/main.go exists already; -force overwrites it")
        self.assertEqual(workload.read_text(), "mine")
        self.init("-force")
        self.assertNotEqual(workload.read_text(), "mine")
        self.init("-force")   # its own workload is no second program

    def test_several_programs_are_listed_and_one_must_be_chosen(self):
        self.write("a/main.go", MAIN)
        self.write("b/c/main.go", MAIN)
        self.fails([], "there are 2 programs: ./a, ./b/c; choose one: seedfall init ./a")
        self.init("./b/c")
        self.assertEqual(self.config()["nodes"], [{"name": "c", "pkg": "./b/c"}])

    def test_a_config_in_another_folder_names_packages_from_there(self):
        self.write("a/main.go", MAIN)
        (self.folder / "worlds").mkdir()
        self.init("./a", "-c", "worlds/first.json")
        config = json.loads((self.folder / "worlds/first.json").read_text())
        self.assertEqual(config["nodes"][0]["pkg"], "../a")
        self.assertEqual(config["workload"]["pkg"], "./simtest")
        self.run_it("-c", "worlds/first.json", seeds="1-2")

    def test_the_next_commands_are_right_from_where_the_user_stands(self):
        self.write("a/main.go", MAIN)
        (self.folder / "worlds").mkdir()
        out = self.init("./a", "-c", "worlds/first.json").out
        self.assertIn("\n      seedfall doctor ./a      when", out)
        self.assertIn("\nnext: seedfall run -c worlds/first.json ", out)
        out = self.init("..", "-c", "x.json", cwd=self.folder / "a", code=USAGE).err
        self.assertIn(".. is no program", out)
        out = self.init(".", "-c", "../top.json", cwd=self.folder / "a").out
        self.assertIn("\n      seedfall doctor .      when", out)
        self.assertEqual(json.loads((self.folder / "top.json").read_text())["nodes"][0]["pkg"],
                         "./a")

    def test_a_name_of_the_library_is_answered_with_the_folder(self):
        self.write("server/main.go", MAIN)
        self.write("cmd/b/main.go", MAIN)
        self.fails(["server"], "server is an import path; write ./server for the folder here")
        self.fails(["cmd/b"], "cmd/b is an import path; write ./cmd/b for the folder here")

    def test_addresses_are_checked(self):
        self.write("main.go", MAIN)
        for port in ("0", "65536", "99999999999", "http", "", "-1", "80x"):
            self.fails(["-dial", f"shop:{port}"], "a port is a number from 1 to 65535")
        self.init("-dial", "shop:65535")
        self.assertIn('address = "shop:65535"', (self.folder / "simtest/main.go").read_text())

    def test_a_workload_needs_a_folder_that_go_can_import(self):
        self.write("main.go", MAIN)
        self.write("lib/lib.go", "package lib\n")
        self.write("file", "")
        self.fails(["-workload", ""], "-workload needs a value; '' is none")
        for name in ("my test", "_sim", ".sim", "a/_b", "naïve", "a:b", "testdata/x", "vendor",
                     "x.", "a\nb"):
            self.fails(["-workload", name], "not a name that Go can import")
        self.fails(["-workload", "file/x"], "/file is not a folder")
        self.fails(["-workload", "lib"], "-workload lib: the folder is not a workload's: it holds "
                   "lib.go")
        self.init("-workload", "sim/Test-1.x~/")
        self.assertEqual(self.config()["workload"]["pkg"], "./sim/Test-1.x~")
        self.run_it(seeds="1-2")

    def test_a_failure_leaves_nothing_behind(self):
        self.write("main.go", MAIN)
        (self.folder / "folder.json").mkdir()
        self.fails(["-force", "-c", "folder.json"], "folder.json is a folder")
        # A name that is too long for the temporary file beside it, but not for the config itself.
        self.fails(["-c", "x" * 250 + ".json"], "File name too long", CANNOT_RUN)
        workload = self.write("simtest/main.go", "mine")
        self.fails(["-force", "-c", "x" * 250 + ".json"], "File name too long", CANNOT_RUN)
        self.assertEqual(workload.read_text(), "mine")

    def test_what_is_missing_is_said(self):
        self.fails([], "no program here: no folder below this one holds a package main")
        self.write("lib/lib.go", "package lib\n")
        self.fails(["./lib"], "./lib is no program")
        self.fails(["./nothing"], "./nothing is no program")
        self.fails(["-workload", "../outside"], "-workload ../outside: not a folder beside")
        self.fails(["-c", "no/x.json"], "-c no/x.json: no such folder; type: mkdir -p no")
        self.fails(["-x"], "-x: no such flag of init")
        (self.folder / "go.mod").unlink()
        self.write("main.go", MAIN)
        self.fails([], "there is no go.mod at or above it; run `go mod init NAME`", CANNOT_RUN)

    def test_without_go_it_says_what_to_install(self):
        self.write("main.go", MAIN)
        env = support.environment(PATH="/nowhere")
        done = self.expect(seedfall("init", cwd=self.folder, env=env), CANNOT_RUN)
        self.assertIn("install Go 1.23 or later", done.err)


if __name__ == "__main__":
    unittest.main()
