#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes what is known of decks from what the program says of itself, `tilestride list --json`:

inputs/deck.schema.json     the JSON schema (draft 7) for editors and for check-jsonschema
docs/reference/deck.md      the keys of a deck
docs/reference/catalogue.md the patterns with their variants and keys

With --check nothing is written, and the exit code is 1 when a file differs.
"""

import argparse
import difflib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DURATION = r"^\s*[0-9.]+\s*(ns|us|ms|s|min|h)\s*$"
SIZE = r"^\s*[0-9.]+\s*(B|KiB|MiB|GiB|TiB|%)?\s*$"
RATE = r"^\s*[0-9.]+\s*[MGT](B|FLOP)/s\s*$"


# ---- the schema

def one_or_list(schema):
    return {"anyOf": [schema, {"type": "array", "items": schema, "minItems": 1, "uniqueItems": True}]}


def closed(properties, required=()):
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def ref(name):
    return {"$ref": f"#/definitions/{name}"}


def inline(schema):
    """Beside other keys a reference would make draft 7 ignore them."""
    return {"allOf": [schema]} if "$ref" in schema else schema


def of_setting(setting):
    """What a setting takes."""
    kind = setting["kind"]
    if kind == "words":
        return one_or_list({"enum": setting["choices"]})
    if kind == "choice":
        return {"enum": setting["choices"]}
    if kind in ("whole", "share"):
        number = {"type": "integer" if kind == "whole" else "number"}
        return {**number, "minimum": setting["least"], "maximum": setting["most"]}
    return {"text": {"type": "string"}, "flag": {"type": "boolean"}, "duration": ref("duration")}[kind]


def of_key(key):
    """One value of a pattern's key."""
    kind = key["kind"]
    if kind == "choice":
        return {"enum": key["choices"]}
    if kind == "integer":
        return {"enum": key["choices"]} if "choices" in key else {"type": "integer", "minimum": key["least"]}
    return ref("size" if kind == "bytes" else f"shape_{len(key['axes'])}")


def range_schema(value, settings):
    """{ from, to, times } or { from, to, step }"""
    properties = {s["name"]: value if s["kind"] == "special" else of_setting(s) for s in settings}
    return {**closed(properties, ["from", "to"]), "oneOf": [{"required": ["times"]}, {"required": ["step"]}]}


def settings_of(known, table):
    return next(t["settings"] for t in known["tables"] if t["name"] == table)


def case_schema(pattern, known):
    special = {"pattern": {"const": pattern["name"]},
               "variant": one_or_list({"enum": [v["name"] for v in pattern["variants"]]}),
               "type": one_or_list({"enum": pattern["types"]})}
    properties = {s["name"]: special.get(s["name"]) or of_setting(s) for s in settings_of(known, "case")}
    for key in pattern["keys"]:
        properties[key["name"]] = one_or_list(of_key(key))
        if key["kind"] in ("integer", "bytes"):
            properties[key["name"]]["anyOf"].append(ref("range_of_sizes" if key["kind"] == "bytes" else "range"))
    properties.update({s["name"]: of_setting(s) for s in settings_of(known, "sampling")})
    return closed(properties)


def expect_schema(pattern, known):
    """Cases are selected by space, variant, type and the pattern's keys."""
    selectors = {"space": {"enum": known["spaces"]}, "variant": {"enum": [v["name"] for v in pattern["variants"]]},
                 "type": {"enum": pattern["types"]}, **{key["name"]: of_key(key) for key in pattern["keys"]}}
    settings = {s["name"]: s for s in settings_of(known, "expect")}
    ratio = {"type": "number", "minimum": settings["at_least"]["least"], "maximum": settings["at_least"]["most"]}
    special = {"pattern": {"const": pattern["name"]},
               "of": {"anyOf": [{"type": "string", "minLength": 1}, {**closed(selectors), "minProperties": 1}]},
               "at_least": {}, "best_over": one_or_list({"enum": list(selectors)})}
    properties = {name: one_or_list(schema) for name, schema in selectors.items()}
    for name, setting in settings.items():
        if name not in selectors:
            properties[name] = special[name] if name in special else of_setting(setting)
    return {**closed(properties, ["at_least"]), "if": {"required": ["of"]},
            "then": {"properties": {"at_least": ratio}}, "else": {"properties": {"at_least": ref("rate")}}}


def meaning_of(item):
    return item["meaning"] if "default" not in item else f"{item['meaning']} (default: {toml(item['default'])})"


def by_pattern(table, known):
    """A table whose other keys follow from its pattern. Editors complete names from `properties`, which therefore has
    those of all patterns; what is right for one is told where the table has a pattern."""
    properties = {s["name"]: {"description": meaning_of(s)} for s in settings_of(known, table)}
    if table == "case":
        properties.update({s["name"]: {"description": meaning_of(s)} for s in settings_of(known, "sampling")})
    told = {}
    for pattern in known["patterns"]:
        for key in pattern["keys"]:
            told.setdefault(key["name"], {}).setdefault(meaning_of(key), []).append(pattern["name"])
    for name, texts in told.items():
        properties[name] = {"description": "\n".join(f"{', '.join(of)}: {text}" for text, of in texts.items())}
    properties["pattern"]["enum"] = [pattern["name"] for pattern in known["patterns"]]
    choices = [{"if": {"properties": {"pattern": {"const": pattern["name"]}}},
                "then": ref(f"{table}_{pattern['name']}")} for pattern in known["patterns"]]
    return {"type": "object", "properties": properties, "required": ["pattern"],
            "dependencies": {"pattern": {"allOf": choices}}}


def schema_of(known):
    definitions = {
        "duration": {"type": "string", "pattern": DURATION},
        "size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": SIZE}]},
        "rate": {"type": "string", "pattern": RATE},
        "range": range_schema({"type": "integer", "minimum": 0}, known["range"]),
        "range_of_sizes": range_schema(ref("size"), known["range"]),
        "shape_2": {"type": "string", "pattern": r"^\s*[0-9]+(\s*x\s*[0-9]+){1}\s*$"},
        "shape_3": {"type": "string", "pattern": r"^\s*[0-9]+(\s*x\s*[0-9]+){2}\s*$"},
    }
    for pattern in known["patterns"]:
        definitions[f"case_{pattern['name']}"] = case_schema(pattern, known)
        definitions[f"expect_{pattern['name']}"] = expect_schema(pattern, known)
    properties = {"schema": {"description": "the version of the deck's form", "const": known["schema"]}}
    for table in known["tables"]:
        if table["repeated"]:
            schema = {"type": "array", "items": by_pattern(table["name"], known), "minItems": 1}
        else:
            schema = closed({s["name"]: {"description": meaning_of(s), **inline(of_setting(s))}
                             for s in table["settings"]})
        properties[table["name"]] = {"description": table["meaning"], **schema}
    return written({"$schema": "http://json-schema.org/draft-07/schema#", "title": "a deck of tilestride",
                    **closed(properties, ["schema", "case"]), "definitions": definitions}) + "\n"


def written(json_value, indent=""):
    """JSON with one line for each part that fits into one."""
    line = json.dumps(json_value)
    if not isinstance(json_value, (dict, list)) or len(indent) + len(line) < 118:
        return line
    deeper = indent + " "
    if isinstance(json_value, dict):
        parts = [f"{deeper}{json.dumps(key)}: {written(value, deeper)}" for key, value in json_value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    parts = [deeper + written(value, deeper) for value in json_value]
    return "[\n" + ",\n".join(parts) + f"\n{indent}]"


# ---- the pages

MADE = "<!-- made by tools/deck_reference.py of what `tilestride list --json` says: change that, not this -->\n"


def toml(value):
    """A value as a deck writes it."""
    return json.dumps(value)


def cell(text):
    return str(text).replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def table_of(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def takes(key):
    if key["kind"] == "shape":
        return f'a text: "{" x ".join(key["axes"])}"'
    if key["kind"] == "bytes":
        return 'a size ("64 MiB", 4096) or a share of the memory ("25 %")'
    if "choices" in key:
        return ", ".join(toml(choice) for choice in key["choices"])
    return f"a whole number from {key['least']}"


def default_of(item):
    return f"`{toml(item['default'])}`" if "default" in item else ""


def setting_rows(settings):
    return [[f"`{s['name']}`", cell(s["meaning"]), cell(s["takes"]), default_of(s)] for s in settings]


def deck_page(known):
    head = ["key", "meaning", "takes", "default"]
    text = "# The keys of a deck\n" + MADE + f"""
A deck is a TOML file (UTF-8, 16 MiB at most). It begins with `schema = {known['schema']}` and has at least one
`[[case]]`. A key that is not listed here is a mistake. `tilestride check DECK` tells all mistakes of a deck, with line,
column and the nearest valid name.

Spaces are {', '.join(f'`{space}`' for space in known['spaces'])}.
"""
    notes = {
        "case": """A `[[case]]` may also have the keys of `[sampling]`, and has those of its pattern: see the
[catalogue](catalogue.md). A key takes a value or a list of values. Lists multiply: two types and three shapes are six
problems, each for every variant. A key that only some variants have changes those alone.
""",
        "expect": """An `[[expect]]` also takes the keys of its pattern, each with a value or a list of values: they
select cases, as `space`, `variant` and `type` do. What is left out selects all. The rule holds for each selected case,
and is judged on the interval of the ratio: see [how rules are judged](../verdict.md#rules).
""",
    }
    for table in known["tables"]:
        brackets = f"[[{table['name']}]]" if table["repeated"] else f"[{table['name']}]"
        text += f"\n## {brackets}\n\n{table['meaning'].capitalize()}.\n\n"
        text += notes[table["name"]] + "\n" if table["name"] in notes else ""
        text += table_of(head, setting_rows(table["settings"]))
        if table["name"] == "case":
            text += ("\n### A range of values\n\nInstead of a value, a key that takes whole numbers or sizes takes "
                     "`{ from = 1, to = 64, times = 2 }` or `{ from = 8, to = 64, step = 8 }`.\n\n")
            text += table_of(head[:3], [row[:3] for row in setting_rows(known["range"])])
    return text


def figure_of(published):
    """ "41.0 GB/s", "1.5 times as fast as `none`"; the peak of a data sheet is no kernel's."""
    if "over" in published:
        return f"{published['value']} times as fast as `{published['over']}`"
    return f"{published['value']} {published['unit']}" + (", data sheet" if published.get("peak") else "")


def catalogue_page(known):
    text = "# The catalogue\n" + MADE + """
Every pattern with its variants and keys, as `tilestride list` prints them. What each pattern is for, its code and its
figures are on the page of its name.

The name of a variant tells who wrote it: a bare name is Kokkos, `native_…` is raw CUDA, `vendor…` a library, and
`hybrid_…` a Kokkos kernel on a stream or a device that raw CUDA has configured. The *twin* of a `native_` variant is
the same algorithm in Kokkos. A *bound* does less than the problem requires, to show an upper limit.
"""
    for pattern in known["patterns"]:
        name = pattern["name"]
        text += f"\n## {name}\n\n{cell(pattern['meaning'])} ([page](../patterns/{name}.md))\n\n"
        text += f"- types: {', '.join(f'`{t}`' for t in pattern['types'])}; the first is the default\n"
        text += f"- figure: {pattern['unit']}\n- model: {cell(pattern['formula'])}\n"
        text += f"- on hosts: {cell(pattern['on_hosts'])}\n" if "on_hosts" in pattern else ""
        rows = []
        for variant in pattern["variants"]:
            role = variant["role"] + (f", twin of `{variant['twin']}`" if "twin" in variant else "")
            role += f": {variant['parts']}" if "parts" in variant else ""
            rows.append([f"`{variant['name']}`", cell(variant["meaning"]), cell(role),
                         ", ".join(f"`{key}`" for key in variant["keys"])])
        text += "\n" + table_of(["variant", "meaning", "role", "own keys"], rows)
        text += "\n" + table_of(["key", "meaning", "takes", "default"],
                                [[f"`{key['name']}`", cell(key["meaning"]), cell(takes(key)), default_of(key)]
                                 for key in pattern["keys"]])
        if pattern["published"]:
            text += "\nWhat the tutorials and guides say:\n\n" + table_of(
                ["variant", "case", "figure", "GPU"],
                [[f"`{p['variant']}`", ", ".join([p["type"], *(f"{k} {v}" for k, v in p["keys"].items())]),
                  figure_of(p), cell(p["device"])] for p in pattern["published"]])
    return text


FILES = {"inputs/deck.schema.json": schema_of, "docs/reference/deck.md": deck_page,
         "docs/reference/catalogue.md": catalogue_page}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="tilestride")
    parser.add_argument("--check", action="store_true", help="only say which files differ")
    arguments = parser.parse_args()
    known = json.loads(subprocess.run([arguments.program, "list", "--json"], check=True, capture_output=True).stdout)
    differ = 0
    for file, make in FILES.items():
        path, text = ROOT / file, make(known)
        old = path.read_text() if path.exists() else ""
        if arguments.check and old != text:
            differ += 1
            sys.stderr.writelines(list(difflib.unified_diff(old.splitlines(True), text.splitlines(True), file,
                                                            "what the program says", n=0))[:20])
        elif old != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if differ:
        print("to be made anew: tools/deck_reference.py build/bin/tilestride", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
