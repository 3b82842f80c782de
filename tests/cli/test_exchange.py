# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that several ranks work on together: messages, a transpose and a product of what is spread over them."""

import os
import shutil
import unittest

from test_ranks import ALLOWED, LAUNCHER
from tilestride import FAULTY, SOURCE, CommandLine, strict_json

EXCHANGE = """
[[case]]
pattern = "exchange"
space   = "serial"
bytes   = ["16 B", "64 KiB", "9 MiB"]  # the last one is staged in three chunks
op      = ["pairs", "each_pair", "ring", "all_to_all"]
"""
# Divisible by 2, 3 and 4; blocks that are no whole tiles, and messages whose last piece is not of whole units.
TRANSPOSE = """
[[case]]
pattern = "global_transpose"
space   = "serial"
type    = ["f32", "f64"]
n       = [12, 156]
pieces  = [1, 3]
"""
SUMMA = """
[[case]]
pattern = "summa"
space   = "serial"
type    = ["f32", "f64"]
n       = [48, 240]  # 1 x 2, 1 x 3 and 2 x 2 ranks
slices  = [1, 2]
"""
HALO = """
[[case]]
pattern = "halo"
space   = "serial"
type    = ["f32", "f64"]
n       = [12, 156]
"""
FAULTS = """
[[case]]
pattern = "exchange_faults"
space   = "serial"
variant = {}
bytes   = "64 KiB"
op      = "{}"
"""
HALO_FAULTS = """
[[case]]
pattern = "halo_faults"
space   = "serial"
n       = 24
"""
# Where more ranks than cores take turns on them, some messages are slow.
SLOW_ARE_FINE = "[run]\nslow_watch = 1\nslow_replace = 1\n"
ON_HOSTS = {
    "exchange": {"mpi", "staged"},
    "global_transpose": {"mpi", "staged", "mpi_overlapped", "staged_overlapped"},
    "summa": {"mpi", "staged", "vendor_staged"},
    "halo": {"mpi", "staged", "mpi_overlapped", "staged_overlapped"},
}


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class Exchange(CommandLine):
    def ranks(self, deck, count, wrong=None, **options):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        env = {**os.environ, **ALLOWED}
        if wrong is not None:
            env["TILESTRIDE_FAULTS_RANK"] = str(wrong)
        arguments = ["--ranks", count, "--launcher", LAUNCHER, "-o", "out"]  # with tables: they are to be printed
        return self.call("run", deck, *arguments, env=env, timeout=300, **options)

    def test_every_variant_of_hosts_is_right(self):
        for count in (2, 3, 4):
            with self.subTest(count):
                run = self.ranks(self.deck(EXCHANGE + TRANSPOSE + SUMMA + HALO + SLOW_ARE_FINE), count)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                results = self.results().values()
                for case in results:
                    expected = {"passed"} if case["variant"] in ON_HOSTS[case["pattern"]] else {"skipped"}
                    if case["variant"] == "vendor_staged":  # where OpenBLAS is
                        expected.add("skipped")
                    self.assertIn(case["outcome"], expected, case)
                for case in (c for c in results if c["outcome"] == "passed"):
                    self.assertEqual(len(case["ranks"]["seconds"]), count)
                    if case["pattern"] == "summa":
                        self.assertEqual(case["work"]["flops"], 2 * int(case["keys"]["n"]) ** 3 / count)
                        continue
                    self.assertEqual(case["work"]["bytes"], self.bytes_of_a_rank(case, count), case["name"])
                    pairs = {f"{i}->{j} GB/s" for i in range(count) for j in range(count) if i != j}
                    told = {name for name in case.get("measured", {}) if "->" in name}
                    self.assertEqual(told, pairs if case["keys"].get("op") == "each_pair" else set())

    @staticmethod
    def bytes_of_a_rank(case, count):
        keys = case["keys"]
        if case["pattern"] in ("global_transpose", "halo"):
            return 2 * int(keys["n"]) ** 2 / count * {"f32": 4, "f64": 8}[case["type"]]
        size = {"16B": 16, "64KiB": 64 << 10, "9MiB": 9 << 20}[keys["bytes"]]
        return size * (1 if keys["op"] in ("pairs", "ring") else count - 1)

    def test_steps_have_their_times_where_they_follow_each_other(self):
        run = self.ranks(self.deck(TRANSPOSE + HALO), 2)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        steps_of = {"global_transpose": ("pack", "exchange", "turn"), "halo": ("exchange", "compute")}
        for case in self.results().values():
            steps = [case.get("measured", {}).get(f"{step} us") for step in steps_of[case["pattern"]]]
            if case["variant"] in ("mpi", "staged"):
                self.assertTrue(all(us > 0 for us in steps), case)
            else:
                self.assertEqual(set(steps), {None})

    def test_a_rank_may_have_one_row_of_a_grid_or_two(self):
        for count in (2, 4):
            with self.subTest(count):
                run = self.ranks(self.deck(HALO.replace("[12, 156]", "4")), count)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertEqual({case["outcome"] for case in self.results().values()}, {"passed"})

    def test_a_row_of_a_neighbour_that_is_wrong_or_missing_is_caught(self):
        run = self.ranks(self.deck(HALO_FAULTS), 3, 1, program=FAULTY)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        results = {case["variant"]: case for case in self.results().values()}
        self.assertEqual({name: case["outcome"] for name, case in results.items() if name != "sound"},
                         dict.fromkeys(("wrong_bit", "silent", "silent_overlapped"), "FAILED"))  # fmt: skip
        self.assertEqual(results["sound"]["outcome"], "passed")
        self.assertRegex(results["wrong_bit"]["reason"], r"^rank [02] \(.*\) of 3: ")

    def test_without_ranks_there_is_nobody_to_talk_to(self):
        run = self.call("run", self.deck(EXCHANGE + TRANSPOSE + SUMMA + HALO), "-o", "out", "--quiet")
        self.assertEqual(run.returncode, 77, run.stdout + run.stderr)
        for case in self.results().values():
            if case["variant"] not in ON_HOSTS[case["pattern"]]:
                continue
            self.assertEqual((case["outcome"], case["skip"]), ("skipped", "one_device"))
            self.assertEqual(case["reason"], "needs ranks: --ranks 2 or more")

    def test_the_deck_for_any_machine_passes(self):
        run = self.ranks(SOURCE / "inputs/ranks.toml", 2)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_rows_that_cannot_be_shared_are_skipped(self):
        run = self.ranks(self.deck(TRANSPOSE.replace("[12, 156]", "[13, 12]")), 3)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for case in self.results().values():
            if case["variant"] not in ON_HOSTS["global_transpose"]:
                continue
            self.assertEqual(case["outcome"], "skipped" if case["keys"]["n"] == "13" else "passed")
            if case["outcome"] == "skipped":
                self.assertEqual(case["reason"], "13 rows are not as many for each of 3 ranks")

    def test_a_rank_that_delivers_something_else_is_caught(self):
        for variant, count, wrong, found_by in (
            ("wrong_bit", 2, 0, "1"),
            ("wrong_bit", 4, 2, "[013]"),
            ("wrong_receiver", 3, 1, "[02]"),
            ("past_end", 3, 1, "1"),
        ):
            with self.subTest(variant, count=count):
                run = self.ranks(
                    self.deck(FAULTS.format(["sound", variant], "all_to_all")), count, wrong, program=FAULTY
                )
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                results = {case["variant"]: case for case in self.results().values()}
                self.assertEqual(results["sound"]["outcome"], "passed")
                self.assertEqual(results[variant]["outcome"], "FAILED")
                self.assertRegex(results[variant]["reason"], rf"^rank {found_by} \(.*\) of {count}: ")

    def test_slow_messages_are_named_with_the_host_that_they_have_in_common(self):
        deck = self.deck(FAULTS.format(["slow_link"], "each_pair") + 'max_time = "0.1 s"\n')
        run = self.ranks(deck, 3, 1, program=FAULTY)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        words = r"slow: messages from and to \S+: 1->[02], 1->[02]; up to .*; confirmed by a repeat: replace"
        self.assertRegex(run.stdout, words)
        document = strict_json((self.folder / "out/result.json").read_text())
        slow = document["slow_messages"]
        self.assertEqual(slow["hosts"], [document["ranks"][0]["host"]])
        self.assertEqual([(p["from"], p["to"]) for p in slow["pairs"]], [(1, 0), (1, 2)])
        for pair in slow["pairs"]:
            self.assertGreater(pair["deficit"], 0.5)

    def test_the_rank_that_hangs_is_named_not_those_that_wait_for_its_messages(self):
        hung = r"\d \(.*\) of 3: hung:"
        for variant, wrong, words in (
            ("hangs", 2, rf"^rank (?=2){hung} verifying took longer than \S+ s; the worker was killed$"),
            # All hang in the same step: whichever is found first is named, and the others with it.
            ("hangs", None, rf"^rank (?=0.*: 1-2$|1.*: 0,2$|2.*: 0-1$){hung} .* in the same step may be at fault: "),
            ("unsent", 1, r"^all 3 ranks have waited for \S+ s, for each other$"),
        ):
            with self.subTest(variant, wrong=wrong):
                deck = self.deck(FAULTS.format([variant, "sound"], "all_to_all") + 'max_time = "0.1 s"\n')
                run = self.ranks(deck, 3, wrong, program=FAULTY)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                results = {case["variant"]: case for case in self.results().values()}
                self.assertEqual(results["sound"]["outcome"], "passed")  # on a new launch
                self.assertEqual(results[variant]["outcome"], "error")
                self.assertRegex(results[variant]["reason"], words)

    def test_a_message_that_is_not_sent_again_is_missed(self):
        for op in ("pairs", "ring", "all_to_all"):
            with self.subTest(op):
                run = self.ranks(self.deck(FAULTS.format(["silent"], op)), 2, program=FAULTY)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertEqual([c["outcome"] for c in self.results().values()], ["FAILED"])


if __name__ == "__main__":
    unittest.main()
