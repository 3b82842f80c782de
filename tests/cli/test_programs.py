# SPDX-License-Identifier: BSD-3-Clause
"""Siblings: programs for other spaces, as they should be and as they should not."""

import os
import stat
import sys
import unittest

from tilestride import PROGRAM, CommandLine, strict_json

DECK = """
[[case]]
pattern = "transpose"
space   = ["serial", "hip"]
variant = "row_read"
shape   = "61x33"
"""
ALONE = DECK.replace('["serial", "hip"]', '"hip"')

# A worker in a few lines: says hello, takes commands, and does what DO says with each case.
WORKER = """#!{python}
import json, os, sys, time
def say(**message): print(json.dumps(message), flush=True)
revision = {{"git revision": "{revision}"}}
say(kind="hello", protocol=2, program="tilestride-hip", spaces=["hip"], build={{"version": "0"}}, **revision)
for line in sys.stdin:
    command = json.loads(line)
    if command["command"] == "quit":
        break
    say(kind="step", case="", phase="starting", limit=9)
    say(kind="machine", spaces={{"hip: device": "made up"}}, environment={{}})
    for case in command.get("cases", []):
        say(kind="step", case=case["name"], phase="sampling", limit=1)
        {do}
"""
PASS = """say(kind="case", name=case["name"], outcome="passed", samples=[1e-3] * 5, repetitions=1, clock="made up",
            work=case["work"], verification={"passed": True, "elements": 1, "wrong": 0, "detail": ""})"""


class Siblings(CommandLine):
    def setUp(self):
        super().setUp()
        self.siblings = self.folder / "siblings"
        self.siblings.mkdir()

    def sibling(self, text, name="tilestride-hip"):
        path = self.siblings / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def worker(self, do, revision="x"):
        self.sibling(WORKER.format(python=sys.executable, do=do, revision=revision))

    def run_deck(self, text=DECK, *arguments, output="out"):
        environment = {**os.environ, "TILESTRIDE_PROGRAMS": str(self.siblings)}
        return self.call("run", self.deck(text), "-o", output, *arguments, env=environment)

    def hip(self, output="out"):
        return self.results(output)["transpose/row_read/hip/f32/61x33"]

    def expect_skip(self, words):
        """The cases of the sibling are skipped with these words, the others pass, and the exit code tells just that."""
        done = self.run_deck()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.hip()["outcome"], "skipped")
        self.assertEqual(self.hip()["skip"], "no_device")
        self.assertIn(words, self.hip()["reason"])
        self.assertEqual(self.results()["transpose/row_read/serial/f32/61x33"]["outcome"], "passed")
        self.assertEqual(self.run_deck(ALONE, output="alone").returncode, 77)

    def test_one_that_is_missing(self):
        done = self.run_deck()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.hip()["outcome"], self.hip()["skip"]), ("skipped", "not_built"))
        self.assertIn("no program here has space hip", self.hip()["reason"])

    def test_one_that_does_not_load(self):
        self.sibling("#!/bin/sh\necho 'error while loading shared libraries: libnothing.so.5' >&2\nexit 127\n")
        self.expect_skip("libnothing.so.5")

    def test_one_that_is_no_program(self):
        self.sibling("")
        (self.siblings / "tilestride-hip").chmod(0o644)
        self.expect_skip("cannot be started")

    def test_one_that_dies_at_start(self):
        self.sibling("#!/bin/sh\nkill -SEGV $$\n")
        self.expect_skip("it does not start: signal 11")

    def test_one_that_ends_at_once(self):
        self.sibling("#!/bin/sh\nexit 0\n")
        self.expect_skip("it does not start: exit status 0")

    def test_one_that_prints_garbage(self):
        messages = ("{}", '{"kind": 7}', '{"kind": "hello"}', '{"kind": "hello", "protocol": 2}')
        texts = ("echo Segmentation fault", "head -c 5000 /dev/zero; echo", *(f"echo '{said}'" for said in messages))
        for text in texts:
            with self.subTest(text):
                self.setUp()
                self.sibling(f"#!/bin/sh\n{text}\nsleep 60\n")
                self.expect_skip("it ")

    def test_one_of_another_version(self):
        self.sibling("#!/bin/sh\necho '{\"kind\": \"hello\", \"protocol\": 99}'\nsleep 60\n")
        self.expect_skip("it speaks protocol 99")

    def test_one_that_hangs_at_start(self):
        self.sibling("#!/bin/sh\nexec sleep 300\n")
        done = self.run_deck()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.hip()["outcome"], "skipped")
        self.assertIn("no answer within 20.0 s", self.hip()["reason"])

    def test_one_without_the_space(self):
        self.sibling(f'#!/bin/sh\nexec {PROGRAM} "$@"\n')
        done = self.run_deck()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((self.hip()["outcome"], self.hip()["reason"]), ("skipped", "this program has no space hip"))

    def test_one_whose_device_does_not_answer(self):
        self.worker('say(kind="unavailable", reason="no made-up device"); sys.exit(0)')
        self.expect_skip("tilestride-hip: no made-up device")

    def test_one_that_measures(self):
        self.worker(PASS)
        done = self.run_deck()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((self.hip()["outcome"], self.hip()["program"]), ("passed", "tilestride-hip"))
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["programs"]["tilestride-hip"]["spaces"], {"hip: device": "made up"})
        self.assertIn("compiler", document["programs"]["tilestride"]["build"])
        default = self.run_deck(DECK.replace('space   = ["serial", "hip"]\n', ""), output="default")
        self.assertIn("transpose/row_read/hip/f32/61x33", default.stdout)  # the device of a sibling is the default

    def test_one_that_dies_later(self):
        for do, words in (
            ("os._exit(3)", "status 3 while sampling"),
            ("os.kill(os.getpid(), 9)", "signal 9"),
            ("time.sleep(60)", "hung: sampling took longer than 1.00 s"),
        ):
            with self.subTest(do):
                self.setUp()
                self.worker(do)
                done = self.run_deck()
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertEqual(self.hip()["outcome"], "error")
                self.assertIn(words, self.hip()["reason"])
                self.assertEqual(self.results()["transpose/row_read/serial/f32/61x33"]["outcome"], "passed")

    def test_one_that_ends_without_progress(self):
        """It is started a second time, and no third, however much of the budget is left."""
        self.worker("")
        program = (self.siblings / "tilestride-hip").read_text()
        for ending in ("sys.exit(0)", "sys.exit(70)", "os.kill(os.getpid(), 9)"):
            with self.subTest(ending):
                self.sibling(program.replace("for line in sys.stdin:", f"{ending}\nfor line in sys.stdin:"))
                output = "out" + "".join(filter(str.isalnum, ending))
                self.run_deck(ALONE, "--set", "run.budget=10 min", output=output)
                self.assertEqual(self.hip(output)["outcome"], "error")
                self.assertEqual((self.folder / output / "worker.log").read_text().count("---- worker, "), 2)

    def test_one_that_says_nonsense_later(self):
        self.worker('print("nonsense", flush=True)')
        done = self.run_deck()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.hip()["outcome"], "error")
        self.assertIn("nonsense", self.hip()["reason"])
        self.assertEqual(self.results()["transpose/row_read/serial/f32/61x33"]["outcome"], "passed")

    def test_a_required_space(self):
        require = DECK.replace("\n[[case]]", '\n[run]\nrequire = ["serial", "hip"]\n[[case]]', 1)
        done = self.run_deck(require, output="missing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("required space hip cannot be used: no program here has it", done.stdout)
        self.sibling("#!/bin/sh\necho no luck >&2; exit 1\n")
        done = self.run_deck(require, output="broken")
        self.assertEqual(done.returncode, 1)
        self.assertIn("required space hip cannot be used: it does not start: no luck", done.stdout)
        without = self.run_deck(require, "--only", "/serial/", output="not_asked")  # no case needs it
        self.assertEqual(without.returncode, 1)
        self.assertIn("required space hip cannot be used: it does not start: no luck", without.stdout)
        self.worker(PASS)
        self.assertEqual(self.run_deck(require, output="good").returncode, 0)

    def test_another_revision_is_not_resumed(self):
        self.worker(PASS, revision="one")
        self.assertEqual(self.run_deck().returncode, 0)
        other = WORKER.format(python=sys.executable, do=PASS, revision="two")
        self.sibling(other.replace('"version": "0"', '"version": "1"'))
        environment = {**os.environ, "TILESTRIDE_PROGRAMS": str(self.siblings)}
        done = self.call("run", "--resume", "-o", "out", env=environment)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("tilestride-hip", done.stderr)

    def test_profile_becomes_the_other_program(self):
        self.sibling('#!/bin/sh\necho "$0 $@"\n')
        done = self.run_deck(ALONE, "--profile", "hip")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tilestride-hip run", done.stdout)

    def test_list_and_check_start_nothing(self):
        self.sibling(f"#!/bin/sh\ntouch {self.folder}/started\n")
        environment = {**os.environ, "TILESTRIDE_PROGRAMS": str(self.siblings)}
        listed = self.call("list", "transpose", env=environment)
        self.assertIn("spaces of tilestride-hip: hip", listed.stdout)
        self.assertEqual(self.call("check", self.deck(DECK), env=environment).returncode, 0)
        self.assertFalse((self.folder / "started").exists())


if __name__ == "__main__":
    unittest.main()
