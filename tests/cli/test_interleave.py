# SPDX-License-Identifier: BSD-3-Clause
"""Two programs measured in turns: what they find, and what happens when one of them does not play along."""

import json
import os
import pathlib
import re
import signal
import time
import unittest

from tilestride import FAULTY, PROGRAM, CommandLine

DECK = """
[[case]]
pattern = "transpose"
space = "serial"
variant = ["copy", "tiled"]
shape = ["64x48", "33x9"]
"""


class Interleave(CommandLine):
    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def interleave(self, mine, theirs, deck=DECK, *more, **how):
        return self.call("compare", "--interleave", mine, theirs, self.deck(deck), "--pairs", 2, *more, **how)

    def refused(self, run, *words):
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)
        self.assertEqual(run.stdout, "")

    def test_every_case_is_compared(self):
        run = self.interleave(PROGRAM, PROGRAM, DECK, "--all")
        self.assertIn(run.returncode, (0, 3), run.stdout + run.stderr)  # a loaded machine may find anything
        for variant in ("copy", "tiled"):
            for shape in ("64x48", "33x9"):
                case = f"transpose/{variant}/serial/f32/{shape}"
                self.assertRegex(run.stdout, f"(same|unclear|faster|slower) .* {case}")
        self.assertIn("by 2 pairs of processes", run.stdout)
        self.assertRegex(run.stdout.splitlines()[-1], "^COMPARE STATUS: ")

    def test_a_large_difference_is_found(self):
        """Not a timing: the second program does fifty times the work."""
        slow = self.script("slow", f'TILESTRIDE_FAULTS_PACE=0.5 exec {FAULTY} "$@"\n')
        fast = self.script("fast", f'TILESTRIDE_FAULTS_PACE=0.01 exec {FAULTY} "$@"\n')
        deck = '[[case]]\npattern = "faults"\nspace = "serial"\nvariant = "paced"\nshape = "64x48"\n'
        run = self.call("compare", "--interleave", slow, fast, self.deck(deck), "--all", program=FAULTY)
        found = re.search(r" ([0-9.]+)  \[.*faults/paced", run.stdout)
        self.assertIsNotNone(found, run.stdout + run.stderr)
        self.assertLess(float(found.group(1)), 0.5)

    def test_both_run_in_turns(self):
        """What both workers say, in the order in which it arrives: never a sample of one while the other samples."""
        log = self.folder / "said"
        spy = f"""#!/usr/bin/env python3
import os, subprocess, sys, threading
def note(who, line):
    fd = os.open({str(log)!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(fd, (who + " " + line).encode())
    os.close(fd)
worker = subprocess.Popen([{PROGRAM!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def forward():
    for line in sys.stdin:
        note(os.path.basename(sys.argv[0]), "< " + line)
        worker.stdin.write(line); worker.stdin.flush()
    worker.stdin.close()
threading.Thread(target=forward, daemon=True).start()
for line in worker.stdout:
    note(os.path.basename(sys.argv[0]), "> " + line)
    sys.stdout.write(line); sys.stdout.flush()
sys.exit(worker.wait())
"""
        for name in ("one", "two"):
            (self.folder / name).write_text(spy)
            (self.folder / name).chmod(0o755)
        run = self.interleave(self.folder / "one", self.folder / "two")
        self.assertIn(run.returncode, (0, 3), run.stdout + run.stderr)
        running, turns, cases = set(), {"one": 0, "two": 0}, {"one": 0, "two": 0}
        for line in log.read_text().splitlines():
            who, direction, message = line.split(" ", 2)
            message = json.loads(message)
            if direction == "<" and message["command"] == "measure":
                cases[who] = len(message["cases"])
            elif direction == "<" and message["command"] == "go":
                self.assertEqual(running, set(), "a turn began before the other had ended")
                running.add(who)
                turns[who] += 1
            elif message.get("kind") == "turn":
                running.discard(who)
            elif message.get("kind") == "case":  # with the last of a problem its last turn ends
                cases[who] -= 1
                if cases[who] == 0:
                    running.discard(who)
        self.assertEqual(turns["one"], turns["two"])
        # 2 pairs x 2 problems x (25 rounds x (2 cases + the copy) + the end)
        self.assertGreaterEqual(turns["one"], 2 * 2 * (25 * 3 + 1))

    def test_a_program_that_dies_costs_its_cases(self):
        deck = (
            '[[case]]\npattern = "faults"\nspace = "serial"\nvariant = ["sound", "segfaults"]\nshape = "64x48"\n'
            '[[case]]\npattern = "faults"\nspace = "serial"\nvariant = "sound"\nshape = "33x9"\n'
        )
        run = self.call(
            "compare", "--interleave", FAULTY, FAULTY, self.deck(deck), "--pairs", 2, "--all", program=FAULTY
        )
        self.assertIn("faults/sound/serial/f32/33x9", run.stdout, run.stderr)
        self.assertRegex(run.stdout, "(same|unclear|faster|slower) .*faults/sound/serial/f32/33x9")

    def test_wrong_on_both_sides_is_nothing_to_compare(self):
        deck = '[[case]]\npattern = "faults"\nspace = "serial"\nvariant = ["sound", "null"]\nshape = "64x48"\n'
        run = self.call("compare", "--interleave", FAULTY, FAULTY, self.deck(deck), "--pairs", 2, program=FAULTY)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        self.assertNotIn("faults/null", run.stdout)

    def test_programs_that_cannot_be_used_are_named(self):
        for name, text, words in (
            ("dies", "exit 3", "does not start: exit status 3"),
            ("garbage", "echo hello; sleep 60", "does not answer as a worker does"),
            ("other", """echo '{"kind": "hello", "protocol": 99}'; sleep 60""", "speaks protocol 99"),
        ):
            with self.subTest(name):
                script = self.script(name, text + "\n")
                self.refused(self.interleave(PROGRAM, script), str(script), words)
                self.refused(self.interleave(script, PROGRAM), str(script), words)
        self.refused(self.interleave(PROGRAM, "nowhere"), "nowhere")

    def test_nonsense_in_mid_run_is_an_error_of_the_cases(self):
        """It says hello and then what no worker says."""
        liar = self.script("liar", f"exec {PROGRAM} \"$@\" | sed -u 's/\"kind\":\"turn\"/\"kind\":\"tune\"/'\n")
        run = self.interleave(liar, PROGRAM)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("has no meaning here", run.stdout)

    def test_usage(self):
        self.refused(self.call("compare"), "compare")
        self.refused(self.call("compare", "a.json"), "--to")
        self.refused(self.call("compare", "a.json", "--interleave", PROGRAM, PROGRAM, "d.toml"), "--interleave")
        self.refused(self.call("compare", "a.json", "--to", "b.json", "--only", "tiled"), "--interleave")
        self.refused(self.call("compare", "--interleave", PROGRAM, PROGRAM, "nowhere.toml"), "nowhere.toml")
        self.refused(self.call("compare", "--interleave", PROGRAM, PROGRAM))
        self.refused(self.call("compare", "a.json", "--to", "b.json", "--pairs", 2), "--interleave")
        self.refused(self.interleave(PROGRAM, PROGRAM, DECK + 'nonsense = "x"\n'), "nonsense")

    def test_a_signal_ends_it(self):
        deck = self.deck('[[case]]\npattern = "stream"\nspace = "serial"\nbytes = ["1MiB", "2MiB", "4MiB"]\n')
        process = self.start("compare", "--interleave", PROGRAM, PROGRAM, deck, "--pairs", 100)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, error)
        self.assertEqual(self.workers_of(process.pid), [])

    def workers_of(self, parent):
        """Processes whose parent is this one; it has ended, so none must be left."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                status = pathlib.Path(f"/proc/{entry}/status")
                if entry.isdigit() and f"PPid:\t{parent}\n" in status.read_text():
                    found.append(entry)
            except OSError:
                pass
        return found


if __name__ == "__main__":
    unittest.main()
