#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The card of a machine's memories, from the result document of inputs/memory_card.toml: for each space one table,
ranked by latency, then the latency and the bandwidth of every case over the working set, the latency while other loads
are under way, and what is missing and why.

    tools/memory_card.py results/…/result.json --output CARD.md

Which cache a working set shows follows from the curve of the latency alone. Other work on the machine makes a set
slower, never faster, and a larger set is no faster than a smaller one: so in the search for levels a set has the least
latency among itself and all larger sets. A run is working sets, one after the other, of which none has more than 1.3
times the latency of another. The longest run is found first, then the longest of what is left on either side. A run is
a level if its largest set is at least twice its smallest; else it is on the way from one level to the next, and none,
unless the curve begins or ends with it.

The document tells the size of the last cache. Levels that reach sets twice as large are memory, and one row: it may
begin with smaller sets, where other programs use a part of that cache, and rise where a TLB ends. The others are L1,
L2, … as long as their smallest set is at most half of it; what is between is partly cached, and none. The latency of a
level is the median of what was measured. Its bandwidth is the highest among the sets of the level (of readers that have
parts of a set: of parts as large), and that of memory is that of the largest set. A link's is that of the largest set,
too, beside the last level of its latency; the levels before it are caches on this side.

Exit: 0 the card is written, 2 the file is no result document or has no such cases."""

import argparse
import collections
import dataclasses
import itertools
import pathlib
import re
import statistics
import sys

from report import documents, sweeps

STEP = 1.3  # caches differ by two or more, the sets of one cache by less

#: The paths beside global memory: what they are called, and the variants of latency and of bandwidth that go that way.
#: The latency is that of the first variant that was measured: scratch computes a place between two loads, native_shared
#: does without. The rate is the best of all.
PATHS = {
    "registers": (("native_registers",), ()),
    "shared memory": (("native_shared", "scratch"), ("native_shared", "scratch")),
    "shared memory of another block": (("native_cluster",), ("native_cluster",)),
    "constant memory": (("native_constant",), ("native_constant",)),
    "local memory": (("native_local",), ()),
    "read-only path": (("native_read_only",), ("native_read_only",)),
    "texture path": (("native_texture",), ("native_texture",)),
    "mapped memory of the host": (("mapped",), ("mapped",)),
    "memory of another GPU, loads": (("native_peer",), ("native_peer",)),
    "memory of another GPU, stores": ((), ("native_peer_store",)),
    "memory of this NUMA node": (("local",), ("local",)),
    "memory of another NUMA node": (("remote",), ("remote",)),
}
GLOBAL = (("pointer_chase",), ("global", "native_global"))
#: Why a row has a latency and no rate.
NO_RATE = {
    "registers": "no kernel moves data from register to register at a rate of its own",
    "local memory": "L1 serves loads as in bandwidth/global_words; L2 takes stores as in bandwidth/copy",
    "mapped memory of the host, level 1": "caches serve what they hold of it as what they hold of other memory",
}
UNDER_LOAD = "one_by_one"  # of bandwidth, with several numbers of readers
COUNTED = "native_global"  # the twin of that chase, which counts its cycles
FIRST_LEVEL_ONLY = ("read-only path", "texture path", "local memory")  # their other levels are those of global memory


class NoCard(Exception):
    """The document has nothing for a card."""


@dataclasses.dataclass
class Row:
    memory: str
    sets: tuple  # the smallest and the largest working set that show it
    ns: float = None
    cycles: float = None
    rate: float = None  # B/s of all readers
    rate_of_one: float = None


def bytes_of(case):
    return sweeps.number_of(case["keys"]["bytes"])


def ns_of(case):
    return 1e9 / case["rate"]


def cycles_of(case):
    """Those that the kernel counted; else none, since the clock of that moment is not known."""
    return case.get("measured", {}).get("cycles/op")


def runs_of(ns):
    """[(begin, end)] of the runs of latencies that never fall, first to last."""
    if not ns:
        return []
    places = itertools.combinations(range(len(ns) + 1), 2)
    begin, end = max((p for p in places if ns[p[1] - 1] <= STEP * ns[p[0]]), key=lambda p: p[1] - p[0])
    behind = [(end + first, end + last) for first, last in runs_of(ns[end:])]
    return [*runs_of(ns[:begin]), (begin, end), *behind]


def levels_of(curve):
    """[[case]]: the levels of a latency's curve, smallest sets first."""
    cases = sorted(curve, key=bytes_of)
    least = list(itertools.accumulate(map(ns_of, reversed(cases)), min))[::-1]
    runs = [cases[begin:end] for begin, end in runs_of(least)]
    ends = (0, len(runs) - 1)
    return [run for place, run in enumerate(runs) if place in ends or bytes_of(run[-1]) >= 2 * bytes_of(run[0])]


def readers_of(case):
    return int(case["notes"]["readers"])


def size_shown(case):
    """What one reader reads again and again."""
    return bytes_of(case) / (readers_of(case) if case["keys"]["reads"] == "part" else 1)


def best_rate(cases, sets, is_memory):
    """B/s; None without a case."""
    if is_memory:
        largest = max(map(bytes_of, cases), default=0)
        rates = [case["rate"] for case in cases if bytes_of(case) == largest >= sets[0]]
    else:
        rates = [case["rate"] for case in cases if sets[0] <= size_shown(case) <= sets[1]]
    return max(rates, default=None)


def row_of(memory, level, rates, is_memory=False, counted=()):
    """`level`: cases of a latency; `rates`: those of bandwidth on the same path; `counted`: where the cycles of the
    level's sets are found if not in the level."""
    sizes = sorted(map(bytes_of, level)) or sorted(map(bytes_of, rates))
    row = Row(memory, (sizes[0], sizes[-1]))
    if level:
        row.ns = statistics.median(map(ns_of, level))
        cycles = [cycles_of(case) for case in counted or level if bytes_of(case) in sizes]
        row.cycles = statistics.median(cycles) if cycles and all(cycles) else None
    alone = [case for case in rates if readers_of(case) == 1]
    together = [case for case in rates if readers_of(case) != 1]
    row.rate = best_rate(together, row.sets, is_memory)
    row.rate_of_one = best_rate(alone, row.sets, is_memory)
    return row


def last_cache(document, space):
    """Bytes of the last cache, from the facts of the device or the host; 0 where they do not say."""
    facts = {**document["machine"]}
    for program in document["programs"].values():
        facts.update(program.get("spaces", {}))
    is_host = f"{space}: device" not in facts
    text = facts.get("last cache" if is_host else f"{space}: L2 cache", "")
    match = re.fullmatch(r"([\d.]+) (\w+)", text)
    return float(match[1]) * sweeps.UNITS.get(match[2], 0) if match else 0


def rows_of_global(document, space, latencies, rates, counted):
    levels = levels_of(latencies)
    if not levels:
        return [row_of("global memory", [], rates, True)] if rates else []
    cache = last_cache(document, space)
    memory_begins = 2 * cache or bytes_of(levels[-1][-1])  # the last level's, where no cache is known
    memory = [case for level in levels if bytes_of(level[-1]) >= memory_begins for case in level]
    others = [level for level in levels if bytes_of(level[-1]) < memory_begins]
    caches = [level for level in others if cache == 0 or 2 * bytes_of(level[0]) <= cache]
    rows = [row_of(f"L{place + 1}", level, rates, counted=counted) for place, level in enumerate(caches)]
    return rows + ([row_of("memory", memory, rates, True, counted)] if memory else [])


def rows_of(document, space):
    """The card of one space, ranked by latency; what has only a bandwidth comes last."""
    by_variant = collections.defaultdict(list)
    for case in document["results"]:
        if case.get("space") == space and case.get("outcome") == "passed":
            by_variant[case["pattern"], case["variant"]].append(case)

    def of(latencies, bandwidths):
        measured = filter(None, (by_variant["latency", name] for name in latencies))
        return next(measured, []), [c for name in bandwidths for c in by_variant["bandwidth", name]]

    rows = rows_of_global(document, space, *of(*GLOBAL), by_variant["latency", COUNTED])
    for memory, variants in PATHS.items():
        latencies, rates = of(*variants)
        levels = levels_of(latencies)[: 1 if memory in FIRST_LEVEL_ONLY else None]
        if levels:
            names = [memory] if len(levels) == 1 else [f"{memory}, level {n + 1}" for n in range(len(levels))]
            link = levels[-1] if memory.startswith(("mapped", "memory of")) else None
            rows += [row_of(name, level, rates, level is link) for name, level in zip(names, levels)]
        elif rates:
            rows.append(row_of(memory, [], rates, True))
    return sorted(rows, key=lambda row: (row.ns is None, row.ns or 0, -(row.rate or 0)))


def size_text(count):
    for unit in ("GiB", "MiB", "KiB"):
        if count % sweeps.UNITS[unit] == 0:
            return f"{count // sweeps.UNITS[unit]} {unit}"
    return f"{count} B"


def number(value, scale=1):
    return "" if value is None else f"{value * scale:.4g}"


def table(header, rows):
    rule = ["---" if place == 0 else "---:" for place in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, rule, *rows])


def card_table(rows):
    one = any(row.rate_of_one for row in rows)
    lines = []
    for row in rows:
        sets = size_text(row.sets[0]) + ("" if row.sets[0] == row.sets[1] else f" to {size_text(row.sets[1])}")
        rates = [number(row.rate, 1e-9)] + ([number(row.rate_of_one, 1e-9)] if one else [])
        lines.append([row.memory, number(row.ns), number(row.cycles), *rates, sets])
    rates = ["GB/s"] + (["GB/s of one reader"] if one else [])
    return table(["memory", "latency ns", "cycles", *rates, "working set"], lines)


def curve_table(cases, label, value):
    """A line for each working set, a column for each way of using it."""
    columns = list(dict.fromkeys(map(label, cases)))
    cells = {(bytes_of(case), label(case)): value(case) for case in cases}
    sizes = sorted({size for size, _ in cells})
    return table(["working set", *columns], [[size_text(s), *(cells.get((s, c), "") for c in columns)] for s in sizes])


def bandwidth_label(case):
    parts = [case["variant"]] + (["parts"] if case["keys"]["reads"] == "part" else [])
    return ", ".join(parts + (["one reader"] if readers_of(case) == 1 else []))


def under_load_table(cases):
    """How long a load takes while others are under way, and what they move together; one_by_one counts 8 bytes for
    each load and its store, of 1024 threads per reader."""
    rows = []
    for case in sorted(cases, key=readers_of):
        loads = 1024 * readers_of(case)
        rows.append([str(loads), number(8 * loads / case["rate"], 1e9), number(case["rate"], 1e-9)])
    return table(["loads under way", "ns", "GB/s"], rows)


def missing(document):
    """A line for each variant and reason for which it has no figure; one for a space that has none at all."""
    cases = [case for case in document["results"] if case.get("pattern") in ("latency", "bandwidth")]
    measured = {case["space"] for case in cases if case["outcome"] == "passed"}
    reasons = collections.defaultdict(list)
    for case in cases:
        if case["outcome"] != "passed":
            space = case["space"]
            name = f"{case['pattern']}/{case['variant']}/{space}" if space in measured else f"all of {space}"
            size = case["keys"]["bytes"] if space in measured else ""
            reasons[name, case["outcome"], case.get("reason", "")].append(size)
    return [
        f"- {' '.join([name, ', '.join(dict.fromkeys(sizes))]).strip()}: {outcome}{': ' + reason if reason else ''}"
        for (name, outcome, reason), sizes in reasons.items()
    ]


def without_rate(rows, space):
    """A line for each row that has no rate for a reason that is known."""
    lacking = [row.memory for row in rows if row.rate is None and row.memory in NO_RATE]
    return [f"- bandwidth of {memory}, {space}: {NO_RATE[memory]}" for memory in lacking]


def card(document):
    cases = [case for case in document["results"] if case.get("pattern") in ("latency", "bandwidth")]
    passed = [case for case in cases if case["outcome"] == "passed"]
    if not passed:
        raise NoCard("has no figures of latency or bandwidth: inputs/memory_card.toml measures them")
    parts, lacking = [f"# Memory card, {document['started']}"], []
    for space in dict.fromkeys(case["space"] for case in passed):
        devices = [p.get("spaces", {}).get(f"{space}: device") for p in document["programs"].values()]
        name = next(filter(None, devices), document["machine"].get("cpu", ""))
        rows = rows_of(document, space)
        parts += [f"## {space}: {name}", card_table(rows)]
        lacking += without_rate(rows, space)
        here = [case for case in passed if case["space"] == space]
        for title, pattern, label, value in (
            ("Latency, ns", "latency", lambda case: case["variant"], lambda case: number(ns_of(case))),
            ("Bandwidth, GB/s", "bandwidth", bandwidth_label, lambda case: number(case["rate"], 1e-9)),
        ):
            curve = [case for case in here if case["pattern"] == pattern and case["variant"] != UNDER_LOAD]
            if curve:
                parts += [f"### {title}", curve_table(curve, label, value)]
        if loaded := [case for case in here if case["variant"] == UNDER_LOAD]:
            parts += ["### Loads under way, copied word by word", under_load_table(loaded)]
    if lacking := lacking + missing(document):
        parts += ["## Not measured", "\n".join(lacking)]
    return "\n\n".join(parts) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=pathlib.Path, metavar="CARD.json", help="result document")
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE.md", help="else it is printed")
    options = parser.parse_args(arguments)
    try:
        text = card(documents.read(options.document))
    except documents.BadDocument as problem:
        print(f"memory_card: {problem}", file=sys.stderr)
        return 2
    except NoCard as problem:
        print(f"memory_card: {options.document}: {problem}", file=sys.stderr)
        return 2
    if options.output is None:
        print(text, end="")
        return 0
    try:
        options.output.write_text(text, encoding="utf-8")
    except OSError as error:
        print(f"memory_card: {options.output} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
