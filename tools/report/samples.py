# SPDX-License-Identifier: BSD-3-Clause
"""Samples in two characters each. They are most of a result document, and a strip of points needs no more than this:
the distance from the fastest as one of 4096 steps between the fastest and the slowest of the case."""

STEPS = 4096
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

# Of all cases together, and for each at least: a page with 10,000 cases stays below 2.5 MB.
BUDGET = 400_000
LEAST = 32


def limit_for(cases):
    """How many samples of a case are embedded, if the page has this many cases."""
    return max(LEAST, BUDGET // max(cases, 1))


def quantiles(samples, count):
    """As many of the sorted samples, evenly spaced, the first and the last among them."""
    ordered = sorted(samples)
    return [ordered[round(i * (len(ordered) - 1) / (count - 1))] for i in range(count)]


def encode(samples):
    """In their order; the reader also needs the smallest and the largest."""
    low, high = min(samples), max(samples)
    text = ""
    for sample in samples:
        step = round((sample - low) / (high - low) * (STEPS - 1)) if high > low else 0
        text += DIGITS[step // 64] + DIGITS[step % 64]
    return text
