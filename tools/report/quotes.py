# SPDX-License-Identifier: BSD-3-Clause
"""The figures that tutorials publish, beside those of the same kernels, as the program wrote them into documents."""


def find(documents, cases, platforms):
    """[{platform, then, unit, device, here, case, …}]; `case` and `best` are numbers of cases. Left out is what a
    document quotes of cases that it does not hold."""
    by_name = {(platforms[case.platform]["document"], case.name): case for case in cases}
    found = []
    for number, (_, document) in enumerate(documents):
        for quote in document.get("published", []):
            literal = by_name.get((number, quote["case"]))
            if literal is None:
                continue
            row = {"platform": literal.platform, "case": literal.number, "then": quote["published"]}
            copied = ("unit", "device", "here", "over", "peak", "hardware")
            row |= {name: quote[name] for name in copied if name in quote}
            best = by_name.get((number, quote.get("best")))
            if best is not None and "rewriting" in quote:
                row |= {"best": best.number, "rewriting": quote["rewriting"]}
            found.append(row)
    return found
