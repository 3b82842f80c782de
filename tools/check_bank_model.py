#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does shared memory behave as the bank model says? ncu counts the wavefronts of every case of a deck, one launch each;
they are compared with what the program predicts: exactly.

    tools/check_bank_model.py build/bin/tilestride inputs/bank_model.toml --output bank_model.json

Needs ncu (NVIDIA Nsight Compute) and permission to read the GPU's counters.
Exit: 0 all agree, 1 some differ, 2 no comparison was possible."""

import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# What the program predicts -> the counters whose quotient it is.
COUNTERS = {
    "load wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "smsp__inst_executed_op_shared_ld.sum"),
    "store wavefronts": (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "smsp__inst_executed_op_shared_st.sum",
    ),
}


class NoComparison(Exception):
    """The output of ncu or of the program cannot be compared."""


def read_cases(text):
    """The program's lines: [(name, {prediction: value})] of the launched, in order; [(name, reason)] of the skipped."""
    launched, skipped = [], []
    for line in text.splitlines():
        if match := re.match(r"(\S+): one launch, (.*)", line):
            name, said = match.groups()
            if ", verified" not in said:
                raise NoComparison(f"{name}: {said}")
            predictions = re.findall(r"; predicts ([^=;]+) = ([^;]+)", said)
            launched.append((name, {what: float(value) for what, value in predictions}))
        elif match := re.match(r"(\S+): skipped: (.*)", line):
            skipped.append(match.groups())
    return launched, skipped


def read_launches(text):
    """ncu's table: one {counter: value} a kernel, in the order of their launch."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        raise NoComparison("ncu profiled nothing; it said:\n" + text.strip())
    launches = collections.defaultdict(dict)
    for row in csv.DictReader(line for line in lines[begin:] if line.startswith('"')):
        value = row["Metric Value"].replace(",", "")
        try:
            launches[int(row["ID"])][row["Metric Name"]] = float(value)
        except ValueError:
            raise NoComparison(f"{row['Metric Name']} of {row['Kernel Name']} is {value}") from None
    return [launches[number] for number in sorted(launches)]


def compare(cases, launches):
    """[{name, prediction, predicted, measured, agrees}], one a prediction."""
    if len(cases) != len(launches):
        raise NoComparison(f"the program launched {len(cases)} cases, ncu saw {len(launches)} kernels")
    rows = []
    for (name, predictions), counters in zip(cases, launches):
        for what, predicted in predictions.items():
            if what not in COUNTERS:
                raise NoComparison(f"{name}: no counter is known for {what}")
            wavefronts, requests = (counters.get(counter) for counter in COUNTERS[what])
            if wavefronts is None or not requests:
                raise NoComparison(f"{name}: ncu counted no requests for {what}")
            # An average over requests need not be a whole number; the sum is one.
            agrees = wavefronts == round(predicted * requests, 6)
            row = {"name": name, "prediction": what, "predicted": predicted}
            rows.append({**row, "measured": wavefronts / requests, "agrees": agrees})
    return rows


def table(rows):
    """The cases that differ; of those that agree how many, by pattern and variant."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups["/".join(row["name"].split("/")[:2]), row["prediction"]].append(row)
    lines = [f"{'':<32} {'per request':<18} {'cases':>6} {'agree':>6}  predicted"]
    for (kernel, what), members in groups.items():
        low, high = (pick(row["predicted"] for row in members) for pick in (min, max))
        agree = sum(row["agrees"] for row in members)
        lines.append(f"{kernel:<32} {what:<18} {len(members):>6} {agree:>6}  {low:g} to {high:g}")
    for row in rows:
        if not row["agrees"]:
            figures = f"{row['predicted']:g} predicted, {row['measured']:g} measured"
            lines.append(f"DIFFERS {row['name']}: {row['prediction']} {figures}")
    return "\n".join(lines)


def profile(program, deck, ncu, only):
    """Runs the program once under ncu: (what it said, what ncu wrote down)."""
    counters = ",".join(counter for pair in COUNTERS.values() for counter in pair)
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "ncu.csv"
        command = [ncu, "--clock-control", "none", "--profile-from-start", "off", "--metrics", counters]
        command += ["--csv", "--print-units", "base"]
        command += ["--log-file", str(log), str(program), "run", str(deck), "--profile", only]
        try:
            done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise NoComparison(f"{ncu}: {error.strerror}") from None
        said = log.read_text() if log.exists() else ""
        if done.returncode != 0:
            raise NoComparison(f"ncu ended with {done.returncode}\n{done.stdout}{said}".strip())
        return done.stdout, said


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="tilestride, built with CUDA")
    parser.add_argument("deck", nargs="?", default="inputs/bank_model.toml")
    parser.add_argument("--only", default="/cuda/", help="cases whose name contains this text")
    parser.add_argument("--output", help="JSON with every comparison")
    parser.add_argument("--ncu", default="ncu")
    options = parser.parse_args(arguments)
    try:
        said, counted = profile(options.program, options.deck, options.ncu, options.only)
        cases, skipped = read_cases(said)
        if not any(predictions for _, predictions in cases):
            raise NoComparison(
                "the program predicts nothing: it has no case for this device, or does not know the rules of its banks"
            )
        rows = compare(cases, read_launches(counted))
    except NoComparison as problem:
        print(f"check_bank_model: {problem}", file=sys.stderr)
        return 2
    differ = sum(not row["agrees"] for row in rows)
    print(table(rows))
    for name, reason in skipped:
        print(f"skipped {name}: {reason}")
    print(f"{len(rows) - differ} of {len(rows)} predictions agree with the counters")
    if options.output:
        counts = {"agree": len(rows) - differ, "differ": differ, "skipped": len(skipped)}
        document = {"deck": options.deck, **counts, "comparisons": rows}
        pathlib.Path(options.output).write_text(json.dumps(document, indent=1) + "\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
