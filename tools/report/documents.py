# SPDX-License-Identifier: BSD-3-Clause
"""Reads result documents of tilestride and refuses everything else with one line."""

import functools
import json
import math
import pathlib
import unicodedata

SCHEMA = 2
OUTCOMES = ("passed", "FAILED", "error", "skipped", "not run")

NUMBER = (int, float)

# What this tool relies on: {name: type}.
OF_A_DOCUMENT = {"title": str, "status": str, "machine": dict, "programs": dict, "results": list}
OF_A_CASE = {"name": str, "pattern": str, "variant": str, "space": str, "type": str, "outcome": str}
OF_A_PASSED_CASE = {"figure": str, "time": dict, "rate": NUMBER, "work": dict, "ceilings": dict, "samples": list}
OF_A_QUOTE = {"case": str, "published": NUMBER, "unit": str, "device": str, "here": NUMBER}
OF_A_RULE = {"rule": str, "judgement": str, "text": str, "reached": dict, "at_least": NUMBER}

# What may be missing, but not of another type.
MAYBE_OF_A_DOCUMENT = {"started": str, "finished": str, "only": str, "deck": str, "rules": list, "kokkos_flags": list}
MAYBE_OF_A_DOCUMENT |= {"environment": dict, "influences": dict, "spent": dict, "published": list}
MAYBE_OF_A_DOCUMENT |= {"ranks": list, "slow_ranks": list, "slow_messages": dict}
OF_A_RANK, MAYBE_OF_A_RANK = {"rank": int, "host": str}, {"device": str, "uuid": str, "pci": str, "cpus": str}
OF_A_SLOW_RANK = {"rank": int, "action": str, "case": str, "deficit": NUMBER, "compared_with": str}
OF_SLOW_MESSAGES, OF_A_PAIR = {"hosts": list, "pairs": list}, {"from": int, "to": int, "case": str, "deficit": NUMBER}
MAYBE_OF_A_QUOTE = {"over": str, "peak": bool, "hardware": NUMBER, "rewriting": NUMBER, "best": str}
MAYBE_OF_A_CASE = {"reason": str, "problem": str, "role": str, "twin": str, "session": str, "keys": dict, "flags": list}
MAYBE_OF_A_CASE |= {"verification": dict, "model": dict, "notes": dict, "kernels": list, "predicted": dict}
MAYBE_OF_A_CASE |= {"measured": dict, "device_before": dict, "device_after": dict, "intensity": dict}


class BadDocument(Exception):
    """Why a file cannot be shown, in one line."""


@functools.lru_cache(maxsize=4096)  # most texts of a document are the names of its fields
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


def is_a(kind, value):
    """JSON's true is no number here."""
    return isinstance(value, kind) and not (kind is NUMBER and isinstance(value, bool))


def require(fields, value, where, maybe=()):
    """The object has these fields, and each of those in `maybe` it has not or of this type."""
    if not isinstance(value, dict):
        raise BadDocument(f"{where} is no object")
    wrong = [name for name in fields if not is_a(fields[name], value.get(name))]
    wrong += [name for name in maybe if name in value and not is_a(maybe[name], value[name])]
    if wrong:
        raise BadDocument(f"{where} has no valid '{wrong[0]}'")


def require_all(kind, values, where):
    if not all(is_a(kind, value) for value in values):
        raise BadDocument(f"{where} holds a value of another type")


def are_positive(numbers):
    """At least one, and all of them finite and above 0."""
    return bool(numbers) and all(is_a(NUMBER, n) and 0 < n < math.inf for n in numbers)


def check_messages(slow):
    require(OF_SLOW_MESSAGES, slow, "'slow_messages'")
    require_all(str, slow["hosts"], "'hosts' of 'slow_messages'")
    if not slow["pairs"]:
        raise BadDocument("'slow_messages' has no 'pairs'")
    for pair in slow["pairs"]:
        require(OF_A_PAIR, pair, "a pair of 'slow_messages'")


def check_ranks(case, where):
    of_ranks = case["ranks"]
    require({"seconds": list}, of_ranks, f"'ranks' of {where}", {"together": NUMBER, "slowest_device": dict})
    if not are_positive(of_ranks["seconds"]):
        raise BadDocument(f"'ranks' of {where} has 'seconds' that are no times")


def check_case(case, where):
    require(OF_A_CASE, case, where, MAYBE_OF_A_CASE)
    require_all(str, case.get("keys", {}).values(), f"'keys' of {where}")
    require_all(str, case.get("flags", []), f"'flags' of {where}")
    require_all(dict, case.get("kernels", []), f"'kernels' of {where}")
    for kernel in case.get("kernels", []):
        require({}, kernel, f"a kernel of {where}", {"blocks": NUMBER, "registers": NUMBER, "name": str})
    require_all(NUMBER, case.get("intensity", {}).values(), f"'intensity' of {where}")
    require({}, case.get("verification", {}), where, {"detail": str, "share_of_allowed_error": dict})
    require({}, case.get("model", {}), where, {"seconds": NUMBER, "limiter": str})
    require({}, case.get("notes", {}), where, {"rounded to": str})
    if "energy" in case:
        require({}, case["energy"], f"'energy' of {where}")
        if not are_positive([case["energy"].get(name) for name in ("joules", "watts")]):
            raise BadDocument(f"{where} has no valid 'energy'")
    if case["outcome"] not in OUTCOMES:
        raise BadDocument(f"{where} has the unknown outcome '{case['outcome']}'")
    if case["outcome"] == "passed":
        require(OF_A_PASSED_CASE, case, where)
        if not are_positive(case["samples"]):
            raise BadDocument(f"{where} has samples that are no times")
        if not are_positive([case["rate"], *(case["time"].get(name) for name in ("median", "low", "high"))]):
            raise BadDocument(f"{where} has no valid 'time' or 'rate'")
        require_all(NUMBER, case["work"].values(), f"'work' of {where}")
        rates = [rate for name, rate in case["ceilings"].items() if name != "by_name"]
        require_all(NUMBER, rates, f"'ceilings' of {where}")
        if "ranks" in case:
            check_ranks(case, where)


def check(document):
    """Raises BadDocument for what is no result document of this schema."""
    if not isinstance(document, dict) or "schema" not in document:
        raise BadDocument("is no result document of tilestride")
    if document["schema"] != SCHEMA:
        raise BadDocument(f"is of schema {document['schema']!r:.20}, and this tool reads schema {SCHEMA}")
    require(OF_A_DOCUMENT, document, "the document", MAYBE_OF_A_DOCUMENT)
    require_all(dict, document["programs"].values(), "'programs'")
    for program in document["programs"].values():
        require({}, program, "a program", {"build": dict, "spaces": dict})
        require_all(str, program.get("spaces", {}).values(), "'spaces' of a program")
    for number, case in enumerate(document["results"]):
        check_case(case, f"case {number}")
    for rank in document.get("ranks", []):
        require(OF_A_RANK, rank, "a rank", MAYBE_OF_A_RANK)
    for rank in document.get("slow_ranks", []):
        require(OF_A_SLOW_RANK, rank, "a slow rank")
        if rank["rank"] < 0:
            raise BadDocument("a slow rank has no valid 'rank'")
    if "slow_messages" in document:
        check_messages(document["slow_messages"])
    for number, quote in enumerate(document.get("published", [])):
        where = f"published figure {number}"
        require(OF_A_QUOTE, quote, where, MAYBE_OF_A_QUOTE)
        if not are_positive([quote[n] for n in ("published", "here", "hardware", "rewriting") if n in quote]):
            raise BadDocument(f"{where} holds a number that is not above 0")
    for number, rule in enumerate(document.get("rules", [])):
        require(OF_A_RULE, rule, f"rule {number}")
        require_all(NUMBER, rule["reached"].values(), f"'reached' of rule {number}")


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
