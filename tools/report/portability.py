# SPDX-License-Identifier: BSD-3-Clause
"""What portability costs on one platform, and what it reaches over several. Works on the cases of model.py."""

import collections
import statistics


def harmonic_mean(values):
    """0 as soon as one of them is 0."""
    values = list(values)
    return len(values) / sum(1 / value for value in values) if values and all(values) else 0.0


def is_twin(native, portable):
    """The same problem with the same own keys. A key that the portable variant lacks must be at its default, which
    documents do not tell: no key that only a native variant has means anything else than "default" by it."""
    return portable.variant == native.twin and all(
        portable.keys.get(key, "default") == value for key, value in native.keys.items()
    )


def price(cases):
    """Native time / portable time for each platform and idea, as the program's report has it: [{pattern, native,
    portable, type, platform, median, ratios: [(ratio, case of the portable)]}]."""
    problems = collections.defaultdict(list)
    for case in cases:
        if case.passed:
            problems[case.platform, case.problem].append(case)
    ideas = collections.defaultdict(list)
    for (platform, _), members in problems.items():
        for native in members:
            portable = next((other for other in members if native.twin and is_twin(native, other)), None)
            if portable:
                idea = (native.pattern, native.variant, native.twin, native.type, platform)
                ideas[idea].append((portable.rate / native.rate, portable.number))
    names = ("pattern", "native", "portable", "type", "platform")
    return [
        {
            **dict(zip(names, idea)),
            "median": statistics.median(ratio for ratio, _ in ratios),
            "ratios": sorted(ratios),
        }
        for idea, ratios in sorted(ideas.items())
    ]


def performance_portability(cases, platforms):
    """The metric of Pennycook, Sewall and Lee: the harmonic mean over the platforms of a variant's efficiency, 0 where
    one of them lacks it. A pattern is judged on its problems that every platform solved in some way; over these the
    mean is harmonic too. [{pattern, variant, role, problems, architecture: {each: [efficiency per platform], mean},
    application: likewise}]; architecture is None where some case has no ceiling."""
    tasks = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for case in cases:
        if case.solves:
            tasks[case.pattern][case.task][case.platform].append(case)
    table = []
    for pattern, by_task in sorted(tasks.items()):
        shared = [by_platform for by_platform in by_task.values() if all(p in by_platform for p in platforms)]
        solved = [case for by_platform in shared for p in platforms for case in by_platform[p]]
        with_ceiling = all(case.share for case in solved)
        for variant, role in sorted({(case.variant, case.role) for case in solved}):
            row = {"pattern": pattern, "variant": variant, "role": role, "problems": len(shared)}
            for kind in ("architecture", "application"):
                each = [harmonic_mean(efficiency(task[p], variant, kind) for task in shared) for p in platforms]
                row[kind] = {"each": each, "mean": harmonic_mean(each)}
            if not with_ceiling:
                row["architecture"] = None
            table.append(row)
    return table


def efficiency(members, variant, kind):
    """Of the variant with its best own keys, among the cases that solve one problem on one platform; 0 without it."""
    own = [case for case in members if case.variant == variant]
    if not own:
        return 0.0
    best = max(own, key=lambda case: case.rate)
    if kind == "architecture":
        return best.share or 0.0
    return best.rate / max(case.rate for case in members)
