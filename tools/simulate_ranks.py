#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the folder of a run with many ranks and cases out of that of one with a few, so that what `tilestride gather`
and the report cost can be measured without a machine room.

    tilestride run DECK --ranks 2 -o small          # DECK has as many cases as the large run is to have
    tools/simulate_ranks.py small --ranks 1000 --hosts 125 -o large
    tilestride gather large && scripts/report.sh large/result.json

Each rank gets the journal of the last rank of the small run, line by line, and rank 0 that of rank 0 with the times of
the last: with its own number, host and device, and all times of a case multiplied by a factor of its own, normal with
--spread. --slow ranks are another 10 % slower."""

import argparse
import json
import pathlib
import random
import sys


def case_lines(lines):
    """{name: case} of those that passed."""
    cases = [json.loads(line) for line in lines if line.startswith('{"kind":"case"')]
    return {case["name"]: case for case in cases if case["outcome"] == "passed"}


def with_times(line, factor, timed):
    """A case that took longer than there by this factor: its windows begin when they did."""
    case = json.loads(line)
    if case["name"] not in timed:
        return line
    source = timed[case["name"]]
    case["samples"] = [seconds * factor for seconds in source["samples"]]
    case["begins"] = source["begins"]
    case["ends"] = [begin + (end - begin) * factor for begin, end in zip(source["begins"], source["ends"])]
    return json.dumps(case, separators=(",", ":"), ensure_ascii=False) + "\n"


def identified(line, rank, options):
    """A message that says who a rank is."""
    message = json.loads(line)
    if message["kind"] == "rank":
        message |= {"rank": rank, "ranks": options.ranks, "host": f"node{rank * options.hosts // options.ranks:04d}"}
    if message["kind"] == "machine":
        message["spaces"]["cuda: uuid"] = f"GPU-{rank:08x}-0000-4000-8000-000000000000"
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False) + "\n"


def write_journal(path, lines, timed, rank, options):
    draw = random.Random(rank)
    own = 1 / (1 + draw.gauss(0, options.spread)) * (1.1 if rank in options.slow else 1)
    with path.open("w", encoding="utf-8") as journal:
        for line in lines:
            if line.startswith('{"kind":"case"'):
                line = with_times(line, own * (1 + draw.gauss(0, 0.002)), timed)
            elif line.startswith(('{"kind":"rank"', '{"kind":"machine"')):
                line = identified(line, rank, options)
            journal.write(line)


def write_header(small, large, options):
    """deck.toml, and of cases.jsonl the line that says what the run was: nothing is finished."""
    large.mkdir(parents=True)
    (large / "deck.toml").write_bytes((small / "deck.toml").read_bytes())
    header = json.loads((small / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0])
    header["ranks"]["count"] = options.ranks
    (large / "cases.jsonl").write_text(json.dumps(header) + "\n", encoding="utf-8")


def journal_of(folder, rank):
    return folder / f"cases.rank-{rank}.jsonl"


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("small", type=pathlib.Path, help="folder of a run with --ranks")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="a new folder")
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=125)
    parser.add_argument("--spread", type=float, default=0.5, metavar="PERCENT", help="between ranks (default: 0.5)")
    parser.add_argument("--slow", type=int, nargs="*", default=[], metavar="RANK")
    options = parser.parse_args(arguments)
    options.spread /= 100
    return options


def main(arguments):
    options = parsed(arguments)
    try:
        last = len(list(options.small.glob("cases.rank-*.jsonl"))) - 1
        journals = [journal_of(options.small, r).read_text(encoding="utf-8").splitlines(True) for r in (0, last)]
        write_header(options.small, options.output, options)
        timed = case_lines(journals[1])
        for rank in range(options.ranks):
            write_journal(journal_of(options.output, rank), journals[rank > 0], timed, rank, options)
    except OSError as problem:
        print(f"simulate_ranks.py: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
