# SPDX-License-Identifier: BSD-3-Clause
"""check-result: every edit of a result document is told by name, and no other writing of it is."""

import getpass
import hashlib
import json
import os
import pathlib
import platform
import unittest

from tilestride import FAULTY, PROGRAM, SOURCE, CommandLine, strict_json

DECK = """
[[case]]
pattern = "transpose"
space   = ["serial", "hip"]
variant = ["copy", "row_read", "padded"]
shape   = "61x33"
tile    = 8

[[expect]]
pattern  = "transpose"
variant  = "padded"
space    = "serial"
of       = { variant = "copy" }
at_least = 1e-3
"""
ROW_READ = "transpose/row_read/serial/f32/61x33"


def canonical(value):
    """The form that the seal is of, as src/results/seal.hpp describes it."""

    def numbers(value):
        if isinstance(value, dict):
            return {key: numbers(element) for key, element in value.items()}
        if isinstance(value, list):
            return [numbers(element) for element in value]
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**63 else value

    return json.dumps(numbers(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class CheckResult(CommandLine):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "out" / "result.json"
        done = self.call("run", self.deck(DECK), "-o", "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def document(self):
        return strict_json(self.file.read_text())

    def case(self, document, name=ROW_READ):
        return next(case for case in document["results"] if case["name"] == name)

    def check(self, document=None, text=None):
        if document is not None:
            text = json.dumps(document)
        if text is not None:
            self.file.write_text(text)
        return self.call("check-result", self.file)

    def agrees(self, **what):
        done = self.check(**what)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("all agrees", done.stdout)
        return done.stdout

    def differs(self, document, *says):
        """Every one of the sentences begins a line."""
        done = self.check(document)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        for sentence in says:
            self.assertTrue(any(line.startswith(sentence) for line in done.stdout.splitlines()), done.stdout)
        return done.stdout

    def refused(self, says, **what):
        done = self.check(**what)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(says, done.stderr)

    def test_what_was_not_edited(self):
        self.agrees()
        done = self.call("check-result", "out")  # the folder
        self.assertEqual(done.returncode, 0, done.stdout)
        self.agrees(text=json.dumps(self.document(), indent=4))
        self.agrees(text=json.dumps(self.document(), separators=(",", ":")))
        self.agrees(text=json.dumps(self.document(), sort_keys=True))
        turned = dict(reversed(self.document().items()))
        turned["results"] = [dict(reversed(case.items())) for case in turned["results"]]
        self.agrees(document=turned)

    def test_the_seal_is_what_it_is_said_to_be(self):
        document = self.document()
        seal = document.pop("seal")
        samples = [[case["name"], case["outcome"], case.get("samples", [])] for case in document["results"]]
        self.assertEqual((seal["algorithm"], seal["numbers"]), ("sha256", "fewest digits"))
        self.assertEqual(seal["deck"], sha256((self.folder / "out" / "deck.toml").read_text()))
        program = hashlib.sha256(pathlib.Path(PROGRAM).read_bytes()).hexdigest()
        self.assertEqual(seal["programs"], {"tilestride": program})
        self.assertEqual(seal["samples"], sha256(canonical(samples)))
        self.assertEqual(seal["summary"], sha256(canonical(document)))
        counts = {"passed": 3, "failed": 0, "errors": 0, "skipped": 3, "not_run": 0}
        self.assertEqual(document["counts"], counts)

    def test_a_sample(self):
        document = self.document()
        samples = self.case(document)["samples"]
        samples[0] = min(samples) / 2
        said = self.differs(document, f"{ROW_READ}: time.min is ", "seal.samples: ", "seal.summary: ")
        self.assertIn(" in the file, ", said)
        self.assertNotIn("seal.deck", said)

    def test_each_figure(self):
        for path in (
            *(("time", key) for key in ("median", "low", "high", "min", "max", "mad", "count")),
            ("rate",),
            ("bytes_per_second",),
            ("ceilings", "copy"),
            ("ceilings", "by_name", "copy"),
        ):
            with self.subTest(path):
                document = self.document()
                *outer, last = path
                inner = self.case(document)
                for key in outer:
                    inner = inner[key]
                inner[last] = inner[last] * 2 + 1
                said = self.differs(document, f"{ROW_READ}: {'.'.join(path)} is ", "seal.summary: ")
                self.assertNotIn("seal.samples", said)
                self.setUp()

    def test_the_share_of_the_model(self):
        """Of a case that has a model on every machine: most models of hosts need a card."""
        deck = '[[case]]\npattern = "stream"\nspace = "serial"\nvariant = "flat"\nop = "copy"\nbytes = "16 KiB"\n'
        self.assertEqual(self.call("run", self.deck(deck), "-o", "stream").returncode, 0)
        self.file = self.folder / "stream" / "result.json"
        document = self.document()
        (case,) = document["results"]
        case["model_achieved"] = case["model_achieved"] * 2 + 1
        self.differs(document, f"{case['name']}: model_achieved is ", "seal.summary: ")

    def test_the_deck(self):
        document = self.document()
        document["deck"] += "# nothing\n"
        said = self.differs(document, "seal.deck: ", "seal.summary: ")
        self.assertNotIn("seal.samples", said)

    def test_the_status_and_the_counts(self):
        document = self.document()
        document["status"] = document["status"].replace("passed=3", "passed=4")
        self.differs(document, "status is ", "seal.summary: ")
        document = self.document()
        document["status"] = document["status"].replace("passed=4", "passed=3").replace("PASS", "FAIL")
        self.differs(document, "status is ")
        document["counts"]["skipped"] = 0
        self.differs(document, "counts.skipped is 0 in the file, 3 by its results")

    def test_the_verdict_of_a_rule(self):
        before = self.document()
        verdict = dict(before["rules"][0])
        document = self.document()
        document["rules"][0]["judgement"] = "NOT MET"
        self.differs(document, "rules[0].judgement is NOT MET in the file, met by the samples: ", "status is ")
        document = before
        document["rules"][0]["reached"]["low"] = 7
        self.differs(document, "rules[0].reached.low is 7 in the file, ")
        document["rules"] = []
        self.differs(document, "rules: a verdict is missing: transpose/padded/serial")
        document["rules"] = [verdict, {**verdict, "rule": 'of = "model"'}]
        self.differs(document, "rules[1]: the deck asks for no such verdict: ")

    def test_a_case_that_was_removed(self):
        deck = '[[case]]\npattern = "faults"\nspace = "serial"\nvariant = ["sound", "null"]\n'
        done = self.call("run", self.deck(deck), "-o", "bad", program=FAULTY)
        self.assertEqual(done.returncode, 1)
        self.file = self.folder / "bad" / "result.json"
        self.assertEqual(self.call("check-result", self.file, program=FAULTY).returncode, 0)
        document = self.document()
        document["results"] = [case for case in document["results"] if case["outcome"] == "passed"]
        document["counts"]["failed"] = 0
        document["status"] = document["status"].replace("failed=1", "failed=0").replace("FAIL", "PASS")
        self.file.write_text(json.dumps(document))
        done = self.call("check-result", self.file, program=FAULTY)
        self.assertEqual(done.returncode, 3)
        self.assertIn("faults/null/serial/f32/64x48: is in the deck and not in the results\n", done.stdout)
        self.assertIn("seal.samples: ", done.stdout)

    def test_a_failure_made_a_success(self):
        document = self.document()
        self.case(document)["outcome"] = "FAILED"
        says = f"{ROW_READ}: has samples in the file although it is FAILED"
        self.differs(document, says, "counts.passed ", "status ")
        document = self.document()
        self.case(document)["outcome"] = "excellent"
        self.differs(document, f'{ROW_READ}: its outcome "excellent" is unknown')

    def test_a_case_twice(self):
        document = self.document()
        document["results"].append(self.case(document))
        self.differs(document, f"{ROW_READ}: stands twice in the results", "counts.passed ")

    def test_fields_of_another_form(self):
        for key, value in (("samples", "none"), ("samples", []), ("samples", [-1.0]), ("time", 7), ("work", None)):
            with self.subTest(key):
                document = self.document()
                self.case(document)[key] = value
                self.differs(document, f"{ROW_READ}: ")
                self.setUp()
        document = self.document()
        document["seal"]["numbers"] = "all"
        self.differs(document, "seal.numbers: ")
        document["seal"] = "broken"
        self.differs(document, "seal: ")

    def test_a_document_without_a_seal(self):
        document = self.document()
        del document["seal"]
        self.assertIn("note: it has no seal", self.agrees(document=document))
        self.case(document)["rate"] = 1e12
        self.differs(document, f"{ROW_READ}: rate is ")

    def test_what_is_no_result_document(self):
        whole = self.file.read_text()
        self.refused("is no whole JSON", text=whole[:-100])
        self.refused("is no whole JSON", text="")
        self.refused("is no result document", text="{}")
        self.refused("is no result document", text="[" * 100000)
        self.refused("is no result document", text=whole.replace('"schema": 2', '"schema": 1e999'))
        older = whole.replace('"schema": 2', '"schema": 1')
        self.refused("is of schema 1, and this program reads schema 2", text=older)
        self.refused('has the key "title" twice', text=whole.replace('"title"', '"title": "x",\n"title"', 1))
        self.file.unlink()
        self.refused("cannot be opened")

    def test_reference_documents(self):
        """Those older than seals say so."""
        for path in sorted((SOURCE / "reference").glob("*.json")):
            document = json.loads(path.read_text())
            if "results" not in document:
                continue  # what tools/check_model.py wrote
            with self.subTest(path.name):
                done = self.call("check-result", path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual("note: it has no seal" in done.stdout, "seal" not in document)

    def test_a_resumed_run_is_sealed(self):
        lines = (self.folder / "out" / "cases.jsonl").read_text().splitlines(keepends=True)
        (self.folder / "out" / "cases.jsonl").write_text("".join(lines[:-1]))
        self.assertEqual(self.call("run", "--resume", "-o", "out").returncode, 0)
        self.agrees()


class Redacted(CommandLine):
    def test_nothing_tells_who_measured_where(self):
        home = self.folder / "jane.doe"
        (home / "decks").mkdir(parents=True)
        deck = home / "decks" / "mine.toml"
        deck.write_text(self.deck(DECK).read_text())
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": f"{home}/lib",
            "MALLOC_CONF": f"prof_prefix:{home}/heap",
        }
        rule = '[[expect]]\npattern = "transpose"\nvariant = "padded"\nspace = "serial"\nof = "%s"\nat_least = 1e-6\n'
        first = self.call("run", deck, "-o", home / "first")
        self.assertEqual(first.returncode, 0, first.stderr)
        deck.write_text(deck.read_text() + rule % (home / "first" / "result.json"))
        sibling = home / "tilestride-hip"
        sibling.write_text(f"#!/bin/sh\necho {home}/libx.so: no such file on {platform.node()} >&2; exit 1\n")
        sibling.chmod(0o755)
        environment["TILESTRIDE_PROGRAMS"] = str(home)
        flag = f"--kokkos-tools-libs={home}/libtool.so"
        done = self.call("run", deck, "--redact", flag, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (run,) = (self.folder / "results").iterdir()
        private = ["jane", str(self.folder), platform.node()]
        private += [getpass.getuser()] if getpass.getuser() != "root" else []
        for text in (run.name, *((run / name).read_text() for name in ("result.json", "cases.jsonl", "deck.toml"))):
            for word in private:
                self.assertNotIn(word, text)
        self.assertIn("libx.so", (run / "cases.jsonl").read_text())
        self.assertEqual(self.call("check-result", run).returncode, 0)


if __name__ == "__main__":
    unittest.main()
