# SPDX-License-Identifier: BSD-3-Clause
"""Finds the curves in a set of cases: wherever only one numeric key differs between cases, they are a line. No pattern
and no key is known here by its name."""

import collections
import re

LEAST_POINTS = 3
MOST_LINES = 6
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "%": 1}


def number_of(text):
    """Of a key's value: "264", "16MiB", "50%", or a shape with equal sides, "512x512x512"; None: it is no number."""
    if match := re.fullmatch(r"(\d+)([A-Za-z%]*)", text):
        factor = UNITS.get(match[2], None if match[2] else 1)
        return None if factor is None else int(match[1]) * factor
    sides = text.split("x")
    return int(sides[0]) if len(set(sides)) == 1 and sides[0].isdecimal() else None


def unit_of(texts):
    """ "B" for sizes, "%" for shares, else none."""
    text = texts[0]
    return "%" if text.endswith("%") else "B" if re.fullmatch(r"\d+([KMGT]i)?B", text) else ""


def words(keys):
    return " ".join(value if key == "shape" else f"{key}={value}" for key, value in keys)


def lines_of(cases):
    """{(case's variant and all but one of its keys, that key): {number: case}} with at least three points."""
    lines = collections.defaultdict(dict)
    for case in cases:
        if not case.passed:
            continue
        for key, value in case.keys.items():
            if (number := number_of(value)) is not None:
                others = tuple((k, v) for k, v in case.keys.items() if k != key)
                lines[case.platform, case.pattern, case.type, case.cold, case.variant, others, key][number] = case
    return {line: points for line, points in lines.items() if len(points) >= LEAST_POINTS}


def facets(lines):
    """Too many lines for one chart are divided by those of their own keys that vary: {(("chunks", "16"),): lines}. A
    line without such a key is in every chart that fits it otherwise."""
    values = collections.defaultdict(set)
    for line in lines:
        for key, value in line["own"]:
            values[key].add(value)
    varying = {key for key, seen in values.items() if len(seen) > 1}
    if len(lines) <= MOST_LINES or not varying:
        return {(): lines}
    of_lines = [tuple((k, v) for k, v in line["own"] if k in varying) for line in lines]
    chosen = [facet for facet in dict.fromkeys(of_lines) if not any(set(facet) < set(other) for other in of_lines)]
    return {facet: [line for line, own in zip(lines, of_lines) if set(own) <= set(facet)] for facet in chosen}


def find(cases):
    """[{pattern, type, key, unit, fixed, panels: [{platform, lines: [{label, idea, role, points}]}]}], where points are
    [(number, case)]. One chart for all variants of a problem; a line's own keys stand in its label."""
    together = collections.defaultdict(list)
    for (platform, pattern, type_, cold, variant, others, key), points in lines_of(cases).items():
        first = next(iter(points.values()))
        fixed = tuple((k, v) for k, v in others if k not in first.own) + ((("cache", "cold"),) if cold else ())
        line = {
            "variant": variant,
            "twin": first.twin or variant,  # twins have it in common
            "own": [(k, v) for k, v in others if k in first.own],
            "role": first.role,
            "points": sorted((number, case.number) for number, case in points.items()),
        }
        unit = unit_of([case.keys[key] for case in points.values()])
        together[platform, pattern, type_, key, unit, fixed].append(line)

    charts = collections.defaultdict(list)
    for (platform, pattern, type_, key, unit, fixed), lines in together.items():
        for facet, some in facets(lines).items():
            panel = {"platform": platform, "lines": [labelled(line, facet) for line in some]}
            charts[pattern, type_, key, unit, words(fixed + facet)].append(panel)
    names = ("pattern", "type", "key", "unit", "fixed")
    return [{**dict(zip(names, chart)), "panels": panels} for chart, panels in charts.items()]


def labelled(line, facet):
    own = words(pair for pair in line["own"] if pair not in facet)
    label, idea = (f"{name} {own}".strip() for name in (line["variant"], line["twin"]))
    return {"label": label, "idea": idea, "role": line["role"], "points": line["points"]}
