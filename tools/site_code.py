# SPDX-License-Identifier: BSD-3-Clause
"""Puts code of the sources into the pages when the site is built, so that it cannot be out of date.

A link of its own line, whose title is "code", becomes what the source has under that name, a struct or a function:

    [src/patterns/transpose/row_read.hpp: RowRead](../../src/patterns/transpose/row_read.hpp "code")

Read elsewhere, it is a link to the source. A file or a name that is missing ends the build.
"""

import itertools
import pathlib
import re
import textwrap

from mkdocs.exceptions import PluginError

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r'^\[(?P<file>[\w./-]+): (?P<name>\w+)\]\((?P<path>[\w./-]+) "code"\)$', re.MULTILINE)


def end_of(lines, start):
    """The line of the brace that closes the first one opened at or after `start`; none when a ; comes first."""
    depth = 0
    for number in range(start, len(lines)):
        code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*', "", lines[number])
        for character in code:
            if character == ";" and depth == 0:
                return None
            depth += {"{": 1, "}": -1}.get(character, 0)
            if character == "}" and depth == 0:
                return number
    return None


def definition(text, name):
    """The definition of `name` with the comment and the template line above it; none when there is none."""
    lines = text.split("\n")
    heads = (rf"\b(struct|class)\s+(alignas\(.*\)\s+)?{name}\b", rf"^(?!\s*return\b).*[\s*&]{name}\(")
    for head, (number, line) in itertools.product(heads, enumerate(lines)):
        end = end_of(lines, number) if re.search(head, line.split("//")[0]) else None
        if end is None:
            continue
        start = number
        while start > 0 and lines[start - 1].strip() and not re.search(r"[;{}]\s*$", lines[start - 1]):
            start -= 1
        return textwrap.dedent("\n".join(lines[start:end + 1]))
    return None


def code_of(match):
    path = ROOT / match["file"]
    if not path.is_file() or not match["path"].endswith("../" + match["file"]):
        raise PluginError(f"{match[0]}: there is no such source")
    code = definition(path.read_text(), match["name"])
    if code is None:
        raise PluginError(f"{match[0]}: the source defines no {match['name']}")
    language = "cuda" if path.suffix == ".cu" else "cpp"
    return f'``` {language} title="{match["file"]}"\n{code}\n```'


def on_page_markdown(markdown, **_):
    """Called by mkdocs for each page."""
    return LINK.sub(code_of, markdown)
