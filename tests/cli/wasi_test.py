"""Functions of WASI preview 1 that Go's library does not use, through a guest that checks them."""
import json
import unittest

from support import FINDING, WorldTest, guest, seedfall

GROUPS = ["advise", "allocate", "rights", "inheriting", "times", "renumber", "raise"]


class Functions(WorldTest):
    def test_each_group_behaves_and_a_signal_ends_the_program(self):
        self.write("w.json", {"nodes": [guest("idle", "ill", "peer")],
                              "workload": guest("wasi", "wasi")})
        done = seedfall("replay", "-c", "w.json", "-seed", "1", "-json", "-node", "wasi",
                        "-kind", "console", cwd=self.folder)
        self.expect(done, FINDING)
        records = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
        lines = [record["what"][2:] for record in records
                 if record.get("what", "").startswith("| ")]
        self.assertEqual(lines, [f"behaves: {group}" for group in GROUPS])
        again = seedfall("run", "-c", "w.json", "-seeds", "1", cwd=self.folder)
        self.assertIn("wasi exited with code 134", self.expect(again, FINDING).out)


if __name__ == "__main__":
    unittest.main()
