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
    "staged_copy": 'type = ["i32", "f32", "f64"]\nteam = [1, 32, 100, 1024]\nbytes = ["8 B", "24 B", "64 KiB", "100008 B"]\n',
    "offset_copy": 'type = ["f32", "f64"]\nteam = [1, 33, 1000]\noffset = [0, 5, 1024]\nbytes = ["8 B", "8000 B", "100008 B"]\n',
    "stride_copy": 'type = ["f32", "f64"]\nstride = [1, 2, 3, 8, 31, 32, 1000]\nbytes = ["8 B", "24 B", "8000 B", "100008 B"]\n',
    "reduce": 'type = ["f32", "f64", "i32"]\nbytes = ["8 B", "24 B", "1000 B", "1 KiB", "1032 B", "8000 B", "100008 B", "1000008 B"]\n',
    "latency": 'bytes = ["128 B", "129 B", "384 B", "1000 B", "16 KiB", "64 KiB", "100 KiB", "257 KiB", "2 MiB"]\n',
    "occupancy": 'type = ["f32", "f64"]\nlive = [8, 128]\nteam = [32, 1024]\n',
    "shuffle": 'type = ["f32", "f64", "i32"]\nop = ["broadcast", "up", "down", "rotate", "xor", "reduce", "scan"]\nwidth = [2, 4, 8, 16, 32]\n',
    "fences": 'team = [1, 33, 1024]\nafter = ["nothing", "store"]\nop = ["nothing", "team_barrier", "syncwarp", "fence_block", "fence_device", "fence_system", "fence_load", "fence_store", "plain_load", "volatile_load", "atomic_load", "acquire_load"]\n',
    "litmus": 'test = ["mp", "sb"]\nscope = ["block", "device", "system"]\nform = ["plain", "volatile", "relaxed", "fenced", "atomic"]\niterations = [1, 300]\nstress = 7\n',
}  # fmt: skip


class Catalogue(CommandLine):
    def test_every_pattern_is_walked(self):
        listed = re.findall(r"^(\w+): ", self.call("list").stdout, re.MULTILINE)
        self.assertEqual(set(listed), set(AWKWARD))

    def test_every_native_variant_is_the_twin_of_one_that_exists(self):
        pattern, variants, twins = None, {}, []
        for line in self.call("list").stdout.splitlines():
            if line and not line.startswith(" "):
                pattern = line.split(":")[0]
            elif match := re.match(r"    (\w+) +.*", line):
                variants.setdefault(pattern, set()).add(match[1])
                if twin := re.search(r"\(native, twin of (\w+)\)", line):
                    twins.append((pattern, twin[1]))
        for pattern, twin in twins:
            self.assertIn(twin, variants[pattern])

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
                everything_skipped = all(c["outcome"] == "skipped" for c in self.results().values())
                self.assertEqual(done.returncode, 77 if everything_skipped else 0)
                skipped = {c["reason"] for c in self.results().values() if c["outcome"] == "skipped"}
                # Without OpenBLAS or Kokkos Kernels their rows are skipped; with them only these are.
                allowed = r"no routine of BLAS|BLAS knows no integers|transposes no integers|is built in for space|built without|raw CUDA has no meaning|compiled for teams of|on a host|a host's|Kokkos has no word|do not fit into|needs more registers"
                self.assertEqual([reason for reason in skipped if not re.search(allowed, reason)], [])

    def test_the_decks_that_are_shipped_have_no_mistakes(self):
        decks = sorted((SOURCE / "inputs").glob("*.toml"))
        self.assertGreaterEqual(len(decks), 4)
        for deck in decks:
            with self.subTest(deck.name):
                self.assertEqual(self.call("check", deck).returncode, 0)


if __name__ == "__main__":
    unittest.main()
