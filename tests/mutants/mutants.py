# SPDX-License-Identifier: BSD-3-Clause
"""Mutants: portable kernels with one mistake each, as replacements in the sources, and a deck that shows it.

What a mutant does on space serial is what counts: a team is one thread there, and teams run in their order. So a static
counter counts calls, or teams. `old` must stand exactly once in its file. The deck runs the mutated variant beside a
sound sibling where there is one: it has the same buffers, and must pass.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str  # begins with its pattern's
    pattern: str
    variant: str  # the one that is mutated
    sibling: str  # a sound one beside it; empty where all variants share the mistake or there is only one
    file: str  # below src
    old: str
    new: str
    deck: str
    expected: str = "caught"  # or "equivalent"
    proof: str = ""  # of an equivalent one: why no output can show it
    note: str = ""


ALL: list[Mutant] = []


def mutant(name, file, old, new, variant, sibling="", expected="caught", proof="", note="", **keys):
    """Appends one to ALL. The pattern is the folder of the file; keys are those of the deck's case."""
    pattern = file.split("/")[1]
    values = {"pattern": pattern, "space": "serial", "variant": [variant, sibling] if sibling else variant, **keys}
    lines = "".join(f"{key} = {toml(value)}\n" for key, value in values.items())
    deck = f"schema = 1\n\n[[case]]\n{lines}"
    ALL.append(Mutant(f"{pattern}_{name}", pattern, variant, sibling, file, old, new, deck, expected, proof, note))


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


# --- transpose ---

TILED = "patterns/transpose/tiled.hpp"
ROW_READ = "patterns/transpose/row_read.hpp"
ROW_WRITE = "patterns/transpose/row_write.hpp"
STORE = "out(c, r) = x;"
IS_LAST = "r + 1 == static_cast<std::int64_t>(in.extent(0)) && c + 1 == static_cast<std::int64_t>(in.extent(1))"
MOVE = 'move_matrix("tilestride::transpose::row_write"'
MATRIX = {"type": "f32", "shape": "64x48"}
TILES = MATRIX | {"tile": 8}

mutant(
    "off_by_one",
    TILED,
    "tile[r * pitch + c] = from[r * cols + c];",
    "tile[r * pitch + c] = from[r * cols + c + 1];",
    "tiled",
    "row_read",
    **TILES,
)
mutant(
    "last_tile",
    TILED,
    "(p.exec, tiling.count(), layout)",
    "(p.exec, tiling.count() - 1, layout)",
    "tiled",
    "row_read",
    **TILES,
)
mutant("last_element_zero", ROW_READ, STORE, f"out(c, r) = {IS_LAST} ? T(0) : x;", "row_read", "row_write", **MATRIX)
mutant(
    "last_element_nan",
    ROW_READ,
    STORE,
    f"out(c, r) = {IS_LAST} ? std::numeric_limits<T>::quiet_NaN() : x;",
    "row_read",
    "row_write",
    **MATRIX,
)
mutant(
    "first_call_only",
    ROW_WRITE,
    MOVE,
    f"static long calls = 0;\n    if (calls++ > 0) return;\n    {MOVE}",
    "row_write",
    "row_read",
    **MATRIX,
)
mutant(
    "every_second_call",
    ROW_WRITE,
    MOVE,
    f"static long calls = 0;\n    if (calls++ % 2 == 1) return;\n    {MOVE}",
    "row_write",
    "row_read",
    **MATRIX,
    note="seen only by a verdict on two calls one after the other: a verdict on one depends on how many came before",
)
mutant(
    "input_altered",
    ROW_READ,
    "return in(r, c);",
    "T const x = in(r, c);\n      in(r, c) = T(0);\n      return x;",
    "row_read",
    "row_write",
    **MATRIX,
    note="every element, after it was read: the output of a first call is right",
)
mutant(
    "input_altered_later",
    ROW_WRITE,
    MOVE,
    f"static long calls = 0;\n    if (++calls > 3) p.in.data()[0] = T(0);\n    {MOVE}",
    "row_write",
    "row_read",
    **MATRIX,
    note="one element, and not in the first call: while all are sampled, nobody can be named",
)
mutant(
    "half_of_the_tiles_per_call",
    TILED,
    "T* const tile = scratch_of<T>(team, Tile * pitch);",
    "static long teams = 0;\n      if ((team.league_rank() + teams++ / team.league_size()) % 2 == 1) return;\n"
    "      T* const tile = scratch_of<T>(team, Tile * pitch);",
    "tiled",
    "row_read",
    type="f32",
    shape="1024x1024",
    tile=8,
)
mutant("past_the_end", ROW_READ, STORE, f"{STORE} out.data()[out.size()] = x;", "row_read", "row_write", **MATRIX)
mutant("before_the_start", ROW_READ, STORE, f"{STORE} out.data()[-1] = x;", "row_read", "row_write", **MATRIX)
mutant(
    "memo",
    ROW_WRITE,
    MOVE,
    f"if (p.out.data()[0] == p.out.data()[0]) return;\n    {MOVE}",
    "row_write",
    "row_read",
    type="f32",
    shape="1024x1024",
    note="Every judged call finds NaN in the output and works; only the figure shows that the others do not. An empty "
    "call takes some 10 ns, and the limit of the caches is 1.15 TB/s for one core: from about 40x40 on it is above "
    "that. A smaller matrix, or a memo that reads the whole output first, has a figure that a sound kernel could have.",
)
mutant(
    "scratch_unread",
    TILED,
    "to[c * rows + r] = tile[r * pitch + c];",
    "to[c * rows + r] = from[r * cols + c];",
    "tiled",
    "row_read",
    **TILES,
)
mutant("swapped_indices", ROW_READ, STORE, "out(r, c) = x;", "row_read", "row_write", type="f32", shape="64x64")
mutant(
    "padded_without_pad",
    "patterns/transpose/padded.hpp",
    "using Padded = ThroughScratch<1>;",
    "using Padded = ThroughScratch<0>;",
    "padded",
    "tiled",
    "equivalent",
    "Where an element lies in scratch is no part of any output, and every place is written before it is read; a "
    "device's counters of bank conflicts tell the two apart, a host has no banks.",
    **TILES,
)

LITERAL = "patterns/transpose/literal.hpp"
FROM_TILE = "= tile[x * pitch + y];"

mutant(
    "literal_neighbour",
    LITERAL,
    "= in[row * cols + col];",
    "= in[row * cols + col + 1];",
    "literal_row_write",
    "row_read",
    **MATRIX,
)
mutant(
    "literal_last_row",
    LITERAL,
    "if (row + x < rows && col + y < cols)",
    "if (row + x + 1 < rows && col + y < cols)",
    "literal_tiled",
    "literal_row_read",
    **MATRIX,
)
mutant(
    "literal_not_turned",
    LITERAL,
    FROM_TILE,
    "= tile[y * pitch + x];",
    "literal_padded",
    "literal_row_read",
    **MATRIX,
)
mutant(
    "literal_past_scratch",
    LITERAL,
    FROM_TILE,
    "= in[(row + x) * cols + col + y];",
    "literal_tiled",
    "literal_row_read",
    **MATRIX,
    note="the tile is filled and not used: the result is right, and only the probe shows it",
)

# --- stream ---

FLAT = "patterns/stream/flat.hpp"
DOT = "case Op::dot: return dot(range, p.a.data(), p.b.data(), p.sum);"
COPY_OF = """static void copy(Range const& range, T const* a, T* c) {
    Kokkos::parallel_for(
        "tilestride::stream::flat", range, KOKKOS_LAMBDA(std::int64_t i) { """
SHORTER = "Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>"
SUM = {"type": "f32", "op": "dot", "bytes": "256 KiB"}
COPIED = {"type": "f32", "op": "copy", "bytes": "64 KiB"}

mutant(
    "dot_first", FLAT, "partial += a[i] * b[i];", "partial += i == 0 ? T(0) : a[i] * b[i];", "flat", "blocked", **SUM
)
mutant(
    "dot_last",
    FLAT,
    DOT,
    f"case Op::dot: return dot({SHORTER}(p.exec, 0, p.n - 1), p.a.data(), p.b.data(), p.sum);",
    "flat",
    "blocked",
    **SUM,
)
mutant(
    "dot_last_64",
    "patterns/stream/blocked_host.hpp",
    "std::int64_t const n = p.n, threads = p.exec.concurrency();",
    "std::int64_t const n = p.n - 64, threads = p.exec.concurrency();",
    "blocked",
    "flat",
    **SUM,
)
mutant(
    "dot_cached",
    FLAT,
    DOT,
    """case Op::dot: {
        static T kept{};
        static bool known = false;
        if (!known) {
          dot(range, p.a.data(), p.b.data(), p.sum);
          p.exec.fence();
          kept = p.sum();
          known = true;
        }
        p.sum() = kept;
        return;
      }""",
    "flat",
    "blocked",
    type="f32",
    op="dot",
    bytes="16 MiB",
    note="writes the sum of its first call again: poison does not show it, the figure does",
)
mutant(
    "copy_last",
    FLAT,
    "case Op::copy: return copy(range, p.a.data(), p.c.data());",
    f"case Op::copy: return copy({SHORTER}(p.exec, 0, p.n - 1), p.a.data(), p.c.data());",
    "flat",
    "blocked",
    **COPIED,
)
mutant(
    "copy_alternate_elements",
    FLAT,
    f"{COPY_OF}c[i] = a[i]; }});",
    COPY_OF.replace("{\n", "{\n    static long calls = 0;\n    long const turn = calls++ % 2;\n", 1)
    + "if (i % 2 == turn) c[i] = a[i]; });",
    "flat",
    "blocked",
    **COPIED,
)
mutant(
    "triad_swapped",
    FLAT,
    "a[i] + scalar<T> * b[i]",
    "scalar<T> * a[i] + b[i]",
    "flat",
    "blocked",
    type="f32",
    op="triad",
    bytes="64 KiB",
)
mutant(
    "add_to_what_was_there",
    FLAT,
    "c[i] = a[i] + b[i];",
    "c[i] += a[i] + b[i];",
    "flat",
    "blocked",
    type="f32",
    op="add",
    bytes="64 KiB",
)
mutant(
    "copy_where_different",
    FLAT,
    f"{COPY_OF}c[i] = a[i]; }});",
    f"{COPY_OF}if (!(c[i] == a[i])) c[i] = a[i]; }});",
    "flat",
    "blocked",
    "equivalent",
    "Whatever the input and whatever the output held, it leaves the same output; it loads where it should store, which "
    "only a count of stores could show, and its time is that of reading two arrays.",
    **COPIED,
)

# --- reduce ---

LEVELS = "patterns/reduce/levels.hpp"
LEVEL = "level(from, n, partials, teams);"
TWO_LEVELS = {"type": "f32", "bytes": "256 KiB"}  # of 256 values each

mutant(
    "last",
    "patterns/reduce/flat.hpp",
    "(p.exec, 0, p.n)",
    "(p.exec, 0, p.n - 1)",
    "flat",
    "scratch",
    **TWO_LEVELS,
)
mutant(
    "last_64",
    "patterns/reduce/scratch_unrolled.hpp",
    "by_levels<T>(p.in.data(), p.n,",
    "by_levels<T>(p.in.data(), p.n - 64,",
    "scratch_unrolled",
    "flat",
    **TWO_LEVELS,
)
mutant(
    "half_a_tree",
    "patterns/reduce/halving.hpp",
    "half > 0;",
    "half > 1;",
    "halving",
    "scratch",
    **TWO_LEVELS,
)
mutant(
    "interleaved_step_left_out",
    "patterns/reduce/halving.hpp",
    "step < team_threads;",
    "2 * step < team_threads;",
    "interleaved",
    "scratch",
    **TWO_LEVELS,
)
mutant(
    "order_of_levels",
    LEVELS,
    "T const* from = in;",
    """std::int64_t const first = std::min(most_teams, (n + chunk - 1) / chunk);
  if (first > 1 && first <= chunk) {
    level(partials, first, sum, std::int64_t{1});
    level(in, n, partials, first);
    return;
  }
  T const* from = in;""",
    "scratch",
    "flat",
    **TWO_LEVELS,
    note="level 2 sums what level 1 left in the call before",
)
mutant(
    "stale_partials",
    LEVELS,
    LEVEL,
    f"static long calls = 0;\n    if (calls++ == 0) {LEVEL}",
    "scratch",
    "flat",
    **TWO_LEVELS,
    note="level 1 runs in the first call only",
)
mutant(
    "memo_of_partials",
    LEVELS,
    LEVEL,
    f"if (!(partials[0] == partials[0])) {LEVEL}",
    "scratch",
    "flat",
    type="f32",
    bytes="16 MiB",
    note="level 1 runs where it finds NaN, so in every judged call; the figure shows that it does not in the others",
)

# --- stencil ---

GLOBAL = "patterns/stencil/global.hpp"
WEIGHT = "return coefficients[row * (2 * Radius + 1) + k];"
TAPS = {"type": "f32", "bytes": "64 KiB", "radius": 4, "distinct": 8}

mutant(
    "tap_missing",
    GLOBAL,
    WEIGHT,
    f"if (k == 2 * Radius) return T(0);\n                {WEIGHT}",
    "global",
    "read_only",
    **TAPS,
)
mutant(
    "last_output",
    GLOBAL,
    "outputs_of_chunk(first, n), distinct,",
    "outputs_of_chunk(first, n - 1), distinct,",
    "global",
    "read_only",
    **TAPS,
)
mutant("row_0", GLOBAL, WEIGHT, "return coefficients[0 * row + k];", "global", "read_only", **TAPS)
mutant(
    "coefficients_reversed",
    GLOBAL,
    WEIGHT,
    "return coefficients[row * (2 * Radius + 1) + 2 * Radius - k];",
    "global",
    "read_only",
    **TAPS,
)
mutant(
    "input_altered",
    "patterns/stencil/scratch.hpp",
    "outputs_of_chunk(first, n) + 2 * Radius, tile.data());",
    "outputs_of_chunk(first, n) + 2 * Radius, tile.data());\n          const_cast<T*>(in)[first] = T(0);",
    "scratch",
    "global",
    **TAPS,
    note="one element of each chunk, after it was read for the last time in this call",
)
mutant(
    "past_the_end",
    GLOBAL,
    "std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * chunk;",
    "std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * chunk;\n"
    "          if (first == 0) out[n] = T(0);",
    "global",
    "read_only",
    **TAPS,
)

# --- matmul ---

SHARED = "patterns/matmul/shared.hpp"
BEGIN = "auto const a = p.a;  // (M, K)"
END = "store_sums(own, sum, tiling, row, col, c);"
LAST = "c(tiling.rows - 1, tiling.columns - 1)"
IN_LAST_TEAM = f"{END}\n          if (team.league_rank() + 1 == team.league_size())"
LOAD_A = "T const x = zero_outside(a, row + i, k0 + j);"
LOAD_B = "T const y = zero_outside(b, k0 + i, col + j);"
SMALL = {"type": "f32", "tile": 16, "shape": "48x48x48"}

mutant(
    "first_call_only",
    SHARED,
    BEGIN,
    f"static long calls = 0;\n    if (calls++ > 0) return;\n    {BEGIN}",
    "shared",
    "simple",
    **SMALL,
)
mutant("input_altered", SHARED, END, f"{IN_LAST_TEAM} a(0, 0) = T(0);", "shared", "simple", **SMALL)
mutant("last_element_zero", SHARED, END, f"{IN_LAST_TEAM} {LAST} = T(0);", "shared", "simple", **SMALL)
mutant(
    "last_element_nan",
    SHARED,
    END,
    f"{IN_LAST_TEAM} {LAST} = std::numeric_limits<T>::quiet_NaN();",
    "shared",
    "simple",
    **SMALL,
)
mutant(
    "last_k",
    SHARED,
    LOAD_B,
    "T const y = k0 + i + 1 < depth ? zero_outside(b, k0 + i, col + j) : T(0);",
    "shared",
    "simple",
    type="f32",
    tile=8,
    shape="8x8x40000",
)
mutant(
    "last_element_plus_1",
    SHARED,
    END,
    f"{IN_LAST_TEAM} {LAST} += T(1);",
    "shared",
    "simple",
    type="f32",
    tile=8,
    shape="8x8x65536",
)
mutant(
    "swapped_indices",
    SHARED,
    LOAD_B,
    "T const y = zero_outside(b, col + j, k0 + i);",
    "shared",
    "simple",
    **SMALL,
)
mutant(
    "inputs_rounded",
    SHARED,
    LOAD_A,
    "T const x = Kokkos::round(zero_outside(a, row + i, k0 + j) * T(1024)) / T(1024);",
    "shared",
    "simple",
    type="f32",
    tile=16,
    shape="32x32x4096",
    note="as a product of TF32 that calls itself f32",
)

# --- tile_access ---

ROUNDS = "patterns/tile_access/scratch.hpp"
STORES = "walk(store_columns, [&](int i, int at) { tile(at) = out(shifted(i)); });"
LOADS = "walk(load_columns, [&](int i, int at) { out(i) = tile(at) + T(1); });"
PLACE = "columns ? extents.place(b, a) : extents.place(a, b)"
ALONG_ROWS = {"type": "i32", "access": "row_row"}

mutant(
    "no_scratch",
    ROUNDS,
    f"{STORES}\n        {LOADS}",
    "for (int i = 0; i < extents.elements(); ++i) out(i) = out(i) + T(1);",
    "scratch",
    **ALONG_ROWS,
)
mutant(
    "one_round",
    ROUNDS,
    LOADS,
    "walk(load_columns, [&](int i, int at) { out(i) = tile(at) + static_cast<T>(repeat); });\n        break;",
    "scratch",
    **ALONG_ROWS,
    repeat=1000,
)
mutant("rows_for_columns", ROUNDS, PLACE, "extents.place(a, b)", "scratch", type="i32", access="col_col")
mutant(
    "one_round_less",
    ROUNDS,
    "for (int round = 0; round < repeat; ++round) {\n        walk",
    "for (int round = 1; round < repeat; ++round) {\n        walk",
    "scratch",
    **ALONG_ROWS,
)
mutant(
    "rows_where_both_walk_alike",
    ROUNDS,
    PLACE,
    f"store_columns != load_columns && {PLACE}",
    "scratch",
    "",
    "equivalent",
    "Stores and loads that walk alike bring every value back to the thread that the shift names, whatever the order of "
    "the places; where they differ the kernel is the sound one.",
    type="i32",
    access="col_col",
)

# --- bank_stride ---

BANKS = "patterns/bank_stride/scratch.hpp"
FROM = "unsigned char const* at = scratch + p.offsets(thread % lanes_of<Exec>);"
STORED = "for (int round = 0; round < p.repeat; ++round, at += p.advance, value += stored_per_round) {"
LOADED = "          sum += first_of(word) + rest_of(word);\n        }\n"
WORDS = {"type": "i32", "repeat": 200}

mutant(
    "loads_from_global",
    BANKS,
    FROM,
    "unsigned char const* at = p.image.data() + p.offsets(thread % lanes_of<Exec>);",
    "scratch",
    **WORDS,
)
mutant(
    "one_round",
    BANKS,
    LOADED,
    f"{LOADED}        sum *= static_cast<std::uint32_t>(p.repeat);\n        break;\n",
    "scratch",
    **WORDS,
)
mutant(
    "one_round_of_the_chain",
    BANKS,
    "at -= steps;",
    "at -= steps;\n        sum *= static_cast<std::uint32_t>(p.repeat);\n        break;",
    "scratch",
    **WORDS,
    measure="latency",
)
mutant(
    "last_store_only",
    BANKS,
    STORED,
    "at += (p.repeat - 1) * p.advance;\n"
    "      value += static_cast<std::uint32_t>(p.repeat - 1) * stored_per_round;\n"
    f"      {STORED.replace('round = 0', 'round = p.repeat - 1')}",
    "scratch",
    **WORDS,
    op="store",
)
mutant(
    "last_load_missing",
    BANKS,
    "for (int step = 0; step < steps; ++step) {\n          W const word = *reinterpret_cast<W const*>(at + step",
    "for (int step = 0; step + 1 < steps; ++step) {\n          W const word = *reinterpret_cast<W const*>(at + step",
    "scratch",
    **WORDS,
)
mutant(
    "stride_ignored",
    BANKS,
    FROM,
    "unsigned char const* at = scratch + 4 * (thread % lanes_of<Exec>);",
    "scratch",
    **WORDS,
    stride=2,
)

ARRAYS = "patterns/bank_stride/partition.hpp"
APART = {"type": "i32", "access": "arrays", "repeat": 200}

mutant("floats_of_one_round", ARRAYS, "f_.data() + first_ * floats", "f_.data()", "scratch", **APART)
mutant(
    "arrays_share_scratch",
    ARRAYS,
    "return i_.data() +",
    "return reinterpret_cast<std::int32_t*>(f_.data()) +",
    "scratch",
    **APART,
)
mutant("stores_stay_in_one_round", ARRAYS, "first_ += bytes / arrays_bytes;", "", "scratch", **APART, op="store")

# --- latency ---

CHASE = "patterns/latency/pointer_chase.hpp"
WALK = "for (std::int64_t s = 0; s < steps; ++s) line = line->next;"

mutant("no_loads", CHASE, WALK, "", "pointer_chase", bytes="64 KiB")
mutant(
    "no_loads_of_one_line",
    CHASE,
    WALK,
    "",
    "pointer_chase",
    bytes="128 B",
    note="a chase of one line ends where it began: only the figure shows it",
)
mutant("one_load_more", CHASE, "s < steps;", "s <= steps;", "pointer_chase", bytes="64 KiB")

# --- bandwidth ---

READS = "patterns/bandwidth/global.hpp"
PASSES = "for (std::int64_t pass = 0; pass < reading.passes; ++pass) {"
IN_SCRATCH = "patterns/bandwidth/scratch.hpp"
STAGE = "scratch(i) = marked(set[range.begin + i], reading.mark);"
AROUND = "sum += sum_of_packs(from, range.start);\n"
ONCE = {"bytes": "16 KiB", "readers": 3, "passes": 4}

mutant("pass_missing", READS, PASSES, PASSES.replace("pass = 0", "pass = 1"), "global", **ONCE)
mutant("not_around", READS, AROUND, "", "global", **ONCE, note="what lies before the place where a reader begins")
mutant(
    "first_block",
    READS,
    "std::int64_t i = 0;",
    "std::int64_t i = words < Element::count ? 0 : Element::count;",
    "global",
    **ONCE,
)
mutant(
    "one_pass_times_passes",
    READS,
    AROUND,
    f"{AROUND}      return sum * static_cast<std::uint32_t>(reading.passes);\n",
    "global",
    bytes="64 KiB",
    note="every word is right: only the figure shows that the set was read once and not 1024 times",
)
mutant(
    "scratch_unread",
    IN_SCRATCH,
    "thread, scratch);\n        });",
    "thread, Staged<Exec>(const_cast<Pack*>(set + range.begin), most));\n        });",
    "scratch",
    "global",
    **ONCE,
)
mutant("last_pack", IN_SCRATCH, STAGE, f"if (i + 1 < range.count) {STAGE}", "scratch", "global", **ONCE)

# --- staged_copy ---

STAGED = "patterns/staged_copy/scratch.hpp"

mutant(
    "last_element",
    STAGED,
    "[&](Place const& at, T x) { out[at.in_array()] = x; }",
    "[&](Place const& at, T x) { if (at.in_array() + 1 < blocks.n) out[at.in_array()] = x; }",
    "scratch",
    type="f32",
    bytes="64 KiB",
)
mutant(
    "scratch_unread",
    STAGED,
    "return scratch[at.in_block()] + 1;",
    "return in[at.in_array()] + 1;",
    "scratch",
    type="f32",
    bytes="64 KiB",
)
