# SPDX-License-Identifier: BSD-3-Clause
"""Wrong answers are FAILED and have no figure; a variant that takes its worker down costs only itself."""

import unittest

from tilestride import FAULTY, CommandLine

ALL = """
[[case]]
pattern = "faults"
space   = "serial"
"""


class Faults(CommandLine):
    def run_variant(self, variant, *more):
        deck = self.deck(ALL + f'variant = ["sound", "{variant}"]\n')
        done = self.call("run", deck, "-o", "out", *more, program=FAULTY)
        cases = self.results()
        return done, cases[f"faults/{variant}/serial/f32/64x48"], cases["faults/sound/serial/f32/64x48"]

    def test_wrong_answers_fail_without_a_figure(self):
        every = 64 * 48
        for variant, wrong in (("null", every), ("wrong_element", 1), ("swapped_indices", 2 * 48), ("stale", every)):
            with self.subTest(variant):
                self.setUp()
                done, case, sound = self.run_variant(variant)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(case["outcome"], "FAILED")
                self.assertEqual(case["verification"]["wrong"], wrong)
                self.assertNotIn("rate", case)
                self.assertNotIn("samples", case)
                self.assertNotIn(f"FOM faults/{variant}", done.stdout)
                self.assertEqual(sound["outcome"], "passed")
                self.assertTrue(done.stdout.splitlines()[-1].startswith("RUN STATUS: FAIL"))

    def test_a_dead_worker_costs_its_own_case(self):
        for variant, reason in (
            ("throws", "this variant throws"),
            ("aborts", "signal 6"),
            ("segfaults", "signal 11"),
            ("device_faults", "signal 11"),
        ):
            with self.subTest(variant):
                self.setUp()
                done, case, sound = self.run_variant(variant)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(case["outcome"], "error")
                self.assertIn(reason, case["reason"])
                self.assertEqual(sound["outcome"], "passed")

    def test_a_crash_is_seen_although_the_parent_ignores_children(self):
        """A shell's `trap '' CHLD` is inherited; then a child's status is lost, unless the program asks for it."""
        deck = self.deck(ALL + 'variant = ["sound", "segfaults"]\n[run]\nbudget = "60 s"\n')
        done = self.call("--ignore-signal=CHLD", FAULTY, "run", deck, "-o", "out", program="env")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        cases = self.results()
        self.assertIn("signal 11", cases["faults/segfaults/serial/f32/64x48"]["reason"])
        self.assertEqual(cases["faults/sound/serial/f32/64x48"]["outcome"], "passed")
        self.assertLessEqual((self.folder / "out" / "worker.log").read_text().count("---- worker, "), 2)

    def test_a_fault_on_the_device_costs_its_own_case(self):
        deck = self.deck(
            '[[case]]\npattern = "faults"\nspace = ["serial", "cuda"]\nvariant = ["sound", "device_faults"]\n'
        )
        done = self.call("run", deck, "-o", "out", program=FAULTY)
        cases = self.results()
        if cases["faults/sound/cuda/f32/64x48"]["outcome"] == "skipped":
            self.skipTest(cases["faults/sound/cuda/f32/64x48"]["reason"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(cases["faults/device_faults/cuda/f32/64x48"]["outcome"], "error")
        reason = cases["faults/device_faults/cuda/f32/64x48"]["reason"]
        self.assertRegex(reason, "illegal memory access|cudaErrorIllegalAddress|misaligned")
        for space in ("serial", "cuda"):
            self.assertEqual(cases[f"faults/sound/{space}/f32/64x48"]["outcome"], "passed")

    def test_what_kokkos_said_is_the_reason(self):
        _, case, _ = self.run_variant("aborts")
        self.assertIn("its last words: this variant aborts", case["reason"])

    def test_a_hang_is_killed_after_a_stated_time(self):
        done, case, sound = self.run_variant("hangs")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(case["reason"], r"hung: verifying took longer than 10\.2 s")
        self.assertEqual(sound["outcome"], "passed")


if __name__ == "__main__":
    unittest.main()
