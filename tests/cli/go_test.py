"""`seedfall go`: the go command for wasip1, with programs that run in the simulation."""
import subprocess
import unittest

from support import USAGE, WorldTest, command, environment, seedfall


class GoCommand(WorldTest):
    def setUp(self):
        super().setUp()
        self.write("go.mod", "module example.com/m\n\ngo 1.23\n")
        self.write("m.go", "package m\n\nfunc Double(n int) int { return 2 * n }\n")
        self.write("m_test.go", """package m

import (
	"os"
	"testing"
)

func TestDouble(t *testing.T) {
	if Double(2) != 4 {
		t.Fatal("wrong")
	}
}

func TestData(t *testing.T) {
	if _, err := os.ReadFile("testdata/x"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/y", nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestEnvironment(t *testing.T) {
	for _, line := range os.Environ() {
		t.Logf("env %q", line)
	}
	content, err := os.ReadFile("/shown/file")
	t.Logf("shown %q %v", content, err)
}

func TestWanted(t *testing.T) {
	if os.Getenv("FAIL") != "" {
		t.Fatal("as wanted")
	}
}
""")
        self.write("testdata/x", "")
        self.write("cmd/main.go", 'package main\n\nimport "os"\n\nfunc main() { os.Exit(len(os.Args)) }\n')

    def go(self, *arguments, code=0):
        done = seedfall("go", *arguments, cwd=self.folder, timeout=300)
        return self.expect(done, code)

    def test_tests_run_in_the_simulation(self):
        self.assertIn("PASS", self.go("test", "-v", ".").out)
        self.assertFalse((self.folder / "testdata" / "y").exists())

    def test_failing_tests_fail(self):
        done = self.go("-env", "FAIL=1", "test", ".", code=1)
        self.assertIn("as wanted", done.out)

    def test_profiles_come_back(self):
        self.go("test", "-coverprofile=c.out", ".")
        self.assertIn("mode: set", (self.folder / "c.out").read_text())

    def test_run_and_build(self):
        done = self.go("run", "./cmd", "a", "b", code=1)
        self.assertIn("exit status 3", done.err)
        self.go("build", "-o", "cmd.wasm", "./cmd")
        self.assertEqual((self.folder / "cmd.wasm").read_bytes()[:4], b"\0asm")

    def test_other_commands_are_refused(self):
        self.assertIn("only test, build and run", self.go("vet", code=USAGE).err)
        self.assertIn("which of test", self.go(code=USAGE).err)

    def test_the_go_command_itself_can_use_exec(self):
        env = environment(GOOS="wasip1", GOARCH="wasm")
        done = subprocess.run(["go", "test", "-exec", f"{command()[0]} exec", "."], cwd=self.folder,
                              env=env, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    # ---- flags of exec

    def test_files_are_named_from_where_the_user_stands(self):
        self.write("sub/sub.go", "package sub\n")
        self.write("sub/sub_test.go", """package sub

import (
	"os"
	"testing"
	"time"
)

func TestShown(t *testing.T) {
	content, err := os.ReadFile("/shown/file")
	t.Logf("shown %q %v", content, err)
	time.Sleep(time.Second)
}
""")
        self.write("here/file", "content")
        self.write("faults.json", {"limits": {"output_bytes": 1 << 20}})
        done = self.go("-c", "faults.json", "-dir", "here::/shown", "test", "-v", "./sub")
        self.assertIn('shown "content" <nil>', done.out)
        self.write("faults.json", {"horizon": "500ms"})
        done = self.go("-c", "faults.json", "test", "./sub", code=1)
        self.assertIn("the horizon (500ms) came before the program's end", done.out + done.err)

    def test_each_flag_reaches_exec(self):
        config = self.write("c.json", {"disk": {"profile": "scc", "tear": "sector"}})
        self.write("my data/file", "content")
        done = self.go("-seed", "7", "-c", config, "-profile=scc", "-dir", "my data::/shown", "-env",
                       "A=1", "-env=B=2", *self.odd_flags(), "test", "-v", ".")
        for line in ('env "A=1"', 'env "B=2"', 'shown "content" <nil>'):
            self.assertIn(line, done.out)
        # The go command's own quoting has passed each of them on as it was.
        for i, value in enumerate(self.ODD):
            self.assertIn(f"env {go_quoted(f'V{i}={value}')}\n", done.out)

    ODD = ["a b", "tab\there", "line\nbreak", "re\rturn", "it's", '"quoted"', "both'\"", "$HOME",
           "back\\slash", "`x`", "*", "", " ", "a=b=c", "é…", "-v", "[a,b]", "# no", "%s"]

    def odd_flags(self):
        return [f"-env=V{i}={value}" for i, value in enumerate(self.ODD)]

    def test_the_seed_reaches_exec(self):
        self.write("cmd/main.go", """package main

import (
	"crypto/rand"
	"fmt"
)

func main() {
	b := make([]byte, 8)
	rand.Read(b)
	fmt.Printf("%x\\n", b)
}
""")
        first, again, other = (self.go("-seed", seed, "run", "./cmd").out for seed in "778")
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_what_go_cannot_pass_on_is_said(self):
        done = self.go("-env", "A=it's \"both\"", "test", ".", code=USAGE)
        self.assertIn("both kinds of quotes", done.err)

    def test_flags_are_checked_before_go_is_started(self):
        self.write("typo.json", {"faults": {"crash_per_second": 1}})
        for flags, message in (
                (["-seed", "x"], "not a whole number from 0 to 18446744073709551615"),
                (["-seed", "-1"], "-seed -1: not a whole number"),
                (["-profile", "ext9"], "there are control, scc"),
                (["-dir", "nowhere"], "nowhere: no such folder"),
                (["-dir", ".::data"], "must be absolute"),
                (["-dir", ".::/a", "-dir", ".::/a"], "shown twice"),
                (["-c", "absent.json"], "absent.json"),
                (["-c", "typo.json"], "did you mean crash_per_sec?"),
                (["-c", ""], "-c needs a value"),
                (["-env", "=1"], "no name"),
                (["-out", "x"], "-out: no such flag of go")):
            with self.subTest(flags):
                done = seedfall("go", *flags, "test", ".", cwd=self.folder,
                                env=environment(PATH="/nonexistent"))
                self.assertNotEqual(done.code, 0)
                self.assertIn(message, done.err)
                self.assertNotIn("no such program in PATH", done.err)


def go_quoted(text):
    """As Go's %q prints it, for the characters of these tests."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


if __name__ == "__main__":
    unittest.main()
