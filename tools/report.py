#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns result documents of tilestride (result.json, schema 2) into one HTML page that needs no network.

    tools/report.py results/…/result.json reference/nvidia-h200.json -o DIR

The page is DIR/report.html. Its charts are SVG, drawn by plain JavaScript in tools/report/js: with Bokeh 3.9.2 a page
of 10,000 points and their table has 3.7 MB, where this one has 2.2 MB with all cases and their samples, and it would
have to be installed, where this needs Python alone. Bokeh also draws pixels on a canvas, which a screen reader cannot
read, a style sheet cannot turn dark and a printer cannot scale.

Exit: 0 the page is written, 2 a file is no result document or the page cannot be written."""

import argparse
import pathlib
import sys

from report import documents, model, page


def read_all(files):
    """[(name, document)] and the complaints about those that cannot be shown."""
    found, complaints = [], []
    for file in files:
        try:
            found.append((documents.printable(file.name), documents.read(file)))
        except documents.BadDocument as problem:
            complaints.append(str(problem))
    return found, complaints


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE", help="result documents")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, metavar="DIR", help="folder of the page")
    options = parser.parse_args(arguments)
    found, complaints = read_all(options.files)
    if complaints:
        for complaint in complaints:
            print(f"report: {complaint}", file=sys.stderr)
        return 2
    target = options.output / "report.html"
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        target.write_text(page.render(model.build(found)), encoding="utf-8")
    except OSError as error:
        print(f"report: {target} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
