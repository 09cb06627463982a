"""Failed fsyncs as a Go program sees them: rows 22 to 25 of the litmus table, through os.File.

Method: a capsule written by hand lets one operation of the guest `eio` fail, and the console says
what the program saw. Each row also runs without the fault (the control).
"""
import json
import re
import unittest

import support
from support import CLEAN, WorldTest, guest, seedfall


def fault(kind, ordinal=None, op="fsync", time_ns=0, parameters=None, incarnation=1):
    trigger = {"time_ns": time_ns, "incarnation": incarnation}
    if ordinal is not None:
        trigger |= {"disk_op": ordinal, "op": op, "phase": "after" if kind == "power" else "inside"}
    return {"id": f"{kind}/eio/{incarnation}#{ordinal or 't1'}", "kind": kind, "target": "eio",
            "trigger": trigger, "parameters": parameters or {}}


def failing_sync(ordinal, op="fsync"):
    return fault("fsync-eio", ordinal, op, parameters={"pages": [], "bad": "once"})


POWER_BEHIND_OP_9 = fault("power", 9, "open", parameters={
    "restart_after_ns": 1_000_000, "survivors": {"kept": 0, "pending": 1}})


class FailedFsync(WorldTest):
    def lines(self, row, faults):
        """What the guest printed, in order."""
        self.write("w.json", {
            "nodes": [guest("eio", "eio", row)], "workload": guest("idle", "ill", "peer"),
            "horizon": "2s", "horizon_ok": True, "cpu": {"preempt": "off"},
            "disk": {"fsync": "5ms"}})
        self.write("c.json", {
            "format": "seedfall capsule", "version": 2,
            "world": {"name": "w", "config": "w.json", "hash": "0" * 32}, "guests": [],
            "seed": 1, "reseeds": [], "faults": faults, "preemptions": [],
            "finding": {"fingerprint": "", "message": ""}, "trace_hash": "0" * 16})
        done = seedfall("replay", "-capsule", "c.json", "-json", "-node", "eio", "-kind", "console",
                        cwd=self.folder)
        self.assertIn(done.code, (CLEAN, support.FINDING), done.err[-2000:])
        records = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
        whats = [record.get("what", "") for record in records]
        return [re.sub(r"^\| ", "", what) for what in whats if what.startswith("| ")]

    def test_a_second_fsync_succeeds_and_an_eviction_shows_the_old_bytes(self):
        evict = fault("evict", time_ns=60_000_000)
        self.assertEqual(self.lines("again", [failing_sync(5), evict]), [
            "first: ok", "failing: fails EIO: true", "again: ok", 'cached: "new"',
            'evicted: "old"'])
        self.assertEqual(self.lines("again", [evict]), [
            "first: ok", "failing: ok", "again: ok", 'cached: "new"', 'evicted: "new"'])

    def test_each_open_descriptor_is_told_once(self):
        first = [f"file {i}: fails EIO: true" for i in range(10)]
        second = [f"file {i} again: ok" for i in range(10)]
        self.assertEqual(self.lines("ten", [failing_sync(12)]), first + second + ["reopened: ok"])
        self.assertEqual(self.lines("ten", []),
                         [f"file {i}: ok" for i in range(10)] + second + ["reopened: ok"])

    def test_an_error_that_nobody_saw_goes_to_the_next_opener(self):
        self.assertEqual(self.lines("unseen", [failing_sync(2, "write")]),
                         ["next: fails EIO: true", "next again: ok", "later: ok"])
        self.assertEqual(self.lines("unseen", []), ["next: ok", "next again: ok", "later: ok"])

    def test_writing_a_byte_of_a_lost_page_heals_it(self):
        self.assertEqual(self.lines("heal", [failing_sync(6), POWER_BEHIND_OP_9]), [
            "first: ok", "failing: fails EIO: true", "healing: ok", 'rebooted: "new"'])

    def test_without_the_healing_write_the_old_page_is_there(self):
        power = json.loads(json.dumps(POWER_BEHIND_OP_9))
        power["trigger"] |= {"disk_op": 6, "op": "fsync"}
        self.assertEqual(self.lines("heal", [failing_sync(6), power]),
                         ["first: ok", 'rebooted: "old"'])

    def test_other_goroutines_run_during_an_fsync_that_fails(self):
        self.assertEqual(self.lines("parked", [failing_sync(3)]),
                         ["synced: true others ran: true", "again: ok"])
        self.assertEqual(self.lines("parked", []),
                         ["synced: false others ran: true", "again: ok"])


if __name__ == "__main__":
    unittest.main()
