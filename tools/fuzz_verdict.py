#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random problems through a built program: right kernels must pass every verdict.

  tools/fuzz_verdict.py build/bin/tilestride --space serial --cases 10000 --seed 1

Decks of random shapes, types, keys and seeds are run with short samples until so many cases have run. Exit 1 if any of
them FAILED or was an error; its deck is then kept and named. Timings mean nothing here.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

#: What a case may have: for each key a function that draws its value.
DRAWS = {
    "stream": {"op": ["copy", "scale", "add", "triad", "dot"], "bytes": (8, 300000, 8)},
    "transpose": {"shape": (2, 400), "tile": [8, 16, 32, 64]},
    "matmul": {"shape": (3, 160), "tile": [8, 16, 32]},
    "aat": {"shape": (2, 160), "tile": [8, 16, 32]},
    "staged_copy": {"team": (1, 1024, 1), "per_thread": [1, 2, 4, 8], "bytes": (8, 300000, 8)},
    "offset_copy": {"team": (1, 1024, 1), "offset": (0, 1024, 1), "bytes": (8, 300000, 8)},
    "stride_copy": {"stride": (1, 200, 1), "bytes": (8, 20000, 8)},
    "tile_access": {
        "shape": (2, 32),
        "pad": (0, 5, 1),
        "repeat": (1, 50, 1),
        "access": ["row_row", "col_col", "row_col"],
    },
    "bank_stride": {
        "stride": (0, 64, 1),
        "word": [1, 2, 4, 8, 16],
        "base": (0, 128, 1),
        "op": ["load", "store"],
        "repeat": (1, 40, 1),
    },
    "reduce": {"bytes": (8, 3000000, 8)},
    "stencil": {"radius": [1, 2, 4, 8, 16], "distinct": [1, 2, 4, 8, 16, 32], "bytes": (8, 300000, 8)},
    "latency": {"bytes": (256, 300000, 128)},
    "launch": {"op": ["nothing", "load"], "team": [1], "threads": (1, 100000, 1)},
    "bandwidth": {"bytes": (16, 300000, 16), "reads": ["set", "part"], "readers": (1, 5, 1), "passes": (1, 5, 1)},
}
REALS = ["f32", "f64"]
ALL = [*REALS, "i32"]
TYPES = {
    "stream": ALL,
    "transpose": ALL,
    "matmul": REALS,
    "aat": REALS,
    "staged_copy": ALL,
    "offset_copy": REALS,
    "stride_copy": REALS,
    "tile_access": ALL,
    "reduce": ALL,
    "stencil": REALS,
}


def value_of(draw, chance):
    """A key's value as TOML: one of a list, a whole number of steps, or a shape with so many extents."""
    if isinstance(draw, list):
        return json.dumps(chance.choice(draw))
    if len(draw) == 3:
        low, high, step = draw
        number = (
            round(chance.uniform(low, high) / step) * step
            if chance.random() < 0.5
            else low + step * chance.randrange(8)
        )
        return str(min(high, max(low, number)))
    extents, most = draw
    # A third of all extents is 1 to 3, and some depths of a product are long.
    drawn = [chance.randint(1, 3) if chance.random() < 0.3 else chance.randint(1, most) for _ in range(extents)]
    if extents == 3 and chance.random() < 0.1:
        drawn = [chance.randint(1, 9), chance.randint(1, 9), chance.randint(1000, 100000)]
    return json.dumps("x".join(map(str, drawn)))


def deck_of(space, chance, blocks):
    lines = [
        "schema = 1",
        "[run]",
        f"seed = {chance.randrange(1, 10**6)}",
        "[sampling]",
        'max_time = "1 ms"',
        "min_samples = 3",
    ]
    for _ in range(blocks):
        pattern = chance.choice(list(DRAWS))
        lines += ["[[case]]", f'pattern = "{pattern}"', f'space = "{space}"']
        if pattern in TYPES:
            lines.append(f'type = "{chance.choice(TYPES[pattern])}"')
        for key, draw in DRAWS[pattern].items():
            value = value_of(draw, chance)
            lines.append(f'{key} = "{value} B"' if key == "bytes" else f"{key} = {value}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--space", default="serial")
    parser.add_argument("--cases", type=int, default=1000, help="cases that must have passed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blocks", type=int, default=40, help="[[case]] blocks in a deck")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    passed = 0
    wrong = []
    decks = 0
    with tempfile.TemporaryDirectory() as folder:
        while passed < options.cases:
            decks += 1
            deck = pathlib.Path(folder, f"deck{decks}.toml")
            deck.write_text(deck_of(options.space, chance, options.blocks))
            results = pathlib.Path(folder, f"results{decks}")
            run = subprocess.run(
                [options.program, "run", deck, "-o", results], check=False, capture_output=True, text=True
            )
            if not (results / "result.json").exists():
                sys.exit(f"{deck.read_text()}\n{run.stderr}\nthe deck above was refused")
            for case in json.loads((results / "result.json").read_text())["results"]:
                passed += case["outcome"] == "passed"
                if case["outcome"] in ("FAILED", "error"):
                    wrong.append(f"{case['name']}: {case['outcome']}: {case.get('reason', '')}")
                    print(wrong[-1], flush=True)
            print(f"{passed} passed after {decks} decks", flush=True)
    print(f"{decks} decks, seed {options.seed}: {passed} passed, {len(wrong)} did not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
