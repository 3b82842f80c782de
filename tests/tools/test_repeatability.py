# SPDX-License-Identifier: BSD-3-Clause
"""How far the medians of made-up runs lie apart, and which runs cannot be compared."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import repeatability as tool

DECK = 'schema = 1\n\n[sampling]\nspread = 0.01    # quick.toml:9\ncache = "warm"    # default\n'
# Medians of three runs in microseconds, the clock, and how far they lie apart.
FIGURES = {
    "a/one/cuda": (4.0, 4.01, 4.03, "graph", "0.75 %"),
    "a/two/cuda": (4.0, 5.0, 4.5, "graph", "25.00 %"),
    "a/long/cuda": (64.0, 65.6, 64.0, "graph", "2.50 %"),
    "b/short/cuda": (49.9, 50.0, 50.1, "events", "0.40 %"),
    "b/long/cuda": (51.0, 51.0, 51.1, "events", "0.20 %"),
    "c/host/openmp": (2000.0, 3000.0, 1000.0, "steady_clock", "200.00 %"),
}


def case(name, seconds, clock="graph", outcome="passed"):
    pattern, variant, space = name.split("/")[:3]
    made = {"kind": "case", "name": name, "problem": name, "pattern": pattern, "variant": variant, "space": space,
            "type": "f32", "role": "portable", "keys": {}, "outcome": outcome, "program": "tilestride-cuda"}
    if outcome == "passed":
        made |= {"figure": "GB/s", "rate": 1.0, "time": {"median": seconds, "low": seconds, "high": seconds},
                 "samples": [seconds], "work": {"bytes": 1.0}, "ceilings": {}, "clock": clock}
    return made


def run_of(*results, started="1", deck=DECK, machine=(), spaces=(), sha256="a", **more):
    program = {"sha256": sha256, "spaces": {"cuda: device": "NVIDIA H200", "cuda: uuid": "GPU-1", **dict(spaces)}}
    return {"schema": 2, "program": "tilestride", "title": "t", "started": started, "status": "RUN STATUS: PASS",
            "deck": deck, "machine": {"host": "node1", "cpu": "a CPU", "cores": "8", **dict(machine)},
            "programs": {"tilestride-cuda": program}, "results": list(results), **more}


class Repeatability(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def say(self, *runs, options=()):
        """(exit code, lines, standard error); a run is a document, or text."""
        paths = [self.folder / f"{number}.json" for number in range(len(runs))]
        for path, run in zip(paths, runs):
            path.write_text(run if isinstance(run, str) else json.dumps(run))
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.object(sys, "argv", ["repeatability.py"]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                code = tool.main([*map(str, paths), *options])
            except SystemExit as end:
                code = end.code
        return code, out.getvalue().splitlines(), err.getvalue()

    def refused(self, *runs, options=()):
        """What it says of runs that it refuses."""
        code, lines, err = self.say(*runs, options=options)
        self.assertEqual((code, lines), (2, []))
        self.assertIn("repeatability", err)
        return err


class Tables(Repeatability):
    def runs(self):
        return [
            run_of(*(case(name, figures[i] * 1e-6, figures[3]) for name, figures in FIGURES.items()), started=str(i))
            for i in range(3)
        ]

    def test_shares_by_clock_and_duration(self):
        code, lines, err = self.say(*self.runs())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(lines[:8], [
            "| clock | duration | cases | within 1 % | share |",
            "|---|---|---:|---:|---:|",
            "| events | below 50 us | 1 | 1 | 100.0 % |",
            "| events | 50 us and above | 1 | 1 | 100.0 % |",
            "| graph | below 50 us | 2 | 1 | 50.0 % |",
            "| graph | 50 us and above | 1 | 0 | 0.0 % |",
            "| steady_clock | 50 us and above | 1 | 0 | 0.0 % |",
            "| all | all | 6 | 3 | 50.0 % |",
        ])

    def test_cases_outside_the_worst_first(self):
        lines = self.say(*self.runs())[1]
        self.assertEqual(lines[8:], [
            "",
            "| outside | clock | smallest median | largest | apart |",
            "|---|---|---:|---:|---:|",
            "| `c/host/openmp` | steady_clock | 1000 us | 3000 us | 200.00 % |",
            "| `a/two/cuda` | graph | 4 us | 5 us | 25.00 % |",
            "| `a/long/cuda` | graph | 64 us | 65.6 us | 2.50 % |",
        ])

    def test_the_order_of_runs_does_not_matter(self):
        self.assertEqual(self.say(*self.runs())[1], self.say(*reversed(self.runs()))[1])

    def test_another_limit(self):
        for percent, within in (("0.5", 2), ("0", 0), ("30", 5), ("201", 6)):
            with self.subTest(percent):
                lines = self.say(*self.runs(), options=("--within", percent))[1]
                self.assertIn(f"within {percent} %", lines[0])
                self.assertTrue(lines[7].startswith(f"| all | all | 6 | {within} |"), lines[7])
                listed = {line.split("`")[1]: line.split("| ")[-1][:-2] for line in lines if "`" in line}
                outside = {name: c[4] for name, c in FIGURES.items() if float(c[4][:-2]) > float(percent)}
                self.assertEqual(listed, outside)

    def test_a_part_of_the_cases(self):
        lines = self.say(*self.runs(), options=("--only", "b/"))[1]
        self.assertEqual(lines[-1], "| all | all | 2 | 2 | 100.0 % |")

    def test_where_all_repeat_nothing_is_outside(self):
        runs = [run_of(case("a/one/cuda", 1.0), started=started) for started in "12"]
        lines = self.say(*runs)[1]
        self.assertEqual(lines[2:], ["| graph | 50 us and above | 1 | 1 | 100.0 % |",
                                     "| all | all | 1 | 1 | 100.0 % |"])
        self.assertEqual(self.say(*runs, options=("--within", "0"))[1][2:], lines[2:])

    def test_what_did_not_pass_everywhere_does_not_count(self):
        first = run_of(case("a/one/cuda", 1.0), case("a/two/cuda", 1.0), case("a/bad/cuda", 0, outcome="error"))
        second = run_of(case("a/two/cuda", 9.0, outcome="FAILED"), case("a/one/cuda", 1.0), started="2")
        lines = self.say(first, second)[1]
        self.assertEqual(lines[3:], ["| all | all | 1 | 1 | 100.0 % |", "",
                                     "Not counted, since they did not pass in all documents: 1"])

    def test_a_case_that_was_not_always_replayed(self):
        lines = self.say(run_of(case("a/one/cuda", 1.0)), run_of(case("a/one/cuda", 2.0, "events"), started="2"))[1]
        self.assertEqual(lines[2], "| events or graph | 50 us and above | 1 | 0 | 0.0 % |")


class Refused(Repeatability):
    def setUp(self):
        super().setUp()
        self.cases = [case("a/one/cuda", 1.0)]
        self.first = run_of(*self.cases)

    def test_another_deck(self):
        other = DECK.replace("warm", "cold")
        self.assertIn("differ in deck", self.refused(self.first, run_of(*self.cases, started="2", deck=other)))

    def test_the_same_deck_in_another_place(self):
        other = run_of(*self.cases, started="2", deck=DECK.replace("quick.toml", "a folder/quick.toml"))
        self.assertEqual(self.say(self.first, other)[0], 0)

    def test_another_machine(self):
        for what, other in {
            "host: node2 and node1": {"machine": {"host": "node2"}},
            "cpu: another and a CPU": {"machine": {"cpu": "another"}},
            "cuda: device: NVIDIA A100 and NVIDIA H200": {"spaces": {"cuda: device": "NVIDIA A100"}},
            "cuda: uuid: GPU-2 and GPU-1": {"spaces": {"cuda: uuid": "GPU-2"}},
            "cuda: MIG: on and unknown": {"spaces": {"cuda: MIG": "on"}},
        }.items():
            with self.subTest(what):
                self.assertIn(f"{what}\n", self.refused(self.first, run_of(*self.cases, started="2", **other)))

    def test_another_program(self):
        other = run_of(*self.cases, started="2", sha256="b")
        self.assertIn("tilestride-cuda: sha256: b and a", self.refused(self.first, other))

    def test_ranks_of_other_devices(self):
        runs = [run_of(*self.cases, started=uuid, ranks=[{"rank": 0, "host": "n", "uuid": uuid}]) for uuid in "12"]
        self.assertIn("rank 0: uuid: 2 and 1", self.refused(*runs))

    def test_facts_of_several_lines_are_for_people(self):
        other = run_of(*self.cases, started="2", spaces={"Kokkos configuration": "one\ntwo"})
        self.assertEqual(self.say(self.first, other)[0], 0)

    def test_the_third_is_looked_at_too(self):
        runs = [self.first, run_of(*self.cases, started="2"), run_of(*self.cases, started="3", sha256="b")]
        self.assertIn("2.json and", self.refused(*runs))

    def test_a_run_that_is_given_twice(self):
        other = run_of(case("a/one/cuda", 2.0), started="2")
        self.assertIn("2.json is the same run as", self.refused(self.first, other, other))

    def test_one_run(self):
        self.assertIn("two or more", self.refused(self.first))

    def test_no_case_in_all(self):
        other = run_of(case("a/two/cuda", 1.0), started="2")
        self.assertIn("no case passed in all", self.refused(self.first, other))
        self.assertIn("no case passed in all", self.refused(self.first, self.first | {"started": "2"},
                                                            options=("--only", "openmp/")))

    def test_no_result_document(self):
        for bad in ("{", "{}", "[]"):
            with self.subTest(bad):
                self.assertIn("1.json", self.refused(self.first, bad))
        code, _, err = self.say(self.first, options=(str(self.folder / "missing.json"),))
        self.assertEqual(code, 2)
        self.assertIn("cannot be read", err)

    def test_a_case_without_a_clock(self):
        without = [{name: value for name, value in self.cases[0].items() if name != "clock"}]
        self.assertIn("'clock'", self.refused(self.first, run_of(*without, started="2")))

    def test_a_limit_that_is_none(self):
        for percent in ("-1", "nan", "inf", "x"):
            with self.subTest(percent):
                self.assertIn("--within", self.refused(self.first, self.first, options=(f"--within={percent}",)))


class References(Repeatability):
    def test_a_run_beside_itself_with_longer_times(self):
        """A committed document, and the same with every second time 3 % longer."""
        first = json.loads((ROOT / "reference" / "epyc-2cores.json").read_text())
        second = json.loads(json.dumps(first)) | {"started": "later"}
        times = [result["time"] for result in second["results"] if result["outcome"] == "passed"]
        for time in times[::2]:
            time["median"] *= 1.03
        code, lines, _ = self.say(first, second)
        self.assertEqual(code, 0)
        within, share = len(times) // 2, 100 * (len(times) // 2) / len(times)
        self.assertIn(f"| all | all | {len(times)} | {within} | {share:.1f} % |", lines)
        self.assertEqual(sum(line.endswith("| 3.00 % |") for line in lines), len(times) - within)


if __name__ == "__main__":
    unittest.main()
