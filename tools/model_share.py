#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well do the models predict? Of a result document, how many of the predicted times lie within 0.8 to 1.25 of what
was measured, by pattern, and each case outside with what the hardware's counters say that it was busy with.

    tools/model_share.py results/…/result.json
    tools/model_share.py results/…/result.json --counters counters.json      from tools/check_model.py on the same deck

A case is busy with what is used most (issue slots, L1, L2, DRAM), where that is 70 % or more; else its warps wait, most
of them for what is named. Counters that were taken without these quantities say so.

Exit: 0 the table is written, 2 the file is no result document or predicts nothing."""

import argparse
import collections
import json
import pathlib
import sys

from report import documents

WITHIN = (0.8, 1.25)  # predicted / measured
BUSY = 70  # percent
UNITS = ("issue slots", "L1", "L2", "DRAM")


def reason(counted):
    """What counters say of a case, in words; `counted` is its entry of check_model's document, None without."""
    if not counted:
        return "not counted"
    busiest = max((unit for unit in UNITS if unit in counted), key=counted.get, default=None)
    used = f"{busiest} {counted[busiest]:.0f} %" if busiest else ""
    if busiest and counted[busiest] >= BUSY:
        return f"{busiest} busy {counted[busiest]:.0f} %"
    waits = counted.get("waits")
    if waits:
        what, part = max(waits.items(), key=lambda pair: pair[1])
        return f"waits for {what} {part:.0f} %" + (f"; {used}" if used else "")
    return f"nothing is busy: {used}" if used else "busy units and waits not counted"


def predictions(document):
    """[(case, predicted / measured)] of the cases that passed and have a model."""
    pairs = []
    for case in document["results"]:
        seconds = (case.get("model") or {}).get("seconds", 0)
        if case.get("outcome") == "passed" and seconds > 0:
            pairs.append((case, seconds / case["time"]["median"]))
    return pairs


def is_within(ratio):
    return WITHIN[0] <= ratio <= WITHIN[1]


def table(pairs, counted):
    """The lines of a Markdown document; `counted`: {name of a case: what was counted of it}."""
    patterns = collections.defaultdict(list)
    for case, ratio in pairs:
        patterns[case["pattern"]].append(ratio)
    lines = ["| pattern | predictions | within | share |", "|---|---:|---:|---:|"]
    for pattern, ratios in [*sorted(patterns.items()), ("all", [ratio for _, ratio in pairs])]:
        good = sum(is_within(ratio) for ratio in ratios)
        lines.append(f"| {pattern} | {len(ratios)} | {good} | {100 * good / len(ratios):.0f} % |")
    outside = [(case, ratio) for case, ratio in pairs if not is_within(ratio)]
    if outside:
        lines += ["", "| outside | predicted / measured | limit of the model | counters |", "|---|---:|---|---|"]
    for case, ratio in outside:
        says = reason(counted.get(case["name"]))
        lines.append(f"| `{case['name']}` | {ratio:.2f} | {case['model']['limiter']} | {says} |")
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path, help="a result document")
    parser.add_argument("--counters", type=pathlib.Path, action="append", default=[],
                        help="what tools/check_model.py wrote; may be given several times")
    options = parser.parse_args(arguments)
    try:
        document = documents.read(options.result)
        counted = {}
        for path in options.counters:
            counted |= {case["name"]: case["counted"] for case in json.loads(path.read_text())["cases"]}
    except (documents.BadDocument, OSError, ValueError, KeyError) as problem:
        print(f"model_share: {problem}", file=sys.stderr)
        return 2
    pairs = predictions(document)
    if not pairs:
        print(f"model_share: {options.result} predicts nothing: was a card given (--machine)?", file=sys.stderr)
        return 2
    print("\n".join(table(pairs, counted)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
