# SPDX-License-Identifier: BSD-3-Clause
"""What a person sees on a terminal, and what a script gets instead."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import unittest

from tilestride import FAULTY, PROGRAM, CommandLine

DECK = """
[[case]]
pattern = "transpose"
space   = ["serial", "hip"]
variant = ["copy", "row_read", "native_tiled"]
shape   = "61x33"
tile    = 8
"""
ERASED = "\r\033[K"
CODE = re.compile(r"\033\[[0-9;]*m")


class OnATerminal(CommandLine):
    def on_terminal(self, *arguments, columns=100, program=PROGRAM, piped=(), **variables):
        """Runs the program with its streams on a pseudo-terminal, but for those in `piped`; what came out of both."""
        front, back = pty.openpty()
        fcntl.ioctl(back, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        environment.update({"TERM": "xterm", **variables})
        streams = {name: subprocess.PIPE if name in piped else back for name in ("stdout", "stderr")}
        process = subprocess.Popen(
            [program, *map(str, arguments)], cwd=self.folder, stdin=back, env=environment, **streams
        )
        os.close(back)
        seen = bytearray()
        reader = threading.Thread(target=read_all, args=(front, seen))
        reader.start()
        pipes = [text.decode() for text in process.communicate(timeout=120) if text is not None]
        reader.join()
        os.close(front)
        self.code = process.returncode
        return seen.decode().replace("\r\n", "\n"), "".join(pipes)

    def run_deck(self, *options, deck=DECK, **how):
        """Each run has a folder of its own."""
        self.runs = getattr(self, "runs", 0) + 1
        return self.on_terminal("run", self.deck(deck), "-o", f"out{self.runs}", *options, **how)

    def test_colour_and_progress(self):
        seen, _ = self.run_deck()
        self.assertEqual(self.code, 0, seen)
        self.assertIn(ERASED + "[0/2]: ", seen)
        last = seen.splitlines()[-1]
        self.assertTrue(last.startswith("RUN STATUS: \033[32mPASS\033[0m passed=2"), last)
        self.assertRegex(seen, r"\033\[1m \*  row_read .*\033\[0m\n")
        self.assertNotIn("FOM", seen)
        self.assertNotIn("native_tiled", seen)
        self.assertNotIn("/hip/", seen.split("[0/2]")[0])
        shown = seen.split(ERASED)
        self.assertNotIn("[0/2]", shown[-1])  # the line is gone at the end

    def test_the_last_screen_says_what_to_do_next(self):
        seen, _ = self.run_deck()
        lines = seen.splitlines()
        self.assertEqual(lines[-4], "results: out1/result.json")
        self.assertTrue(lines[-3].endswith("scripts/report.sh out1/result.json"))
        self.assertTrue(lines[-2].endswith("tilestride compare out1/result.json --to REFERENCE"))

    def test_pipes_get_neither(self):
        seen, piped = self.run_deck(piped=("stdout", "stderr"))
        self.assertEqual(seen, "")
        self.assertNotIn("\033", piped)
        self.assertNotIn("\r", piped)
        self.assertIn("FOM transpose/row_read/serial/f32/61x33 bandwidth = ", piped)
        seen, piped = self.run_deck(piped=("stdout",))  # progress alone is left for the terminal
        self.assertNotIn("\033", piped)
        self.assertEqual(CODE.sub("", seen).replace(ERASED, "\n").strip().count("RUN STATUS"), 0)
        self.assertIn("[0/2]", seen)
        seen, piped = self.run_deck(piped=("stderr",))
        self.assertEqual(piped, "")
        self.assertIn("\033[32mPASS", seen)
        self.assertNotIn("[0/2]", seen)

    def test_no_color(self):
        seen, _ = self.run_deck(NO_COLOR="1")
        self.assertEqual(CODE.findall(seen), [])
        self.assertIn(ERASED + "[0/2]: ", seen)
        seen, _ = self.run_deck(NO_COLOR="")  # means nothing when it is empty
        self.assertNotEqual(CODE.findall(seen), [])

    def test_a_dumb_terminal(self):
        for kind in ("dumb", ""):
            seen, _ = self.run_deck(TERM=kind)
            self.assertNotIn("\033", seen)
            self.assertNotIn("[0/2]", seen)
            self.assertNotIn("FOM", seen)
            self.assertIn("RUN STATUS: PASS", seen)

    def test_columns_are_the_same_in_colour(self):
        coloured, _ = self.run_deck(piped=("stderr",))
        rows = [CODE.sub("", line) for line in coloured.splitlines() if re.search(r"  (row_read|variant) ", line)]
        self.assertEqual(len(rows), 2)
        heading, row = rows
        self.assertEqual(heading.index("variant"), row.index("row_read"))
        end_of_time = heading.index("time") + len("time")
        self.assertRegex(row[:end_of_time], r" [num]?s$")

    def test_the_progress_line_never_wraps(self):
        for columns in (1, 2, 7, 20, 40):
            seen, _ = self.run_deck(columns=columns)
            lines = [part.split("\n")[0] for part in seen.split(ERASED)[1:]]
            progress = [line for line in lines if line.startswith("["[: columns - 1])]
            self.assertTrue(progress)
            on_line = [line for line in lines if re.match(r"\[\d", line)]
            self.assertLess(max(map(len, on_line), default=0), columns)

    def test_quiet(self):
        chosen = 'pattern = "transpose"\nvariant = "row_read"\nspace = "serial"\n'
        rule = f'[[expect]]\n{chosen}of = "bound"\nat_least = 1e-6\n'
        seen, _ = self.run_deck("--quiet", deck=DECK + rule)
        self.assertEqual(self.code, 0, seen)
        self.assertNotIn("[0/2]", seen)
        self.assertNotIn("variant ", seen)
        self.assertIn("FOM transpose/row_read/serial/f32/61x33 bandwidth = ", seen)
        self.assertIn("expect met: transpose/row_read", seen)
        self.assertIn("4 cases skipped", seen)
        self.assertIn("results: out1/result.json\n", seen)
        self.assertNotIn("report.sh", seen)
        self.assertIn("RUN STATUS", seen.splitlines()[-1])

    def test_verbose(self):
        seen, _ = self.run_deck("--verbose")
        self.assertIn("FOM transpose/row_read/serial/f32/61x33 bandwidth = ", seen)
        self.assertIn("native_tiled tile=8  skipped: raw CUDA has no meaning on a host", seen)
        self.assertIn("skipped: no program here has space hip", seen)

    def test_quiet_and_verbose_exclude_each_other(self):
        done = self.call("run", self.deck(DECK), "--quiet", "--verbose")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--quiet", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_failures_are_told_at_once_and_never_hidden(self):
        deck = '[[case]]\npattern = "faults"\nspace = "serial"\nvariant = ["sound", "null", "throws"]\n'
        for options in ((), ("--quiet",), ("--verbose",)):
            with self.subTest(options):
                seen, told = self.run_deck(*options, deck=deck, program=FAULTY, piped=("stderr",))
                self.assertEqual(self.code, 1)
                lines = told.splitlines()
                self.assertEqual(sorted(line.split(" ")[0] for line in lines), ["FAILED", "error"], told)
                self.assertIn("FAILED faults/null/serial/f32/64x48: ", told)
                self.assertIn("error faults/throws/serial/f32/64x48: ", told)
                self.assertIn("RUN STATUS: \033[31mFAIL", seen)
                if "--quiet" not in options:
                    self.assertRegex(seen, r"\033\[31m {4}null +FAILED")
                    self.assertRegex(seen, r"\033\[31m {4}throws +error")


def read_all(descriptor, into):
    """Until the other side is closed: then a pseudo-terminal ends in an error."""
    try:
        while data := os.read(descriptor, 65536):
            into.extend(data)
    except OSError:
        pass


if __name__ == "__main__":
    unittest.main()
