# SPDX-License-Identifier: BSD-3-Clause
"""What the page says about the ranks of a run: where they ran, which are slow, and how they differ in a case."""

import statistics

from . import samples

MOST_SHOWN = 200  # points of a strip; of more ranks, so many quantiles


def titles(document):
    """ "rank 3 (nid0012, GPU-1b2c…)" of each rank, as the program names it."""
    places = []
    for number, rank in enumerate(document.get("ranks", [])):
        known = [rank[name] for name in ("host", "uuid", "pci") if rank.get(name)]
        places.append(f"rank {number} ({', '.join(known)})")
    return places


def sentences(document):
    """For the head of the page: how many ranks there were, and a line for each that is slow."""
    ranks = document.get("ranks", [])
    if not ranks:
        return []
    hosts = len({rank["host"] for rank in ranks})
    slow = document.get("slow_ranks", [])
    where = f"{len(ranks)} {'rank' if len(ranks) == 1 else 'ranks'} on {hosts} {'host' if hosts == 1 else 'hosts'}"
    said = [f"{where}; slow ones: {len(slow) or 'none'}"]
    names = titles(document)
    for one in slow:
        name = names[one["rank"]] if one["rank"] < len(names) else f"rank {one['rank']}"
        below = f"{100 * one['deficit']:.1f} % below {one['compared_with']}"
        said.append(f"{name}: {one['action']}: {below} in {one['case']}")
    return said + slow_messages(document)


def slow_messages(document):
    """A line for the messages between ranks that are slow, with the hosts that all of them leave or reach."""
    slow = document.get("slow_messages")
    if not slow:
        return []
    worst = max(slow["pairs"], key=lambda pair: pair["deficit"])
    pairs = ", ".join(f"{pair['from']}->{pair['to']}" for pair in slow["pairs"])
    hosts = f"all leave or reach {' or '.join(slow['hosts'])}" if slow["hosts"] else "no host is common to all"
    below = f"up to {100 * worst['deficit']:.1f} % below those of other pairs in {worst['case']}"
    return [f"slow messages: {pairs}: {below}; {hosts}"]


def details(case, places):
    """Of a case of several ranks: its extremes, and where the slowest one is."""
    of_ranks = case.json.get("ranks")
    if not of_ranks:
        return []
    seconds = of_ranks["seconds"]
    middle, slowest = statistics.median(seconds), max(seconds)
    number = seconds.index(slowest)
    name = places[number] if number < len(places) else f"rank {number}"
    found = [("slowest of its ranks", f"{name}: {100 * (1 - middle / slowest):.1f} % below the median of all")]
    state = ", ".join(f"{what} {value}" for what, value in of_ranks.get("slowest_device", {}).items())
    found.append(("device of the slowest rank", state))
    unit = {"GB/s": "GB/s", "GFLOP/s": "GFLOP/s"}.get(case.json["figure"])
    if unit and of_ranks.get("together"):
        found.append(("all ranks together", f"{of_ranks['together'] / 1e9:.5g} {unit}"))
    return found


def column(case, short, limit):
    """The times of the ranks: [how many, median in ns, distances of the fastest and the slowest from it in 1e-6 of it,
    their strip]. In the order of the ranks, or quantiles where there are too many."""
    of_ranks = case.json.get("ranks")
    if not (case.passed and of_ranks):
        return None
    seconds = of_ranks["seconds"]
    most = min(limit, MOST_SHOWN)
    shown = seconds if len(seconds) <= most else samples.quantiles(seconds, most)
    middle = statistics.median(seconds)
    distances = [round((time / middle - 1) * 1e6) for time in (min(seconds), max(seconds))]
    return [len(seconds), short(middle * 1e9), *distances, samples.encode(shown)]
