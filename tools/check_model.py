#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the hardware's counters say what the program predicts? Runs a deck under ncu, each case once, and compares every
prediction (sectors per request, requests, wavefronts of scratch) with what was counted.

    tools/check_model.py build/bin/tilestride inputs/model_check.toml --output counters.json
    tools/check_model.py build/bin/tilestride inputs/bank_model.toml --within 0

The file also has what nothing predicts: DRAM bytes written, L2 sectors, hit rates, local memory, occupancy, and the
effective arithmetic intensity, flops for a byte of DRAM. Caches are empty when a kernel begins (ncu --cache-control
all), and what it leaves in them at its end was not written to DRAM. Clocks are as they are. ncu runs once for each
pattern, and then for each case whose kernels the program cannot tell beforehand.

Needs ncu (NVIDIA Nsight Compute) and permission to read the GPU's counters.
Exit: 0 all agree, 1 some differ or could not be compared, 2 no comparison was possible."""

import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SHARED_LOADS = "smsp__inst_executed_op_shared_ld_pred_on_any.sum"
SHARED_STORES = "smsp__inst_executed_op_shared_st_pred_on_any.sum"
GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum".format
# Loads into registers, and those of cp.async.
LOAD_REQUESTS = [GLOBAL("requests", "ld"), GLOBAL("requests", "ldgsts_cache_access")]
LOAD_SECTORS = [GLOBAL("sectors", "ld"), GLOBAL("sectors", "ldgsts_cache_access")]
STORE_REQUESTS, STORE_SECTORS = [GLOBAL("requests", "st")], [GLOBAL("sectors", "st")]

SHARED_WAVEFRONTS = [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")]

# Name -> the counters that are summed, and those whose sum divides them; of all kernels of a case.
SUMS = {
    "load wavefronts": (SHARED_WAVEFRONTS[:1], [SHARED_LOADS]),
    "store wavefronts": (SHARED_WAVEFRONTS[1:], [SHARED_STORES]),
    "wavefronts": (SHARED_WAVEFRONTS, []),
    "sectors/load": (LOAD_SECTORS, LOAD_REQUESTS),
    "sectors/store": (STORE_SECTORS, STORE_REQUESTS),
    "load requests": (LOAD_REQUESTS, []),
    "load sectors": (LOAD_SECTORS, []),
    "store sectors": (STORE_SECTORS, []),
    "local load sectors": (["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"], []),
    "local store sectors": (["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"], []),
    "L2 sectors read": (["lts__t_sectors_op_read.sum"], []),
    "L2 sectors written": (["lts__t_sectors_op_write.sum"], []),
    "DRAM bytes read": (["dram__bytes_read.sum"], []),
    "DRAM bytes written": (["dram__bytes_write.sum"], []),
    "nanoseconds": (["gpu__time_duration.sum"], []),
}
DURATION = "gpu__time_duration.sum"
# In percent, of the kernel that takes longest.
SHARES = {
    "L1 hit rate": "l1tex__t_sector_hit_rate.pct",
    "L2 hit rate": "lts__t_sector_hit_rate.pct",
    "occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "issue slots": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
# What warps wait for: of all that are resident and do not issue, in percent; of the same kernel.
WAITS = {
    "memory": "long_scoreboard",
    "scratch": "short_scoreboard",
    "a barrier": "barrier",
    "a place in the queue of L1": "lg_throttle",
    "a place in the queue of scratch": "mio_throttle",
    "a fixed latency": "wait",
    "an arithmetic unit": "math_pipe_throttle",
    "another warp's turn": "not_selected",
    "an instruction": "no_instruction",
    "its stores at the end": "drain",
    "constants": "imc_miss",
    "a branch": "branch_resolving",
}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio".format
METRICS = [m for pair in SUMS.values() for part in pair for m in part]
METRICS = list(dict.fromkeys(METRICS + list(SHARES.values()) + [STALL(reason) for reason in WAITS.values()]))

# Predictions that no counter tells, and why.
NO_COUNTER = {
    "wavefronts/coefficient": "a part of the load wavefronts",
    "addresses/coefficient": "the constant cache counts no addresses",
    "hits predicted": "L2 does not count lines that are kept apart from the others",
}


class NoComparison(Exception):
    """The output of ncu or of the program cannot be compared."""


def read_cases(text):
    """What the program said: ([{name, predicted, kernels, flops, bytes}] of the launched in order, kernels as (blocks,
    threads), None where they are not known; [(name, reason)] of the skipped)."""
    launched, skipped = [], []
    for line in text.splitlines():
        if match := re.match(r"(\S+): one launch, (.*)", line):
            name, said = match.groups()
            if ", verified" not in said:
                raise NoComparison(f"{name}: {said}")
            case = {"name": name, "predicted": {}, "kernels": None, "flops": 0.0}
            for what, value in re.findall(r"; predicts ([^=;]+) = ([^;]+)", said):
                case["predicted"][what] = float(value)
            if kernels := re.search(r"; kernels ([^;]+)", said):
                case["kernels"] = [tuple(int(n) for n in kernel.split("x")) for kernel in kernels[1].split()]
            if flops := re.search(r"; flops ([^;]+)", said):
                case["flops"] = float(flops[1])
            launched.append(case)
        elif match := re.match(r"(\S+): skipped: (.*)", line):
            skipped.append(match.groups())
    return launched, skipped


def product(extents):
    """"(32, 2, 1)" -> 64."""
    result = 1
    for extent in re.findall(r"\d+", extents):
        result *= int(extent)
    return result


def read_launches(text):
    """ncu's table: one {counter: value, "shape": (blocks, threads)} a kernel, in the order of their launch."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        if "No kernels were profiled" in text:
            return []
        raise NoComparison("ncu profiled nothing; it said:\n" + text.strip())
    launches = collections.defaultdict(dict)
    for row in csv.DictReader(line for line in lines[begin:] if line.startswith('"')):
        launch = launches[int(row["ID"])]
        launch["shape"] = (product(row["Grid Size"]), product(row["Block Size"]))
        value = row["Metric Value"].replace(",", "")
        try:
            launch[row["Metric Name"]] = float(value)
        except ValueError:
            raise NoComparison(f"{row['Metric Name']} of {row['Kernel Name']} is {value}") from None
    return [launches[number] for number in sorted(launches)]


def match(cases, launches):
    """The launches of each case: as many, and of the same shapes, as the program said."""
    expected = sum(len(case["kernels"]) for case in cases)
    if expected != len(launches):
        raise NoComparison(f"the program launched {expected} kernels, ncu saw {len(launches)}")
    matched, rest = [], iter(launches)
    for case in cases:
        own = [next(rest) for _ in case["kernels"]]
        shapes = [launch["shape"] for launch in own]
        if shapes != case["kernels"]:
            raise NoComparison(f"{case['name']}: the program launched {case['kernels']}, ncu saw {shapes}")
        matched.append(own)
    return matched


def total(launches, counters):
    for launch in launches:
        for counter in counters:
            if counter not in launch:
                raise NoComparison(f"ncu did not count {counter}")
    return sum(launch[counter] for launch in launches for counter in counters)


def counted(case, launches):
    """{name: value} of all that was counted, over all kernels of the case."""
    values = {}
    for name, (counters, divisors) in SUMS.items():
        value, divisor = total(launches, counters), total(launches, divisors) if divisors else 1
        if divisor > 0:
            values[name] = value / divisor
    if launches:
        longest = max(launches, key=lambda launch: launch[DURATION])
        values |= {name: longest[counter] for name, counter in SHARES.items() if counter in longest}
        stalls = {name: longest[STALL(reason)] for name, reason in WAITS.items() if STALL(reason) in longest}
        if sum(stalls.values()) > 0:
            values["waits"] = {name: 100 * stall / sum(stalls.values()) for name, stall in stalls.items()}
    moved = values["DRAM bytes read"] + values["DRAM bytes written"]
    if case["flops"] > 0 and moved > 0:
        values["flops/byte of DRAM"] = case["flops"] / moved
    return values


def compare(case, values, within):
    """[{name, prediction, predicted, measured, agrees}], one a prediction; measured is None where nothing was asked."""
    rows = []
    for what, predicted in case["predicted"].items():
        if what in NO_COUNTER:
            continue
        if what not in SUMS:
            raise NoComparison(f"{case['name']}: no counter is known for {what}")
        measured = values.get(what)
        # The program prints a prediction with all of its digits, but an average need not have an end in decimals.
        agrees = measured is not None and abs(measured - predicted) <= max(within, 1e-9) * abs(predicted)
        row = {"name": case["name"], "prediction": what, "predicted": predicted}
        rows.append({**row, "measured": measured, "agrees": agrees})
    return rows


def table(rows, within):
    """Of each variant and quantity how many agree, and what the ratios are; and each that differs."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups["/".join(row["name"].split("/")[:2]), row["prediction"]].append(row)
    lines = [f"{'':<32} {'':<18} {'cases':>6} {'agree':>6}  {'predicted':<24} measured/predicted"]
    for (kernel, what), members in groups.items():
        low, high = (pick(row["predicted"] for row in members) for pick in (min, max))
        asked = [row for row in members if row["measured"] is not None and row["predicted"]]
        ratios = [row["measured"] / row["predicted"] for row in asked]
        spread = f"{min(ratios):.4g} to {max(ratios):.4g}" if ratios else "-"
        agree = sum(row["agrees"] for row in members)
        lines.append(f"{kernel:<32} {what:<18} {len(members):>6} {agree:>6}  {f'{low:g} to {high:g}':<24} {spread}")
    for row in rows:
        if not row["agrees"]:
            measured = "nothing" if row["measured"] is None else f"{row['measured']:g}"
            figures = f"{row['predicted']:g} predicted, {measured} measured"
            lines.append(f"DIFFERS {row['name']}: {row['prediction']} {figures}")
    agree = sum(row["agrees"] for row in rows)
    lines.append(f"{agree} of {len(rows)} predictions agree with the counters within {100 * within:g} %")
    return "\n".join(lines)


class Profiler:
    """Runs the program under ncu, case by case."""

    def __init__(self, options):
        self.options = options
        self.begin = time.monotonic()

    def is_late(self):
        return 0 < self.options.limit_seconds < time.monotonic() - self.begin

    def names(self):
        """Of the cases of the deck that are not skipped before they run."""
        command = [self.options.program, "run", self.options.deck, "--only", self.options.only, "--dry-run"]
        try:
            done = subprocess.run(command, check=False, capture_output=True, text=True)
        except OSError as error:
            raise NoComparison(f"{self.options.program}: {error.strerror}") from None
        if done.returncode != 0:
            raise NoComparison(done.stderr.strip())
        lines = (line.split() for line in done.stdout.splitlines())
        return [words[0] for words in lines if words and "/" in words[0] and "skipped:" not in words]

    def profile(self, part):
        """The case of this name, or those whose names hold it: what read_cases returns, and ncu's table."""
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "ncu.csv"
            command = [self.options.ncu, "--clock-control", "none", "--cache-control", "all"]
            command += ["--profile-from-start", "off", "--metrics", ",".join(METRICS), "--csv", "--print-units", "base"]
            command += ["--log-file", str(log), str(self.options.program), "run", str(self.options.deck)]
            command += ["--only", self.options.only, "--profile", part]
            try:
                done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
            except OSError as error:
                raise NoComparison(f"{self.options.ncu}: {error.strerror}") from None
            said = log.read_text() if log.exists() else ""
        launched, skipped = read_cases(done.stdout)
        if done.returncode != 0 and (launched or not skipped):
            raise NoComparison(f"ncu ended with {done.returncode}\n{done.stdout}{said}".strip())
        return launched, skipped, read_launches(said) if launched else []

    def pattern(self, name):
        """[(case, its launches)] of a pattern, the cases that have to be run alone, and the skipped."""
        launched, skipped, launches = self.profile(name + "/")
        if len(launched) == 1 and launched[0]["kernels"] is None and launches:  # it was alone: all launches are its own
            pairs, alone = [(launched[0], launches)], []
        else:
            known = [case for case in launched if case["kernels"] is not None]
            pairs = zip(known, match(known, launches), strict=True)
            alone = [case for case in launched if case["kernels"] is None]

        def is_own(case_name):  # "reduce/" stands in shuffle/team/cuda/i32/op=reduce/width=32, too
            return case_name.startswith(name + "/")

        pairs = [(case, own) for case, own in pairs if is_own(case["name"])]
        return pairs, [case for case in alone if is_own(case["name"])], [skip for skip in skipped if is_own(skip[0])]

    def alone(self, case):
        """[(case, its launches)]: whatever was launched is its own; and the skipped."""
        if self.is_late():
            return [], [(case["name"], "the time was up")]
        launched, skipped, launches = self.profile(case["name"])
        return ([(case, launches)] if launched else []), skipped


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="tilestride, built with CUDA")
    parser.add_argument("deck", nargs="?", default="inputs/model_check.toml")
    parser.add_argument("--only", default="cuda/", help="cases whose name contains this text")
    parser.add_argument("--within", type=float, default=5, metavar="PERCENT", help="what counts as agreement (5)")
    parser.add_argument("--limit-seconds", type=float, default=0, help="begin no run of ncu after so many seconds")
    parser.add_argument("--output", help="JSON with what was predicted and counted of every case")
    parser.add_argument("--ncu", default="ncu")
    options = parser.parse_args(arguments)
    within = options.within / 100
    pairs, alone, skipped, problems = [], [], [], []
    try:
        profiler = Profiler(options)
        names = profiler.names()
    except NoComparison as problem:
        print(f"check_model: {problem}", file=sys.stderr)
        return 2
    for pattern in dict.fromkeys(name.split("/")[0] for name in names):
        if profiler.is_late():
            problems.append(f"{pattern}: the time was up")
            continue
        try:
            found, unknown, left_out = profiler.pattern(pattern)
            pairs, alone, skipped = pairs + found, alone + unknown, skipped + left_out
        except NoComparison as problem:
            problems.append(f"{pattern}: {problem}")
    # After all others: each takes a run of ncu, and the program predicts nothing of what it launches.
    for case in alone:
        try:
            found, left_out = profiler.alone(case)
            pairs, skipped = pairs + found, skipped + left_out
        except NoComparison as problem:
            problems.append(f"{case['name']}: {problem}")
    rows, cases = [], []
    for case, launches in pairs:
        try:
            values = counted(case, launches)
        except NoComparison as problem:
            problems.append(f"{case['name']}: {problem}")
            continue
        rows += compare(case, values, within)
        entry = {"name": case["name"], "outcome": "passed", "kernels": len(launches)}
        cases.append({**entry, "predicted": case["predicted"], "counted": values})
    if rows:
        print(table(rows, within))
    for name, reason in skipped:
        print(f"skipped {name}: {reason}")
    for what in sorted({what for case in cases for what in case["predicted"]} & set(NO_COUNTER)):
        print(f"not compared: {what}: {NO_COUNTER[what]}")
    for problem in problems:
        print(f"check_model: {problem}", file=sys.stderr)
    if options.output and cases:
        agree = sum(row["agrees"] for row in rows)
        counts = {"agree": agree, "differ": len(rows) - agree, "within": within, "skipped": len(skipped)}
        document = {"deck": str(options.deck), "caches": "empty at the start of each kernel", **counts,
                    "differing": [row for row in rows if not row["agrees"]], "cases": cases}
        pathlib.Path(options.output).write_text(json.dumps(document) + "\n")
    if not rows:
        print("check_model: nothing was compared: no case ran, or the program predicts nothing of this device",
              file=sys.stderr)
        return 2
    return 1 if problems or not all(row["agrees"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
