# SPDX-License-Identifier: BSD-3-Clause
"""Turns result documents into the data of the page."""

import collections
import re

from . import older, portability, quotes, ranks, samples, sweeps
from .case import Case
from .columns import case_columns, short

HOST_SPACES = ("openmp", "serial")


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
        "findings": ranks.sentences(document) + flag_sentences(document),
        "mismatch": mismatch(document),
        "rules": rules,
    }


def mark_best(cases):
    """The fastest that solves its problem."""
    best = {}
    for case in cases:
        problem = (case.platform, case.problem)
        if case.solves and (problem not in best or case.rate > best[problem].rate):
            best[problem] = case
    for case in best.values():
        case.is_best = True


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
        titles = ranks.titles(document)
        for json_case in document["results"]:
            cases.append(Case(len(cases), index[number, json_case["space"]], json_case, titles))
    mark_best(cases)
    compared = [number for number, p in enumerate(platforms) if p["passed"]]
    several = len(compared) > 1
    limit = samples.limit_for(len(cases))
    return {
        "documents": [document_data(file, document) for file, document in documents],
        "platforms": platforms,
        "patterns": patterns_of(cases),
        "sampleLimit": limit,
        "quotes": with_short_numbers(quotes.find(documents, cases, platforms)),
        "price": with_short_numbers(portability.price(cases)),
        "portability": with_short_numbers(portability.performance_portability(cases, compared)) if several else [],
        "sweeps": with_short_numbers(sweeps.find(cases)),
        **case_columns(cases, limit),
    }
