# SPDX-License-Identifier: BSD-3-Clause
"""The tool that keeps the figures of the texts: on made-up documents, whose figures are known."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import figures as tool


def case(name, seconds, rate=0.0, **more):
    return {"kind": "case", "name": name, "outcome": "passed", "figure": "GB/s", "rate": rate,
            "bytes_per_second": rate, "time": {"median": seconds, "count": 11}, **more}


RESULTS = [
    case("t/a/x/k=1", 2.0, 4e9, ceilings={"copy": 16e9}, model_achieved=0.5, measured={"host us": 7.25}),
    case("t/b/x/k=1", 1.0, 8e9, ceilings={"copy": 16e9}, model_achieved=1.0),
    case("t/a/x/k=2", 3.0, 2e9, verification={"share_of_allowed_error": {"worst": 0.25, "rms": 0.75}}),
    case("t/b/x/k=2", 1.0, 6e9),
    case("n/a", 0.5, 2e9, figure="ns"),
    {"kind": "case", "name": "t/c/x/k=1", "outcome": "skipped", "reason": "no"},
]
COUNTERS = [
    {"name": "t/a/x", "outcome": "passed", "kernels": 1, "predicted": {"sectors/load": 4.0},
     "counted": {"sectors/load": 4.5, "DRAM bytes read": 3e9, "L1 hit rate": 28.75,
                 "waits": {"a barrier": 41.2}}},
    {"name": "t/b/x", "outcome": "passed", "kernels": 1, "predicted": {}, "counted": {"DRAM bytes read": 1.5e9}},
]
DIFFERING = [{"name": "t/a/x", "prediction": "sectors/load", "predicted": 4.0, "measured": 4.5, "agrees": False}]
RULES = [{"text": f"t/a/x/k=1: 0.1 [0, 1] of {other}, asked for 1.000 (why, of all)", "reached": {"median": median}}
         for other, median in (("t/b/x/k=1", 1.25), ("t/a/x/k=2", 1.5), ("the copy ceiling", 1.75))]


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "reference").mkdir()
        (self.root / "docs").mkdir()
        (self.root / "reference" / "r.json").write_text(json.dumps({"results": RESULTS, "rules": RULES}))
        (self.root / "reference" / "c.json").write_text(json.dumps({"deck": "d.toml", "cases": COUNTERS,
                                                                        "differ": 1, "differing": DIFFERING}))
        patch = mock.patch.object(tool, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        tool.cases.cache_clear()
        tool.document_of.cache_clear()

    def run_tool(self, mode, text):
        """The exit code, the text afterwards, and what was said."""
        (self.root / "README.md").write_text(text)
        said = io.StringIO()
        argv = mock.patch.object(sys, "argv", ["figures.py", mode])
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), argv:
            status = tool.main()
        return status, (self.root / "README.md").read_text(), said.getvalue()

    def written(self, marker):
        status, text, said = self.run_tool("--write", f"before 0<!--r.json: {marker}-->\u00d7")
        self.assertEqual(status, 0, said)
        self.assertEqual(self.run_tool("--check", text)[0], 0)
        return text.partition("before ")[2].partition("<!--")[0]

    def test_figures(self):
        for marker, figure in (
            ("t/a/x/k=1 rate; .1f", "4.0"), ("t/a/x/k=1 time; .0f", "2"), ("n/a rate; .2f", "0.50"),
            ("t/a/x/k=1 of_copy; .2f", "0.25"), ("t/a/x/k=1 achieved; .2f", "0.50"),
            ("t/a/x/k=1 measured:host_us; .2f", "7.25"), ("t/a/x/k=2 worst_err; .2f", "0.25"),
            ("t/a/x/k=2 rms_err; .2f", "0.75"), ("t/a/x/k=1 us; ,.0f", "2,000,000"),
            ("t/a/x/k=1 time / t/b/x/k=1 time; .1f", "2.0"), ("max t/a/x/* time / t/b/x/* time; .1f", "3.0"),
            ("t/a/x/k=1 reached:b; .2f", "1.25"), ("t/a/x/k=1 reached:other; .2f", "1.50"),
            ("t/a/x/k=1 reached:copy; .2f", "1.75"), ("median t/a/x/* time / t/b/x/* time; .1f", "2.5"),
            ("min t/*/x/* time; .1f", "1.0"), ("number t/* achieved; .0f", "2"), ("within t/* achieved; .0f", "1"),
            ("outside t/* achieved; .0f", "1"), ("number t/*/x/k=1 time / t/*/x/k=2 time; .0f", "2"),
        ):
            with self.subTest(marker=marker):
                self.assertEqual(self.written(marker), figure)

    def test_what_was_counted(self):
        text = (
            "0<!--c.json: t/a/x counted:L1_hit_rate; .0f-->%, 0<!--c.json: t/a/x waits:a_barrier; .0f-->%, "
            "0<!--c.json: t/a/x counted:DRAM_bytes_read / t/b/x counted:DRAM_bytes_read; .1f--> times\n"
            "<!--table c.json: t/*; predicted:sectors/load counted:sectors/load counted:DRAM_bytes_read-->\n"
            "<!--/table-->\n"
        )
        status, text, said = self.run_tool("--write", text)
        self.assertEqual(status, 0, said)
        self.assertRegex(text, "^29<!--[^>]*-->%, 41<!--[^>]*-->%, 2.0<!--")
        self.assertIn("| `a` | 4 | 4.50 | 3,000,000,000 |", text)
        self.assertIn("| `b` |  |  | 1,500,000,000 |", text)
        self.assertEqual(self.run_tool("--check", text)[0], 0)
        self.assertEqual(self.run_tool("--check", "0<!--c.json: t/a/x counted:misses; .0f-->")[0], 1)

    def test_what_differs(self):
        status, text, said = self.run_tool(
            "--write", "0<!--c.json: differ; .0f-->\n<!--table c.json: t/*; differing-->\n<!--/table-->\n")
        self.assertEqual(status, 0, said)
        self.assertRegex(text, "^1<!--")
        self.assertIn("| `t/a/x` | sectors/load | 4.00 | 4.50 |", text)
        for wrong in ("0<!--c.json: deck; .0f-->", "0<!--c.json: none; .0f-->",
                      "<!--table c.json: n/*; differing-->\n<!--/table-->"):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.run_tool("--write", wrong)[0], 1)

    def test_a_wrong_figure_is_found_and_nothing_is_written(self):
        text = "rate 5.0<!--r.json: t/a/x/k=1 rate; .1f-->"
        status, after, said = self.run_tool("--check", text)
        self.assertEqual((status, after), (1, text))
        self.assertIn("README.md:1", said)
        self.assertIn("4.0", said)

    def test_what_cannot_be_found(self):
        for marker in ("t/a/x/k=3 rate; .1f", "t/c/x/k=1 rate; .1f", "t/a/x/k=2 of_copy; .1f", "t/a/x/k=1 colour; .1f",
                       "t/*/x/k=1 rate; .1f", "t/a/x/k=1; .1f", "t/a/x/k=1 rate / t/c/x/k=1 rate; .1f",
                       "t/a/x/k=1 rate; .1z"):
            for mode in ("--check", "--write"):
                with self.subTest(marker=marker, mode=mode):
                    text = f"1\n2 0<!--r.json: {marker}-->"
                    status, after, said = self.run_tool(mode, text)
                    self.assertEqual((status, after), (1, text))
                    self.assertIn("README.md:2: ", said)
        self.assertEqual(self.run_tool("--check", "0<!--other.json: t/a/x/k=1 rate; .1f-->")[0], 1)

    def test_tables(self):
        marks = "<!--table r.json: t/*/x/k=1; time rate of_copy-->\n<!--/table-->"
        status, text, said = self.run_tool("--write", marks)
        self.assertEqual(status, 0, said)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(rows[0], ["t", "time", "GB/s", "of copy"])
        self.assertEqual(rows[2:], [["`a`", "2.00 s", "4.00", "25.0 %"], ["`b`", "1.00 s", "8.00", "50.0 %"]])
        self.assertEqual(self.run_tool("--check", text)[0], 0)
        self.assertEqual(self.run_tool("--check", text.replace("8.00", "8.01"))[0], 1)
        self.assertEqual(self.run_tool("--check", text.replace("x/k=1; t", "x/k=9; t"))[0], 1)
        self.assertIn("none of these", self.run_tool("--write", marks.replace("of_copy", "measured:nothing"))[2])


if __name__ == "__main__":
    unittest.main()
