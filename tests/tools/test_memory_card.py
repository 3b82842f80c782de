# SPDX-License-Identifier: BSD-3-Clause
"""The memory card of made-up documents."""

import contextlib
import hashlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
REFERENCE = ROOT / "reference"
sys.path.insert(0, str(ROOT / "tools"))
import memory_card as tool

KIB, MIB, GIB = 2**10, 2**20, 2**30


def text_of(size):
    unit, name = next((u, n) for u, n in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")) if size % u == 0)
    return f"{size // unit}{name}"


def case(pattern, variant, size, rate, space="cuda", figure="ns", **more):
    keys = {"bytes": text_of(size), **more.pop("keys", {})}
    name = "/".join([pattern, variant, space, "i32", *(f"{key}={value}" for key, value in keys.items())])
    time = {"median": 1.0, "low": 1.0, "high": 1.0}
    return {"kind": "case", "name": name, "problem": name, "pattern": pattern, "variant": variant, "space": space,
            "type": "i32", "role": "portable", "keys": keys, "outcome": "passed", "figure": figure, "rate": rate,
            "time": time, "samples": [1.0], "work": {"bytes": 1.0}, "ceilings": {}, "program": "tilestride", **more}


def latency(variant, size, ns, cycles=None, **more):
    measured = {} if cycles is None else {"measured": {"cycles/op": cycles}}
    return case("latency", variant, size, 1e9 / ns, **measured, **more)


def bandwidth(variant, size, rate, reads="set", readers=132, **more):
    keys = {"reads": reads, "readers": "0", "passes": "0"}
    notes = {"readers": str(readers)}
    return case("bandwidth", variant, size, rate * 1e9, figure="GB/s", keys=keys, notes=notes, **more)


def skipped(pattern, variant, size, reason, space="cuda"):
    return {**case(pattern, variant, size, 1.0, space), "outcome": "skipped", "skip": "limit", "reason": reason}


def document(*cases, cache="60.00 MiB"):
    spaces = {"cuda: device": "GPU X", "cuda: L2 cache": cache}
    return {"schema": 2, "program": "tilestride", "title": "t", "started": "2026-01-01T00:00:00Z", "status": "s",
            "finished": "2026-01-01T00:01:00Z", "deck": "", "rules": [],
            "machine": {"host": "h", "cpu": "CPU Y", "last cache": "32.00 MiB"},
            "programs": {"tilestride": {"build": {}, "spaces": spaces}}, "results": list(cases)}


CURVE = [(4 * KIB, 17), (64 * KIB, 18), (128 * KIB, 20), (4 * MIB, 140), (16 * MIB, 150), (64 * MIB, 240),
         (256 * MIB, 345), (GIB, 360)]
GLOBAL = [latency("pointer_chase", size, ns) for size, ns in CURVE]


def row(rows, memory):
    return next(row for row in rows if row.memory == memory)


class MemoryCard(unittest.TestCase):
    def test_levels_are_runs_of_the_curve(self):
        sizes = [[tool.bytes_of(c) for c in level] for level in tool.levels_of(reversed(GLOBAL))]
        self.assertEqual(sizes, [[4 * KIB, 64 * KIB, 128 * KIB], [4 * MIB, 16 * MIB], [256 * MIB, GIB]])

    def test_a_rise_within_a_run_does_not_creep(self):
        creeping = [latency("pointer_chase", 2**n * KIB, 10 * 1.2**n) for n in range(5)]
        self.assertEqual([len(level) for level in tool.levels_of(creeping)], [2, 2, 1])

    def test_a_slow_outlier_splits_no_level(self):
        curve = [(4 * KIB, 2.8), (16 * KIB, 1.1), (32 * KIB, 1.1), (64 * KIB, 9), (128 * KIB, 4), (256 * KIB, 4)]
        levels = tool.levels_of([latency("pointer_chase", size, ns) for size, ns in curve])
        self.assertEqual([len(level) for level in levels], [3, 3])

    def test_a_step_on_the_way_takes_no_set_from_a_level(self):
        curve = [(32 * KIB, 1), (64 * KIB, 4), (512 * KIB, 4), (MIB, 12), (2 * MIB, 15), (3 * MIB, 16), (4 * MIB, 16),
                 (64 * MIB, 90)]
        levels = tool.levels_of([latency("pointer_chase", size, ns) for size, ns in curve])
        self.assertEqual([tool.bytes_of(level[0]) for level in levels], [32 * KIB, 64 * KIB, 2 * MIB, 64 * MIB])

    def test_sets_of_about_a_size_are_no_level(self):
        partly = [latency("pointer_chase", 48 * MIB, 230), *GLOBAL]
        self.assertEqual(len(tool.levels_of(partly)), 3)

    def test_memory_begins_before_the_end_of_a_cache_that_others_use(self):
        curve = [(16 * KIB, 1), (32 * KIB, 1), (2 * MIB, 16), (4 * MIB, 16), (16 * MIB, 150), (32 * MIB, 160),
                 (128 * MIB, 170), (GIB, 370)]
        rows = tool.rows_of(document(*(latency("pointer_chase", size, ns) for size, ns in curve)), "cuda")
        self.assertEqual([(r.memory, r.ns, r.sets) for r in rows], [
            ("L1", 1, (16 * KIB, 32 * KIB)), ("L2", 16, (2 * MIB, 4 * MIB)), ("memory", 165, (16 * MIB, GIB))])

    def test_where_no_cache_is_known_the_last_level_is_memory(self):
        rows = tool.rows_of(document(*GLOBAL, cache="?"), "cuda")
        self.assertEqual([r.memory for r in rows], ["L1", "L2", "memory"])

    def test_levels_have_names_and_the_best_rate_of_their_sets(self):
        rates = [bandwidth("global", size, rate) for size, rate in
                 ((4 * KIB, 20000), (128 * KIB, 30000), (MIB, 9999), (16 * MIB, 6000), (64 * MIB, 5000))]
        rates.append(bandwidth("global", GIB, 4000, "part"))
        rows = tool.rows_of(document(*GLOBAL, *rates), "cuda")
        self.assertEqual([(r.memory, r.ns, r.rate) for r in rows],
                         [("L1", 18, 30000e9), ("L2", 145, 6000e9), ("memory", 352.5, 4000e9)])

    def test_loads_under_way_have_a_table_of_their_own(self):
        cases = [bandwidth("one_by_one", GIB, rate, "part", readers) for readers, rate in ((132, 2000), (66, 1500))]
        text = tool.card(document(*GLOBAL, *cases))
        self.assertIn("| 67584 | 360.4 | 1500 |\n| 135168 | 540.7 | 2000 |", text)  # 8 B of each in so many ns
        self.assertNotIn("one_by_one", text)

    def test_the_last_level_is_a_cache_where_no_set_is_larger(self):
        rows = tool.rows_of(document(*GLOBAL, cache="2.00 GiB"), "cuda")
        self.assertEqual([r.memory for r in rows], ["L1", "L2", "L3"])

    def test_the_twin_counts_the_cycles(self):
        counted = [latency("native_global", 4 * KIB, 17, 33.0), latency("native_global", 128 * KIB, 18, 39.0)]
        rows = tool.rows_of(document(*GLOBAL, *counted), "cuda")
        self.assertEqual([r.cycles for r in rows], [36, None, None])

    def test_what_is_partly_cached_is_no_level(self):
        partly = [latency("pointer_chase", 32 * MIB, 230), *GLOBAL]
        self.assertEqual(len(tool.levels_of(partly)), 4)
        self.assertEqual([r.memory for r in tool.rows_of(document(*partly), "cuda")], ["L1", "L2", "memory"])

    def test_paths_are_ranked_and_links_have_one_rate(self):
        rows = tool.rows_of(document(
            latency("native_registers", KIB, 2, 4.0), latency("native_shared", KIB, 12, 23.0),
            latency("native_shared", 64 * KIB, 12, 23.0), bandwidth("scratch", 64 * KIB, 100),
            bandwidth("native_shared", 64 * KIB, 110), latency("mapped", 16 * MIB, 900),
            bandwidth("mapped", 256 * MIB, 50, "part"), bandwidth("native_peer_store", 64 * MIB, 300, "part"),
            latency("native_constant", KIB, 14), latency("native_constant", 2 * KIB, 14),
            latency("native_constant", 4 * KIB, 50), bandwidth("native_constant", 2 * KIB, 7)), "cuda")
        self.assertEqual([(r.memory, r.cycles, r.rate and round(r.rate / 1e9)) for r in rows], [
            ("registers", 4, None), ("shared memory", 23, 110), ("constant memory, level 1", None, 7),
            ("constant memory, level 2", None, None), ("mapped memory of the host", None, 50),
            ("memory of another GPU, stores", None, 300)])

    def test_a_link_has_its_rate_beside_its_last_level(self):
        doc = document(latency("mapped", 16 * KIB, 18), latency("mapped", 16 * MIB, 1200),
                       bandwidth("mapped", 256 * MIB, 50, "part"))
        rows = tool.rows_of(doc, "cuda")
        self.assertEqual([(r.ns and round(r.ns), r.rate) for r in rows], [(18, None), (1200, 50e9)])
        self.assertIn("- bandwidth of mapped memory of the host, level 1, cuda: caches serve", tool.card(doc))

    def test_scratch_stands_for_shared_memory_where_that_is_not_measured(self):
        scratch = [latency("scratch", KIB, 14), latency("scratch", 16 * KIB, 14)]
        self.assertEqual(row(tool.rows_of(document(*scratch), "cuda"), "shared memory").ns, 14)
        both = document(*scratch, latency("native_shared", 16 * KIB, 12))
        self.assertEqual(row(tool.rows_of(both, "cuda"), "shared memory").ns, 12)

    def test_rows_without_a_rate_say_why(self):
        reason = "- bandwidth of local memory, cuda: L1 serves"
        self.assertIn(reason, tool.card(document(latency("native_local", KIB, 15))))
        self.assertNotIn("bandwidth of", tool.card(document(*GLOBAL)))

    def test_on_hosts_one_reader_and_all_stand_apart(self):
        curve = [latency("pointer_chase", size, ns, space="openmp") for size, ns in
                 ((16 * KIB, 1), (32 * KIB, 1), (256 * KIB, 4), (512 * KIB, 4), (256 * MIB, 100))]
        rates = [bandwidth("global", 32 * KIB, 200, readers=1, space="openmp"),
                 bandwidth("global", 64 * KIB, 390, "part", readers=2, space="openmp"),
                 bandwidth("global", 128 * KIB, 999, "part", readers=2, space="openmp"),
                 bandwidth("global", 256 * MIB, 12, "part", readers=2, space="openmp")]
        doc = document(*curve, *rates)
        rows = tool.rows_of(doc, "openmp")
        self.assertEqual((row(rows, "L1").rate, row(rows, "L1").rate_of_one), (390e9, 200e9))
        self.assertIsNone(row(rows, "L2").rate, "parts of 64 KiB show neither L1 nor L2")
        self.assertEqual((row(rows, "memory").rate, row(rows, "memory").rate_of_one), (12e9, None))
        self.assertIn("| L1 | 1 |  | 390 | 200 | 16 KiB to 32 KiB |", tool.card(doc))
        self.assertIn("## openmp: CPU Y", tool.card(doc))

    def test_curves_and_what_is_missing(self):
        text = tool.card(document(*GLOBAL, bandwidth("global", GIB, 4000, "part"),
                                  skipped("latency", "native_peer", MIB, "one GPU where two are needed"),
                                  skipped("latency", "native_peer", 64 * MIB, "one GPU where two are needed")))
        self.assertIn("## cuda: GPU X", text)
        self.assertIn("| working set | pointer_chase |", text)
        self.assertIn("| working set | global, parts |\n| --- | ---: |\n| 1 GiB | 4000 |", text)
        self.assertIn("- latency/native_peer/cuda 1MiB, 64MiB: skipped: one GPU where two are needed\n", text)

    def test_a_space_without_figures_is_one_line(self):
        lacking = [skipped("latency", variant, MIB, "no such program", "hip") for variant in ("mapped", "remote")]
        text = tool.card(document(*GLOBAL, *lacking))
        self.assertIn("## Not measured\n\n- all of hip: skipped: no such program\n", text)

    def run_with(self, doc, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "card.json")
            path.write_text(doc if isinstance(doc, str) else json.dumps(doc))
            words = io.StringIO()
            with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
                code = tool.main([str(path), *(option.replace("FOLDER", folder) for option in options)])
            written = pathlib.Path(folder, "card.md")
            return code, words.getvalue(), written.read_text() if written.exists() else None

    def test_exit_codes(self):
        code, printed, _ = self.run_with(document(*GLOBAL))
        self.assertEqual((code, printed), (0, tool.card(document(*GLOBAL))))
        code, printed, written = self.run_with(document(*GLOBAL), "--output", "FOLDER/card.md")
        self.assertEqual((code, printed, written), (0, "", tool.card(document(*GLOBAL))))
        for doc, words in (("{", "no JSON"), (document(), "no figures of latency"), ({"schema": 2}, "no valid")):
            code, said, _ = self.run_with(doc)
            self.assertEqual(code, 2)
            self.assertIn(words, said)
        code, said, _ = self.run_with(document(*GLOBAL), "--output", "FOLDER/none/card.md")
        self.assertEqual(code, 2)
        self.assertIn("cannot be written", said)


class References(unittest.TestCase):
    def test_the_card_of_a_committed_result_is_committed_as_it_was(self):
        """A result names the card that predicted its cases by the SHA-256 of the file."""
        files = {path: path.read_bytes() for path in REFERENCE.glob("*.json")}
        there = {hashlib.sha256(content).hexdigest() for content in files.values()}
        taken = {path.name: json.loads(content).get("memory_card") for path, content in files.items()}
        taken = {name: card["sha256"] for name, card in taken.items() if card}
        self.assertGreater(len(taken), 2)
        self.assertEqual([name for name, card in taken.items() if card not in there], [])


if __name__ == "__main__":
    unittest.main()
