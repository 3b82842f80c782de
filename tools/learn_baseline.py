#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Learns from many results how fast the cases of a deck are on healthy devices, for the slow-rank screen.

    tools/learn_baseline.py results/*/result.json -o baseline.json

Results of one rank and of many are taken. A device is known by its UUID, or where that is hidden or missing by
"host:rank"; where the host is hidden, too, its figures count among all, and it gets no past of its own.

What the screen would name is dropped, and the rest judged again until nothing is dropped: first results beside the
other results of their device, then devices beside the other devices. A device that is dropped has no past.

    {"schema": 1, "results": 40, "cases": {NAME: {
       "median": 4.0e3, "mad": 12.5,         of the devices' rates, in calls per second: 1 / median time of a call
       "own_mad": 0.0012,                    of results / median of their device; missing without a second result
       "devices": {"GPU-…": 4.0e3}}}}        the median of each

Exit: 0 the file is written, 2 a file is no result document, or the results are of different devices."""

import argparse
import collections
import json
import pathlib
import statistics
import sys

from screen_simulation import is_slow, limit, middle

from report import documents

ALARMS = 3.0  # the default of the screen
RANK = {"rank": int, "host": str, "device": str, "uuid": str, "pci": str}


def identity(uuid, host, rank):
    if uuid and "hidden" not in uuid:  # a redacted one may keep what stands before its digits
        return uuid
    return None if host in ("", "hidden") else f"{host}:{rank}"


def rank_identities(document):
    """{rank: (what it is known by, the name of its device)} of a result of many ranks; empty for that of one."""
    known = {}
    for entry in document.get("ranks", []):
        documents.require({"rank": int}, entry, "a rank", RANK)
        fields = {name: entry.get(name, "") for name in RANK}
        known[entry["rank"]] = (identity(fields["uuid"], fields["host"], entry["rank"]), fields["device"])
    return known


def figures(document):
    """(case, what the device is known by, its name, calls per second) of everything that was measured."""
    ranks = rank_identities(document)
    for case in document["results"]:
        if case["outcome"] != "passed":
            continue
        if "ranks" not in case:
            facts = document["programs"].get(case.get("program"), {}).get("spaces", {})
            device = {name: facts.get(f"{case['space']}: {name}", "") for name in ("uuid", "device")}
            known = identity(device["uuid"], document["machine"].get("host", ""), 0)
            yield case["name"], known, device["device"], 1 / case["time"]["median"]
            continue
        for rank, seconds in enumerate(case["ranks"]["seconds"]):
            yield case["name"], *ranks.get(rank, (None, "")), 1 / seconds


def without_slow(values):
    """Of {name: value} those that the screen would not name, judged again until all stay; and how many did not."""
    kept = dict(values)
    while len(kept) > 2:
        center, deviation = middle(list(kept.values()))
        z = limit(len(kept), ALARMS)
        healthy = {name: value for name, value in kept.items() if not is_slow(value, center, deviation, z)}
        if len(healthy) == len(kept):
            break
        kept = healthy
    return kept, len(values) - len(kept)


def learned(rates):
    """A case of the baseline of [(device or None, rate)], and how many results and devices were dropped."""
    results = collections.defaultdict(list)
    for number, (device, rate) in enumerate(rates):
        results[number if device is None else device].append(rate)
    shares = {}  # (device, number): rate / median of the device
    for device, values in results.items():
        if len(values) > 1:
            own = statistics.median(values)
            shares |= {(device, number): value / own for number, value in enumerate(values)}
    undisturbed, results_dropped = without_slow(shares)
    medians = {}
    for device, values in results.items():
        medians[device] = statistics.median(value for number, value in enumerate(values)
                                            if (device, number) in undisturbed or len(values) == 1)
    healthy, devices_dropped = without_slow(medians)
    center = statistics.median(healthy.values())
    case = {"median": center, "mad": statistics.median(abs(rate - center) for rate in healthy.values())}
    if undisturbed:
        case["own_mad"] = statistics.median(abs(share - 1) for share in undisturbed.values())
    case["devices"] = {device: rate for device, rate in sorted(healthy.items(), key=str) if isinstance(device, str)}
    return case, results_dropped, devices_dropped


def baseline(paths):
    """The document, and a line for each case of which something was dropped; raises BadDocument."""
    rates = collections.defaultdict(list)
    kinds = collections.defaultdict(set)
    for path in paths:
        document = documents.read(path)
        documents.require({}, document, str(path), {"ranks": list})
        try:
            for name, device, kind, rate in figures(document):
                rates[name].append((device, rate))
                kinds[name].add(kind)
        except documents.BadDocument as error:
            raise documents.BadDocument(f"{path}: {error}") from None
    cases, said = {}, []
    for name, measured in rates.items():
        if len(kinds[name] - {""}) > 1:
            names = ", ".join(sorted(kinds[name] - {""}))
            raise documents.BadDocument(f"{name} was measured on {names}: each needs a baseline of its own")
        cases[name], results_dropped, devices_dropped = learned(measured)
        if results_dropped or devices_dropped:
            dropped = f"{results_dropped} results and {devices_dropped} devices"
            said.append(f"{name}: dropped {dropped} of {len(measured)} results")
    if not cases:
        raise documents.BadDocument("the results hold no case that passed")
    return {"schema": 1, "results": len(paths), "cases": cases}, said


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path, metavar="RESULT", help="result documents")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, metavar="FILE", help="the baseline")
    options = parser.parse_args(arguments)
    try:
        document, said = baseline(options.results)
        options.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    except (documents.BadDocument, OSError) as error:
        print(f"learn_baseline.py: {error}", file=sys.stderr)
        return 2
    for line in said:
        print(line)
    devices = set().union(*(case["devices"] for case in document["cases"].values()))
    print(f"{options.output}: {len(document['cases'])} cases, {len(devices)} devices, {len(options.results)} results")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
