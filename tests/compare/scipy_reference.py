# SPDX-License-Identifier: BSD-3-Clause
"""Writes scipy_reference.hpp: made-up observations, and what numpy and scipy make of them.

Needs numpy and scipy, which the project does not; the tests only need what is written.
`scipy_reference.py > scipy_reference.hpp`, then clang-format. Written with numpy 2.4.6 and scipy 1.17.1.
"""

import numpy as np
from scipy import optimize, special, stats


def moderated(mine, theirs, scatter):
    """Moderated t (Smyth 2004) with a trend in the logarithm of the scatter.."""
    ratio = np.array([np.mean(a) - np.mean(b) for a, b in zip(mine, theirs)])
    runs = np.array([(len(a), len(b)) for a, b in zip(mine, theirs)])
    own = runs.sum(1) - 2
    squares = np.array([np.var(a) * len(a) + np.var(b) * len(b) for a, b in zip(mine, theirs)])
    variance = np.divide(squares, own, out=np.zeros(len(own)), where=own > 0)
    known, known_degrees = variance, own
    if not own.any():
        known, known_degrees = (ratio - np.median(ratio)) ** 2 / 2, np.ones(len(ratio))
    use = (known_degrees > 0) & (known > 0)
    half = known_degrees[use] / 2
    y = np.log(known[use]) - special.digamma(half) + np.log(half)
    x = np.log(scatter)
    line = stats.linregress(x[use], y)
    left = y - line.intercept - line.slope * x[use]
    n = use.sum()
    seen = (left**2).sum() / (n - 2) * (1 + 2 * np.sqrt(2 / (n - 1))) - np.mean(special.polygamma(1, half))
    common = 2 * optimize.brentq(lambda h: special.polygamma(1, h) - seen, 1e-3, 1e5, xtol=1e-14)
    level = line.intercept + special.digamma(common / 2) - np.log(common / 2)
    degrees = common + own
    deviation = np.sqrt((common * np.exp(level + line.slope * x) + own * variance) / degrees)
    return (level, line.slope, common), answers(ratio, deviation, degrees, runs)


def answers(ratio, deviation, degrees, runs):
    """Ratio, deviation, degrees, p, p of a null at 0.01, p of less than log 0.99, 95 % and 99 % half widths."""
    error = deviation * np.sqrt((1 / runs).sum(1))
    return np.stack(
        [
            ratio,
            deviation,
            degrees,
            2 * stats.t.sf(np.abs(ratio) / error, degrees),
            2 * stats.t.sf(np.abs(ratio - 0.01) / error, degrees),
            stats.t.cdf((ratio - np.log(0.99)) / error, degrees),
            stats.t.ppf(0.975, degrees) * error,
            stats.t.ppf(0.995, degrees) * error,
        ],
        axis=1,
    )


def pooled(mine, theirs):
    """Student's test of each case alone, by scipy's own function."""
    rows = []
    for a, b in zip(mine, theirs):
        test = stats.ttest_ind(a, b)
        below = stats.ttest_ind(np.array(a) - np.log(0.99), b, alternative="less")
        interval = [test.confidence_interval(p) for p in (0.95, 0.99)]
        rows.append(
            [
                np.mean(a) - np.mean(b),
                (np.mean(a) - np.mean(b)) / test.statistic / np.sqrt(1 / len(a) + 1 / len(b)),
                test.df,
                test.pvalue,
                stats.ttest_ind(np.array(a) - 0.01, b).pvalue,
                below.pvalue,
                *((i.high - i.low) / 2 for i in interval),
            ]
        )
    return np.array(rows)


def made_up(rng, sizes):
    scatter = np.exp(rng.normal(-6, 1, len(sizes)))
    deviation = 2 * scatter * np.exp(rng.normal(0, 0.5, len(sizes)))
    sides = [
        [rng.normal(24 + i + shift, s, n[side]) for i, (n, s) in enumerate(zip(sizes, deviation))]
        for side, shift in ((0, 0.01), (1, 0))
    ]
    return [[[float(f"{v:.9g}") for v in runs] for runs in side] for side in sides], [
        float(f"{v:.6g}") for v in scatter
    ]


def text(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def write(name, comment, sizes, seed):
    (mine, theirs), scatter = made_up(np.random.default_rng(seed), sizes)
    if len(sizes) < 10:
        spread, rows = (0, 0, 0), pooled(mine, theirs)
    else:
        spread, rows = moderated(mine, theirs, scatter)
    print(f"/// {comment}\ninline ScipyReference const {name}{{{{")
    for a, b, s in zip(mine, theirs, scatter):
        print(f"{{{text(a)}, {text(b)}, {s!r}}},")
    print(f"}}, {text(spread)}, {{")
    for row in rows:
        print(text(row) + ",")
    print("}};\n")


print("""// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Written by scipy_reference.py, which says what the figures are.

#include <vector>

#include "compare/spread.hpp"

namespace tilestride {

struct ScipyReference {
  struct Answer {
    double log_ratio, deviation, degrees, p_value, p_value_of_null, p_value_below, half_width_95, half_width_99;
  };
  std::vector<Observed> cases;
  CommonSpread spread;
  std::vector<Answer> answers;
};
""")
write("several_runs", "Three runs of mine, two of theirs.", [(3, 2)] * 14, 11)
write("one_run_a_side", "One run a side.", [(1, 1)] * 15, 12)
write("some_runs", "Cases that not all runs have.", [(3, 3), (1, 1), (2, 1), (1, 3), (3, 2), (2, 2)] * 4, 13)
write("few_cases", "Too few cases for a common spread.", [(2, 2), (3, 2), (2, 1), (4, 4), (1, 3)], 14)
print("}  // namespace tilestride")
