# SPDX-License-Identifier: BSD-3-Clause
"""Reads result documents of tilestride and refuses everything else with one line."""

import json
import math
import pathlib
import unicodedata

SCHEMA = 2
OUTCOMES = ("passed", "FAILED", "error", "skipped", "not run")

# What this tool relies on: {name: type}. What may be missing is not listed.
OF_A_DOCUMENT = {"title": str, "status": str, "machine": dict, "programs": dict, "results": list}
OF_A_CASE = {"name": str, "pattern": str, "variant": str, "space": str, "type": str, "outcome": str}
OF_A_PASSED_CASE = {"figure": str, "time": dict, "rate": (int, float), "work": dict, "ceilings": dict, "samples": list}
OF_A_RULE = {"rule": str, "judgement": str, "text": str, "reached": dict, "at_least": (int, float)}


class BadDocument(Exception):
    """Why a file cannot be shown, in one line."""


def printable(text):
    """Characters that do not print, and those that turn the direction of the text around them, as their code: names and
    reasons come from files of others."""

    def is_hidden(character):
        return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and character != "\n"

    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{{{ord(c):x}}}" if is_hidden(c) else c for c in text)


def all_printable(value):
    """The same for every text in a JSON value, the names of fields too."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return value if value and isinstance(value[0], float) else [all_printable(element) for element in value]
    if isinstance(value, dict):
        return {printable(name): all_printable(element) for name, element in value.items()}
    return value


def refuse_number(text):
    raise ValueError(f"{text} is no number in JSON")


def require(fields, value, where):
    if not isinstance(value, dict):
        raise BadDocument(f"{where} is no object")
    for name, kind in fields.items():
        if not isinstance(value.get(name), kind):
            raise BadDocument(f"{where} has no valid '{name}'")


def are_positive(numbers):
    """At least one, and all of them finite and above 0. JSON's true is no number."""
    return bool(numbers) and all(type(n) in (int, float) and 0 < n < math.inf for n in numbers)


def check_case(case, where):
    require(OF_A_CASE, case, where)
    if not isinstance(case.get("keys", {}), dict):
        raise BadDocument(f"{where} has no valid 'keys'")
    if case["outcome"] not in OUTCOMES:
        raise BadDocument(f"{where} has the unknown outcome '{case['outcome']}'")
    if case["outcome"] == "passed":
        require(OF_A_PASSED_CASE, case, where)
        if not are_positive(case["samples"]):
            raise BadDocument(f"{where} has samples that are no times")
        if not are_positive([case["rate"], *(case["time"].get(name) for name in ("median", "low", "high"))]):
            raise BadDocument(f"{where} has no valid 'time' or 'rate'")


def check(document):
    """Raises BadDocument for what is no result document of this schema."""
    if not isinstance(document, dict) or "schema" not in document:
        raise BadDocument("is no result document of tilestride")
    if document["schema"] != SCHEMA:
        raise BadDocument(f"is of schema {document['schema']!r:.20}, and this tool reads schema {SCHEMA}")
    require(OF_A_DOCUMENT, document, "the document")
    for number, case in enumerate(document["results"]):
        check_case(case, f"case {number}")
    if not isinstance(document.get("rules", []), list):
        raise BadDocument("the document has no valid 'rules'")
    for number, rule in enumerate(document.get("rules", [])):
        require(OF_A_RULE, rule, f"rule {number}")


def read(path):
    """The document in a file, checked and with printable texts; raises BadDocument with a line that names the file."""
    path = pathlib.Path(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_number)
        check(document)
        return all_printable(document)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except json.JSONDecodeError as error:
        reason = f"is no JSON, or not all of it: {error.msg} in line {error.lineno}, column {error.colno}"
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        reason = f"is no JSON: {type(error).__name__ if isinstance(error, RecursionError) else error}"
    except BadDocument as error:
        reason = str(error)
    raise BadDocument(printable(f"{path}: {reason}").replace("\n", " "))
