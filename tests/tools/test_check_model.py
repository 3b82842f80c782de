# SPDX-License-Identifier: BSD-3-Clause
"""The tool that compares predictions with ncu's counters, on made-up output of both."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import check_model as tool

BANKS = """bank_stride/scratch/cuda/i32/access=stride/stride=2: one launch, 4.1 us while profiled, verified; \
kernels 4x32; predicts load wavefronts = 2
bank_stride/native_shared/cuda/f64/stride=3: skipped: not in this program
bank_stride/scratch/cuda/i32/access=row_col: one launch, 5 us while profiled, verified; kernels 1x32 2x64; \
predicts store wavefronts = 1; predicts load wavefronts = 1.75
"""
PRODUCTS = """matmul/shared/cuda/f32/64x64x64/tile=32: one launch, 9 us while profiled, verified; kernels 4x1024; \
flops 524288; predicts load requests = 512; predicts sectors/load = 4
matmul/vendor/cuda/f32/64x64x64: one launch, 9 us and not profiled (name it alone), verified; flops 524288
"""
VENDOR = """matmul/vendor/cuda/f32/64x64x64: one launch, 9 us while profiled, verified; flops 524288
"""
PLAN = """bank_stride/scratch/cuda/i32/access=stride/stride=2    4 KiB
bank_stride/native_shared/cuda/f64/stride=3    4 KiB  skipped: not in this program
matmul/shared/cuda/f32/64x64x64/tile=32    4 KiB
3 cases of 2 problems, 0 rules; 1.0 s to 2.0 s
"""

HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"'
)
# As many as a kernel without loads and stores has.
NOTHING = dict.fromkeys(tool.METRICS, 0)
WAVEFRONTS = {what: tool.SUMS[what][0][0] for what in ("load wavefronts", "store wavefronts")}
REQUESTS = {"load wavefronts": tool.SHARED_LOADS, "store wavefronts": tool.SHARED_STORES}


def kernel(number, shape, **counts):
    """ncu's lines on one kernel: ID, and what differs from NOTHING, by the names of METRICS."""
    blocks, threads = shape
    return [
        f'"{number}","7","tilestride","127.0.0.1","kernel<a, ""b"">","1","7","({threads}, 1, 1)","({blocks}, 1, 1)",'
        f'"0","9.0","Command line profiler metrics","{metric}","","{value}"'
        for metric, value in (NOTHING | counts).items()
    ]


def in_scratch(number, shape, load=(0, 0), store=(0, 0)):
    counts = {}
    for what, (wavefronts, requests) in (("load wavefronts", load), ("store wavefronts", store)):
        counts |= {WAVEFRONTS[what]: wavefronts, REQUESTS[what]: requests}
    return kernel(number, shape, **counts)


def csv_of(*kernels):
    lines = [line for rows in kernels for line in rows]
    return "\n".join(["==PROF== Connected to process 7", HEADER, *lines, "==PROF== Disconnected"])


FIRST = in_scratch(0, (4, 32), load=("1,024", 512), store=(99, 33))
OF_SECOND = [in_scratch(1, (1, 32), load=(3, 2), store=(4, 4)), in_scratch(2, (2, 64), load=(4, 2))]
AGREEING = csv_of(FIRST, *OF_SECOND)
IN_PRODUCT = {
    tool.GLOBAL("requests", "ld"): 384, tool.GLOBAL("requests", "ldgsts_cache_access"): 128,
    tool.GLOBAL("sectors", "ld"): 1536, tool.GLOBAL("sectors", "ldgsts_cache_access"): 512,
    "dram__bytes_read.sum": 32768, "dram__bytes_write.sum": 0, "lts__t_sector_hit_rate.pct": "12.5",
}
PRODUCT = csv_of(kernel(0, (4, 1024), **IN_PRODUCT))


def compared(said=BANKS, table=AGREEING, within=0.0):
    cases = tool.read_cases(said)[0]
    matched = tool.match(cases, tool.read_launches(table))
    return [row for case, own in zip(cases, matched) for row in tool.compare(case, tool.counted(case, own), within)]


class Reading(unittest.TestCase):
    def test_cases_come_in_order_with_what_is_said_of_them(self):
        launched, skipped = tool.read_cases(BANKS + PRODUCTS)
        self.assertEqual(
            [case["predicted"] for case in launched],
            [{"load wavefronts": 2}, {"store wavefronts": 1, "load wavefronts": 1.75},
             {"load requests": 512, "sectors/load": 4}, {}],
        )
        self.assertEqual([case["kernels"] for case in launched], [[(4, 32)], [(1, 32), (2, 64)], [(4, 1024)], None])
        self.assertEqual([case["flops"] for case in launched], [0, 0, 524288, 524288])
        self.assertEqual(launched[0]["name"], "bank_stride/scratch/cuda/i32/access=stride/stride=2")
        self.assertEqual(skipped, [("bank_stride/native_shared/cuda/f64/stride=3", "not in this program")])

    def test_a_wrong_answer_is_not_compared(self):
        with self.assertRaisesRegex(tool.NoComparison, "FAILED"):
            tool.read_cases("a/b: one launch, 3 us, FAILED: 3 wrong; predicts load wavefronts = 1\n")

    def test_counters_are_read_past_ncu_s_own_lines(self):
        launches = tool.read_launches(AGREEING)
        self.assertEqual([launch["shape"] for launch in launches], [(4, 32), (1, 32), (2, 64)])
        self.assertEqual(launches[0][WAVEFRONTS["load wavefronts"]], 1024)

    def test_launches_keep_their_order_beyond_nine(self):
        launches = tool.read_launches(csv_of(*(in_scratch(n, (1, 1), load=(n, 1)) for n in range(12))))
        self.assertEqual([launch[WAVEFRONTS["load wavefronts"]] for launch in launches], list(range(12)))

    def test_a_counter_without_a_value_is_refused(self):
        with self.assertRaisesRegex(tool.NoComparison, "is n/a"):
            tool.read_launches(csv_of(kernel(0, (1, 1), m="n/a")))

    def test_no_permission_is_said_and_no_kernel_is_none(self):
        with self.assertRaisesRegex(tool.NoComparison, "ERR_NVGPUCTRPERM"):
            tool.read_launches("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")
        self.assertEqual(tool.read_launches("==WARNING== No kernels were profiled."), [])


class Comparing(unittest.TestCase):
    def test_agreement(self):
        rows = compared()
        self.assertEqual([row["agrees"] for row in rows], [True, True, True])
        self.assertEqual([row["measured"] for row in rows], [2, 1, 1.75])  # the kernels of a case together

    def test_one_wavefront_too_many_differs_unless_a_share_may(self):
        table = csv_of(in_scratch(0, (4, 32), load=(1025, 512)), *OF_SECOND)
        rows = compared(table=table)
        self.assertEqual([row["agrees"] for row in rows], [False, True, True])
        self.assertIn("DIFFERS bank_stride/scratch/cuda/i32/access=stride/stride=2", tool.table(rows, 0))
        self.assertIn("2 of 3 predictions agree", tool.table(rows, 0))
        self.assertTrue(all(row["agrees"] for row in compared(table=table, within=0.05)))
        table = csv_of(in_scratch(0, (4, 32), load=(1100, 512)), *OF_SECOND)
        self.assertFalse(compared(table=table, within=0.05)[0]["agrees"])

    def test_an_average_with_no_end_in_decimals_agrees(self):
        case = {"name": "a/b", "predicted": {"load wavefronts": 4 / 3}, "flops": 0.0}
        launches = tool.read_launches(csv_of(in_scratch(0, (1, 1), load=(4000, 3000))))
        self.assertTrue(tool.compare(case, tool.counted(case, launches), 0)[0]["agrees"])

    def test_as_many_kernels_as_the_program_said_and_of_the_same_shape(self):
        cases = tool.read_cases(BANKS)[0]
        with self.assertRaisesRegex(tool.NoComparison, "launched 3 kernels, ncu saw 1"):
            tool.match(cases, tool.read_launches(csv_of(FIRST)))
        with self.assertRaisesRegex(tool.NoComparison, "row_col: the program launched .*ncu saw"):
            tool.match(cases, tool.read_launches(csv_of(FIRST, in_scratch(1, (2, 64)), in_scratch(2, (1, 32)))))

    def test_no_requests_is_no_agreement(self):
        rows = compared(table=csv_of(in_scratch(0, (4, 32)), *OF_SECOND), within=0.05)
        self.assertEqual((rows[0]["measured"], rows[0]["agrees"]), (None, False))
        self.assertIn("2 predicted, nothing measured", tool.table(rows, 0.05))

    def test_loads_past_the_registers_are_loads_too(self):
        rows = compared(PRODUCTS.splitlines(True)[0], PRODUCT)
        self.assertEqual([row["prediction"] for row in rows], ["load requests", "sectors/load"])
        self.assertEqual([row["measured"] for row in rows], [512, 4])

    def test_the_effective_intensity_is_of_dram(self):
        case = tool.read_cases(PRODUCTS)[0][0]
        values = tool.counted(case, tool.read_launches(PRODUCT))
        self.assertEqual(values["flops/byte of DRAM"], 16)
        self.assertEqual(values["L2 hit rate"], 12.5)

    def test_shares_are_of_the_kernel_that_takes_longest(self):
        case = {"name": "a/b", "predicted": {}, "flops": 0.0}
        launches = tool.read_launches(csv_of(*(kernel(n, (1, 1), **{tool.DURATION: t, tool.SHARES["L1 hit rate"]: rate})
                                               for n, (t, rate) in enumerate([(5, 10), (9, 20), (7, 30)]))))
        self.assertEqual(tool.counted(case, launches)["L1 hit rate"], 20)
        self.assertEqual(tool.counted(case, launches)["nanoseconds"], 21)

    def test_waits_are_shares_of_all_waits(self):
        launch = {**NOTHING, tool.STALL("long_scoreboard"): 6.0, tool.STALL("barrier"): 2.0}
        waits = tool.counted({"predicted": {}, "flops": 0.0}, [launch])["waits"]
        self.assertEqual((waits["memory"], waits["a barrier"], waits["constants"]), (75, 25, 0))
        self.assertNotIn("waits", tool.counted({"predicted": {}, "flops": 0.0}, [dict(NOTHING)]))

    def test_predictions_without_a_counter_are_left_out_if_they_are_known(self):
        with self.assertRaisesRegex(tool.NoComparison, "no counter is known for misses"):
            tool.compare({"name": "a/b", "predicted": {"misses": 1}}, {}, 0)
        self.assertEqual(tool.compare({"name": "a/b", "predicted": dict.fromkeys(tool.NO_COUNTER, 1.0)}, {}, 0), [])

    def test_a_counter_that_ncu_left_out_is_missed(self):
        with self.assertRaisesRegex(tool.NoComparison, "did not count"):
            tool.counted({"name": "a/b", "flops": 0.0}, [{"shape": (1, 1)}])


# By what is asked of --profile.
ANSWERS = {
    "bank_stride/": (BANKS, AGREEING),
    "matmul/": (PRODUCTS, PRODUCT),
    "matmul/vendor/cuda/f32/64x64x64": (VENDOR, csv_of(kernel(0, (9, 9)), kernel(1, (8, 8)))),
}


class Running(unittest.TestCase):
    def run_with(self, answers, *options, status=0):
        """Main, with a program that plans PLAN, and an ncu that answers --profile NAME by what is given for it."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        program, ncu, out = folder / "tilestride", folder / "ncu", folder / "out.json"
        (folder / "plan").write_text(PLAN)
        program.write_text(f"#!/bin/sh\ncat {folder}/plan\n")
        cases = ""
        for number, (name, (said, table)) in enumerate(answers.items()):
            (folder / f"said{number}").write_text(said)
            (folder / f"table{number}").write_text(table)
            cases += f"'{name}') cp {folder}/table{number} $log; cat {folder}/said{number};;\n"
        ncu.write_text(
            '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = --log-file ] && log=$2; shift; done\n'
            f'case "$1" in\n{cases}esac\nexit {status}\n'
        )
        for script in (program, ncu):
            os.chmod(script, 0o755)
        words = io.StringIO()
        with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
            code = tool.main([str(program), "deck.toml", "--ncu", str(ncu), "--output", str(out), *options])
        return code, words.getvalue(), json.loads(out.read_text()) if out.exists() else None

    def test_each_pattern_and_what_cannot_be_told_apart_alone(self):
        code, words, document = self.run_with(ANSWERS)
        self.assertEqual((code, document["agree"], document["differ"], document["skipped"]), (0, 5, 0, 1), words)
        self.assertIn("5 of 5 predictions agree", words)
        self.assertEqual([case["kernels"] for case in document["cases"]], [1, 2, 1, 2])
        self.assertEqual(document["cases"][2]["counted"]["DRAM bytes read"], 32768)

    def test_what_is_alone_comes_after_all_patterns(self):
        plan = PLAN.splitlines()
        with unittest.mock.patch(f"{__name__}.PLAN", "\n".join([plan[2], plan[0], plan[3], ""])):
            code, words, document = self.run_with(ANSWERS)
        self.assertEqual(code, 0, words)
        patterns = [case["name"].split("/")[0] for case in document["cases"]]
        self.assertEqual(patterns, ["matmul", "bank_stride", "bank_stride", "matmul"])
        self.assertEqual(document["cases"][-1]["name"], "matmul/vendor/cuda/f32/64x64x64")

    def test_the_only_case_of_a_pattern_is_alone_already(self):
        answers = {"bank_stride/": (BANKS, AGREEING), "matmul/": ANSWERS["matmul/vendor/cuda/f32/64x64x64"]}
        code, words, document = self.run_with(answers)
        self.assertEqual(code, 0, words)
        self.assertEqual([case["kernels"] for case in document["cases"]], [1, 2, 2])

    def test_a_name_that_holds_another_pattern_s_counts_once(self):
        said = "shuffle/x/op=matmul/width=32: one launch, 4 us while profiled, verified; kernels 2x2\n" + PRODUCTS
        said += "shuffle/y/op=matmul/width=32: one launch, 9 us and not profiled (name it alone), verified\n"
        said += "shuffle/z/op=matmul/width=32: skipped: no such call\n"
        tables = csv_of(kernel(0, (2, 2)), kernel(1, (4, 1024), **IN_PRODUCT))
        code, words, document = self.run_with(ANSWERS | {"matmul/": (said, tables)})
        self.assertEqual((code, document["agree"], document["skipped"]), (0, 5, 1), words)
        self.assertNotIn("shuffle", words)
        patterns = [case["name"].split("/")[0] for case in document["cases"]]
        self.assertEqual(patterns, ["bank_stride", "bank_stride", "matmul", "matmul"])

    def test_another_pattern_s_only_case_is_not_its_own(self):
        said = "shuffle/y/op=bank_stride/width=32: one launch, 9 us while profiled, verified\n"
        said += "shuffle/z/op=bank_stride/width=32: skipped: no such call\n"
        code, words, document = self.run_with(ANSWERS | {"bank_stride/": (said, csv_of(kernel(0, (2, 2))))})
        self.assertEqual((code, document["skipped"]), (0, 0), words)
        self.assertEqual([case["name"].split("/")[0] for case in document["cases"]], ["matmul", "matmul"])

    def test_exit_codes(self):
        differs = ANSWERS | {"bank_stride/": (BANKS, csv_of(in_scratch(0, (4, 32), load=(1, 1)), *OF_SECOND))}
        code, words, document = self.run_with(differs)
        self.assertEqual((code, document["differ"]), (1, 1))
        code, words, document = self.run_with(ANSWERS | {"bank_stride/": (BANKS, csv_of(FIRST))})
        self.assertEqual((code, document["agree"]), (1, 2))
        self.assertIn("bank_stride: the program launched 3 kernels, ncu saw 1", words)
        silent = "a/b: one launch, 4 us while profiled, verified; kernels 1x1\n"
        answer = (silent, csv_of(kernel(0, (1, 1))))
        code, words, document = self.run_with({"bank_stride/": answer, "matmul/": answer})
        self.assertEqual(code, 2)
        self.assertIn("predicts nothing", words)
        code, words, document = self.run_with(ANSWERS, status=3)
        self.assertEqual((code, document), (2, None))
        self.assertIn("ended with 3", words)

    def test_no_pattern_is_begun_when_the_time_is_up(self):
        code, words, document = self.run_with(ANSWERS, "--limit-seconds", "1e-9")
        self.assertEqual((code, document), (2, None))
        self.assertIn("matmul: the time was up", words)


if __name__ == "__main__":
    unittest.main()
