#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many healthy ranks does the slow-rank screen name, and how many slow ones does it find? Simulated, with the rule
of docs/scaling.md written here a second time, apart from the program.

    tools/screen_simulation.py                                # the tables of docs/scaling.md, a minute or two
    tools/screen_simulation.py --ranks 8 64 --spread 1 2 --seeds 1000

A rank's rate is (1 + p)(1 + e). p is its own, normal with the standard deviation --spread, and the same in every run;
e is the noise of a run, normal with --noise, and a share --disturbed of runs are slower by another 3.5 to 10 %. A rank
that is found suspect in a run is measured once more, and named when the rule says so again.

peers      z = 0.6745 (x - median) / MAD is below -z_N, and x lies more than 3.5 % below the median
own past   the same rule for x / b, where b is the median of --past results of the same device while it was healthy

z_N = max(3, Q(a / N)): Q is the normal distribution's upper quantile, N the number of judgements (one for each rank,
and another where it has a past), and a (--alarms) the number of false alarms that are expected at most.
"""

import argparse
import random
import statistics
import sys

WATCH = 0.035
FIXED_LIMIT = 3.0
SLOWED = (0.035, 0.10)  # how much a disturbed run is slower
PLANTED_RANKS = 10_000  # of each deficit, in all runs together: a share of 99 % is known to +- 0.1 %


def limit(judgements, alarms):
    """How far below the median, in robust standard deviations, something is slow where so many are judged."""
    share = alarms / judgements
    return FIXED_LIMIT if share >= 0.5 else max(FIXED_LIMIT, -statistics.NormalDist().inv_cdf(share))


def middle(values):
    """The median, and the standard deviation that their median absolute deviation stands for."""
    center = statistics.median(values)
    return center, statistics.median(abs(value - center) for value in values) / 0.6745


def is_slow(value, center, deviation, z):
    return value - center < -z * deviation and value < (1 - WATCH) * center


class Machine:
    """Healthy ranks, and beside them ranks that became slower: few enough to leave median and spread as they are."""

    def __init__(self, draw, options, ranks, spread):
        self.draw, self.options = draw, options
        self.own = [1 + draw.gauss(0, spread) for _ in range(ranks)]
        planted = max(1, PLANTED_RANKS // options.seeds)
        self.planted = {deficit: [1 + draw.gauss(0, spread) for _ in range(planted)] for deficit in options.planted}
        self.past = [self.history(rate) for rate in self.own]
        self.planted_past = {deficit: [self.history(rate) for rate in rates] for deficit, rates in self.planted.items()}

    def run(self, rate):
        slowed = self.draw.uniform(*SLOWED) if self.draw.random() < self.options.disturbed else 0
        return rate * (1 + self.draw.gauss(0, self.options.noise)) * (1 - slowed)

    def history(self, rate):
        return statistics.median([self.run(rate) for _ in range(self.options.past)])

    def screened(self, z, with_past):
        """The number of healthy ranks that are named, and the share of each deficit's that are."""
        rates = [self.run(rate) for rate in self.own]
        peers = middle(rates)
        past = middle([rate / before for rate, before in zip(rates, self.past)])

        def suspects(rate, before):
            return is_slow(rate, *peers, z) or (with_past and is_slow(rate / before, *past, z))

        def named(rate, before, first):
            return suspects(first, before) and suspects(self.run(rate), before)

        false = sum(named(*rank) for rank in zip(self.own, self.past, rates))
        found = {}
        for deficit, healthy in self.planted.items():
            slow = [rate * (1 - deficit) for rate in healthy]
            found[deficit] = sum(named(rate, before, self.run(rate))
                                 for rate, before in zip(slow, self.planted_past[deficit])) / len(slow)
        return false, found, peers[1] / peers[0]


def simulated(options, ranks, spread, z, with_past):
    """Over all seeds: mean and worst number of false alarms, mean share found, mean spread as the screen sees it."""
    runs = [Machine(random.Random(f"{seed} {ranks} {spread}"), options, ranks, spread).screened(z, with_past)
            for seed in range(options.seeds)]
    false = [run[0] for run in runs]
    found = {deficit: statistics.fmean(run[1][deficit] for run in runs) for deficit in options.planted}
    return statistics.fmean(false), max(false), found, statistics.fmean(run[2] for run in runs)


def table(options):
    deficits = [f"-{100 * deficit:g} % found" for deficit in options.planted]
    yield ["ranks", "spread", "judged by", "z", "false alarms", "worst run", *deficits, "99 % find"]
    for ranks in options.ranks:
        z_n = limit(ranks, options.alarms)
        for spread in options.spread:
            ways = [("peers", z_n, False), ("peers and own past", limit(2 * ranks, options.alarms), True)]
            if z_n > FIXED_LIMIT:
                ways.insert(0, ("peers", FIXED_LIMIT, False))
            for name, z, with_past in ways:
                mean, worst, found, seen = simulated(options, ranks, spread, z, with_past)
                if with_past:  # noise of a run, and of a median: 1.57 times the variance of a mean
                    seen = options.noise * (1 + 1.57 / options.past) ** 0.5
                yield [f"{ranks:,}", f"{100 * spread:g} %", name, f"{z:.2f}", f"{mean:.3g}", f"{worst:,}",
                       *(f"{100 * share:.1f} %" for share in found.values()),
                       f"-{100 * (max(WATCH, z * seen) + 2.326 * seen):.1f} %"]


def node_table(options):
    """Nodes by their slowest GPU: beside the median and spread of all GPUs, or beside those of the nodes' minima."""
    gpus = 8
    yield ["nodes of 8", "spread", "beside", "z", "false alarms", "worst run"]
    for ranks in options.ranks:
        for spread in options.spread:
            counts = {"all GPUs": [], "minima": []}
            limits = {"all GPUs": limit(ranks, options.alarms), "minima": limit(ranks // gpus, options.alarms)}
            for seed in range(options.seeds):
                draw = random.Random(f"nodes {seed} {ranks} {spread}")
                rates = [1 + draw.gauss(0, spread) for _ in range(ranks // gpus * gpus)]
                minima = [min(rates[first:first + gpus]) for first in range(0, len(rates), gpus)]
                for beside, values in (("all GPUs", rates), ("minima", minima)):
                    peers = middle(values)
                    counts[beside].append(sum(is_slow(rate, *peers, limits[beside]) for rate in minima))
            for beside, false in counts.items():
                yield [f"{ranks // gpus:,}", f"{100 * spread:g} %", beside, f"{limits[beside]:.2f}",
                       f"{statistics.fmean(false):.3g}", f"{max(false):,}"]


def markdown(rows):
    """The lines of a table; all columns but names and words stand to the right."""
    rows = iter(rows)
    header = next(rows)
    yield f"| {' | '.join(header)} |"
    yield "|" + "|".join("---" if name in ("judged by", "beside") else "---:" for name in header) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def parsed(arguments):
    def percent(text):
        return float(text) / 100

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--spread", type=percent, nargs="+", default=[0.005, 0.01, 0.02], metavar="PERCENT",
                        help="standard deviation between healthy ranks, the same in every run (default: 0.5 1 2)")
    parser.add_argument("--noise", type=percent, default=0.002, metavar="PERCENT",
                        help="standard deviation between runs of a rank (default: 0.2)")
    parser.add_argument("--disturbed", type=percent, default=0.005, metavar="PERCENT",
                        help="of runs that something slowed by 3.5 to 10 %% (default: 0.5)")
    parser.add_argument("--past", type=int, default=5, help="earlier results of each rank (default: 5)")
    parser.add_argument("--planted", type=percent, nargs="+", default=[0.05, 0.07, 0.10], metavar="PERCENT",
                        help="by how much slow ranks are slower (default: 5 7 10)")
    parser.add_argument("--alarms", type=float, default=3.0, help="false alarms expected at most (default: 3)")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each row (default: 10)")
    options = parser.parse_args(arguments)
    if min(options.ranks) < 3 or options.seeds < 1 or options.past < 1 or options.alarms <= 0:
        parser.error("at least 3 ranks, one seed, one earlier result, and more than 0 alarms")
    return options


def main(arguments):
    options = parsed(arguments)
    for line in markdown(table(options)):
        print(line, flush=True)
    print()
    for line in markdown(node_table(options)):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
