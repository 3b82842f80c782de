# SPDX-License-Identifier: BSD-3-Clause
"""Kills at any moment: what was finished stays readable, and --resume does the rest."""

import functools
import hashlib
import json
import os
import pathlib
import signal
import time
import unittest

from tilestride import CommandLine, finished, strict_json

SHAPES = ", ".join(f'"{n}x700"' for n in range(600, 630))
DECK = f"""
[[case]]
pattern = "transpose"
space   = "serial"
variant = ["copy", "row_read", "padded"]
shape   = [{SHAPES}]
tile    = 8
"""
CASES = 90


def worker_of(parent):
    """The process id of the program's worker, or None."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            return int(entry.name)
    return None


def is_gone(process):
    return not pathlib.Path(f"/proc/{process}").exists()


class Recovery(CommandLine):
    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.01)
        self.fail("it did not happen")

    def wait_for_lines(self, count):
        self.wait_for(lambda: len(self.lines()) >= count)

    def lines(self):
        path = self.folder / "out" / "cases.jsonl"
        return finished(path) if path.exists() else {}

    def stands_still(self):
        count = len(self.lines())
        time.sleep(0.5)
        return len(self.lines()) == count

    def begin(self):
        process = self.start("run", self.deck(DECK), "-o", "out")
        self.addCleanup(process.communicate)
        return process

    def resume_and_check(self):
        done = self.call("run", "--resume", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        outcomes = [case["outcome"] for case in self.results().values()]
        self.assertEqual(outcomes, ["passed"] * CASES)

    def test_killing_the_worker_costs_one_case_at_most(self):
        process = self.begin()
        for count in (4, 20, 50):
            self.wait_for_lines(count)
            if worker := worker_of(process.pid):
                os.kill(worker, signal.SIGKILL)
        process.communicate(timeout=120)
        cases = self.results()
        self.assertEqual(len(cases), CASES)
        errors = [case for case in cases.values() if case["outcome"] != "passed"]
        self.assertLessEqual(len(errors), 3)
        for case in errors:
            self.assertIn("signal 9", case["reason"])
        self.assertEqual(process.returncode, 1 if errors else 0)
        self.resume_and_check()  # errors are worth another try

    def test_killing_the_worker_as_it_starts(self):
        process = self.begin()
        os.kill(self.wait_for(lambda: worker_of(process.pid)), signal.SIGKILL)
        process.communicate(timeout=120)
        self.resume_and_check()

    def test_killing_the_parent_leaves_what_was_finished(self):
        for count in (0, 1, 37):
            with self.subTest(count):
                self.setUp()
                process = self.begin()
                self.wait_for((self.folder / "out" / "deck.toml").exists)
                self.wait_for_lines(count)
                worker = self.wait_for(functools.partial(worker_of, process.pid))
                process.kill()
                process.communicate()
                self.wait_for(functools.partial(is_gone, worker))  # it does not outlive its parent
                before = self.lines()
                self.resume_and_check()
                for name, case in before.items():
                    self.assertEqual(self.results()[name], case)  # not measured again

    def test_half_a_line_is_dropped(self):
        self.call("run", self.deck(DECK), "-o", "out")
        path = self.folder / "out" / "cases.jsonl"
        text = path.read_text()
        path.write_text(text[: len(text) - 100])
        self.resume_and_check()

    def run_three_cases(self):
        """A finished run; returns its cases.jsonl and the lines of it."""
        self.assertEqual(self.call("run", self.deck(DECK), "-o", "out", "--only", "600x700").returncode, 0)
        path = self.folder / "out" / "cases.jsonl"
        return path, path.read_text().splitlines(keepends=True)

    def contents(self):
        return {path: path.read_bytes() for path in (self.folder / "out").iterdir()}

    def not_resumed(self, says, *more):
        """--resume refuses, in words of its own, and leaves everything as it was."""
        before = self.contents()
        done = self.call("run", "--resume", "-o", "out", *more)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(says, done.stderr)
        self.assertNotIn("json.exception", done.stderr)
        self.assertEqual(self.contents(), before)

    def test_a_run_without_a_whole_header_is_not_resumed(self):
        path, (header, *others) = self.run_three_cases()
        facts = strict_json(header)
        damaged = ["", "garbage\n", header[: len(header) // 2] + "\n", header.replace('"run"', '"rum"'), 2 * header]
        for key in facts:
            damaged.append(json.dumps({k: v for k, v in facts.items() if k != key}) + "\n")
            damaged.append(json.dumps({**facts, key: 7}) + "\n")
        for text in damaged:
            with self.subTest(text):
                path.write_text(text + "".join(others))
                self.not_resumed("does not begin with one line that says what the run was")
        path.write_text("".join([*others, header]))
        self.not_resumed("does not begin with one line that says what the run was")

    def test_a_run_on_another_machine_or_build_is_not_resumed(self):
        path, (header, *others) = self.run_three_cases()
        for key in ("host", "program", "git revision"):
            with self.subTest(key):
                path.write_text(json.dumps({**strict_json(header), key: "another"}) + "\n" + "".join(others))
                self.not_resumed(f'this run began with {key} "another"')

    def test_a_run_by_another_executable_is_not_resumed(self):
        path, lines = self.run_three_cases()
        programs = [strict_json(line) for line in lines if strict_json(line)["kind"] == "program"]
        self.assertEqual([len(program["sha256"]) for program in programs], [64])
        path.write_text("".join(lines).replace(programs[0]["sha256"], 64 * "0"))
        self.not_resumed(f'this run began with executable of {programs[0]["program"]} "{64 * "0"}"')

    def test_a_run_with_another_memory_card_is_not_resumed(self):
        latency = self.deck('[[case]]\npattern = "latency"\nspace = "serial"\nbytes = "16 KiB"\n', "latency.toml")
        self.assertEqual(self.call("run", latency, "-o", "card").returncode, 0)
        deck = self.deck(DECK.replace(SHAPES, '"60x70"'))
        card = self.folder / "card" / "result.json"
        self.call("run", deck, "-o", "out", "--machine", card)
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["memory_card"]["sha256"], hashlib.sha256(card.read_bytes()).hexdigest())
        self.not_resumed("this run began with memory_card")
        self.assertEqual(self.call("run", "--resume", "-o", "out", "--machine", card).returncode, 0)

    def test_a_memory_card_of_another_machine_is_told(self):
        deck = self.deck('[[case]]\npattern = "latency"\nspace = "serial"\nbytes = "16 KiB"\n', "latency.toml")
        self.assertEqual(self.call("run", deck, "-o", "card").returncode, 0)
        told = "not for this machine"
        card = self.folder / "card" / "result.json"
        self.assertNotIn(told, self.call("run", deck, "-o", "here", "--machine", card).stderr)
        document = strict_json(card.read_text())
        document["machine"]["cpu"] = "Z80"
        card.write_text(json.dumps(document))
        call = self.call("run", deck, "-o", "there", "--machine", card)
        self.assertEqual(call.returncode, 0)
        self.assertIn("serial was measured on Z80", call.stderr)
        self.assertIn(told, call.stderr)

    def test_a_run_whose_deck_was_edited_is_not_resumed(self):
        self.run_three_cases()
        deck = self.folder / "out" / "deck.toml"
        deck.write_text(deck.read_text() + "# nothing\n")
        self.not_resumed("deck.toml was edited after the run had begun")

    def test_the_document_has_the_deck_that_was_run(self):
        process = self.begin()
        deck = self.folder / "out" / "deck.toml"
        self.wait_for_lines(1)
        before = deck.read_text()
        deck.write_text("schema = 1\n")
        process.communicate(timeout=120)
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["deck"], before)

    def test_damaged_lines_cost_their_cases_alone(self):
        path, lines = self.run_three_cases()
        before = self.results()
        damaged = ["garbage", '{"kind": 7}', "[]", '{"kind": "program"}', '{"kind": "machine", "program": []}']
        cases = [number for number, line in enumerate(lines) if strict_json(line)["kind"] == "case"]
        lost = strict_json(lines[cases[0]])["name"]
        damaged += ['{"kind": "case", "name": 1}', lines[cases[0]][:50]]
        lines[cases[0]] = "".join(f"{text}\n" for text in damaged)
        path.write_text("".join(lines))
        done = self.call("run", "--resume", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("7 of 12 lines of out/cases.jsonl cannot be read", done.stderr)
        after = self.results()
        self.assertEqual(after[lost]["outcome"], "passed")
        self.assertEqual({name for name in before if after[name] != before[name]}, {lost})

    def test_results_of_an_unknown_build_are_measured_again(self):
        path, lines = self.run_three_cases()
        program = next(line for line in lines if strict_json(line)["kind"] == "program")
        lines.remove(program)
        path.write_text("".join(lines))
        self.assertEqual(self.call("run", "--resume", "-o", "out").returncode, 0)
        kinds = [strict_json(line)["kind"] for line in path.read_text().splitlines()]
        self.assertEqual(kinds.count("program"), 1)
        self.assertEqual(kinds.count("case"), 6)
        document = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(document["programs"]["tilestride"]["build"], strict_json(program)["build"])

    def test_looking_at_a_run_changes_nothing(self):
        path, lines = self.run_three_cases()
        path.write_text("".join(lines)[:-100])
        for flag in ("--dry-run", "--dump-deck"):
            before = self.contents()
            self.assertEqual(self.call("run", "--resume", "-o", "out", flag).returncode, 0)
            self.assertEqual(self.contents(), before)
        path.unlink()
        self.not_resumed("holds no run to go on with", "--dry-run")
        self.not_resumed("holds no run to go on with")

    def test_a_disk_that_is_full_ends_the_run_with_its_reason(self):
        done = self.call_in_shell("trap '' XFSZ; ulimit -f 12; exec \"$@\"", "run", self.deck(DECK), "-o", "out")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("out/cases.jsonl cannot be written: File too large", done.stderr)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("RUN STATUS: FAIL the run broke off"))
        size = (self.folder / "out" / "cases.jsonl").stat().st_size
        self.assertEqual(size, 12 * 1024)  # half of the last line was written
        self.resume_and_check()

    def test_signals_end_the_run_with_their_code(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(code):
                self.setUp()
                process = self.begin()
                self.wait_for_lines(3)
                process.send_signal(number)
                stdout, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, code)
                self.assertTrue(stdout.splitlines()[-1].startswith("RUN STATUS: INTERRUPTED"))
                self.assertIn("not run", {case["outcome"] for case in self.results().values()})
                self.resume_and_check()

    def test_signals_end_a_run_whose_workers_are_still_to_come(self):
        """Its tables fill the pipe that nobody reads, so that the signal interrupts a write."""
        shapes = ", ".join(f'"{n}x1"' for n in range(1, 20001))
        case = f'[[case]]\npattern = "transpose"\nspace = "hip"\nvariant = "copy"\nshape = [{shapes}]\n'
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(code):
                self.setUp()
                process = self.start("run", self.deck(case), "-o", "out", "--verbose")
                self.addCleanup(process.communicate)
                self.wait_for_lines(100)
                self.wait_for(self.stands_still)
                process.send_signal(number)
                time.sleep(0.2)
                stdout, _ = process.communicate(timeout=120)
                self.assertEqual(process.returncode, code)
                self.assertTrue(stdout.splitlines()[-1].startswith("RUN STATUS: INTERRUPTED"))
                outcomes = [case["outcome"] for case in self.results().values()]
                self.assertEqual(len(outcomes), 20000)
                self.assertEqual(set(outcomes), {"skipped", "not run"})

    def test_a_resumed_run_is_the_run_it_was(self):
        self.call("run", self.deck(DECK), "-o", "out", "--only", "600x700", "--redact")
        before = strict_json((self.folder / "out" / "result.json").read_text())
        self.assertEqual(self.call("run", "--resume", "-o", "out").returncode, 0)
        after = strict_json((self.folder / "out" / "result.json").read_text())
        for key in ("started", "only", "machine", "programs", "environment", "deck", "results"):
            self.assertEqual(after[key], before[key], key)
        self.assertEqual(after["machine"]["host"], "hidden")
        for flag in (["--only", "x"], ["--set", "sampling.spread=0.1"]):
            self.assertEqual(self.call("run", "--resume", "-o", "out", *flag).returncode, 2)
        self.assertEqual(self.call("run", "--resume", "-o", "out", "--kokkos-num-threads=1").returncode, 2)

    def test_two_runs_do_not_share_a_folder(self):
        process = self.begin()
        self.wait_for_lines(1)
        done = self.call("run", "--resume", "-o", "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another run is writing", done.stderr)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        deck = self.deck(DECK)
        for process in [self.start("run", deck, "--only", "600x700/") for _ in range(3)]:
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(len(list((self.folder / "results").glob("*/result.json"))), 3)

    def test_a_long_list_and_a_dying_worker(self):
        shapes = ", ".join(f'"{n}x1"' for n in range(1, 15001))
        case = '[[case]]\npattern = "transpose"\nspace = "serial"\nvariant = ["copy", "row_read"]\n'
        process = self.start("run", self.deck(f"{case}shape = [{shapes}]\n"), "-o", "out")
        self.addCleanup(process.communicate)
        worker = self.wait_for(lambda: worker_of(process.pid))
        os.kill(worker, signal.SIGKILL)
        self.wait_for(lambda: worker_of(process.pid) not in (worker, None))
        process.send_signal(signal.SIGTERM)
        stdout, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertTrue(stdout.splitlines()[-1].startswith("RUN STATUS: INTERRUPTED"))

    def test_a_stopped_run_is_no_hang(self):
        process = self.begin()
        self.wait_for_lines(2)
        worker = self.wait_for(lambda: worker_of(process.pid))
        for pid in (process.pid, worker):
            os.kill(pid, signal.SIGSTOP)
        time.sleep(11)
        for pid in (worker, process.pid):
            os.kill(pid, signal.SIGCONT)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)

    def test_another_deck_is_not_resumed(self):
        self.call("run", self.deck(DECK), "-o", "out", "--only", "600x700")
        other = self.deck(DECK.replace("tile    = 8", "tile    = 16"), "other.toml")
        done = self.call("run", other, "--resume", "-o", "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another deck", done.stderr)


if __name__ == "__main__":
    unittest.main()
