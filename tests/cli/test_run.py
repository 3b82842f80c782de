# SPDX-License-Identifier: BSD-3-Clause
"""A run from the outside: tables, FOM lines, documents, rules, exit codes."""

import re
import unittest

from tilestride import CommandLine, finished, strict_json

# What Ramble's regular expression for a figure of merit takes (re.match, line by line).
FOM = re.compile(r"FOM\s+(?P<bench>\S+)\s+(?P<metric>\S+)\s+=\s+(?P<value>[0-9]+\.[0-9]+)\s+(?P<unit>\S+)$")

DECK = """
[[case]]
pattern = "transpose"
space   = "serial"
variant = ["copy", "row_read", "tiled", "padded"]
shape   = "61x33"
tile    = [8, 16]
"""


class Run(CommandLine):
    def test_everything_passes(self):
        done = self.call("run", self.deck(DECK), "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[-1], r"^RUN STATUS: PASS passed=6 failed=0 errors=0 skipped=0 not_run=0 ")
        foms = [FOM.match(line) for line in lines if line.startswith("FOM")]
        self.assertEqual(len(foms), 12)
        self.assertTrue(all(foms))
        self.assertEqual(len({(m["bench"], m["metric"]) for m in foms}), 12)
        self.assertTrue(lines[-1].isascii())

    def test_the_document_holds_all(self):
        self.call("run", self.deck(DECK), "-o", "out")
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["schema"], 2)
        facts = ("machine", "environment", "programs", "spent", "deck", "started", "finished")
        for key in (*facts, "status", "rules", "results"):
            self.assertIn(key, document)
        self.assertIn("cpu", document["machine"])
        program = document["programs"]["tilestride"]
        for fact in ("git revision", "compiler", "Kokkos"):
            self.assertIn(fact, program["build"])
        self.assertIn("Kokkos configuration", program["spaces"])
        for case in document["results"]:
            self.assertEqual(case["outcome"], "passed")
            self.assertEqual(case["verification"]["elements"], 61 * 33)
            self.assertEqual(len(case["samples"]), case["time"]["count"])
            self.assertGreaterEqual(case["time"]["median"], min(case["samples"]))
            self.assertAlmostEqual(case["rate"], 2 * 4 * 61 * 33 / case["time"]["median"], delta=1e-6 * case["rate"])
            self.assertIn("copy", case["yardsticks"])
        by_name = {case["name"]: case for case in document["results"]}
        self.assertEqual(finished(self.folder / "out" / "cases.jsonl"), by_name)

    def test_texts_of_the_deck_add_no_lines(self):
        fake = "\\nFOM made_up bandwidth = 1.0 GB/s\\n"
        rule = f'\n[[expect]]\npattern = "transpose"\nof = "bound"\nat_least = 1e-6\nwhy = "{fake}"\n'
        done = self.call("run", self.deck(f'[run]\ntitle = "{fake}"\n{DECK}{rule}'), "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        foms = [line for line in done.stdout.splitlines() if line.startswith("FOM")]
        self.assertEqual(len(foms), 12)
        self.assertEqual([line for line in foms if "made_up" in line], [])
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["title"], fake.replace("\\n", "\n"))

    def test_folders_that_look_like_options(self):
        deck = self.deck(DECK)
        for folder in ("-out", "--out", "--resume"):
            with self.subTest(folder):
                done = self.call("run", deck, "-o", folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(self.results(folder)), 6)
                self.assertEqual(self.call("run", "--resume", "-o", folder).returncode, 0)

    def test_rules_are_judged(self):
        rules = DECK + """
[[expect]]
pattern  = "transpose"
variant  = "padded"
tile     = 8
of       = { variant = "copy" }
at_least = %s
why      = "tender 4.2"
"""
        met = self.call("run", self.deck(rules % "1e-3"), "-o", "met")
        self.assertEqual(met.returncode, 0, met.stdout)
        self.assertIn("expect met: transpose/padded/serial/f32/61x33/tile=8", met.stdout)
        self.assertIn("tender 4.2", met.stdout)
        missed = self.call("run", self.deck(rules % "1e3"), "-o", "missed")
        self.assertEqual(missed.returncode, 3)
        self.assertIn("RUN STATUS: FAIL", missed.stdout.splitlines()[-1])
        self.assertIn("expect NOT MET", missed.stdout)

    def test_rules_against_bound_model_rate_and_file(self):
        rule = '\n[[expect]]\npattern = "transpose"\nvariant = "tiled"\ntile = 8\n'
        modelled = '\n[[case]]\npattern = "stream"\nvariant = "blocked"\nspace = "serial"\nbytes = "64 KiB"\n'
        of_model = f'{modelled}[[expect]]\npattern = "stream"\nof = "model"\n'
        self.call("run", self.deck(DECK), "-o", "first")
        for number, (clause, code) in enumerate([
                ('of = "bound"\nat_least = 1e-4', 0),
                ('of = "bound"\nat_least = 1e4', 3),
                (f'at_least = "0.001 MB/s"{of_model}at_least = 1e-4', 0),
                (f'at_least = "0.001 MB/s"{of_model}at_least = 1e4', 3),
                ('at_least = "0.001 MB/s"', 0),
                ('at_least = "900 TB/s"', 3),
                ('of = "first/result.json"\nat_least = 1e-3', 0),
                ('of = "first/result.json"\nat_least = 1e3', 3),
        ]):
            with self.subTest(clause):
                done = self.call("run", self.deck(DECK + rule + clause), "-o", f"out{number}")
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    def test_a_rule_whose_cases_were_skipped_is_not_met_unless_it_is_optional(self):
        deck = DECK.replace('"serial"', '["serial", "hip"]')
        rule = (
            '\n[[expect]]\npattern = "transpose"\nvariant = "padded"\nspace = "hip"\n'
            'of = { variant = "copy" }\nat_least = 0.1\n'
        )
        self.assertEqual(self.call("run", self.deck(deck + rule), "-o", "strict").returncode, 3)
        self.assertEqual(self.call("run", self.deck(deck + rule + "optional = true\n"), "-o", "optional").returncode, 0)

    def test_a_rule_over_nothing_but_skips_is_not_met(self):
        rule = '[[expect]]\npattern = "transpose"\nvariant = "tiled"\nof = { variant = "padded" }\nat_least = 0.1\n'
        done = self.call("run", self.deck(DECK.replace("serial", "hip") + rule), "-o", "out")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("RUN STATUS: FAIL"))

    def test_nothing_but_skips_is_77(self):
        done = self.call("run", self.deck(DECK.replace("serial", "hip")), "-o", "out")
        self.assertEqual(done.returncode, 77)
        self.assertIn("6 cases skipped (--verbose lists them): no program here has space hip (6)\n", done.stdout)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("RUN STATUS: SKIPPED"))

    def test_the_dumped_deck_gives_the_same_plan(self):
        deck = self.deck(DECK)
        dumped = self.call("run", deck, "--dump-deck", "--set", "sampling.spread=0.02")
        self.assertEqual(dumped.returncode, 0)
        self.assertIn("--set sampling.spread=0.02", dumped.stdout)
        (self.folder / "dumped.toml").write_text(dumped.stdout)
        plan = self.call("run", deck, "--dry-run").stdout
        self.assertEqual(self.call("run", "dumped.toml", "--dry-run").stdout, plan)
        self.assertEqual(len(plan.splitlines()), 7)

    def test_only_keeps_what_is_named(self):
        done = self.call("run", self.deck(DECK), "--only", "padded", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.results()), {f"transpose/padded/serial/f32/61x33/tile={tile}" for tile in (8, 16)})

    def test_cold_caches_are_another_case(self):
        done = self.call("run", self.deck(DECK), "--set", "sampling.cache=cold", "--only", "row_read", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        case = self.results()["transpose/row_read/serial/f32/61x33/cache=cold"]
        self.assertEqual(case["repetitions"], 1)

    def test_redacted_results_name_no_host(self):
        self.call("run", self.deck(DECK), "--redact", "-o", "out")
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["machine"]["host"], "hidden")

    def test_profile_launches_one_case(self):
        done = self.call("run", self.deck(DECK), "--profile", "transpose/padded/serial/f32/61x33/tile=8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verified", done.stdout)
        deck = self.deck(DECK.replace('"61x33"', '["61x33", "61x330"]'))
        done = self.call("run", deck, "--profile", "transpose/copy/serial/f32/61x33")
        self.assertEqual(done.stdout.count("verified"), 1, done.stdout)
        done = self.call("run", deck, "--profile", "transpose/copy/serial/f32/")
        self.assertEqual(done.stdout.count("verified"), 2, done.stdout)
        misspelt = "transpose/paded/serial/f32/61x33/tile=8"
        self.assertEqual(self.call("run", self.deck(DECK), "--profile", misspelt).returncode, 2)

    def test_a_budget_ends_the_run(self):
        deck = DECK.replace('"61x33"', "[" + ", ".join(f'"{n}x1024"' for n in range(512, 552)) + "]")
        settings = ("--set", "run.budget=1 s", "--set", "sampling.max_time=100 ms")
        done = self.call("run", self.deck(deck), *settings, "-o", "out")
        self.assertEqual(done.returncode, 1)
        outcomes = {case["outcome"] for case in self.results().values()}
        self.assertEqual(outcomes, {"passed", "not run"})

    def test_list_check_info_and_help(self):
        commands = (["list"], ["list", "matmul"], ["check", self.deck(DECK)], ["info"])
        for arguments in (*commands, ["--help"], ["run", "--help"], ["--version"]):
            with self.subTest(arguments):
                done = self.call(*arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)
        self.assertIn("padded", self.call("list", "transpose").stdout)
        self.assertIn('did you mean "matmul"?', self.call("list", "matmull").stderr)


if __name__ == "__main__":
    unittest.main()
