# SPDX-License-Identifier: BSD-3-Clause
"""The cases as columns of short numbers: a page of 10,000 cases is to be small."""

import collections

from . import ranks, samples
from .case import details, remarks


class Numbers:
    """Numbers values in the order of their first appearance: a table holds each of them once. Values are texts or
    tuples."""

    def __init__(self):
        self.numbers = {}

    def __call__(self, value):
        return self.numbers.setdefault(value, len(self.numbers))

    @property
    def values(self):
        return list(self.numbers)


def short(number):
    """Five digits are more than a chart can show."""
    if number is None:
        return None
    rounded = float(f"{number:.5g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded


# Bits of the column "marks".
BEST, ROUNDED, WHOLE_NAME = 1, 2, 4


def segments_of_name(case):
    """What follows variant, space and type in the name of a case, and False; or [the name] and True where it is
    another."""
    prefix = f"{case.pattern}/{case.variant}/{case.space}/{case.type}"
    rest = case.name[len(prefix) :].split("/")
    if case.name.startswith(prefix) and not rest[0]:
        return rest[1:], False
    return [case.name], True


def case_columns(cases, limit):
    """The cases as columns of numbers, and the tables that these numbers point into: a page of 10,000 cases is to be
    small. Names and problems are lists of segments ("tile=32"); details are the number of a list of headings, then
    the texts."""
    tables = {name: Numbers() for name in TABLES}
    texts, segments = tables["texts"], tables["segments"]
    columns = collections.defaultdict(list)
    for case in cases:
        of_name, is_whole = segments_of_name(case)
        facts = details(case)
        row = {
            "platform": case.platform,
            "task": tables["tasks"]((case.pattern, case.type, tuple(segments(text) for text in case.shared))),
            "variant": tables["variants"]((case.variant, case.role)),
            "tail": tables["tails"](tuple(segments(text) for text in of_name)),
            "marks": case.is_best * BEST + bool(case.rounded) * ROUNDED + is_whole * WHOLE_NAME,
            "outcome": texts(case.outcome),
            "reason": texts(case.json.get("reason", "")),
            "remarks": texts(remarks(case)),
            "details": tables["details"](
                (tables["headings"](tuple(what for what, _ in facts)), *(texts(text) for _, text in facts))
            ),
            **figures_of(case, tables, limit),
            "ranks": ranks.column(case, short, limit),
        }
        for name, value in row.items():
            columns[name].append(value)
    if not any(columns["ranks"]):
        del columns["ranks"]
    return {"columns": columns, **{name: table.values for name, table in tables.items()}}


TABLES = ("tasks", "variants", "tails", "segments", "texts", "headings", "details", "works", "ceilings")
FIGURES = ("time", "low", "high", "fastest", "slowest", "count", "samples", "rate", "share", "modelled", "limiter",
           "work", "ceilings")  # fmt: skip


def figures_of(case, tables, limit):
    """Of a case that passed, else nothing. The time is in ns, other times are their distance from it in 1e-6 of it;
    rates are in 1e9 per second: these are the shortest numbers."""
    if not case.passed:
        return dict.fromkeys(FIGURES)
    time, taken, work = case.json["time"], case.json["samples"], case.json["work"]
    shown = taken if len(taken) <= limit else samples.quantiles(taken, limit)

    def distance(seconds):
        return round((seconds / time["median"] - 1) * 1e6)

    values = (
        short(time["median"] * 1e9),
        distance(time["low"]),
        distance(time["high"]),
        distance(min(taken)),
        distance(max(taken)),
        len(taken),
        samples.encode(shown),
        short(case.rate / 1e9),
        short(case.share),
        short(case.modelled and case.modelled / 1e9),
        tables["texts"](case.json.get("model", {}).get("limiter", "")),
        tables["works"]((short(work.get("bytes", 0)), short(work.get("flops", 0)))),
        tables["ceilings"](tuple(short(case.json["ceilings"].get(name, 0) / 1e9) for name in ("copy", "fma", "read"))),
    )
    return dict(zip(FIGURES, values))
