#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the figures in README.md and docs/ against the result documents in reference/, or writes them anew.

A figure in the text has a comment behind it that says where it is from, and that no reader sees:

    3.2<!--nvidia-h200.json: CASE FIELD / CASE FIELD; .1f-->

CASE is the name of a case, FIELD one of those below, and what stands behind the semicolon the format. With * in the
names of cases all that match are taken, pair by pair (the * of the second name are what they are in the first), and the
word min, median or max before the first CASE says which of the values is meant. The words number, within and outside
count those that have FIELD: all, those within the range of tools/model_share.py, and the others. One word alone, as in
"counters.json: differ; .0f", is a number that the document has of all its cases.

A table stands between two comments. CASES is a name with * in it, or several names:

    <!--table nvidia-h200-seeds.json: CASES; FIELD FIELD-->
    <!--/table-->

FIELD: rate (GB/s, GFLOP/s, or ns of an operation), time (s; in a table with its unit), us, bandwidth (GB/s), achieved
(of the model), of_copy and of_fma (shares of these ceilings), worst_err and rms_err (shares of what rounding explains),
wrong, count, registers, "measured:NAME" and "predicted:NAME" with _ for each blank, or "reached:VARIANT": the ratio to
that variant by which a rule was judged; "reached:other" to another case of the same variant, "reached:copy" to a
ceiling. A file that tools/check_model.py wrote has "predicted:NAME", "counted:NAME" and "waits:NAME" (percent of the
time that a warp waits), and a table of it may have the one field "differing": those of its predictions that the
counters contradict.
"""

import argparse
import fnmatch
import functools
import itertools
import json
import pathlib
import re
import statistics
import sys

from model_share import is_within

ROOT = pathlib.Path(__file__).resolve().parent.parent
INLINE = re.compile(r"([-+]?[0-9][0-9,]*(?:\.[0-9]+)?)?<!--([\w.-]+\.json): ([^;]+?); (\S+?)-->")
TABLE = re.compile(r"(<!--table ([\w.-]+\.json): ([^;]+?); ([^;]+?)-->\n).*?(<!--/table-->)", re.DOTALL)
RULE = re.compile(r"(\S+): \S+ \[\S+, \S+\] of (.+?), asked for ")
CHOICES = {"min": min, "median": statistics.median, "max": max}
COUNTS = {"number": len, "within": lambda ratios: sum(map(is_within, ratios)),
          "outside": lambda ratios: sum(not is_within(ratio) for ratio in ratios)}
HEADS = {"achieved": "measured / model", "of_copy": "of copy", "of_fma": "of fma", "worst_err": "worst err",
         "rms_err": "rms err"}


class Mistake(Exception):
    """What a marker says cannot be found."""


@functools.cache
def document_of(file):
    path = ROOT / "reference" / file
    if not path.is_file():
        raise Mistake(f"there is no {path}")
    return json.loads(path.read_text())


@functools.cache
def cases(file):
    """name -> case, of one result document."""
    document = document_of(file)
    entries = document["results"] if "results" in document else document["cases"]  # counters have no kinds
    found = {r["name"]: {**r, "reached": {}} for r in entries if r.get("kind", "case") == "case"}
    for rule in document.get("rules", []):
        said = RULE.match(rule["text"])
        if said and said[1] in found:
            found[said[1]]["reached"][compared_with(said[1], said[2])] = rule["reached"]["median"]
    return found


def compared_with(name, other):
    """The variant of the other case, "other" for another case of the same variant, or the name of the ceiling."""
    if "/" not in other:
        return other.removeprefix("the ").removesuffix(" ceiling")
    variant = other.split("/")[1]
    return "other" if variant == name.split("/")[1] else variant


def ceiling(case, name):
    rate = case.get("ceilings", {}).get(name, 0)
    if not rate:
        raise Mistake(f"{case['name']}: no ceiling {name}")
    return rate


def value(case, field):
    """A field of a case as a number."""
    if case["outcome"] != "passed":
        raise Mistake(f"{case['name']}: {case['outcome']}")
    group, _, name = field.partition(":")
    try:
        if group == "waits":
            return case["counted"]["waits"][name.replace("_", " ")]
        if name:
            return case[group][name if group == "reached" else name.replace("_", " ")]
        if field == "rate":
            return 1e9 / case["rate"] if case["figure"] == "ns" else case["rate"] / 1e9
        return {
            "time": lambda: case["time"]["median"],
            "us": lambda: case["time"]["median"] * 1e6,
            "bandwidth": lambda: case["bytes_per_second"] / 1e9,
            "achieved": lambda: case["model_achieved"],
            "of_copy": lambda: case["bytes_per_second"] / ceiling(case, "copy"),
            "of_fma": lambda: case["flops_per_second"] / ceiling(case, "fma"),
            "worst_err": lambda: case["verification"]["share_of_allowed_error"]["worst"],
            "rms_err": lambda: case["verification"]["share_of_allowed_error"]["rms"],
            "wrong": lambda: case["verification"]["wrong"],
            "count": lambda: case["time"]["count"],
            "registers": lambda: case["kernels"][0]["registers"],
        }[field]()
    except (KeyError, IndexError):
        raise Mistake(f"{case['name']}: no {field}") from None


def has(case, field):
    try:
        value(case, field)
    except Mistake:
        return False
    return True


def case_of(file, name):
    if name not in cases(file):
        raise Mistake(f"{file} has no case {name}")
    return cases(file)[name]


def evaluate(file, expression):
    """The value of "CASE FIELD", "CASE FIELD / CASE FIELD", or of min, median or max of several, or their number; of
    one word what the document itself has by that name."""
    words = expression.split()
    if len(words) == 1:
        number = document_of(file).get(words[0])
        if type(number) not in (int, float):
            raise Mistake(f"{file} has no number {words[0]}")
        return number
    choose = {**CHOICES, **COUNTS}.get(words[0])
    is_count = words[0] in COUNTS
    words = words[1:] if choose else words
    if len(words) not in (2, 5) or (len(words) == 5 and words[2] != "/"):
        raise Mistake(f"not understood: {expression}")
    pattern = re.compile(re.escape(words[0]).replace(r"\*", "(.*)"))
    values = []
    for name, case in cases(file).items():
        found = pattern.fullmatch(name)
        if not found or case["outcome"] != "passed":
            continue
        if words[1].startswith("reached:") and choose and words[1][8:] not in case["reached"]:
            continue  # judged by other rules
        if is_count and not has(case, words[1]):
            continue
        values.append(value(case, words[1]))
        if len(words) == 5:
            parts = iter(found.groups())
            other = "".join(next(parts) if c == "*" else c for c in words[3])
            values[-1] /= value(case_of(file, other), words[4])
    if not values:
        raise Mistake(f"{file} has no case {words[0]} that passed")
    if len(values) > 1 and not choose:
        raise Mistake(f"{len(values)} cases are {words[0]}: min, median or max?")
    return choose(values) if choose else values[0]


def short_time(seconds):
    """Three figures, as the program prints them."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us"), (1e9, "ns")):
        if seconds * factor >= 1 or unit == "ns":
            scaled = seconds * factor
            return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 100 else 0}f} {unit}"
    return None


def cell(case, field):
    try:
        number = value(case, field)
    except Mistake:
        return ""
    if field == "time":
        return short_time(number)
    if field in ("of_copy", "of_fma"):
        return f"{100 * number:.1f} %"
    if field in ("wrong", "count", "registers"):
        return f"{number:.0f}"
    return f"{number:,.0f}" if abs(number) >= 100 or (":" in field and number == int(number)) else f"{number:.2f}"


def differing(file, names):
    """What tools/check_model.py found to differ, of these cases."""
    found = [d for d in document_of(file).get("differing", [])
             if any(fnmatch.fnmatchcase(d["name"], pattern) for pattern in names.split())]
    if not found:
        raise Mistake(f"{file} has no differing case {names}")
    lines = ["| case | prediction | predicted | counted |", "|---|---|---:|---:|"]
    lines += [f"| `{d['name']}` | {d['prediction']} | {d['predicted']:.2f} | {d['measured']:.2f} |" for d in found]
    return "\n" + "\n".join(lines) + f"\n\n`reference/{file}`\n\n"


def table(file, names, fields):
    """Rows are called by those parts of their names that differ; what is the same in all that have it stands below."""
    if fields == "differing":
        return differing(file, names)
    chosen = []
    for pattern in names.split():
        named = [case for name, case in cases(file).items() if fnmatch.fnmatchcase(name, pattern)]
        found = [case for case in named if case["outcome"] == "passed"]
        if not found:
            raise Mistake(f"{file} has no case {pattern} that passed")
        chosen += [c for c in found if c not in chosen]
    columns = fields.split()
    parts = [case["name"].split("/") for case in chosen]
    values = {}
    for part in itertools.chain(*(p[1:] for p in parts)):
        values.setdefault(part.partition("=")[0], set()).add(part)
    shared = [part for name, several in values.items() for part in several if len(several) == 1 and
              ("=" in part or all(part in p for p in parts)) and (len(parts) > 1 or part != parts[0][1])]
    unit = chosen[0].get("figure")
    heads = [unit if f == "rate" else HEADS.get(f, f.partition(":")[2].replace("_", " ") or f) for f in columns]
    lines = [f"| {parts[0][0]} | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(columns)]
    rows = [[cell(case, field) for field in columns] for case in chosen]
    for field, column in zip(columns, zip(*rows)):
        if not any(column):
            raise Mistake(f"none of these cases has {field}")
    for part, row in zip(parts, rows):
        label = " ".join(p for p in part[1:] if p not in shared)
        lines.append(f"| `{label}` | " + " | ".join(row) + " |")
    lines.append("")
    lines.append(f"`reference/{file}`: {', '.join(shared)}")
    return "\n" + "\n".join(lines) + "\n\n"


def rewritten(text):
    """The text with every figure as the documents have it, and what cannot be found, with its line."""
    mistakes = []

    def inline(match):
        figure = format(evaluate(match[2], match[3]), match[4])
        return f"{figure}<!--{match[2]}: {match[3]}; {match[4]}-->"

    def whole_table(match):
        return match[1] + table(match[2], match[3], match[4]) + match[5]

    def attempt(replace):
        def replaced(match):
            try:
                return replace(match)
            except (Mistake, ValueError) as mistake:
                mistakes.append((match.string.count("\n", 0, match.start()) + 1, str(mistake)))
                return match[0]
        return replaced

    return INLINE.sub(attempt(inline), TABLE.sub(attempt(whole_table), text)), mistakes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="exit with 1 when a figure differs")
    mode.add_argument("--write", action="store_true", help="write the figures into the files")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="default: README.md and docs/")
    arguments = parser.parse_args()
    files = arguments.files or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    wrong = figures = 0
    for file in files:
        text = file.read_text()
        figures += len(INLINE.findall(text)) + len(TABLE.findall(text))
        new, mistakes = rewritten(text)
        if arguments.write and new != text:
            file.write_text(new)
        elif new != text:
            lines = itertools.zip_longest(text.splitlines(), new.splitlines(), fillvalue="")
            mistakes += [(number, f"has\n  {old}\nand not\n  {right}") for number, (old, right) in enumerate(lines, 1)
                         if old != right]
        for number, mistake in mistakes:
            print(f"{file}:{number}: {mistake}", file=sys.stderr)
        wrong += len(mistakes)
    if wrong == 0:
        print(f"{figures} figures and tables in {len(files)} files are those of reference/")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
