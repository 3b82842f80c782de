# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: a clear message, the right exit code, nothing overwritten, no crash."""

import os
import random
import subprocess
import unicodedata
import unittest

from tilestride import PROGRAM, QUICK, CommandLine

GOOD = '\n[[case]]\npattern = "transpose"\nspace = "serial"\nvariant = "row_read"\nshape = "33x9"\n'


class BadInput(CommandLine):
    def refused(self, *arguments, says):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def test_memory_cards_that_are_none(self):
        deck = self.deck(GOOD)
        (self.folder / "junk.json").write_text("{}")
        self.refused("run", deck, "--machine", "missing.json", says="missing.json")
        self.refused("run", deck, "--machine", "junk.json", says="junk.json")
        self.refused("run", deck, "--machine", self.folder, says=str(self.folder))
        self.assertEqual(self.call("run", deck, "-o", "other").returncode, 0)
        self.refused("run", deck, "--machine", "other/result.json", says="it is no memory card of it")

    def test_empty_arguments_do_not_mean_the_default(self):
        deck = self.deck(GOOD)
        self.refused("run", deck, "-o", "", says="is empty")
        self.refused("run", deck, "--only", "", says="is empty")

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
            for device in ("/dev/null", "/dev/zero"):
                self.refused(command, device, says=f"{device}: error: this is neither a file nor a pipe")
            self.refused(command, "/proc/self/mem", says="/proc/self/mem: error: the file cannot be read")
        self.assertFalse((self.folder / "results").exists())

    def test_a_deck_may_come_through_a_pipe(self):
        deck = self.deck(GOOD)
        done = self.call_in_shell(f'exec "$@" <(cat "{deck}")', "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 cases of 1 problems", done.stdout)

    def test_decks_that_would_exhaust_the_stack(self):
        key = 20000 * "a." + "a"
        for number, text in enumerate((f"{key} = 1", f"[{key}]", f"x = {{{key} = 1}}")):
            deck = self.deck(f"{text}\n", f"deep{number}.toml")
            done = self.refused("check", deck, says="a key with more than 16 dots has no meaning in a deck")
            self.assertIn(f"deep{number}.toml:5:", done.stderr)
        done = self.refused("check", self.deck(GOOD), "--set", f"x={{{key}=1}}", says="a key with more than 16 dots")
        self.assertLess(len(done.stderr), 400)

    def test_arguments_that_are_not_utf8(self):
        deck = self.deck(GOOD)
        title = ("--set", "run.title=\udcff")
        for arguments in (title, ("--only", "\udcff"), ("-o", "a\udcffb"), ("--kokkos-x=\udcff",), ("--\udcff",)):
            with self.subTest(arguments):
                done = self.refused("run", deck, *arguments, says="an argument is not UTF-8")
                self.assertIn("\\xff", done.stderr)
        self.refused("check", "\udcff.toml", says="an argument is not UTF-8")
        self.assertEqual([path.name for path in self.folder.iterdir()], [deck.name])

    def test_a_reference_in_a_folder_whose_name_is_not_utf8(self):
        folder = self.folder / "a\udcffb"
        folder.mkdir()
        (folder / "some.json").write_text('{"schema": 2, "results": []}')
        text = f'{QUICK}{GOOD}\n[[expect]]\npattern = "transpose"\nof = "some.json"\nat_least = 1.0\n'
        (folder / "deck.toml").write_text(text)
        for command in ("run", "check"):
            done = self.call(command, "deck.toml", cwd=folder)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("expect[0].of: the path of this file is not UTF-8", done.stderr)
        self.assertFalse((folder / "results").exists())
        (folder / "deck.toml").write_text(QUICK + GOOD)
        self.assertEqual(self.call("run", "deck.toml", cwd=folder).returncode, 0)  # the folder alone does no harm

    def test_what_is_printed_steers_no_terminal(self):
        wild = "wild\x1b[31m\nforged \x9b"
        decks = [bytes(f"title = '{wild}", "utf-8"), b"\xed\xa0\x80", b"# \xc0\x80", b"a = '\xf4\x90\x80\x80'"]
        for number, text in enumerate(decks):
            (self.folder / f"{number}.toml").write_bytes(text)
            decks[number] = f"{number}.toml"
        good = self.deck(GOOD)
        for arguments in (
            *(("check", deck) for deck in decks),
            ("check", f"{wild}.toml"),
            ("check", good, "--set", f"{wild}=1"),
            ("run", good, "--only", wild),
            ("run", good, "--profile", wild),
            ("run", good, f"--{wild}"),
            ("run", "--resume", "-o", wild),
            ("list", wild),
            (wild,),
        ):
            with self.subTest(arguments):
                done = self.call(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertTrue(done.stderr)
                self.assertEqual([c for c in done.stderr if c != "\n" and unicodedata.category(c) == "Cc"], [])
                self.assertNotIn("\nforged", done.stderr)

    def test_a_profile_of_nothing(self):
        self.refused("run", self.deck(GOOD), "--profile", "", says="--profile")
        self.assertFalse((self.folder / "results").exists())

    def test_output_that_cannot_be_written(self):
        deck = self.deck(GOOD)
        run = ("run", deck, "-o", "out")
        others = (("run", deck, "--dump-deck"), ("run", deck, "--dry-run"), ("check", deck), ("list",), ("info",))
        for arguments in (run, *others, ("--help",), ("--version",), ("run", deck, "--profile", "row_read")):
            with self.subTest(arguments):
                done = self.call_in_shell('exec "$@" >/dev/full', *arguments)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("standard output could not be written", done.stderr)
        self.assertEqual([case["outcome"] for case in self.results().values()], ["passed"])

    def test_a_disk_that_is_full_at_the_start(self):
        deck = self.deck(GOOD)
        for blocks in (0, 1):  # of 1024 bytes: for no byte of the deck, and not for all of it
            for output in (("-o", "out"), ()):
                with self.subTest((blocks, output)):
                    self.setUp()
                    deck = self.deck(GOOD + 100 * "\n[[case]]\npattern = 'transpose'\nspace = 'serial'\n")
                    script = f"trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""
                    done = self.call_in_shell(script, "run", deck, *output, "--only", "row_read/serial/f32/33x9")
                    if "OMP: Error" in done.stderr:
                        self.skipTest("LLVM's OpenMP writes a file before the program begins")
                    self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                    self.assertRegex(done.stderr, "deck.toml cannot be written: File too large")
                    left = [path for path in self.folder.rglob("*") if path not in (deck, self.folder / "results")]
                    self.assertEqual(left, [])

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
        for command in ("run", "check"):
            done = self.refused(command, self.deck(GOOD + rule), says="no.json, which a rule compares with")
            self.assertIn("deck.toml:12:1: error: ", done.stderr)
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
