# SPDX-License-Identifier: BSD-3-Clause
"""Decks of shapes drawn at random, and their ratios to the library."""

import contextlib
import io
import json
import math
import pathlib
import random
import sys
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import any_shape


def run(*arguments):
    """(exit code, standard output, standard error)"""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["any_shape.py", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            code = any_shape.main()
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), err.getvalue()


class Deck(unittest.TestCase):
    def test_the_committed_decks_are_made_by_their_command(self):
        for name in ("speed_any_shape.toml", "speed_any_shape_hosts.toml"):
            with self.subTest(name):
                text = (ROOT / "inputs" / name).read_text()
                command = text.split("Made by tools/any_shape.py ")[1].split(":")[0]
                self.assertEqual(run(*command.split())[1], text)

    def test_extents(self):
        for space, most in (("cuda", 8192), ("openmp", 300)):
            cases = tomllib.loads(run("deck", "--seed", 5, "--space", space, "--most", most)[1])["case"]
            self.assertGreater(len(cases), 3)
            for case in cases:
                shapes = [list(map(int, shape.split("x"))) for shape in case["shape"]]
                self.assertEqual(len(shapes), 50)
                multiples = {"native_tensor_bf16": 8, "native_tensor_tf32": 8, "native_tensor_3xtf32": 4}
                multiple = multiples.get(case["variant"][0], 1)
                for shape in shapes:
                    self.assertEqual(len(shape), {"matmul": 3, "transpose": 2}[case["pattern"]])
                    self.assertLessEqual(math.prod(shape), most ** len(shape))
                    self.assertTrue(all(64 <= n <= 32768 and n % multiple == 0 for n in shape), shape)

    def test_log_uniform(self):
        """As many extents below the geometric mean of the limits as above it, where the product does not matter."""
        extents = [any_shape.draw(random.Random(i), 2, 32768, 1)[0] for i in range(2000)]
        self.assertAlmostEqual(sum(n < math.sqrt(64 * 32768) for n in extents) / 2000, 0.5, delta=0.05)
        self.assertLess(min(extents), 66)
        self.assertGreater(max(extents), 32000)

    def test_seeds(self):
        first = run("deck", "--seed", 1)[1]
        self.assertEqual(run("deck", "--seed", 1)[1], first)
        texts = first, run("deck", "--seed", 2)[1]
        drawn = [shape for text in texts for case in tomllib.loads(text)["case"] for shape in case["shape"]]
        self.assertGreater(len(set(drawn)), 0.98 * len(drawn))

    def test_refused(self):
        for bad in (("--most", 63), ("--count", 0)):
            self.assertEqual(run("deck", "--seed", 1, *bad)[0], 2)


def case(variant, shape, seconds, **more):
    return {
        "pattern": "matmul",
        "variant": variant,
        "type": "f32",
        "space": "cuda",
        "keys": {"shape": shape},
        "outcome": "passed",
        "time": {"median": seconds},
        **more,
    }


class Ratios(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ratios(self, *documents, svg=None):
        paths = []
        for i, results in enumerate(documents):
            paths.append(self.folder / f"{i}.json")
            paths[-1].write_text(json.dumps({"results": results}))
        return run("ratios", *paths, *(("--svg", svg) if svg else ()))

    def test_median_and_worst(self):
        library = [case("vendor", "64x64x64", 1.0), case("vendor", "64x64x128", 3.0), case("vendor", "8x8x8", 8.0)]
        own = [case("blocked", "64x64x64", 2.0), case("blocked", "64x64x128", 2.0), case("blocked", "8x8x8", 10.0)]
        code, out, _ = self.ratios(library + own)
        self.assertEqual(code, 0)
        self.assertIn("| matmul/blocked | f32 | 3 | 0.80 | 0.50 | 64x64x64 | 2 |", out)

    def test_each_precision_beside_its_own(self):
        results = [case("vendor_bf16", "64x64x64", 3.0), case("native_tensor_bf16", "64x64x64", 2.0)]
        results += [case("vendor", "64x64x64", 9.0), case("native_tensor_3xtf32", "64x64x64", 3.0)]
        out = self.ratios(results)[1]
        self.assertIn("| matmul/native_tensor_bf16 | f32 | 1 | 1.50 |", out)
        self.assertIn("| matmul/native_tensor_3xtf32 | f32 | 1 | 3.00 |", out)

    def test_several_documents(self):
        """Each case beside the library of its own run."""
        runs = [[case("vendor", "64x64x64", s), case("blocked", "64x64x64", 1.0)] for s in (1.0, 2.0)]
        self.assertIn("| matmul/blocked | f32 | 2 | 1.50 | 1.00 |", self.ratios(*runs)[1])

    def test_what_did_not_pass_does_not_count(self):
        results = [case("vendor", "64x64x64", 1.0), case("blocked", "64x64x64", 1.0, outcome="FAILED")]
        code, _, err = self.ratios(results)
        self.assertEqual(code, 2)
        self.assertIn("no case", err)

    def test_no_result_document(self):
        (self.folder / "x").write_text("{")
        self.assertEqual(run("ratios", self.folder / "x")[0], 2)
        self.assertEqual(run("ratios", self.folder / "none")[0], 2)

    def test_the_picture_has_a_point_for_each_shape(self):
        shapes = [f"{64 << i}x64x64" for i in range(5)]
        results = [case("vendor", shape, 1.0) for shape in shapes] + [case("blocked", shape, 0.7) for shape in shapes]
        self.ratios(results, svg=self.folder / "p.svg")
        root = xml.etree.ElementTree.parse(self.folder / "p.svg").getroot()
        titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(sum("matmul/blocked f32" in title and title.endswith("1.43") for title in titles), 5)
        self.assertNotIn("nan", (self.folder / "p.svg").read_text())


if __name__ == "__main__":
    unittest.main()
