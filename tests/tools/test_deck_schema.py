# SPDX-License-Identifier: BSD-3-Clause
"""The schema of decks refuses what is wrong, one thing at a time. Needs check-jsonschema (scripts/docs.sh)."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
GOOD = """schema = 1
[run]
title = "t"
budget = "10 min"
require = ["cuda", "openmp"]
clean_environment = true
[sampling]
min_samples = 10
spread = 0.005
cache = "cold"
[[case]]
pattern = "transpose"
space = ["openmp", "cuda"]
variant = ["padded", "tiled"]
type = "f32"
shape = ["64x64", "10007 x 513"]
tile = { from = 8, to = 32, times = 2 }
max_time = "2 s"
[[case]]
pattern = "stream"
bytes = ["1.5 GiB", 4096, "25 %"]
[[expect]]
pattern = "transpose"
variant = "padded"
of = { variant = "tiled", tile = 8 }
at_least = 1.0
best_over = ["tile"]
optional = true
why = "tender 4.2"
[[expect]]
pattern = "stream"
at_least = "3900 GB/s"
"""
# What is replaced by what. The second must be wrong, and nothing else.
WRONG = [
    ("schema = 1", "schema = 2"),
    ("schema = 1\n", ""),
    ('title = "t"', "title = 5"),
    ('title = "t"', 'titel = "t"'),
    ('budget = "10 min"', 'budget = "10 minutes"'),
    ('budget = "10 min"', "budget = 600"),
    ('["cuda", "openmp"]', '["cuda", "opencl"]'),
    ("clean_environment = true", 'clean_environment = "yes"'),
    ("min_samples = 10", "min_samples = 2"),
    ("min_samples = 10", "min_samples = 10.5"),
    ("spread = 0.005", "spread = 2"),
    ('cache = "cold"', 'cache = "cool"'),
    ("[sampling]", "[samplings]"),
    ('pattern = "transpose"\nspace', 'pattern = "transpoze"\nspace'),
    ('pattern = "transpose"\nspace', "space"),
    ('["openmp", "cuda"]', "[]"),
    ('["padded", "tiled"]', '["padded", "tilled"]'),
    ('["padded", "tiled"]', '["padded", "padded"]'),
    ('type = "f32"', 'type = "f16"'),
    ('"64x64"', '"64x64x64"'),
    ('"64x64"', "64"),
    ("tile = {", "tiles = {"),
    ("times = 2", "times = 1"),
    ("times = 2", "times = 2, step = 8"),
    (", times = 2", ""),
    ("{ from = 8, to = 32, times = 2 }", "[16, 17]"),
    ('max_time = "2 s"', "max_time = 2"),
    ('"1.5 GiB"', '"1.5 GB"'),
    ("4096", "0"),
    ('bytes = ["1.5', 'shape = "64x64"\nbytes = ["1.5'),
    ('{ variant = "tiled", tile = 8 }', "{}"),
    ('{ variant = "tiled", tile = 8 }', '{ variant = ["tiled", "copy"] }'),
    ('{ variant = "tiled", tile = 8 }', '{ variant = "tiled", tiel = 8 }'),
    ("at_least = 1.0\n", ""),
    ("at_least = 1.0", 'at_least = "3900 GB/s"'),
    ("at_least = 1.0", "at_least = -1"),
    ('at_least = "3900 GB/s"', "at_least = 0.9"),
    ('at_least = "3900 GB/s"', 'at_least = "3900 GiB/s"'),
    ('best_over = ["tile"]', 'best_over = ["tiles"]'),
    ("optional = true", "optional = 1"),
    ('why = "tender 4.2"', 'because = "tender 4.2"'),
    ("[[case]]", "[[cases]]"),
]


class DeckSchema(unittest.TestCase):
    def test_only_what_is_wrong_is_refused(self):
        tool = pathlib.Path(sys.executable).parent / "check-jsonschema"
        self.assertTrue(os.access(tool, os.X_OK), f"{tool} is missing: scripts/docs.sh check")
        with tempfile.TemporaryDirectory() as folder:
            decks = {pathlib.Path(folder, "good.toml"): GOOD}
            for number, (right, wrong) in enumerate(WRONG):
                self.assertIn(right, GOOD)
                decks[pathlib.Path(folder, f"wrong_{number:02}.toml")] = GOOD.replace(right, wrong)
            for path, text in decks.items():
                path.write_text(text)
            command = [tool, "--schemafile", ROOT / "inputs" / "deck.schema.json", "--output-format", "json", *decks]
            said = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 1, said.stderr)
        for path, text in decks.items():
            with self.subTest(deck=text):
                self.assertEqual(path.name in said.stdout, path.name != "good.toml")


if __name__ == "__main__":
    unittest.main()
