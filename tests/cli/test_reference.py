# SPDX-License-Identifier: BSD-3-Clause
"""`list --json` against what the program says elsewhere, and the files that are made of it."""

import re
import subprocess
import sys
import unittest

from tilestride import PROGRAM, SOURCE, CommandLine, strict_json


class Reference(CommandLine):
    def setUp(self):
        super().setUp()
        said = self.call("list", "--json")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.known = strict_json(said.stdout)

    def settings(self, table):
        return next(t["settings"] for t in self.known["tables"] if t["name"] == table)

    def names_the_reader_takes(self, table, pattern):
        """From the message about a key that is far from any."""
        text = f'schema = 1\n[[case]]\npattern = "{pattern}"\n'
        path = self.folder / "deck.toml"
        path.write_text(text + {"run": "[run]\n", "sampling": "[sampling]\n", "case": "",
                                "expect": f'[[expect]]\npattern = "{pattern}"\nat_least = "1 GB/s"\n'}[table]
                        + 'qqqqqqqqqqqq = 1\n')
        said = self.call("check", path).stderr
        found = re.search(r"unknown key; one of: (.*)", said)
        self.assertTrue(found, said)
        return found[1].split(", ")

    def test_settings_are_those_the_reader_takes(self):
        for pattern in self.known["patterns"]:
            keys = [key["name"] for key in pattern["keys"]]
            sampling = [s["name"] for s in self.settings("sampling")]
            expected = {"run": [s["name"] for s in self.settings("run")], "sampling": sampling,
                        "case": [s["name"] for s in self.settings("case")] + keys + sampling,
                        "expect": [s["name"] for s in self.settings("expect")] + keys}
            for table, names in expected.items():
                with self.subTest(pattern=pattern["name"], table=table):
                    self.assertCountEqual(self.names_the_reader_takes(table, pattern["name"]), names)

    def test_defaults_are_those_of_a_resolved_deck(self):
        resolved = self.call("run", "--dump-deck", self.deck('[[case]]\npattern = "transpose"\nspace = "serial"\n'))
        self.assertEqual(resolved.returncode, 0, resolved.stderr)
        self.assertIn("min_samples = 3 ", resolved.stdout)  # set by the tests' deck, and not the default
        path = self.folder / "bare.toml"
        path.write_text('schema = 1\n[[case]]\npattern = "transpose"\nspace = "serial"\n')
        lines = {line.split(" = ")[0]: line.split(" = ", 1)[1].split("  #")[0].strip()
                 for line in self.call("run", "--dump-deck", path).stdout.splitlines() if " = " in line}
        checked = 0
        for setting in self.settings("run") + self.settings("sampling"):
            if "default" in setting:
                value = setting["default"]
                self.assertEqual(strict_json(lines[setting["name"]]), value, setting["name"])
                checked += 1
            else:
                self.assertNotIn(setting["name"], lines)
        self.assertEqual(checked, 11)

    def test_patterns_are_those_of_list(self):
        text = self.call("list").stdout
        self.assertEqual([p["name"] for p in self.known["patterns"]], re.findall(r"^(\w+): ", text, re.MULTILINE))
        for pattern in self.known["patterns"]:
            with self.subTest(pattern=pattern["name"]):
                said = self.call("list", pattern["name"]).stdout
                variants, keys = said.split("  variants\n")[1].split("  keys\n")
                for text, listed in ((variants, pattern["variants"]), (keys, pattern["keys"])):
                    self.assertEqual([x["name"] for x in listed], re.findall(r"^    (\w+) ", text, re.MULTILINE))
                for variant in pattern["variants"]:
                    line = re.search(rf"^    {variant['name']} .*", variants, re.MULTILINE)[0]
                    self.assertIn(variant["meaning"], line)
                    self.assertEqual(variant["role"] == "native", "(native" in line)
                    if variant["role"] == "native":
                        self.assertEqual("twin" in variant, "twin of" in line)
                    for key in variant["keys"]:
                        self.assertIn(key, line)
                self.assertIn(f"({pattern['types'][0]}", said.replace("default ", "("))

    def test_json_is_of_everything(self):
        said = self.call("list", "transpose", "--json")
        self.assertEqual(said.returncode, 2)
        self.assertIn("--json", said.stderr)

    def test_the_files_made_of_it_are_up_to_date(self):
        command = [sys.executable, "-B", SOURCE / "tools" / "deck_reference.py", PROGRAM, "--check"]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)


if __name__ == "__main__":
    unittest.main()
