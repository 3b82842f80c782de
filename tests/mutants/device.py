#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mutants that only a GPU shows: barriers left out, shuffles of the wrong width. By hand, on a machine with one:

  git worktree add /tmp/mutants && tests/mutants/device.py apply /tmp/mutants
  (build tilestride-cuda there)
  …/tilestride-cuda run tests/mutants/device.toml -o out; tests/mutants/device.py judge out/result.json

`judge` exits with 1 when a mutated variant passed everywhere or a sound one did not pass. A barrier left out is a race:
it need not show at every shape, but each mutated variant must fail at one shape at least.
"""

import collections
import json
import pathlib
import sys

#: file, what is replaced, by what, and the variants that are then wrong
MUTANTS = [
    (
        "src/patterns/transpose/tiled.hpp",
        "      team.team_barrier();\n      if constexpr (marked)",
        "      if constexpr (marked)",
        ["transpose/tiled", "transpose/padded"],
    ),
    (
        "src/patterns/matmul/shared.hpp",
        "            team.team_barrier();\n            multiply_tiles",
        "            multiply_tiles",
        ["matmul/shared"],
    ),
    (
        "src/patterns/reduce/tree.hpp",
        "  team.team_barrier();\n  for_each_of<Exec>(team, Quarter",
        "  for_each_of<Exec>(team, Quarter",
        ["reduce/scratch", "reduce/global", "reduce/scratch_unrolled"],
    ),
    ("src/patterns/stencil/scratch.hpp", "          team.team_barrier();\n", "", ["stencil/scratch"]),
    (
        "src/patterns/tile_access/scratch.hpp",
        "        team.team_barrier();\n        x = tile",
        "        x = tile",
        ["tile_access/scratch"],
    ),
    (
        "src/patterns/aat/coalesced.hpp",
        "            multiply_tiles(own, rows_tile, columns_tile, sum);\n            team.team_barrier();\n",
        "            multiply_tiles(own, rows_tile, columns_tile, sum);\n",
        ["aat/coalesced", "aat/padded"],
    ),
    (
        "src/patterns/shuffle/team.hpp",
        "[&](T& x) { x = y + own_value<T, Traits<Exec>::warp>(first); }",
        "[&](T& x) { x = y + own_value<T, Traits<Exec>::warp>(first + 1); }",
        ["shuffle/team"],
    ),
    (
        "src/cuda/transpose.cu",
        "  __syncthreads();\n  if constexpr (marked)",
        "  if constexpr (marked)",
        ["transpose/native_tiled", "transpose/native_padded", "transpose/native_dynamic"],
    ),
    (
        "src/cuda/matmul.cu",
        "    __syncthreads();\n#pragma unroll\n    for (int i = 0; i < Tile; ++i) sum += a_tile",
        "#pragma unroll\n    for (int i = 0; i < Tile; ++i) sum += a_tile",
        ["matmul/native_shared"],
    ),
    (
        "src/cuda/reduce.cu",
        "    __syncthreads();\n    if (t < quarter)",
        "    if (t < quarter)",
        ["reduce/native_global", "reduce/native_dynamic", "reduce/native_unrolled"],
    ),
    ("src/cuda/stencil.cu", "  __syncthreads();\n", "", ["stencil/native_scratch"]),
    (
        "src/cuda/aat.cu",
        "columns_tile[i][x];\n    __syncthreads();\n",
        "columns_tile[i][x];\n",
        ["aat/native_coalesced", "aat/native_padded"],
    ),
    (
        "src/cuda/shuffle.cu",
        "__shfl_up_sync(all_lanes, x, distance, Width)",
        "__shfl_up_sync(all_lanes, x, distance)",
        ["shuffle/native_shuffle"],
    ),
    (
        "src/cuda/tile_access.cu",
        "    store = x;\n    __syncthreads();\n",
        "    store = x;\n",
        ["tile_access/native_static", "tile_access/native_dynamic"],
    ),
]


def apply(tree):
    for file, old, new, _ in MUTANTS:
        path = pathlib.Path(tree, file)
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f"{file}: what is replaced stands {text.count(old)} times")
        path.write_text(text.replace(old, new))


def judge(result):
    mutated = {variant for *_, variants in MUTANTS for variant in variants}
    outcomes = collections.defaultdict(list)
    for case in json.loads(pathlib.Path(result).read_text())["results"]:
        if case["outcome"] != "skipped":
            outcomes[f"{case['pattern']}/{case['variant']}"].append(case["outcome"])
    wrong = 0
    for variant, seen in sorted(outcomes.items()):
        caught = "FAILED" in seen or "error" in seen
        right = caught if variant in mutated else set(seen) == {"passed"}
        wrong += not right
        print(f"{'' if right else 'WRONG '}{variant}: {', '.join(seen)}")
    return 1 if wrong or not mutated <= outcomes.keys() else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("apply", "judge"):
        sys.exit(__doc__)
    sys.exit(apply(sys.argv[2]) if sys.argv[1] == "apply" else judge(sys.argv[2]))
