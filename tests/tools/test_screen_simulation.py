# SPDX-License-Identifier: BSD-3-Clause
"""The screen's limit against known quantiles, and the simulation against what can be computed without it."""

import contextlib
import io
import pathlib
import statistics
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import screen_simulation as tool


def options(*arguments):
    return tool.parsed(["--disturbed", "0", "--past", "3", "--planted", "7", *arguments])


class Limit(unittest.TestCase):
    def test_it_grows_with_the_number_of_judgements(self):
        # 1 - Phi(z) from tables of the normal distribution
        for judgements, z in ((100_000, 4.0128), (10_000, 3.4316), (1_000_000, 4.5264)):
            self.assertAlmostEqual(tool.limit(judgements, 3), z, places=3)

    def test_it_is_never_below_that_of_the_rule(self):
        for judgements in (1, 3, 6, 8, 1000, 2222):
            self.assertEqual(tool.limit(judgements, 3), 3)


class Rule(unittest.TestCase):
    def test_the_spread_is_that_of_normal_values(self):
        values = [statistics.NormalDist(5, 0.1).inv_cdf((i + 0.5) / 999) for i in range(999)]
        center, deviation = tool.middle(values)
        self.assertAlmostEqual(center, 5)
        self.assertAlmostEqual(deviation, 0.1, places=3)

    def test_both_conditions_are_needed(self):
        self.assertTrue(tool.is_slow(0.96, 1, 0.01, 3))
        self.assertFalse(tool.is_slow(0.966, 1, 0.001, 3))  # far outside the spread, but no 3.5 %
        self.assertFalse(tool.is_slow(0.96, 1, 0.02, 3))    # 4 %, but within the spread
        self.assertFalse(tool.is_slow(1.10, 1, 0.01, 3))    # fast

    def test_equal_peers_leave_the_share_alone_to_decide(self):
        self.assertTrue(tool.is_slow(0.9, *tool.middle([1, 1, 1, 0.9]), 3))
        self.assertFalse(tool.is_slow(0.99, *tool.middle([1, 1, 1, 0.99]), 3))


class Simulation(unittest.TestCase):
    def simulated(self, ranks, spread, z, with_past, *arguments):
        return tool.simulated(options("--seeds", "2", *arguments), ranks, spread, z, with_past)

    def test_without_the_limit_that_grows_it_names_as_many_as_theory_says(self):
        mean, _, _, _ = self.simulated(20_000, 0.02, 3.0, False, "--noise", "0")
        self.assertTrue(15 <= mean <= 45, mean)  # 20,000 x 0.00135 = 27
        mean, _, _, _ = self.simulated(20_000, 0.02, tool.limit(20_000, 3), False, "--noise", "0")
        self.assertLess(mean, 10)                # 3

    def test_peers_find_what_their_spread_allows(self):
        _, _, found, seen = self.simulated(5000, 0.01, 4.0, False, "--noise", "0")
        self.assertAlmostEqual(seen, 0.01, delta=0.001)
        self.assertGreater(found[0.07], 0.99)
        _, _, found, _ = self.simulated(5000, 0.02, 4.0, False, "--noise", "0")
        # 0.93 (1 + p) < 1 - 0.08: p < -0.0108, and P(p < -0.54 standard deviations) = 0.29
        self.assertAlmostEqual(found[0.07], 0.29, delta=0.08)  # the spread of 5,000 is known to 1.6 %

    def test_the_own_past_finds_what_peers_cannot(self):
        mean, _, found, _ = self.simulated(2000, 0.02, 4.0, True)
        self.assertGreater(found[0.07], 0.99)
        self.assertLess(mean, 3)

    def test_a_repeat_is_needed_where_runs_are_disturbed(self):
        machine = tool.Machine(tool.random.Random(1), options("--disturbed", "2"), 5000, 0.002)
        once = [machine.run(rate) for rate in machine.own]
        named_once = sum(tool.is_slow(rate, *tool.middle(once), 3) for rate in once)
        self.assertGreater(named_once, 50)  # 2 % of 5,000 are slower by more than 3.5 %
        self.assertLess(machine.screened(3, False)[0], 10)


class Output(unittest.TestCase):
    def test_tables(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(tool.main(["--ranks", "64", "--spread", "1", "--seeds", "2"]), 0)
        rows = [line.split(" | ") for line in said.getvalue().splitlines() if line.startswith("| 64 ")]
        self.assertEqual([row[2] for row in rows], ["peers", "peers and own past"])
        self.assertTrue(all(row[3] == "3.00" for row in rows), rows)

    def test_bad_arguments(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as left:
            tool.main(["--ranks", "2"])
        self.assertEqual(left.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
