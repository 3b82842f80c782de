# SPDX-License-Identifier: BSD-3-Clause
"""The whole catalogue at awkward shapes: every pattern, variant, type and tile on every space; all is verified."""

import json
import re
import unittest

from tilestride import SOURCE, CommandLine

AWKWARD = {
    "stream": 'type = ["f32", "f64", "i32"]\nop = ["copy", "scale", "add", "triad", "dot"]\n'
              'bytes = ["8 B", "24 B", "8000 B", "64 KiB", "100008 B"]\n',
    "transpose": 'type = ["f32", "f64", "i32"]\ntile = [8, 16, 32, 64]\nper_thread = [1, 8]\n'
                 'block = ["auto", "64x64", "64x64-sectors", "128x32-sectors", "32x32", "64x32-sectors", '
                 '"32x16-sectors", "128x64", "128x128", "256x256", "64x512"]\n'
                 'shape = ["1x1", "1x7", "7x1", "2x3", "31x33", "32x32", "33x31", "63x65", "127x129", "1x1009", '
                 '"1009x1", "257x521", "72x130", "264x33", "512x70"]\n',
    "matmul": 'type = ["f32", "f64"]\ntile = [8, 16, 32]\n'
              'block = ["auto", "128x128x8", "128x64x16", "128x64x8", "128x32x16", "64x64x8", "64x64x16", "32x64x8", '
              '"32x32x8", "32x32x32", "6x4v256", "6x4v384", "8x3v256", "12x2v256", "6x2v256"]\n'
              'shape = ["1x1x1", "1x1x97", "1x97x1", "97x1x1", "2x3x5", "7x33x31", "31x33x32", "33x31x33", '
              '"32x32x32", "64x17x129", "127x65x1", "1x129x257", "129x1x63", "132x68x36", "3x5x4001"]\n',
    "transfer": 'memory = ["pageable", "pinned", "registered", "write_combined"]\ndirection = ["h2d", "d2h", "both"]\n'
                'bytes = ["4 B", "20 B", "4092 B", "65540 B", "1000004 B"]\n'
                '[[case]]\npattern = "transfer"\nmemory = "much_pinned"\ndirection = "both"\nbytes = "65540 B"\n',
    "batch": 'chunks = [1, 2, 3, 33, 1000]\nchunk_bytes = ["4 B", "20 B", "256 B", "1040 B", "4100 B"]\n',
    "overlap": 'type = ["f32", "f64"]\nbytes = ["8 B", "520 B", "100008 B", "1 MiB"]\nintensity = 33\n'
               'streams = [1, 3, 64, 65]\nchunks = [0, 7, 300]\norder = ["depth", "breadth"]\n'
               '[[case]]\npattern = "overlap"\ntype = ["f32", "f64"]\nbytes = ["8 B", "100008 B", "1 MiB"]\n'
               'intensity = 33\nmemory = "pageable"\nstreams = 3\nchunks = 7\norder = ["depth", "breadth"]\n',
    "aat": 'type = ["f32", "f64"]\ntile = [8, 16, 32]\n'
           'block = ["auto", "128x128x8", "64x64x8", "6x4v256", "6x4v384", "8x3v256", "12x2v256", "6x2v256"]\n'
           'shape = ["1x1", "1x97", "97x1", "2x3", "7x33", "31x32", "33x31", "32x32", "65x17", "64x129", "129x63", '
           '"132x36", "5x4001"]\n',
    "staged_copy": 'type = ["i32", "f32", "f64"]\nteam = [1, 32, 100, 1024]\nper_thread = [1, 8]\n'
                   'bytes = ["8 B", "64 KiB", "100008 B"]\n',
    "offset_copy": 'type = ["f32", "f64"]\nteam = [1, 33, 1000]\nper_thread = [1, 4]\noffset = [5, 1024]\n'
                   'bytes = ["8 B", "100008 B"]\n',
    "stride_copy": 'type = ["f32", "f64"]\nstride = [1, 3, 8, 31, 1000]\nper_thread = [1, 4]\n'
                   'bytes = ["8 B", "24 B", "8000 B", "100008 B"]\n',
    "tile_access": 'type = ["i32", "f32", "f64"]\naccess = ["row_row", "col_col", "row_col"]\npad = [0, 3]\n'
                   'repeat = 5\n'
                   'shape = ["1x1", "1x7", "7x1", "2x3", "31x33", "32x16", "33x32"]\n'
                   '[[case]]\npattern = "tile_access"\naccess = ["row_row", "col_col", "row_col"]\nrepeat = 1\n',
    "bank_stride": 'stride = [0, 1, 7, 35, 64]\nword = [1, 2, 4, 8, 16]\nbase = 5\nop = ["load", "store"]\nrepeat = 3\n'
                   '[[case]]\npattern = "bank_stride"\naccess = ["broadcast", "multicast", "permuted"]\n'
                   'word = [1, 2, 4, 8, 16]\nbase = 128\nop = ["load", "store"]\nrepeat = 3\n'
                   '[[case]]\npattern = "bank_stride"\naccess = ["partition", "arrays"]\nop = ["load", "store"]\n'
                   'repeat = [1, 3]\n'
                   '[[case]]\npattern = "bank_stride"\nstride = [0, 3, 32]\nword = [1, 2, 4, 8, 16]\nbase = 5\n'
                   'measure = "latency"\nrepeat = 3\n',
    "reduce": 'type = ["f32", "f64", "i32"]\n'
              'bytes = ["8 B", "24 B", "1000 B", "1 KiB", "1032 B", "8000 B", "100008 B", "1000008 B"]\n',
    "stencil": 'type = ["f32", "f64"]\nradius = [1, 2, 4, 8, 16]\ndistinct = [2, 32]\nbytes = ["8 B", "100008 B"]\n',
    "latency": 'bytes = ["128 B", "129 B", "384 B", "1000 B", "16 KiB", "64 KiB", "100 KiB", "257 KiB", "2 MiB"]\n',
    "launch": 'op = ["nothing", "load"]\nthreads = [1024, 99328]\nteam = [1, 32, 1024]\n'
              '[[case]]\npattern = "launch"\nthreads = [33, 9900]\nteam = 33\n',
    "steps": 'type = ["f32", "f64", "i32"]\npasses = [1, 3, 65]\n',
    "tiles": 'type = ["f32", "f64", "i32"]\nbytes = ["4 KiB", "100008 B", "300 KiB"]\npitch = [1, 31, 33, 64]\n'
             '[[case]]\npattern = "tiles"\nbytes = "40 B"\npitch = 5\n',
    "bandwidth": 'bytes = ["16 B", "48 B", "1 KiB", "4112 B", "100016 B", "300 KiB"]\nreads = ["set", "part"]\n'
                 'readers = [0, 3]\npasses = [1, 3]\n'
                 '[[case]]\npattern = "bandwidth"\nbytes = "64 KiB"\nreads = ["set", "part"]\n',
    "occupancy": 'type = ["f32", "f64"]\nlive = [8, 128]\nteam = [32, 1024]\n',
    "shuffle": 'type = ["f32", "f64", "i32"]\nop = ["broadcast", "up", "down", "rotate", "xor", "reduce", "scan"]\n'
               'width = [2, 4, 8, 16, 32]\n',
    "l2_window": 'stream = ["16 B", "1008 B", "1 MiB"]\npersistent = ["48 B", "2 MiB"]\nset_aside = ["1 B", "1 GiB"]\n'
                 'words = [1, 4]\nblocks = [0, 3]\n'
                 'hit_percent = ["fit", "30"]\nmiss = ["normal", "streaming"]\n'
                 'window = ["16 B", "1 MiB", "1 GiB"]\npercent = [0, 33, 101]\n',
    "carveout": 'blocks = [1, 33]\npasses = [1, 9]\n'
                'working_set = ["4 KiB", "6 KiB", "36 KiB", "100 KiB", "228 KiB", "8 MiB"]\n'
                'carveout = "30"\npreference = ["none", "l1", "device_l1"]\nbank_size = ["default", "8"]\n',
    "zero_copy": 'bytes = ["128 B", "1152 B", "100096 B"]\ntouched = [37, 100]\nreuse = [1, 3]\nblocks = [0, 3]\n'
                 'stride = [7, 1000000000]\nchunks = [5, 65537]\n',
    "pointer_attributes": 'memory = ["device", "pinned", "registered", "pageable", "managed", "peer"]\n',
    "peer": 'bytes = ["4 B", "20 B", "100004 B"]\naccess = ["on", "off"]\ndirection = ["each", "both", "all"]\n'
            'gpus = [2, 3]\n',
    "fences": 'team = [1, 33, 1024]\nafter = ["nothing", "store"]\n'
              'op = ["nothing", "team_barrier", "syncwarp", "fence_block", "fence_device", "fence_system", '
              '"fence_load", "fence_store", "plain_load", "volatile_load", "atomic_load", "acquire_load"]\n',
    "litmus": 'test = ["mp", "sb"]\nscope = ["block", "device", "system"]\n'
              'form = ["plain", "volatile", "relaxed", "fenced", "atomic"]\niterations = [1, 300]\nstress = 7\n',
    # Alone they are skipped: test_exchange.py walks them on several ranks.
    "exchange": 'bytes = ["16 B", "64 KiB"]\nop = ["pairs", "each_pair", "ring", "all_to_all"]\n',
    "global_transpose": 'type = ["f32", "f64"]\nn = [2, 130]\npieces = [1, 3]\n',
    "summa": 'type = ["f32", "f64"]\nn = [48, 240]\nslices = [1, 2]\n',
    "halo": 'type = ["f32", "f64"]\nn = [4, 132]\n',
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
        spaces = re.search(r"^spaces of tilestride[^:]*: (.*)", self.call("list").stdout, re.MULTILINE)[1].split(", ")
        for pattern, keys in AWKWARD.items():
            with self.subTest(pattern):
                self.setUp()
                deck = self.folder / "deck.toml"
                case = f'[[case]]\npattern = "{pattern}"\nspace = {json.dumps(spaces)}\n{keys}'
                deck.write_text(f'schema = 1\n[sampling]\nmax_time = "1 ms"\nmin_samples = 3\n{case}')
                done = self.call("run", deck, "-o", "out", timeout=500)
                cases = self.results().values()
                bad = [(c["name"], c["reason"]) for c in cases if c["outcome"] in ("FAILED", "error", "not run")]
                self.assertEqual(bad, [])
                everything_skipped = all(c["outcome"] == "skipped" for c in cases)
                self.assertEqual(done.returncode, 77 if everything_skipped else 0)
                # Whatever else is skipped, no device may have failed to answer.
                skips = {(c["skip"], c["reason"]) for c in cases if c["outcome"] == "skipped"}
                self.assertEqual([skip for skip in skips if skip[0] == "no_device" or not skip[1]], [])

    def test_the_decks_that_are_shipped_have_no_mistakes(self):
        decks = sorted((SOURCE / "inputs").glob("*.toml"))
        self.assertGreaterEqual(len(decks), 4)
        for deck in decks:
            with self.subTest(deck.name):
                self.assertEqual(self.call("check", deck).returncode, 0)

    def test_the_tuning_deck_sweeps_every_block(self):
        swept = {}
        for case in (SOURCE / "inputs" / "tuning.toml").read_text().split("[[case]]")[1:]:
            pattern = re.search(r'pattern = "(\w+)"', case)[1]
            swept.setdefault(pattern, set()).update(re.findall(r'"(.*?)"', re.search(r"block   = \[(.*?)\]", case)[1]))
        offered = {}
        for line in self.call("list").stdout.splitlines():
            if line and not line.startswith(" "):
                pattern = line.split(":")[0]
            elif match := re.match(r"    block +.*\(default auto; (.*)\)", line):
                offered[pattern] = set(match[1].split(", "))
        hosts_only = {"aat": {block for block in offered["aat"] if "v" in block}}  # the product's own, swept there
        on_devices = {pattern: blocks - hosts_only.get(pattern, set()) for pattern, blocks in offered.items()}
        self.assertEqual(swept, on_devices)


if __name__ == "__main__":
    unittest.main()
