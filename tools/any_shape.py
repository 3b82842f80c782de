#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels at shapes that nobody chose: writes a deck of shapes drawn at random, and says how the results of such decks
compare with the library.

    tools/any_shape.py deck --seed 7 > deck.toml                 products and transposes on CUDA
    tools/any_shape.py deck --seed 7 --space openmp --most 2048 > deck.toml
    tools/any_shape.py ratios results/*/result.json              median, worst and number of shapes, as a table
    tools/any_shape.py ratios results/*/result.json --svg ratios.svg

Extents are log-uniform from 64 to 32768; a product has at most MOST³ multiply-adds, and a matrix to turn at most MOST²
elements: what is larger is drawn again. A shape for matrix units has extents that are multiples of 8 (3xTF32: of 4),
as the copy engine needs them. The same seed gives the same deck on every machine.

Exit: 0, or 2 where a file is no result document or has no case beside the library."""

import argparse
import json
import math
import pathlib
import random
import statistics
import sys

SMALLEST, LARGEST = 64, 32768  # extents

# (pattern, type, variants on a device, variants on a host, extents are multiples of)
KERNELS = (
    ("matmul", "f32", ("blocked", "vendor"), ("blocked", "vendor"), 1),
    ("matmul", "f64", (), ("blocked", "vendor"), 1),
    ("matmul", "f32", ("native_tensor_bf16", "vendor_bf16"), (), 8),
    ("matmul", "f32", ("native_tensor_tf32", "vendor_tf32"), (), 8),
    ("matmul", "f32", ("native_tensor_3xtf32", "vendor"), (), 4),
    ("transpose", "f32", ("blocked", "vendor"), ("blocked", "vendor"), 1),
    ("transpose", "f64", ("blocked", "vendor"), ("blocked", "vendor"), 1),
)
SPACES_OF_HOSTS = ("openmp", "serial", "threads")


def draw(random_, extents, most, multiple):
    """As many extents, whose product is at most most ** extents."""
    while True:
        shape = [math.exp(random_.uniform(math.log(SMALLEST), math.log(LARGEST))) for _ in range(extents)]
        shape = [round(extent / multiple) * multiple for extent in shape]
        if math.prod(shape) <= most**extents:
            return shape


def library_of(variant):
    """The library's row that a variant is held against: that of the same precision."""
    for precision in ("bf16", "tf32"):
        if variant == f"native_tensor_{precision}":
            return f"vendor_{precision}"
    return "vendor"


def deck(options):
    """The text of a deck."""
    on_host = options.space in SPACES_OF_HOSTS
    command = f"deck --seed {options.seed} --count {options.count} --space {options.space} --most {options.most}"
    lines = [
        f"# Made by tools/any_shape.py {command}: shapes",
        "# that nobody chose. `tools/any_shape.py ratios RESULT` says how the kernels compare with the library.",
        "schema = 1",
        "",
        "[run]",
        f'title = "any shape, seed {options.seed}"',
        "clean_environment = true",
        "",
        "[sampling]",
        'max_time = "0.3 s"',
    ]
    for pattern, element, on_device, on_hosts, multiple in KERNELS:
        variants = on_hosts if on_host else on_device
        if not variants:
            continue
        # One sequence for each kernel, so that a kernel that is added does not change the shapes of the others.
        random_ = random.Random(f"{options.seed} {pattern} {element} {variants[0]}")
        extents = 3 if pattern == "matmul" else 2
        shapes = ["x".join(map(str, draw(random_, extents, options.most, multiple))) for _ in range(options.count)]
        lines += ["", "[[case]]", f'pattern = "{pattern}"', f'space = "{options.space}"']
        lines += [f"variant = {json.dumps(list(variants))}", f'type = "{element}"', f"shape = {json.dumps(shapes)}"]
    for pattern, element, on_device, on_hosts, _ in KERNELS:
        for variant in on_hosts if on_host else on_device:
            if variant.startswith("vendor"):
                continue
            lines += ["", "[[expect]]", f'pattern = "{pattern}"', f'variant = "{variant}"', f'type = "{element}"']
            lines += [f'of = {{ variant = "{library_of(variant)}" }}', "at_least = 0.9", 'why = "at any shape"']
    return "\n".join(lines) + "\n"


def ratios(documents):
    """{(pattern, variant, type): [(library's time / the variant's, shape)]}"""
    found = {}
    for document in documents:
        passed = [case for case in document["results"] if case.get("outcome") == "passed"]
        times = {(c["pattern"], c["variant"], c["type"], c["space"], c["keys"].get("shape")): c for c in passed}
        for (pattern, variant, element, space, shape), case in times.items():
            library = times.get((pattern, library_of(variant), element, space, shape))
            if shape is None or variant.startswith("vendor") or library is None:
                continue
            ratio = library["time"]["median"] / case["time"]["median"]
            found.setdefault((pattern, variant, element), []).append((ratio, shape))
    return found


def table(found):
    """Lines of a table."""
    lines = ["| kernel | type | shapes | median | worst | at | below 0.9 |", "|---|---|---:|---:|---:|---|---:|"]
    for (pattern, variant, element), pairs in found.items():
        worst, shape = min(pairs)
        median = statistics.median(ratio for ratio, _ in pairs)
        below = sum(ratio < 0.9 for ratio, _ in pairs)
        lines.append(
            f"| {pattern}/{variant} | {element} | {len(pairs)} | {median:.2f} | {worst:.2f} | {shape} | {below} |"
        )
    return lines


def svg(found):
    """A picture: a point for each shape, the ratio over the product of the extents, both on logarithmic axes."""
    width, height, left, right, top, bottom = 950, 420, 70, 280, 20, 50
    points = [(math.prod(map(int, shape.split("x"))), ratio) for pairs in found.values() for ratio, shape in pairs]
    first = math.floor(math.log10(min(x for x, _ in points)))
    last = max(first + 1, math.ceil(math.log10(max(x for x, _ in points))))
    low, high = min(0.5, min(y for _, y in points)), max(2.0, max(y for _, y in points))

    def across(x):
        return left + (math.log10(x) - first) / (last - first) * (width - left - right)

    def down(y):
        return top + (math.log(high) - math.log(y)) / (math.log(high) - math.log(low)) * (height - top - bottom)

    colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # told apart by colour-blind readers
    font = 'font-family="sans-serif" font-size="13"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font}>',
        "<title>Time of the library over that of the kernel, by the size of the problem</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for power in range(first, last + 1):
        x = across(10**power)
        lines += [
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{height - bottom}" stroke="#dddddd"/>',
            f'<text x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">1e{power}</text>',
        ]
    for y in (0.25, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0):
        if low <= y <= high:
            stroke = "#333333" if y == 1 else "#dddddd"
            lines += [
                f'<line x1="{left}" x2="{width - right}" y1="{down(y):.1f}" y2="{down(y):.1f}" stroke="{stroke}"/>',
                f'<text x="{left - 8}" y="{down(y) + 4:.1f}" text-anchor="end">{y:g}</text>',
            ]
    for i, ((pattern, variant, element), pairs) in enumerate(found.items()):
        colour = colours[i % len(colours)]
        for ratio, shape in pairs:
            x = across(math.prod(map(int, shape.split("x"))))
            lines.append(
                f'<circle cx="{x:.1f}" cy="{down(ratio):.1f}" r="3.5" fill="{colour}" fill-opacity="0.75">'
                f"<title>{pattern}/{variant} {element} {shape}: {ratio:.2f}</title></circle>"
            )
        y = top + 20 + 22 * i
        lines += [
            f'<circle cx="{width - right + 20}" cy="{y}" r="5" fill="{colour}"/>',
            f'<text x="{width - right + 32}" y="{y + 4}">{pattern}/{variant} {element}</text>',
        ]
    middle, centre = (left + width - right) / 2, (top + height - bottom) / 2
    lines += [
        f'<text x="{middle:.0f}" y="{height - 12}" text-anchor="middle">product of the extents</text>',
        f'<g transform="translate(18 {centre:.0f}) rotate(-90)">',
        '<text text-anchor="middle">speed of the kernel / that of the library</text>',
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("deck", help="write a deck")
    write.add_argument("--seed", type=int, required=True)
    write.add_argument("--count", type=int, default=50, help="shapes for each kernel (default: 50)")
    write.add_argument("--space", default="cuda", help="default: cuda")
    write.add_argument("--most", type=int, default=8192, help="cubed, of the largest problem (default: 8192)")
    read = commands.add_parser("ratios", help="compare with the library")
    read.add_argument("results", nargs="+", type=pathlib.Path)
    read.add_argument("--svg", type=pathlib.Path, help="draw the ratios, too")
    options = parser.parse_args()
    if options.command == "deck":
        if options.most < SMALLEST or options.count < 1:
            parser.error(f"--most is at least {SMALLEST}, --count at least 1")
        sys.stdout.write(deck(options))
        return 0
    try:
        found = ratios(json.loads(path.read_text(encoding="utf-8")) for path in options.results)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"any_shape: no result document: {error!r}", file=sys.stderr)
        return 2
    if not found:
        print("any_shape: no case of these results stands beside the library's", file=sys.stderr)
        return 2
    print("\n".join(table(found)))
    if options.svg:
        options.svg.write_text(svg(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
