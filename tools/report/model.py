# SPDX-License-Identifier: BSD-3-Clause
"""Turns result documents into the data of the page. The notions are those of the program's own tables
(src/report/table.cpp): a problem, the variants that solve it, the ceiling, the model, the best."""

import collections
import json
import re

from . import older, portability, samples, sweeps

HOST_SPACES = ("openmp", "serial")
WORK_OF_FIGURE = {"GB/s": "bytes", "GFLOP/s": "flops", "ns": "operations"}


class Case:
    """One case of a document, with what the charts need of it."""

    def __init__(self, number, platform, json_case):
        self.number = number
        self.platform = platform
        self.json = json_case
        self.name, self.pattern = json_case["name"], json_case["pattern"]
        self.variant, self.space, self.type = json_case["variant"], json_case["space"], json_case["type"]
        self.outcome = json_case["outcome"]
        self.passed = self.outcome == "passed"
        self.role = json_case["role"]
        self.twin = json_case.get("twin", "")
        self.problem = json_case["problem"]
        self.keys = {key: str(value) for key, value in json_case.get("keys", {}).items()}
        parts = self.problem.split("/")
        self.cold = "cache=cold" in parts
        self.shared = parts[3:]  # the keys of the problem, as in its name
        self.own = {key for key, value in self.keys.items() if older.segment(key, value) not in self.shared}
        self.task = "/".join([self.pattern, self.type, *self.shared])  # the problem on any platform
        self.rounded = json_case.get("notes", {}).get("rounded to", "")
        self.is_best = False
        if self.passed:
            self.add_figures()

    def add_figures(self):
        self.figure = self.json["figure"]
        self.rate = self.json["rate"]
        ceilings = self.json["ceilings"]
        self.ceiling_name = {"GFLOP/s": "fma", "ns": ""}.get(self.figure, "read" if ceilings.get("read") else "copy")
        ceiling = ceilings.get(self.ceiling_name, 0)
        self.share = self.rate / ceiling if ceiling else None
        seconds = self.json.get("model", {}).get("seconds", 0)
        self.modelled = self.amount() / seconds if seconds else None

    def amount(self):
        """The work that its figure counts: bytes, flops or operations."""
        return self.json["work"].get(WORK_OF_FIGURE.get(self.figure, ""), 0)

    @property
    def solves(self):
        """It passed, did all that the problem requires, and with the bits of its type."""
        return self.passed and self.role != "bound" and not self.rounded


class Numbers:
    """Numbers values in the order of their first appearance: a table holds each of them once."""

    def __init__(self):
        self.values = []
        self.numbers = {}

    def __call__(self, value):
        text = json.dumps(value)
        if text not in self.numbers:
            self.numbers[text] = len(self.values)
            self.values.append(value)
        return self.numbers[text]


def short(number):
    """Five digits are more than a chart can show."""
    if number is None:
        return None
    rounded = float(f"{number:.5g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded


def short_quantity(value):
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)


def main_kernel(case):
    """That with the most registers per thread, without kernels of a single block."""
    kernels = case.json.get("kernels", [])
    return max(kernels, key=lambda k: (k.get("blocks", 0) > 1, k.get("registers", 0)), default={})


def remarks(case):
    """The last column of the program's table."""
    notes, kernel = case.json.get("notes", {}), main_kernel(case)
    said = list(case.json.get("flags", []))
    if "core type" in notes:
        said.append(f"{notes['core type']} kernels")
    if "block" in notes and case.keys.get("block") == "auto":
        said.append(f"block {notes['block']}")
    if case.rounded:
        said.append(f"inputs rounded to {case.rounded}")
    if local := kernel.get("local_bytes"):
        spilled = f", {kernel['spill_stores']} B spilled" if kernel.get("spill_stores") else ""
        said.append(f"{local} B of local memory per thread{spilled}")
    return "; ".join(said)


def details(case):
    """What the page shows of a case that is selected: [(what, text)]."""
    found = [("verified", case.json.get("verification", {}).get("detail", ""))]
    for what, error in case.json.get("verification", {}).get("share_of_allowed_error", {}).items():
        found.append((f"{what} error, share of what rounding explains", short_quantity(error)))
    kernel = main_kernel(case)
    if kernel:
        launch = f"{kernel.get('blocks', 0)} × {kernel.get('threads', 0)}"
        found += [("kernel", kernel.get("name", "")), ("blocks × threads", launch)]
        found.append(("registers per thread", str(kernel.get("registers", ""))))
        found.append(("occupancy", short_quantity(kernel.get("occupancy", 0))))
    for kind in ("predicted", "measured"):
        found += [(f"{name} ({kind})", short_quantity(value)) for name, value in case.json.get(kind, {}).items()]
    found += [(f"note: {name}", str(value)) for name, value in case.json.get("notes", {}).items()]
    for when in ("before", "after"):
        state = case.json.get(f"device_{when}", {})
        text = ", ".join(f"{name} {value}" for name, value in state.items())
        found.append((f"device {when}", text))
    found += [("clock", case.json.get("clock", "")), ("calls in a sample", str(case.json.get("repetitions", "")))]
    return [(what, text) for what, text in found if text]


def device_name(document, space):
    """ "NVIDIA H200", or the CPU without the decoration of its vendor."""
    for program in document["programs"].values():
        if device := program.get("spaces", {}).get(f"{space}: device"):
            return device
    cpu = re.sub(r"\((R|TM|tm)\)|\bCPU\b|\bProcessor\b", " ", str(document["machine"].get("cpu", "unknown CPU")))
    return " ".join(cpu.split())


def platforms_of(documents):
    """What figures are compared between: a space of a machine. [{document, space, device, label, passed}]"""
    platforms = []
    for number, (_, document) in enumerate(documents):
        passed = collections.Counter(c["space"] for c in document["results"] if c["outcome"] == "passed")
        spaces = dict.fromkeys(c["space"] for c in document["results"])
        for space in sorted(spaces, key=lambda s: s in HOST_SPACES):  # devices first
            platform = {"document": number, "space": space, "device": device_name(document, space)}
            platforms.append({**platform, "passed": passed[space]})
    labels = collections.Counter((p["device"], p["space"]) for p in platforms)
    for p in platforms:
        which = f" · {documents[p['document']][0]}" if labels[p["device"], p["space"]] > 1 else ""
        p["label"] = f"{p['device']} · {p['space']}{which}"
    return platforms


def flag_sentences(document):
    """What the flags of a document say, in a line for each kind: noisy cases, throttled cases."""
    flags = collections.Counter(flag for case in document["results"] for flag in case.get("flags", []))
    sentences = []
    for kind in dict.fromkeys(flag.partition(":")[0] for flag in flags):
        texts = {flag: n for flag, n in flags.items() if flag.partition(":")[0] == kind}
        count = sum(texts.values())

        def worst_last(text):
            return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", text)], text

        detail = max(texts, key=worst_last).partition(":")[2].strip()
        most = f" ({detail}{' at worst' if len(texts) > 1 else ''})" if detail else ""
        sentences.append(f"{count} {'case is' if count == 1 else 'cases are'} flagged {kind}{most}")
    return sentences


def mismatch(document):
    """Some documents hold only a part of what was measured."""
    counts = re.findall(r"\b(?:passed|failed|errors|skipped|not_run)=(\d+)", document["status"])
    total, held = sum(map(int, counts)), len(document["results"])
    return f"The file holds {held} cases; its status line counts {total}." if counts and total != held else ""


def document_data(file, document):
    """What the page says about a run as a whole."""
    rules = [
        [rule["judgement"], rule["rule"], rule["text"],
         *(short(rule["reached"].get(name, 0)) for name in ("low", "median", "high")), short(rule["at_least"])]
        for rule in document.get("rules", [])
    ]  # fmt: skip
    copied = ("title", "status", "started", "finished", "only", "kokkos_flags", "machine", "environment", "programs")
    return {
        "file": file,
        **{name: document[name] for name in (*copied, "influences", "spent", "deck") if name in document},
        "outcomes": collections.Counter(case["outcome"] for case in document["results"]),
        "findings": flag_sentences(document),
        "mismatch": mismatch(document),
        "rules": rules,
    }


def mark_best(cases):
    """The fastest that solves its problem."""
    best = {}
    for case in cases:
        if case.solves and (case.problem_key not in best or case.rate > best[case.problem_key].rate):
            best[case.problem_key] = case
    for case in best.values():
        case.is_best = True


# Bits of the column "marks".
BEST, ROUNDED, WHOLE_NAME = 1, 2, 4


def segments_of_name(case):
    """What follows variant, space and type in the name of a case, and False; or [the name] and True where it is another."""
    prefix = f"{case.pattern}/{case.variant}/{case.space}/{case.type}"
    rest = case.name[len(prefix) :].split("/")
    if case.name.startswith(prefix) and not rest[0]:
        return rest[1:], False
    return [case.name], True


def case_columns(cases, limit):
    """The cases as columns of numbers, and the tables that these numbers point into: a page of 10,000 cases is to be small.
    Names and problems are lists of segments ("tile=32"); the details of a case are the number of its list of headings,
    then its texts."""
    tables = {name: Numbers() for name in TABLES}
    texts, segments = tables["texts"], tables["segments"]
    columns = collections.defaultdict(list)
    for case in cases:
        of_name, is_whole = segments_of_name(case)
        facts = details(case)
        row = {
            "platform": case.platform,
            "task": tables["tasks"]([case.pattern, case.type, [segments(text) for text in case.shared]]),
            "variant": tables["variants"]([case.variant, case.role]),
            "tail": tables["tails"]([segments(text) for text in of_name]),
            "marks": case.is_best * BEST + bool(case.rounded) * ROUNDED + is_whole * WHOLE_NAME,
            "outcome": texts(case.outcome),
            "reason": texts(case.json.get("reason", "")),
            "remarks": texts(remarks(case)),
            "details": [tables["headings"]([what for what, _ in facts]), *(texts(text) for _, text in facts)],
            **figures_of(case, tables, limit),
        }
        for name, value in row.items():
            columns[name].append(value)
    return {"columns": columns, **{name: table.values for name, table in tables.items()}}


TABLES = ("tasks", "variants", "tails", "segments", "texts", "headings", "works", "ceilings")
FIGURES = ("time", "low", "high", "fastest", "slowest", "count", "samples", "rate", "share", "modelled", "limiter", "work",
           "ceilings")  # fmt: skip


def figures_of(case, tables, limit):
    """Of a case that passed, else nothing. The time is in ns, other times are their distance from it in 1e-5 of it; rates
    are in 1e9 per second: these are the shortest numbers."""
    if not case.passed:
        return dict.fromkeys(FIGURES)
    time, taken, work = case.json["time"], case.json["samples"], case.json["work"]
    shown = taken if len(taken) <= limit else samples.quantiles(taken, limit)

    def distance(seconds):
        return round((seconds / time["median"] - 1) * 1e5)

    values = (
        short(time["median"] * 1e9),
        distance(time["low"]),
        distance(time["high"]),
        distance(min(taken)),
        distance(max(taken)),
        len(taken),
        samples.encode(shown),
        short(case.rate / 1e9),
        short(case.share),
        short(case.modelled and case.modelled / 1e9),
        tables["texts"](case.json.get("model", {}).get("limiter", "")),
        tables["works"]([short(work.get("bytes", 0)), short(work.get("flops", 0))]),
        tables["ceilings"]([short(case.json["ceilings"].get(name, 0) / 1e9) for name in ("copy", "fma", "read")]),
    )
    return dict(zip(FIGURES, values))


def patterns_of(cases):
    """{name: [unit, name of the ceiling]}, both of a case that passed."""
    patterns = {case.pattern: [None, ""] for case in cases}
    for case in cases:
        if case.passed:
            patterns[case.pattern] = [case.figure, case.ceiling_name]
    return patterns


def with_short_numbers(value):
    if isinstance(value, float):
        return short(value)
    if isinstance(value, (list, tuple)):
        return [with_short_numbers(element) for element in value]
    if isinstance(value, dict):
        return {name: with_short_numbers(element) for name, element in value.items()}
    return value


def build(documents):
    """The data of the page, from [(name of the file, document)]."""
    for _, document in documents:
        older.add_facts(document)
    platforms = platforms_of(documents)
    index = {(p["document"], p["space"]): number for number, p in enumerate(platforms)}
    cases = []
    for number, (_, document) in enumerate(documents):
        for json_case in document["results"]:
            cases.append(Case(len(cases), index[number, json_case["space"]], json_case))
    for case in cases:
        case.problem_key = (case.platform, case.problem)
    mark_best(cases)
    compared = [number for number, p in enumerate(platforms) if p["passed"]]
    several = len(compared) > 1
    limit = samples.limit_for(len(cases))
    return {
        "documents": [document_data(file, document) for file, document in documents],
        "platforms": platforms,
        "patterns": patterns_of(cases),
        "sampleLimit": limit,
        "price": with_short_numbers(portability.price(cases)),
        "portability": with_short_numbers(portability.performance_portability(cases, compared)) if several else [],
        "sweeps": with_short_numbers(sweeps.find(cases)),
        **case_columns(cases, limit),
    }
