# SPDX-License-Identifier: BSD-3-Clause
"""What tools/convert.py writes, read with Python's own json and csv, and compared with the samples themselves."""

import contextlib
import csv
import io
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import convert as tool

REFERENCE = pathlib.Path(__file__).parents[2] / "reference" / "nvidia-h200.json"


def made_up(*cases, **more):
    document = {"schema": 2, "program": "tilestride", "title": "a, \"b\"", "started": "2026-01-01T00:00:00Z",
                "status": "RUN STATUS: FAIL", "machine": {"host": "n1", "cores": "4", "cpu": "x"},
                "programs": {"tilestride": {"build": {"compiler": "g++"}}}, "results": list(cases)}
    document.update(more)
    return document


def passed(name, samples, **more):
    return {"kind": "case", "name": name, "pattern": "stream", "variant": "flat", "space": "openmp", "type": "f32",
            "keys": {"op": "copy", "bytes": "1MiB"}, "figure": "GB/s", "outcome": "passed", "program": "tilestride",
            "time": {"median": 2.0, "low": 1.0, "high": 3.0, "min": 1.0, "max": 3.0, "mad": 1.0,
                     "count": len(samples)}, "rate": 5.0, "bytes_per_second": 5.0, "repetitions": 7,
            "samples": samples, **more}


FAILED = {"kind": "case", "name": "stream/flat/cuda/f32", "pattern": "stream", "variant": "flat", "space": "cuda",
          "type": "f32", "keys": {}, "outcome": "failed", "reason": 'element 3 is 1,\nnot "2"', "program": "x"}


class Convert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def converted(self, document, to):
        """The exit code, what was written, and what was said."""
        source, target = self.folder / "result.json", self.folder / "out"
        source.write_text(document if isinstance(document, str) else json.dumps(document))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = tool.main([str(source), "--to", to, "-o", str(target)])
        return status, target.read_bytes() if target.exists() else None, said.getvalue()

    def benchmarks(self, document):
        status, text, said = self.converted(document, "google-benchmark")
        self.assertEqual(status, 0, said)

        def refuse(constant):
            self.fail(f"{constant} in what should be JSON")

        return json.loads(text, parse_constant=refuse), said

    def test_each_sample_is_a_repetition_of_one_name(self):
        times = [0.5, 0.25, 1.0, 0.5, 0.75, 0.5, 0.5, 0.5, 0.5]
        got, said = self.benchmarks(made_up(passed("a/b=1", times)))
        entries = [e for e in got["benchmarks"] if e["run_type"] == "iteration"]
        self.assertEqual({e["name"] for e in entries}, {"a/b=1/manual_time"})
        self.assertEqual([e["real_time"] for e in entries], [t * 1e9 for t in times])
        self.assertEqual([e["repetition_index"] for e in entries], list(range(9)))
        self.assertEqual({e["repetitions"] for e in entries}, {9})
        self.assertEqual({e["time_unit"] for e in got["benchmarks"]}, {"ns"})
        self.assertEqual(said, "")

    def test_aggregates_are_those_of_the_samples(self):
        got, _ = self.benchmarks(made_up(passed("a", [1.0, 2.0, 6.0])))
        figures = {e["aggregate_name"]: e["real_time"] for e in got["benchmarks"] if e["run_type"] == "aggregate"}
        self.assertEqual(set(figures), {"mean", "median", "stddev", "cv"})
        self.assertAlmostEqual(figures["mean"], 3e9)
        self.assertAlmostEqual(figures["median"], 2e9)
        self.assertAlmostEqual(figures["stddev"], math.sqrt((4 + 1 + 9) / 2) * 1e9, places=3)
        self.assertAlmostEqual(figures["cv"], math.sqrt(7) / 3)
        names = [e["name"] for e in got["benchmarks"][3:]]
        self.assertEqual(names, [f"a/manual_time_{x}" for x in ("mean", "median", "stddev", "cv")])

    def test_rates_follow_each_sample(self):
        got, _ = self.benchmarks(made_up(passed("a", [1.0, 2.0, 4.0])))
        rates = [e["bytes_per_second"] for e in got["benchmarks"] if e["run_type"] == "iteration"]
        self.assertEqual(rates, [10.0, 5.0, 2.5])

    def test_what_has_no_figure_stands_elsewhere(self):
        got, _ = self.benchmarks(made_up(FAILED, passed("a", [1.0] * 9)))
        self.assertEqual({e["run_name"] for e in got["benchmarks"]}, {"a/manual_time"})
        self.assertEqual({e["family_index"] for e in got["benchmarks"]}, {0})
        self.assertEqual(got["not_measured"], [{k: FAILED[k] for k in ("name", "outcome", "reason")}])

    def test_too_few_samples_are_told(self):
        _, said = self.benchmarks(made_up(passed("a", [1.0] * 8), passed("b", [1.0] * 9)))
        self.assertIn("1 cases have fewer than 9 samples", said)

    def test_csv_is_rfc_4180_and_has_a_line_for_each_case(self):
        flagged = passed("a", [1.0, 2.0, 3.0], flags=["noisy: 2,5 %"])
        status, text, _ = self.converted(made_up(flagged, FAILED), "csv")
        self.assertEqual(status, 0)
        self.assertTrue(text.endswith(b"\r\n"))
        rows = list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
        self.assertEqual(",".join(rows[0]), "name,pattern,variant,space,type,keys,outcome,reason,samples,median_s,"
                         "low_s,high_s,min_s,max_s,mad_s,rate,figure,bytes_per_second,flops_per_second,operations_per_second,"
                         "model_achieved,flags,program")
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        first, second = (dict(zip(rows[0], row)) for row in rows[1:])
        self.assertEqual((first["keys"], first["median_s"], first["samples"]), ("op=copy; bytes=1MiB", "2.0", "3"))
        self.assertEqual(first["flags"], "noisy: 2,5 %")
        self.assertEqual((second["outcome"], second["reason"], second["rate"]), ("failed", FAILED["reason"], ""))

    def test_a_whole_document(self):
        document = json.loads(REFERENCE.read_text())
        got, _ = self.benchmarks(document)
        _, text, _ = self.converted(document, "csv")
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
        self.assertEqual([row["name"] for row in rows], [case["name"] for case in document["results"]])
        for case, row in zip(document["results"], rows):
            entries = [e for e in got["benchmarks"] if e["name"] == case["name"] + "/manual_time"]
            self.assertEqual([e["real_time"] for e in entries], [s * 1e9 for s in case.get("samples", [])])
            self.assertEqual(row["rate"], str(case["rate"]) if "rate" in case else "")

    def test_what_is_no_result_document_is_refused(self):
        for text, words in (("{", "Expecting"), ("[]", "no result document"), ('{"results": [NaN]}', "NaN is no JSON"),
                            (json.dumps(made_up(schema=1)), "schema 1")):
            with self.subTest(text=text):
                status, written, said = self.converted(text, "csv")
                self.assertEqual((status, written), (2, None))
                self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
