# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several ranks, with one that goes wrong."""

import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import time
import unittest

from tilestride import FAULTY, PROGRAM, CommandLine, strict_json

# More ranks than cores, each where the system puts it; root, as in a container.
LAUNCHER = "mpirun --oversubscribe --bind-to none -n {}"
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SMALL = '[[case]]\npattern = "{}"\nspace = "serial"\nvariant = {}\nshape = "64x48"\n'


def faults(*variants):
    return SMALL.format("faults", list(variants))


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class Ranks(CommandLine):
    def ranks(
        self, deck, count, *arguments, program=FAULTY, launcher=LAUNCHER, wrong=None, environment=(), timeout=300
    ):
        env = {**os.environ, **ALLOWED, **dict(environment)}
        if wrong is not None:
            env["TILESTRIDE_FAULTS_RANK"] = str(wrong)
        options = ["--ranks", count, "--launcher", launcher, "-o", "out", "--quiet", *arguments]
        return self.call("run", deck, *options, program=program, env=env, timeout=timeout)

    def journal(self, rank):
        return [
            strict_json(line)
            for line in (self.folder / f"out/cases.rank-{rank}.jsonl").read_text().splitlines()
            if line
        ]

    def only_error(self, finished):
        """Of the results, the one that is an error, where those of `finished` have passed."""
        results = self.results()
        errors = [case for case in results.values() if case["outcome"] == "error"]
        self.assertEqual(len(errors), 1)
        for name in finished:
            self.assertEqual(next(c["outcome"] for c in results.values() if c["variant"] == name), "passed")
        return errors[0]

    def test_a_result_has_the_figures_of_every_rank(self):
        for count in (2, 4, 8):
            with self.subTest(count):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                run = self.ranks(self.deck(faults("slow")), count)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                (case,) = self.results().values()
                of_ranks = case["ranks"]["seconds"]
                self.assertEqual(len(of_ranks), count)
                journals = [next(line for line in self.journal(r) if line["kind"] == "case") for r in range(count)]
                for rank, line in enumerate(journals):
                    ordered = sorted(line["samples"])
                    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
                    self.assertAlmostEqual(of_ranks[rank] / middle, 1, places=12)
                # Work of all over a window that holds each rank's: never more than the ranks' own rates together.
                together = [
                    sum(line["work"]["bytes"] * line["repetitions"] for line in journals)
                    / (max(line["ends"][k] for line in journals) - min(line["begins"][k] for line in journals))
                    for k in range(len(journals[0]["samples"]))
                ]
                ordered = sorted(together)
                middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
                self.assertAlmostEqual(case["ranks"]["together"] / middle, 1, places=9)
                for k, rate in enumerate(together):  # whatever a rank's own clock says lies in its window
                    self.assertLessEqual(rate, sum(line["work"]["bytes"] / line["samples"][k] for line in journals))
                document = strict_json((self.folder / "out/result.json").read_text())
                self.assertEqual([r["rank"] for r in document["ranks"]], list(range(count)))
                self.assertEqual({r["host"] for r in document["ranks"]}, {os.uname().nodename})

    def test_a_slow_rank_is_named(self):
        for count in (4, 8):
            with self.subTest(count):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                run = self.ranks(self.deck(faults("slow")), count, wrong=2)
                self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
                self.assertRegex(run.stdout, r"slow: rank 2 \(.*confirmed by a repeat: replace")
                (slow,) = strict_json((self.folder / "out/result.json").read_text())["slow_ranks"]
                self.assertEqual((slow["rank"], slow["action"]), (2, "replace"))
                self.assertGreater(slow["deficit"], 0.15)

    def test_a_wrong_answer_is_of_its_rank_and_the_others_go_on(self):
        run = self.ranks(self.deck(faults("sound", "wrong_element", "paced")), 4, wrong=3)
        self.assertEqual(run.returncode, 1)
        results = {case["variant"]: case for case in self.results().values()}
        self.assertEqual(results["wrong_element"]["outcome"], "FAILED")
        self.assertRegex(results["wrong_element"]["reason"], r"^rank 3 \(.*\) of 4: ")
        self.assertEqual([results[v]["outcome"] for v in ("sound", "paced")], ["passed", "passed"])

    def test_a_rank_that_dies_is_named_and_the_rest_is_run(self):
        for variant, words in (
            ("segfaults", "signal 11"),
            ("aborts", "signal 6"),
            ("exits", "status 0"),
            ("throws", "throws"),
        ):
            with self.subTest(variant):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                deck = self.deck(
                    faults("sound") + SMALL.format("transpose", ["copy"]) + faults(variant).replace("64x48", "32x48")
                )
                began = time.monotonic()
                run = self.ranks(deck, 4, wrong=1)
                self.assertLess(time.monotonic() - began, 90)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                error = self.only_error(["sound", "copy"])
                self.assertRegex(error["reason"], rf"^rank 1 \(.*\) of 4: .*{words}")

    def test_a_rank_that_hangs_is_named(self):
        deck = self.deck(faults("hangs") + SMALL.format("transpose", ["copy"]))
        began = time.monotonic()
        run = self.ranks(deck, 4, wrong=2)
        seconds = time.monotonic() - began
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        error = self.only_error(["copy"])
        self.assertRegex(error["reason"], r"^rank 2 \(.*\) of 4: hung: verifying took longer than")
        limit = max(
            line["limit"] for line in self.journal(2) if line["kind"] == "step" and line["phase"] == "verifying"
        )
        self.assertLess(seconds, limit + 60)  # two launches and the run of the rest are in it

    def test_a_rank_that_hangs_after_it_has_waited_is_named(self):
        run = self.ranks(self.deck(faults("hangs_later") + SMALL.format("transpose", ["copy"])), 3, wrong=1)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        error = self.only_error(["copy"])
        self.assertRegex(error["reason"], r"^rank 1 \(.*\) of 3: hung: ")

    def started(self, deck, count, launcher=LAUNCHER):
        options = ["--ranks", str(count), "--launcher", launcher, "-o", "out", "--quiet"]
        return subprocess.Popen(
            [FAULTY, "run", str(deck), *options],
            cwd=self.folder,
            env={**os.environ, **ALLOWED},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError, StopIteration):  # not written yet, or half a line
                if found := condition():
                    return found
            time.sleep(0.1)
        return self.fail("it did not happen in time")

    def sampling_pids(self, count):
        """Of all ranks, once each of them samples."""
        journals = [self.journal(r) for r in range(count)]
        if not all(any(line.get("phase") == "sampling" for line in journal) for journal in journals):
            return []
        return [next(line["pid"] for line in journal if line["kind"] == "rank") for journal in journals]

    def assert_gone(self, pids):
        def are_gone():
            states = []
            for pid in pids:
                with contextlib.suppress(OSError):
                    states.append(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0])
            return all(state == "Z" for state in states)

        self.wait_for(are_gone, 20)

    def script(self, text):
        launcher = self.folder / "launcher"
        launcher.write_text(f"#!/bin/sh\n{text}\n")
        launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
        return f"{launcher} {{}}"

    def test_an_interrupted_run_leaves_no_rank(self):
        deck = self.deck(faults("slow") + 'max_time = "60 s"\nmin_samples = 3000\n')
        script = self.script('mpirun --oversubscribe --bind-to none -n "$@"\ntrue')  # without exec
        for launcher, sent, code in ((LAUNCHER, signal.SIGINT, 130), (script, signal.SIGTERM, 143)):
            with self.subTest(launcher):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                run = self.started(deck, 3, launcher)
                pids = self.wait_for(lambda: self.sampling_pids(3))
                run.send_signal(sent)
                run.communicate(timeout=30)
                self.assertEqual(run.returncode, code)
                self.assert_gone(pids)
        run = self.call("run", "--resume", "-o", "out", "--ranks", "2", program=FAULTY)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--ranks 3", run.stderr)

    def test_a_front_that_was_stopped_takes_nobody_for_hung(self):
        deck = self.deck(faults("slow") + 'max_time = "6 s"\nmin_samples = 1000\n')
        run = self.started(deck, 2)
        self.wait_for(lambda: self.sampling_pids(2))
        run.send_signal(signal.SIGSTOP)
        time.sleep(4)
        run.send_signal(signal.SIGCONT)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, out + err)

    def test_a_launcher_may_do_with_its_output_what_it_wants(self):
        mpirun = "exec mpirun --oversubscribe --bind-to none"
        for text in (f"echo hello; echo; {mpirun} -n", f"{mpirun} >said.txt -n"):
            with self.subTest(text):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                run = self.ranks(self.deck(faults("sound")), 2, launcher=self.script(text + ' "$@"'))
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_journal_that_cannot_be_written_names_its_rank(self):
        (self.folder / "out/cases.rank-1.jsonl").mkdir(parents=True)
        run = self.ranks(self.deck(faults("sound")), 3)
        self.assertEqual(run.returncode, 1)
        (case,) = self.results().values()
        self.assertIn("rank 1", case["reason"])

    def test_a_budget_ends_a_run(self):
        deck = self.deck(
            faults("slow")
            + 'max_time = "3 s"\nmin_samples = 1000\n'
            + SMALL.format("transpose", ["copy"]).replace("64x48", "32x48")
            + '[run]\nbudget = "2 s"\n'
        )
        began = time.monotonic()
        run = self.ranks(deck, 2)
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        outcomes = {case["variant"]: case["outcome"] for case in self.results().values()}
        self.assertEqual(outcomes["copy"], "not run")

    def test_redacted_results_name_no_host(self):
        host = os.uname().nodename
        deck = self.deck(faults("aborts", "wrong_element") + SMALL.format("transpose", ["copy"]))
        self.assertEqual(self.ranks(deck, 2, "--redact", wrong=1).returncode, 1)
        for name in ("result.json", "cases.jsonl"):
            self.assertNotRegex((self.folder / "out" / name).read_text(), rf"\b{re.escape(host)}\b")
        ranks = strict_json((self.folder / "out/result.json").read_text())["ranks"]
        self.assertEqual({rank["host"] for rank in ranks}, {"host 0"})
        self.assertEqual(
            strict_json((self.folder / "out/cases.jsonl").read_text().splitlines()[0])["ranks"], {"count": 2}
        )
        (self.folder / "out/result.json").unlink()
        self.call("gather", "out", program=FAULTY)
        self.assertNotRegex((self.folder / "out/result.json").read_text(), rf"\b{re.escape(host)}\b")

    def test_a_finished_run_can_be_resumed(self):
        self.ranks(self.deck(faults("slow")), 3, wrong=2)
        document = strict_json((self.folder / "out/result.json").read_text())
        run = self.ranks(self.deck(faults("slow")), 3, "--resume", wrong=2)
        self.assertIn(run.returncode, (0, 3), run.stdout + run.stderr)  # the repeat may not confirm what was slow
        again = strict_json((self.folder / "out/result.json").read_text())
        self.assertEqual(again["ranks"], document["ranks"])
        self.assertEqual(again["results"], document["results"])

    def test_a_rank_that_is_killed_is_named_and_what_was_finished_is_kept(self):
        deck = self.deck(
            SMALL.format("transpose", ["copy"])
            + faults("slow").replace("64x48", "32x48")
            + 'max_time = "20 s"\nmin_samples = 1000\n'
        )
        run = self.started(deck, 4)

        def pid_once_it_samples():
            lines = self.journal(3)
            next(x for x in lines if x.get("phase") == "sampling" and "faults/slow" in x["case"])
            return next(line["pid"] for line in lines if line["kind"] == "rank")

        os.kill(self.wait_for(pid_once_it_samples), signal.SIGKILL)
        killed = time.monotonic()
        run.communicate(timeout=60)
        self.assertLess(time.monotonic() - killed, 30)
        self.assertEqual(run.returncode, 1)
        error = self.only_error(["copy"])
        self.assertRegex(error["reason"], r"^rank 3 \(.*\) of 4: worker died, signal 9")

    def test_a_rank_with_another_program_is_named(self):
        other = self.folder / "other"
        other.write_bytes(pathlib.Path(FAULTY).read_bytes() + b"another build")
        other.chmod(0o755)
        launcher = self.script(f'shift\np=$1\nshift\nexec mpirun --oversubscribe -n 2 "$p" "$@" : -n 1 {other} "$@"')
        run = self.ranks(self.deck(faults("sound")), 3, launcher=launcher)
        self.assertEqual(run.returncode, 1)
        (case,) = self.results().values()
        self.assertRegex(case["reason"], r"^rank 2 \(.*\) of 3 runs another program than rank 0")

    def test_a_launcher_that_does_not_work_is_told(self):
        deck = self.deck(faults("sound"))
        for launcher, words in (
            ("no-such-launcher -n {}", "no-such-launcher"),
            (LAUNCHER.replace("{}", "2"), "has started 2 ranks, not 3"),
        ):
            with self.subTest(launcher):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                run = self.ranks(deck, 3, launcher=launcher)
                self.assertEqual(run.returncode, 1)
                self.assertIn(words, next(iter(self.results().values()))["reason"])

    def test_nobody_waits_for_ever_for_a_launcher(self):
        mpirun = "exec mpirun --oversubscribe --bind-to none -n"
        for text, words in (
            ("sleep 600", r"^no rank has started by .*no answer within 30\.0 s"),
            (f'sleep 600 | {mpirun} "$@"', r"^all 2 ranks have waited for 30\.0 s, .* for a command of "),
        ):
            with self.subTest(text):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                began = time.monotonic()
                run = self.ranks(self.deck(faults("sound")), 2, launcher=self.script(text))
                self.assertLess(time.monotonic() - began, 60)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                (case,) = self.results().values()
                self.assertEqual(case["outcome"], "error")
                self.assertRegex(case["reason"], words)

    def test_a_run_under_a_launcher_says_the_right_command(self):
        run = self.call(
            "run",
            self.deck(faults("sound")),
            env={**os.environ, "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"},
        )
        self.assertEqual(run.returncode, 2)
        self.assertIn("--ranks 4 --launcher 'mpirun -n {}'", run.stderr)

    def test_ranks_one_after_another(self):
        run = self.ranks(self.deck(faults("slow") + '[run]\nconcurrency = "one"\n'), 3, wrong=9)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        lines = [next(line for line in self.journal(r) if line["kind"] == "case") for r in range(3)]
        for k in range(len(lines[0]["begins"])):
            for earlier, later in itertools.pairwise(lines):
                self.assertLess(earlier["ends"][k], later["begins"][k])

    def test_gather_makes_the_result_of_a_front_that_was_killed(self):
        self.ranks(self.deck(faults("slow")), 3)
        whole = self.results()
        (self.folder / "out/result.json").unlink()
        lines = (self.folder / "out/cases.jsonl").read_text().splitlines()
        (self.folder / "out/cases.jsonl").write_text(lines[0] + "\n")
        run = self.call("gather", "out", program=FAULTY)
        self.assertIn(run.returncode, (0, 3), run.stdout + run.stderr)  # 3: so small a case may have a suspect
        again = self.results()
        self.assertEqual(set(again), set(whole))
        for name, case in whole.items():
            self.assertEqual(again[name]["samples"], case["samples"])
            self.assertEqual(again[name]["ranks"], case["ranks"])
        self.assertEqual(self.call("check-result", "out").returncode, 0)
        once_more = self.call("gather", "out", program=FAULTY)
        self.assertEqual(once_more.returncode, 2)  # what is there is not replaced
        self.assertIn("is there already", once_more.stderr)

    def test_gather_names_a_rank_that_has_not_finished(self):
        self.ranks(self.deck(faults("slow")), 3)
        path = self.folder / "out/cases.rank-1.jsonl"
        path.write_text("".join(line + "\n" for line in path.read_text().splitlines() if '"kind":"case"' not in line))
        (self.folder / "out/result.json").unlink()
        run = self.call("gather", "out", program=FAULTY)
        self.assertEqual(run.returncode, 1)
        (case,) = self.results().values()
        self.assertEqual(case["outcome"], "not run")
        self.assertRegex(case["reason"], r"^rank 1 \(.*\) of 3 ended before it was done")

    def test_a_baseline_finds_a_rank_that_is_slower_than_it_was(self):
        self.ranks(self.deck(faults("slow")), 3)
        (case,) = self.results().values()
        devices = {f"{os.uname().nodename}:{r}": 1 / t for r, t in enumerate(case["ranks"]["seconds"])}
        of_case = {"median": 1, "mad": 0.01, "devices": devices}
        (self.folder / "baseline.json").write_text(json.dumps({"schema": 1, "cases": {case["name"]: of_case}}))
        shutil.rmtree(self.folder / "out")
        run = self.ranks(self.deck(faults("slow")), 3, "--baseline", "baseline.json", wrong=1)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"slow: rank 1 .*confirmed by a repeat")

    def test_bad_options(self):
        deck = self.deck(faults("sound"))
        for arguments in (
            ["--ranks", "0"],
            ["--ranks", "x"],
            ["--launcher", "mpirun"],
            ["--ranks", "2", "--baseline", str(deck)],
        ):
            with self.subTest(arguments):
                self.assertEqual(self.call("run", deck, *arguments, "-o", "bad").returncode, 2)
        self.assertEqual(self.call("gather", self.folder).returncode, 2)


class WithoutMpi(CommandLine):
    def test_a_run_needs_no_launcher(self):
        run = self.call("run", self.deck(faults("sound")), "-o", "out", program=FAULTY)
        self.assertEqual(run.returncode, 0)
        self.assertNotIn("ranks", strict_json((self.folder / "out/result.json").read_text()))
        self.assertTrue(PROGRAM)


if __name__ == "__main__":
    unittest.main()
