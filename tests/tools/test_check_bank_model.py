# SPDX-License-Identifier: BSD-3-Clause
"""The tool that compares the bank model with ncu, on made-up output of both."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import check_bank_model as tool

SAID = """bank_stride/scratch/cuda/i32/access=stride/stride=2: one launch, 4.1 us under the profiler's eyes, verified; \
predicts load wavefronts = 2
tile_access/native_static/cuda/f64/16x16/pad=9: skipped: built in for tiles of 32x32
tile_access/scratch/cuda/i32/access=row_col/33x3: one launch, 5 us under the profiler's eyes, verified; \
predicts store wavefronts = 1; predicts load wavefronts = 1.75
"""

HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"'
)


def row(number, metric, value, unit=""):
    return (
        f'"{number}","7","tilestride","127.0.0.1","kernel<a, ""b"">","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0",'
        f'"Command line profiler metrics","{metric}","{unit}","{value}"'
    )


def kernel(number, load=(0, 0), store=(0, 0)):
    rows = []
    for what, (wavefronts, requests) in (("load wavefronts", load), ("store wavefronts", store)):
        rows.append(row(number, tool.COUNTERS[what][0], wavefronts))
        rows.append(row(number, tool.COUNTERS[what][1], requests, "inst"))
    return rows


def counted(*kernels):
    lines = [line for rows in kernels for line in rows]
    return "\n".join(["==PROF== Connected to process 7", HEADER, *lines, "==PROF== Disconnected"])


AGREEING = counted(kernel(0, load=("1,024", 512), store=(99, 33)), kernel(1, load=(7, 4), store=(4, 4)))


class CheckBankModel(unittest.TestCase):
    def test_cases_come_in_order_with_their_predictions(self):
        launched, skipped = tool.read_cases(SAID)
        predictions = [{"load wavefronts": 2}, {"store wavefronts": 1, "load wavefronts": 1.75}]
        self.assertEqual([predicted for _, predicted in launched], predictions)
        self.assertEqual(launched[0][0], "bank_stride/scratch/cuda/i32/access=stride/stride=2")
        self.assertEqual(len(skipped), 1)

    def test_a_wrong_answer_is_not_compared(self):
        with self.assertRaisesRegex(tool.NoComparison, "FAILED"):
            tool.read_cases("a/b: one launch, 3 us, FAILED: 3 wrong; predicts load wavefronts = 1\n")

    def test_counters_are_read_past_ncu_s_own_lines(self):
        launches = tool.read_launches(AGREEING)
        self.assertEqual(len(launches), 2)
        self.assertEqual(launches[0][tool.COUNTERS["load wavefronts"][0]], 1024)

    def test_launches_keep_their_order_beyond_nine(self):
        launches = tool.read_launches(counted(*(kernel(n, load=(n, 1)) for n in range(12))))
        self.assertEqual([launch[tool.COUNTERS["load wavefronts"][0]] for launch in launches], list(range(12)))

    def test_agreement(self):
        rows = tool.compare(tool.read_cases(SAID)[0], tool.read_launches(AGREEING))
        self.assertEqual([r["agrees"] for r in rows], [True, True, True])
        self.assertEqual([r["measured"] for r in rows], [2, 1, 1.75])

    def test_one_wavefront_too_many_differs(self):
        launches = tool.read_launches(counted(kernel(0, load=(1025, 512)), kernel(1, load=(7, 4), store=(4, 4))))
        rows = tool.compare(tool.read_cases(SAID)[0], launches)
        self.assertEqual([r["agrees"] for r in rows], [False, True, True])
        self.assertIn("DIFFERS bank_stride/scratch/cuda/i32/access=stride/stride=2", tool.table(rows))

    def test_an_average_with_no_end_in_decimals_agrees(self):
        launches = tool.read_launches(counted(kernel(0, load=(4000, 3000))))
        rows = tool.compare([("a/b", {"load wavefronts": 4 / 3})], launches)
        self.assertTrue(rows[0]["agrees"])

    def test_as_many_kernels_as_cases(self):
        with self.assertRaisesRegex(tool.NoComparison, "2 cases, ncu saw 1"):
            tool.compare(tool.read_cases(SAID)[0], tool.read_launches(counted(kernel(0))))

    def test_no_requests_is_no_agreement(self):
        with self.assertRaisesRegex(tool.NoComparison, "counted no requests"):
            tool.compare([("a/b", {"load wavefronts": 1})], tool.read_launches(counted(kernel(0))))

    def test_unknown_predictions_and_counters_without_value_are_refused(self):
        with self.assertRaisesRegex(tool.NoComparison, "no counter"):
            tool.compare([("a/b", {"misses": 1})], [{}])
        with self.assertRaisesRegex(tool.NoComparison, "is n/a"):
            tool.read_launches(counted([row(0, "m", "n/a")]))

    def test_no_permission_is_said(self):
        with self.assertRaisesRegex(tool.NoComparison, "ERR_NVGPUCTRPERM"):
            tool.read_launches("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")

    def run_with(self, table, status=0, said=SAID):
        """Main, with an ncu that prints this."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        (folder / "said").write_text(said)
        (folder / "counted").write_text(table)
        ncu = folder / "ncu"
        ncu.write_text(
            '#!/bin/sh\nwhile [ "$1" != --log-file ]; do shift; done\n'
            f'cp {folder}/counted "$2"\ncat {folder}/said\nexit {status}\n'
        )
        os.chmod(ncu, 0o755)
        words = io.StringIO()
        with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
            code = tool.main(["tilestride", "deck.toml", "--ncu", str(ncu), "--output", str(folder / "out.json")])
        out = folder / "out.json"
        return code, words.getvalue(), json.loads(out.read_text()) if out.exists() else None

    def test_exit_codes(self):
        code, words, document = self.run_with(AGREEING)
        self.assertEqual((code, document["agree"], document["differ"], document["skipped"]), (0, 3, 0, 1))
        self.assertIn("3 of 3 predictions agree", words)
        code, words, document = self.run_with(counted(kernel(0, load=(1, 1)), kernel(1, load=(7, 4), store=(4, 4))))
        self.assertEqual((code, document["differ"]), (1, 1))
        code, words, document = self.run_with(counted(kernel(0, load=(1, 1))))
        self.assertEqual((code, document), (2, None))
        self.assertIn("2 cases, ncu saw 1", words)
        code, words, document = self.run_with(AGREEING, said="a/b: one launch, 4 us, verified\n")
        self.assertEqual((code, document), (2, None))
        self.assertIn("predicts nothing", words)
        code, words, document = self.run_with(AGREEING, status=3)
        self.assertEqual(code, 2)
        self.assertIn("ended with 3", words)


if __name__ == "__main__":
    unittest.main()
