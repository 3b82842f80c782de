# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: a clear message, the right exit code, nothing overwritten, no crash."""

import os
import random
import subprocess
import unittest

from tilestride import PROGRAM, CommandLine

GOOD = '\n[[case]]\npattern = "transpose"\nspace = "serial"\nvariant = "row_read"\nshape = "33x9"\n'


class BadInput(CommandLine):
    def refused(self, *arguments, says):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def test_files_that_are_no_decks(self):
        (self.folder / "folder").mkdir()
        (self.folder / "empty.toml").write_text("")
        (self.folder / "junk.toml").write_bytes(random.Random(1).randbytes(5000))
        (self.folder / "zeros.toml").write_bytes(bytes(5000))
        for command in ("run", "check"):
            self.refused(command, "missing.toml", says="missing.toml: error: there is no such file")
            self.refused(command, "folder", says="this is a directory, not a deck")
            self.refused(command, "empty.toml", says="schema: is missing")
            self.refused(command, "junk.toml", says="junk.toml:")
            self.refused(command, "zeros.toml", says="zeros.toml:")
            self.refused(command, "/dev/null", says="schema: is missing")
        self.assertFalse((self.folder / "results").exists())

    def test_mistakes_name_file_line_and_column_and_come_together(self):
        deck = self.deck(
            '\n[[case]]\npatern = "transpose"\n\n[[case]]\npattern = "transpos"\n'
            '\n[[case]]\npattern = "transpose"\nshape = "0x5"\ntile = 33\n'
        )
        done = self.refused("run", deck, says='unknown key, did you mean "pattern"?')
        self.assertIn('"transpos" is unknown, did you mean "transpose"?', done.stderr)
        self.assertIn(f"{deck}:", done.stderr)
        self.assertIn("rows x cols", done.stderr)
        self.assertIn("33 is not built in", done.stderr)
        self.assertIn("mistakes in", done.stderr)

    def test_numbers_that_are_none(self):
        shapes = ("nan", "inf", "-inf", "0", "-5", '"-5x5"', '"0x0"', '"1e9x1"', '"5"', '"99999999999x1"', "[]", "true")
        for value in shapes:
            with self.subTest(value):
                self.refused("check", self.deck(GOOD.replace('"33x9"', value)), says="shape")
        spreads = ("spread = nan", "spread = inf", "spread = 0", "spread = -1")
        others = ("min_samples = 0", "min_samples = -3", 'max_time = "-1 s"', 'max_time = "0 s"', "max_time = inf")
        for setting in spreads + others:
            with self.subTest(setting):
                self.refused("check", self.deck(GOOD + setting), says=setting.split()[0])

    def test_sizes_beyond_memory_are_an_error_of_their_case(self):
        sizes = 'bytes = ["1 KiB", "4000 TiB", "100 %"]\n'
        deck = self.deck('\n[[case]]\npattern = "stream"\nspace = "serial"\nvariant = "flat"\n' + sizes)
        done = self.call("run", deck, "-o", "out")
        self.assertEqual(done.returncode, 1)
        cases = self.results()
        self.assertEqual(cases["stream/flat/serial/f64/op=copy/bytes=1KiB"]["outcome"], "passed")
        for size in ("4000TiB", "100%"):
            reason = cases[f"stream/flat/serial/f64/op=copy/bytes={size}"]["reason"]
            self.assertRegex(reason, r"^needs [0-9.]+ .iB, free [0-9.]+ .iB$")

    def test_ten_million_cases_are_refused(self):
        ranges = "tile = [8, 16]\n" + 'shape = [' + ", ".join(f'"{n}x1"' for n in range(1, 2001)) + "]\n"
        names = 'pattern = "transpose"\nspace = ["serial", "openmp", "cuda", "hip"]\ntype = ["f32", "f64", "i32"]\n'
        self.refused("check", self.deck(60 * f"\n[[case]]\n{names}{ranges}"), says="at most 1000000 make a plan")

    def test_unknown_space_and_flags(self):
        self.refused("check", self.deck(GOOD.replace("serial", "opnemp")), says='did you mean "openmp"?')
        self.assertEqual(self.call("run", self.deck(GOOD), "--nosuch").returncode, 2)
        self.assertEqual(self.call("nosuch").returncode, 2)
        self.assertEqual(self.call().returncode, 2)
        self.refused("check", self.deck(GOOD), "--set", "nonsense", says="expected KEY=VALUE")
        self.refused("check", self.deck(GOOD), "--set", "shape=0x0", says="--set shape=0x0")
        self.refused("run", self.deck(GOOD), "--only", "nosuch", says="no case of this deck has that in its name")

    def test_nothing_is_overwritten(self):
        deck = self.deck(GOOD)
        self.assertEqual(self.call("run", deck, "-o", "out").returncode, 0)
        before = {path: path.read_bytes() for path in (self.folder / "out").iterdir()}
        self.refused("run", deck, "-o", "out", says="holds results already")
        self.assertEqual({path: path.read_bytes() for path in (self.folder / "out").iterdir()}, before)

    def test_a_deck_of_the_users_is_not_overwritten(self):
        deck = self.deck(GOOD)
        before = deck.read_text()
        self.refused("run", deck, "-o", ".", says="holds a deck.toml, which a run would overwrite")
        self.assertEqual(deck.read_text(), before)

    def test_a_bad_reference_is_found_before_the_run(self):
        (self.folder / "no.json").write_text("{}")
        rule = '\n[[expect]]\npattern = "transpose"\nof = "no.json"\nat_least = 1.0\n'
        self.refused("run", self.deck(GOOD + rule), says="no.json, which a rule compares with")
        self.assertFalse((self.folder / "results").exists())

    def test_an_environment_that_is_no_text(self):
        command = [PROGRAM, "run", str(self.deck(GOOD)), "-o", "out"]
        environment = {**os.environ, "OMP_X": "\udcff"}
        done = subprocess.run(command, check=False, cwd=self.folder, capture_output=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.results()), 1)

    def test_closed_streams(self):
        deck = self.deck(GOOD)
        done = subprocess.run(["bash", "-c", f"{PROGRAM} run {deck} -o out <&- >&- 2>&-"], check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertEqual([case["outcome"] for case in self.results().values()], ["passed"])

    def test_folders_that_cannot_be_written(self):
        (self.folder / "file").write_text("mine")
        self.refused("run", self.deck(GOOD), "-o", "file", says="cannot be")
        self.refused("run", self.deck(GOOD), "-o", "file/below", says="cannot be")
        self.refused("run", self.deck(GOOD), "-o", "/proc/nothing", says="cannot be")
        self.assertEqual((self.folder / "file").read_text(), "mine")
        self.refused("run", "--resume", "-o", "nowhere", says="holds no run to go on with")
        self.refused("run", "--resume", says="-o DIR")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_folders_that_may_not_be_written(self):
        (self.folder / "locked").mkdir(mode=0o500)
        self.refused("run", self.deck(GOOD), "-o", "locked/out", says="cannot be made")

    def test_the_worker_is_for_the_program_alone(self):
        done = subprocess.run(
            [PROGRAM, "worker"], check=False, cwd=self.folder, capture_output=True, text=True, input="hello\n"
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("for the program's own use", done.stderr)


if __name__ == "__main__":
    unittest.main()
