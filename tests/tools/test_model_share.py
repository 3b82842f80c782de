# SPDX-License-Identifier: BSD-3-Clause
"""How many of a made-up document's predictions hold, and what counters say of the others."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import model_share as tool

REFERENCE = pathlib.Path(__file__).parents[2] / "reference" / "nvidia-h200-seeds.json"


def case(name, predicted, measured=1e-3, outcome="passed"):
    pattern, variant = name.split("/")[:2]
    time = {"median": measured, "low": measured, "high": measured}
    return {"kind": "case", "name": name, "problem": name, "pattern": pattern, "variant": variant, "space": "cuda",
            "type": "f32", "role": "portable", "keys": {}, "outcome": outcome, "figure": "GB/s", "rate": 1.0,
            "time": time, "samples": [measured], "work": {"bytes": 1.0}, "ceilings": {}, "program": "tilestride-cuda",
            "model": {"seconds": predicted, "limiter": "copy"}}


class Reason(unittest.TestCase):
    def test_the_busiest_unit_is_named(self):
        self.assertEqual(tool.reason({"L2": 88.2, "DRAM": 70.0, "waits": {"memory": 99.0}}), "L2 busy 88 %")

    def test_where_none_is_busy_warps_wait(self):
        self.assertEqual(tool.reason({"L1": 40.0, "waits": {"memory": 60.0, "a barrier": 40.0}}),
                         "waits for memory 60 %; L1 40 %")

    def test_counters_without_busy_units_and_waits_say_so(self):
        self.assertEqual(tool.reason({"L2 hit rate": 88.2, "DRAM bytes read": 1e9}), "busy units and waits not counted")

    def test_waits_alone_are_told(self):
        self.assertEqual(tool.reason({"waits": {"memory": 60.0, "a barrier": 40.0}}), "waits for memory 60 %")

    def test_without_counters_nothing_is_said(self):
        self.assertEqual(tool.reason(None), "not counted")


class Share(unittest.TestCase):
    def test_cases_without_a_prediction_or_a_time_do_not_count(self):
        document = {"results": [case("a/x", 1e-3), case("a/y", 0), {**case("a/z", 1e-3), "outcome": "skipped"}]}
        self.assertEqual([c["name"] for c, _ in tool.predictions(document)], ["a/x"])

    def test_the_ends_of_the_range_are_within(self):
        self.assertEqual([tool.is_within(ratio) for ratio in (0.79, 0.8, 1, 1.25, 1.26)],
                         [False, True, True, True, False])

    def test_shares_by_pattern_and_of_all(self):
        pairs = tool.predictions({"results": [case("a/x", 1e-3), case("a/y", 2e-3), case("b/x", 0.9e-3)]})
        lines = tool.table(pairs, {"a/y": {"DRAM": 91.0}})
        self.assertEqual(lines[2:5], ["| a | 2 | 1 | 50 % |", "| b | 1 | 1 | 100 % |", "| all | 3 | 2 | 67 % |"])
        self.assertEqual(lines[-1], "| `a/y` | 2.00 | copy | DRAM busy 91 % |")

    def test_where_all_hold_nothing_is_outside(self):
        self.assertFalse(any("outside" in line for line in tool.table([(case("a/x", 1e-3), 1.0)], {})))


class Main(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, text, *more):
        path = pathlib.Path(self.folder.name) / "result.json"
        path.write_text(text)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = tool.main([str(path), *more])
        return code, out.getvalue(), err.getvalue()

    def test_what_is_no_result_document_is_refused(self):
        code, _, err = self.run_on("{")
        self.assertEqual(code, 2)
        self.assertIn("model_share:", err)

    def test_committed_results_are_read(self):
        code, out, _ = self.run_on(REFERENCE.read_text())
        self.assertEqual(code, 0)
        cases = json.loads(REFERENCE.read_text())["results"]
        known = sum(1 for c in cases if c.get("outcome") == "passed" and (c.get("model") or {}).get("seconds", 0) > 0)
        self.assertIn(f"| all | {known} |", out)

    def test_counters_that_are_none_are_refused(self):
        other = pathlib.Path(self.folder.name) / "counters.json"
        other.write_text("{}")
        code, _, err = self.run_on(REFERENCE.read_text(), "--counters", str(other))
        self.assertEqual(code, 2)
        self.assertIn("cases", err)


if __name__ == "__main__":
    unittest.main()
