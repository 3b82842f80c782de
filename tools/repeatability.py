#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well do figures repeat? Of result documents of one deck, each measured by a process of its own, how many cases
have medians that lie within 1 % of each other, by clock and by duration, and each case outside, the worst first.

    tools/repeatability.py results/quick-1/result.json results/quick-2/result.json results/quick-3/result.json
    tools/repeatability.py results/quick-*/result.json --only cuda/ --within 0.5

How far a case lies apart is its largest median over its smallest, less 1. A case counts that passed in all documents.
The documents must be of the same deck, program and machine, and each of another run. To compare builds or machines
there is `tilestride compare`.

Exit: 0 the table is written, 2 a file is no result document, the documents are not of the same deck, program and
machine, or no case passed in all of them."""

import argparse
import collections
import math
import pathlib
import sys

from report import documents

SHORT = 50e-6  # seconds; a shorter call that is not replayed waits for the host (docs/figures.md)


class Repeated(collections.namedtuple("Repeated", "name clock smallest largest")):
    """A case in all documents: its smallest and largest median, in seconds."""

    @property
    def apart(self):
        return self.largest / self.smallest - 1

    @property
    def duration(self):
        limit = f"{SHORT * 1e6:.0f} us"
        return f"below {limit}" if self.smallest < SHORT else f"{limit} and above"


def facts(document):
    """What must be the same in all runs: {name: value}. Of the deck without the comments that say where values are
    from; what has several lines is for people."""
    lines = document.get("deck", "").splitlines()
    known = {"deck": "\n".join(line.rsplit("  # ", 1)[0].rstrip() for line in lines)}
    known |= document["machine"]
    for program, described in document["programs"].items():
        known[f"{program}: sha256"] = described.get("sha256", "unknown")
        for name, value in described.get("spaces", {}).items():
            if "\n" not in value:
                known[f"{program}: {name}"] = value
    for rank in document.get("ranks", []):
        known |= {f"rank {rank['rank']}: {name}": value for name, value in rank.items()}
    return known


def check_same(path, document, first_path, first):
    """Raises BadDocument where the two are not two runs of the same."""
    if all(document.get(name) == first.get(name) for name in ("started", "results")):
        raise documents.BadDocument(f"{path} is the same run as {first_path}")
    mine, theirs = facts(document), facts(first)
    for name in theirs | mine:
        values = [known.get(name, "unknown") for known in (mine, theirs)]
        if values[0] != values[1]:
            both = "" if name == "deck" else f": {values[0]} and {values[1]}"
            raise documents.BadDocument(f"{path} and {first_path} are not of the same deck, program and machine: "
                                        f"they differ in {name}{both}")


def passed(document, path, only):
    """{name: case} of what passed and has `only` in its name."""
    cases = {case["name"]: case for case in document["results"] if case["outcome"] == "passed" and only in case["name"]}
    for name, case in cases.items():
        documents.require({"clock": str}, case, f"{path}: {name}")
    return cases


def repeated(paths, only):
    """([Repeated] of the cases that passed in all documents, how many passed in some alone)"""
    read = {}
    for path in paths:
        document = documents.read(path)
        for other_path, other in read.items():
            check_same(path, document, other_path, other)
        read[path] = document
    runs = [passed(document, path, only) for path, document in read.items()]
    in_all = [name for name in runs[0] if all(name in run for run in runs)]
    cases = []
    for name in in_all:
        medians = [run[name]["time"]["median"] for run in runs]
        clocks = " or ".join(sorted({run[name]["clock"] for run in runs}))
        cases.append(Repeated(name, clocks, min(medians), max(medians)))
    return cases, len(set().union(*runs)) - len(in_all)


def table(cases, within):
    """The lines of a Markdown document; `within`: a share."""
    groups = collections.defaultdict(list)
    for case in sorted(cases, key=lambda case: (case.clock, case.smallest)):
        groups[case.clock, case.duration].append(case)
    lines = [f"| clock | duration | cases | within {100 * within:g} % | share |", "|---|---|---:|---:|---:|"]
    for (clock, duration), some in [*groups.items(), (("all", "all"), cases)]:
        good = sum(case.apart <= within for case in some)
        lines.append(f"| {clock} | {duration} | {len(some)} | {good} | {100 * good / len(some):.1f} % |")
    outside = sorted((case for case in cases if case.apart > within), key=lambda case: -case.apart)
    if outside:
        lines += ["", "| outside | clock | smallest median | largest | apart |", "|---|---|---:|---:|---:|"]
    for case in outside:
        smallest, largest = (f"{1e6 * seconds:.4g} us" for seconds in (case.smallest, case.largest))
        lines.append(f"| `{case.name}` | {case.clock} | {smallest} | {largest} | {100 * case.apart:.2f} % |")
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path, metavar="RESULT", help="two result documents or more")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--within", type=float, default=1, metavar="PERCENT", help="what counts as repeated (1)")
    options = parser.parse_args(arguments)
    if len(options.results) < 2:
        parser.error("one document says nothing of how figures repeat: give two or more")
    if not 0 <= options.within < math.inf:
        parser.error("--within is a number from 0")
    try:
        cases, in_some = repeated(options.results, options.only)
    except documents.BadDocument as problem:
        print(f"repeatability: {problem}", file=sys.stderr)
        return 2
    if not cases:
        print("repeatability: no case passed in all documents", file=sys.stderr)
        return 2
    print("\n".join(table(cases, options.within / 100)))
    if in_some:
        print(f"\nNot counted, since they did not pass in all documents: {in_some}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
