# SPDX-License-Identifier: BSD-3-Clause
"""What tools/learn_baseline.py learns from made-up results of one rank and of many, and what it refuses."""

import contextlib
import io
import json
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import learn_baseline as tool

REFERENCE = pathlib.Path(__file__).parents[2] / "reference"
NAME = "stream/blocked/cuda/f64/op=copy/bytes=1GiB"


def case(seconds, **more):
    return {"kind": "case", "name": NAME, "pattern": "stream", "variant": "blocked", "space": "cuda", "type": "f64",
            "keys": {}, "outcome": "passed", "program": "tilestride-cuda", "figure": "GB/s", "rate": 1.0,
            "time": {"median": seconds, "low": seconds, "high": seconds}, "samples": [seconds],
            "work": {"bytes": 1.0}, "ceilings": {}, **more}


def document(*cases, host="n1", uuid="GPU-1", device="NVIDIA H200", **more):
    spaces = {"cuda: uuid": uuid, "cuda: device": device}
    return {"schema": 2, "title": "", "status": "", "machine": {"host": host},
            "programs": {"tilestride-cuda": {"build": {}, "spaces": spaces}}, "results": list(cases), **more}


def of_ranks(seconds, uuid="GPU-{}", host="n{}", device="NVIDIA H200"):
    ranks = [{"rank": r, "host": host.format(r), "device": device, "uuid": uuid.format(r), "pci": "0000:01:00"}
             for r in range(len(seconds))]
    return document(case(1.0, ranks={"count": len(seconds), "seconds": seconds, "slowest": 0}), ranks=ranks)


class LearnBaseline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def learned(self, *made):
        """The exit code, the baseline, and what was said."""
        paths = []
        for number, one in enumerate(made):
            paths.append(one if isinstance(one, pathlib.Path) else self.folder / f"{number}.json")
            if not isinstance(one, pathlib.Path):
                paths[-1].write_text(one if isinstance(one, str) else json.dumps(one))
        target, said = self.folder / "baseline.json", io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = tool.main([*map(str, paths), "-o", str(target)])
        return status, json.loads(target.read_text()) if target.exists() else None, said.getvalue()

    def test_a_device_has_the_median_of_its_results(self):
        status, made, _ = self.learned(*[document(case(1 / rate)) for rate in (100, 102, 101)])
        self.assertEqual((status, made["schema"], made["results"]), (0, 1, 3))
        learned = made["cases"][NAME]
        self.assertAlmostEqual(learned["devices"]["GPU-1"], 101)
        self.assertAlmostEqual(learned["median"], 101)
        self.assertEqual(learned["mad"], 0)
        self.assertAlmostEqual(learned["own_mad"], 1 / 101)

    def test_ranks_are_known_by_their_uuid(self):
        status, made, _ = self.learned(of_ranks([1 / 100, 1 / 101, 1 / 99]))
        learned = made["cases"][NAME]
        self.assertEqual(status, 0)
        self.assertEqual({device: round(rate, 6) for device, rate in learned["devices"].items()},
                         {"GPU-0": 100, "GPU-1": 101, "GPU-2": 99})
        self.assertAlmostEqual(learned["mad"], 1)
        self.assertNotIn("own_mad", learned)

    def test_results_of_one_rank_and_of_many_meet(self):
        _, made, _ = self.learned(of_ranks([1 / 100, 1 / 104]), document(case(1 / 102), uuid="GPU-0"))
        self.assertAlmostEqual(made["cases"][NAME]["devices"]["GPU-0"], 101)

    def test_without_a_uuid_host_and_rank_tell_devices_apart(self):
        for uuid in ("hidden", "GPU-hidden", ""):
            _, made, _ = self.learned(of_ranks([0.01, 0.01], uuid=uuid, host="node"))
            self.assertEqual(sorted(made["cases"][NAME]["devices"]), ["node:0", "node:1"])
        _, made, _ = self.learned(document(case(0.01), uuid="hidden"))
        self.assertEqual(list(made["cases"][NAME]["devices"]), ["n1:0"])

    def test_hidden_devices_count_without_a_past(self):
        _, made, _ = self.learned(*[document(case(1 / rate), uuid="hidden", host="hidden") for rate in (99, 100, 101)])
        learned = made["cases"][NAME]
        self.assertEqual(learned["devices"], {})
        self.assertAlmostEqual(learned["median"], 100)
        self.assertAlmostEqual(learned["mad"], 1)

    def test_slow_devices_are_dropped_until_none_is_left(self):
        draw = random.Random(1)
        seconds = [1 / (100 * (1 + draw.gauss(0, 0.005))) for _ in range(40)]
        slow = {3: 0.93, 17: 0.5, 30: 0.90}
        for rank, share in slow.items():
            seconds[rank] /= share
        status, made, said = self.learned(of_ranks(seconds))
        self.assertEqual(status, 0)
        devices = made["cases"][NAME]["devices"]
        self.assertEqual({f"GPU-{r}" for r in range(40)} - set(devices), {f"GPU-{r}" for r in slow})
        self.assertIn("dropped 0 results and 3 devices of 40 results", said)

    def test_what_hides_behind_another_is_dropped_in_a_later_round(self):
        # Of 23 ranks 9 are so slow that the spread of all hides one at -6 %; without the 9 it stands out.
        rates = [100 + 0.3 * i for i in range(-6, 7)] + [94.0] + [60.0] * 9
        center, deviation = tool.middle(rates)
        self.assertFalse(tool.is_slow(94.0, center, deviation, 3))
        _, made, _ = self.learned(of_ranks([1 / rate for rate in rates]))
        self.assertEqual(len(made["cases"][NAME]["devices"]), 13)

    def test_a_disturbed_result_of_a_healthy_device_is_dropped_alone(self):
        rates = [100, 100.1, 99.9, 100.2, 80]
        _, made, said = self.learned(*[document(case(1 / rate)) for rate in rates])
        self.assertAlmostEqual(made["cases"][NAME]["devices"]["GPU-1"], 100.05)
        self.assertIn("dropped 1 results and 0 devices", said)

    def test_cases_that_did_not_pass_have_no_figure(self):
        failed = {**case(1.0), "outcome": "FAILED"}
        status, made, said = self.learned(document(failed))
        self.assertEqual((status, made), (2, None))
        self.assertIn("no case that passed", said)

    def test_devices_of_two_kinds_are_refused(self):
        status, made, said = self.learned(document(case(1.0)), document(case(2.0), uuid="GPU-2", device="NVIDIA A100"))
        self.assertEqual((status, made), (2, None))
        self.assertIn("NVIDIA A100, NVIDIA H200", said)

    def test_bad_documents_are_refused_with_their_name(self):
        good = of_ranks([1.0, 1.0])
        for change in ({"ranks": [{"host": "n1"}]}, {"ranks": 3}, {"schema": 1}):
            status, made, said = self.learned({**good, **change})
            self.assertEqual((status, made), (2, None))
            self.assertIn("0.json", said)
        for seconds in ([0.0, 1.0], ["x", 1.0], [True, 1.0], [-1.0, 1.0]):
            status, made, said = self.learned(of_ranks(seconds))
            self.assertEqual((status, made), (2, None))
            self.assertIn("no time", said)
        self.assertEqual(self.learned("{")[0], 2)
        self.assertEqual(self.learned(self.folder / "missing.json")[0], 2)

    def test_a_reference_document(self):
        path = REFERENCE / "epyc-2cores.json"
        status, made, _ = self.learned(path)
        self.assertEqual(status, 0)
        results = json.loads(path.read_text())["results"]
        medians = {r["name"]: r["time"]["median"] for r in results if r["outcome"] == "passed"}
        self.assertEqual(set(made["cases"]), set(medians))
        for name, learned in made["cases"].items():
            self.assertAlmostEqual(learned["median"] * medians[name], 1)


if __name__ == "__main__":
    unittest.main()
