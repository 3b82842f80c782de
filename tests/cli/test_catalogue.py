# SPDX-License-Identifier: BSD-3-Clause
"""The whole catalogue at awkward shapes: every pattern, variant, type and tile on every space of the build, every element verified."""

import json
import re
import unittest

from tilestride import SOURCE, CommandLine

AWKWARD = {
    "stream": 'type = ["f32", "f64", "i32"]\nop = ["copy", "scale", "add", "triad", "dot"]\nbytes = ["8 B", "24 B", "8000 B", "64 KiB", "100008 B"]\n',
    "transpose": 'type = ["f32", "f64", "i32"]\ntile = [8, 16, 32, 64]\n'
                 'shape = ["1x1", "1x7", "7x1", "2x3", "31x33", "32x32", "33x31", "63x65", "127x129", "1x1009", "1009x1", "257x521"]\n',
    "matmul": 'type = ["f32", "f64"]\ntile = [8, 16, 32]\n'
              'shape = ["1x1x1", "1x1x97", "1x97x1", "97x1x1", "2x3x5", "7x33x31", "31x33x32", "33x31x33", "32x32x32", "64x17x129", "127x65x1", "1x129x257", "129x1x63"]\n',
    "aat": 'type = ["f32", "f64"]\ntile = [8, 16, 32]\n'
           'shape = ["1x1", "1x97", "97x1", "2x3", "7x33", "31x32", "33x31", "32x32", "65x17", "64x129", "129x63"]\n',
}  # fmt: skip


class Catalogue(CommandLine):
    def test_every_pattern_is_walked(self):
        listed = re.findall(r"^(\w+): ", self.call("list").stdout, re.MULTILINE)
        self.assertEqual(set(listed), set(AWKWARD))

    def test_awkward_shapes(self):
        spaces = re.search(r"^spaces of this build: ([^(]*)", self.call("list").stdout, re.MULTILINE)[1].strip().split(", ")
        for pattern, keys in AWKWARD.items():
            with self.subTest(pattern):
                self.setUp()
                deck = self.folder / "deck.toml"
                deck.write_text(f'schema = 1\n[sampling]\nmax_time = "1 ms"\nmin_samples = 3\n[[case]]\npattern = "{pattern}"\nspace = {json.dumps(spaces)}\n{keys}')
                done = self.call("run", deck, "-o", "out", timeout=500)
                bad = [(c["name"], c["reason"]) for c in self.results().values() if c["outcome"] in ("FAILED", "error", "not run")]
                self.assertEqual(bad, [])
                self.assertEqual(done.returncode, 0)
                skipped = {c["reason"] for c in self.results().values() if c["outcome"] == "skipped"}
                # Without OpenBLAS or Kokkos Kernels their rows are skipped; with them only these are.
                allowed = r"no routine of BLAS|BLAS knows no integers|transposes no integers|is built in for space|built without|raw CUDA has no meaning on a host"
                self.assertEqual([reason for reason in skipped if not re.search(allowed, reason)], [])

    def test_the_decks_that_are_shipped_have_no_mistakes(self):
        decks = sorted((SOURCE / "inputs").glob("*.toml"))
        self.assertGreaterEqual(len(decks), 4)
        for deck in decks:
            with self.subTest(deck.name):
                self.assertEqual(self.call("check", deck).returncode, 0)


if __name__ == "__main__":
    unittest.main()
