#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Converts a result document of tilestride (result.json) for other tools.

google-benchmark  JSON as Google Benchmark writes it, for its compare.py and for benchstats: an entry for each sample,
                  then the mean, median, standard deviation and coefficient of variation. Cases without a figure stand
                  in a list of their own, "not_measured".
csv               RFC 4180, a header and a line for each case, with or without a figure. Times are in seconds, rates in
                  B/s, FLOP/s or operations/s.
"""

import argparse
import csv
import io
import json
import pathlib
import statistics
import sys

# What Google Benchmark asks for before it trusts its U test.
ENOUGH_SAMPLES = 9

CSV_HEADER = [
    "name", "pattern", "variant", "space", "type", "keys", "outcome", "reason", "samples", "median_s",
    "low_s", "high_s", "min_s", "max_s", "mad_s", "rate", "figure", "bytes_per_second", "flops_per_second",
    "operations_per_second", "model_achieved", "flags", "program",
]


def read_results(path):
    """The document, without anything that is no JSON, and its cases."""

    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=no_constant)
    if not isinstance(document, dict) or "results" not in document:
        raise ValueError("is no result document")
    if document.get("schema") != 2:
        raise ValueError(f"is of schema {document.get('schema')}, and this tool reads schema 2")
    return document, [result for result in document["results"] if result["kind"] == "case"]


def context_of(document):
    machine = document["machine"]
    builds = {program: facts["build"] for program, facts in document["programs"].items()}
    return {
        "date": document["started"],
        "host_name": machine.get("host", ""),
        "executable": document["program"],
        "num_cpus": int(machine.get("cores", 0)),
        "mhz_per_cpu": 0,  # unknown
        "cpu_scaling_enabled": False,
        "caches": [],
        "load_avg": [],
        "library_build_type": "release",
        "json_schema_version": 1,
        "title": document["title"],
        "status": document["status"],
        "cpu": machine.get("cpu", ""),
        "programs": json.dumps(builds, sort_keys=True),
    }


def benchmark_entries(case, family):
    samples = case["samples"]
    name = case["name"] + "/manual_time"
    shared = {"family_index": family, "per_family_instance_index": 0, "run_name": name}
    rates = [key for key in ("bytes_per_second", "flops_per_second", "operations_per_second") if key in case]
    median = statistics.median(samples)
    work = {rate: case[rate] * median for rate in rates}

    def entry(seconds, **more):
        times = {"real_time": seconds * 1e9, "cpu_time": seconds * 1e9, "time_unit": "ns"}
        return {"name": name, **shared, **more, **times}

    for index, seconds in enumerate(samples):
        yield {
            **entry(seconds, run_type="iteration", repetitions=len(samples), repetition_index=index, threads=1,
                    iterations=case["repetitions"]),
            **{rate: amount / seconds for rate, amount in work.items()},
            "label": "; ".join(case.get("flags", [])),
        }
    mean = statistics.fmean(samples)
    deviation = statistics.stdev(samples) if len(samples) > 1 else 0.0
    for aggregate, figure in (("mean", mean), ("median", median), ("stddev", deviation)):
        yield {**entry(figure, run_type="aggregate", repetitions=len(samples), threads=1, aggregate_name=aggregate,
                       aggregate_unit="time", iterations=len(samples)), "name": f"{name}_{aggregate}"}
    share = deviation / mean
    yield {**shared, "name": f"{name}_cv", "run_type": "aggregate", "repetitions": len(samples), "threads": 1,
           "aggregate_name": "cv", "aggregate_unit": "percentage", "iterations": len(samples), "real_time": share,
           "cpu_time": share, "time_unit": "ns"}


def to_google_benchmark(document, cases):
    measured = [case for case in cases if case["outcome"] == "passed"]
    benchmarks = [entry for family, case in enumerate(measured) for entry in benchmark_entries(case, family)]
    not_measured = [{key: case.get(key, "") for key in ("name", "outcome", "reason")}
                    for case in cases if case["outcome"] != "passed"]
    converted = {"context": context_of(document), "benchmarks": benchmarks, "not_measured": not_measured}
    return json.dumps(converted, indent=1, allow_nan=False) + "\n"


def to_csv(_, cases):
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_HEADER, restval="")
    writer.writeheader()
    for case in cases:
        row = {key: case[key] for key in CSV_HEADER if key in case and key not in ("keys", "flags", "samples")}
        row["keys"] = "; ".join(f"{key}={value}" for key, value in case.get("keys", {}).items())
        row["flags"] = "; ".join(case.get("flags", []))
        row["samples"] = len(case.get("samples", []))
        for field in ("median", "low", "high", "min", "max", "mad"):
            if "time" in case:
                row[f"{field}_s"] = case["time"][field]
        writer.writerow(row)
    return text.getvalue()


FORMATS = {"google-benchmark": to_google_benchmark, "csv": to_csv}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", metavar="RESULT", help="a result.json")
    parser.add_argument("--to", required=True, choices=FORMATS, help="the format")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
    try:
        document, cases = read_results(chosen.result)
        chosen.output.write_bytes(FORMATS[chosen.to](document, cases).encode("utf-8"))
    except (OSError, ValueError) as problem:
        print(f"convert.py: {chosen.result}: {problem}", file=sys.stderr)
        return 2
    few = sum(case["outcome"] == "passed" and len(case["samples"]) < ENOUGH_SAMPLES for case in cases)
    if chosen.to == "google-benchmark" and few:
        print(f"convert.py: {few} cases have fewer than {ENOUGH_SAMPLES} samples, too few for a U test: measure with a "
              f"longer max_time", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
