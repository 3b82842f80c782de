# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the command line share: running the program and reading what it left."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TILESTRIDE"]
FAULTY = os.environ["TILESTRIDE_FAULTS"]
SOURCE = pathlib.Path(os.environ["TILESTRIDE_SOURCE"])

# Short samples: these tests are about answers, not about figures.
QUICK = 'schema = 1\n[sampling]\nmax_time = "20 ms"\nmin_samples = 3\n'


class CommandLine(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def deck(self, text, name="deck.toml"):
        path = self.folder / name
        path.write_text(QUICK + text)
        return path

    def start(self, *arguments, program=PROGRAM):
        pipe = subprocess.PIPE
        return subprocess.Popen([program, *map(str, arguments)], cwd=self.folder, stdout=pipe, stderr=pipe, text=True)

    def call(self, *arguments, program=PROGRAM, timeout=300, env=None, cwd=None):
        """What is printed must be UTF-8: else this throws."""
        command = [program, *map(str, arguments)]
        return subprocess.run(
            command,
            check=False,
            cwd=cwd or self.folder,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            env=env,
        )

    def call_in_shell(self, script, *arguments):
        """Runs the program by a line of bash in which "$@" is the program with its arguments."""
        return self.call("-c", script, "bash", PROGRAM, *arguments, program="bash")

    def results(self, output="out"):
        """name -> case of the result document."""
        document = strict_json((self.folder / output / "result.json").read_text())
        return {case["name"]: case for case in document["results"]}


def strict_json(text):
    """Parses JSON that has no NaN, no infinity and no key twice."""

    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    def no_duplicates(pairs):
        keys = [key for key, _ in pairs]
        if len(keys) != len(set(keys)):
            raise ValueError(f"a key stands twice in {keys}")
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_duplicates)


def finished(path):
    """The whole lines of a cases.jsonl; what a kill left of a last one is no line."""
    cases = {}
    for line in path.read_text().split("\n")[:-1]:
        try:
            case = strict_json(line)
        except ValueError:
            continue
        if case["kind"] == "case":
            cases[case["name"]] = case
    return cases
