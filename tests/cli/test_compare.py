# SPDX-License-Identifier: BSD-3-Clause
"""tilestride compare: its words, its exit codes, and what it says of documents that are none."""

import copy
import json
import os
import random
import re
import resource
import statistics
import subprocess
import time
import unicodedata

from tilestride import PROGRAM, SOURCE, CommandLine

ON_DEVICE, ON_HOST = (
    json.loads((SOURCE / "reference" / name).read_text()) for name in ("nvidia-h200.json", "epyc-2cores.json")
)
REFERENCE = {  # of two programs, without the seal
    **{key: value for key, value in ON_DEVICE.items() if key not in ("results", "seal")},
    "programs": {**ON_HOST["programs"], **ON_DEVICE["programs"]},
    "results": [case for case in ON_DEVICE["results"] if case["space"] == "cuda"]
    + [case for case in ON_HOST["results"] if case["space"] == "openmp"],
}
PASSED = [case for case in REFERENCE["results"] if case["outcome"] == "passed"]
NAMES = [case["name"] for case in PASSED]
ON_GPU = next(name for name in NAMES if "/cuda/" in name)
STATUS = re.compile(
    r"COMPARE STATUS: (PASS|FAIL|NOTHING TO COMPARE) faster=(\d+) slower=(\d+) same=(\d+) unclear=(\d+)"
    r" not_comparable=(\d+) missing=(\d+) new=(\d+)(?:: (.+))?"
)


def scale(case, factor):
    """Makes a case that passed take so much longer."""
    case["samples"] = [sample * factor for sample in case["samples"]]
    case["time"] = {
        key: value if key == "count" else value * factor for key, value in case["time"].items() if key != "median"
    }
    case["time"]["median"] = statistics.median(case["samples"])


def run(seed, factors=None, noise=0.001, cases=None):
    """A run of the reference: every case with noise of its own, some of them `factors` times as slow."""
    document = copy.deepcopy(REFERENCE)
    document["started"] = f"2026-01-01T00:00:{seed:02}Z"
    if cases is not None:
        document["results"] = [case for case in document["results"] if case["outcome"] == "passed"][:cases]
    draw = random.Random(seed)
    for case in document["results"]:
        if case["outcome"] == "passed":
            scale(case, draw.lognormvariate(0, noise) * (factors or {}).get(case["name"], 1))
    return document


def small(seed):
    """The few cases and samples that a mutation is soon done with."""
    document = run(seed, cases=12)
    for case in document["results"]:
        case["samples"] = case["samples"][:5]
        case.pop("yardsticks", None)
        scale(case, 1)
    return document


def case_of(document, name):
    return next(case for case in document["results"] if case["name"] == name)


class Compare(CommandLine):
    def write(self, name, document):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return name

    def runs(self, side, count, factors=None):
        first = {"mine": 10, "theirs": 20}[side]
        return [self.write(f"{side}{n}.json", run(first + n, factors)) for n in range(count)]

    def compare(self, mine, theirs, *options):
        """What it printed, and its last line in parts."""
        done = self.call("compare", *mine, "--to", *theirs, *options)
        self.assertEqual(done.stderr, "")
        status = STATUS.fullmatch(done.stdout.splitlines()[-1])
        self.assertTrue(status, done.stdout)
        word, *numbers, reason = status.groups()
        keys = ("faster", "slower", "same", "unclear", "not_comparable", "missing", "new")
        self.counts = dict(zip(keys, map(int, numbers)))
        self.word, self.reason = word, reason
        return done

    def lines(self, done, first_word):
        return [line for line in done.stdout.splitlines() if line.startswith(f"  {first_word} ")]

    def refused(self, mine, theirs, *says):
        done = self.call("compare", *mine, "--to", *theirs)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        for words in says:
            self.assertIn(words, done.stderr)
        return done

    # ---- verdicts and exit codes

    def test_a_run_with_itself(self):
        path = self.write("a.json", REFERENCE)
        done = self.compare([path], [path])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.counts, {**dict.fromkeys(self.counts, 0), "same": len(NAMES)})
        self.assertEqual((self.word, self.reason), ("PASS", None))
        self.assertIn("machine, build, environment and deck are the same", done.stdout)
        self.assertIn(f"mine    a.json  {REFERENCE['started']}  {len(REFERENCE['results'])} cases", done.stdout)
        for pattern in ("stream", "transpose", "matmul"):
            count = sum(name.startswith(pattern) for name in NAMES)
            self.assertRegex(done.stdout, rf"  {pattern} +1\.000  {count} cases")

    def test_the_folder_of_a_run(self):
        (self.folder / "run").mkdir()
        self.write("run/result.json", REFERENCE)
        self.assertEqual(self.compare(["run"], ["run/"]).returncode, 0)
        self.assertEqual(self.counts["same"], len(NAMES))

    def test_runs_of_one_build(self):
        for mine, theirs in ((1, 1), (2, 1), (2, 2), (3, 3)):
            with self.subTest((mine, theirs)):
                done = self.compare(self.runs("mine", mine), self.runs("theirs", theirs))
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual((self.counts["faster"], self.counts["slower"]), (0, 0))

    def test_a_slower_case_in_several_runs(self):
        for mine, theirs in ((2, 1), (1, 2), (2, 2), (3, 3)):
            with self.subTest((mine, theirs)):
                done = self.compare(self.runs("mine", mine, {NAMES[7]: 1.25}), self.runs("theirs", theirs))
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertEqual((self.word, self.counts["slower"], self.counts["faster"]), ("FAIL", 1, 0))
                self.assertEqual(self.reason, "1 certainly below 1")
                (line,) = self.lines(done, "slower")
                self.assertIn(NAMES[7], line)
                self.assertRegex(line, r" 0\.(79|80)\d  \[0\.\d{3}, 0\.\d{3}\]")
                self.assertNotIn("one run a side", done.stdout)

    def test_a_faster_case(self):
        done = self.compare(self.runs("mine", 2, {NAMES[7]: 0.8}), self.runs("theirs", 2))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual((self.word, self.counts["slower"], self.counts["faster"]), ("PASS", 0, 1))
        self.assertIn(NAMES[7], self.lines(done, "faster")[0])

    def test_one_run_a_side_fails_no_gate(self):
        for options in ((), ("--fail-below", "0.95"), ("--fail-below", "1")):
            done = self.compare(self.runs("mine", 1, {NAMES[7]: 2}), self.runs("theirs", 1), *options)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual((self.word, self.counts["slower"]), ("PASS", 1))
            self.assertIn("one run a side", done.stdout)

    def test_the_limit_of_a_gate(self):
        mine, theirs = self.runs("mine", 3, {NAMES[7]: 1 / 0.97}), self.runs("theirs", 3)
        self.assertEqual(self.compare(mine, theirs).returncode, 3)
        self.assertEqual(self.compare(mine, theirs, "--fail-below", "0.95").returncode, 0)
        self.assertEqual(self.counts["slower"], 1)
        mine = self.runs("mine", 3, {NAMES[7]: 1 / 0.9, NAMES[8]: 1 / 0.97})
        self.assertEqual(self.compare(mine, theirs, "--fail-below", "0.95").returncode, 3)
        self.assertEqual((self.reason, self.counts["slower"]), ("1 certainly below 0.95", 2))

    def test_what_is_of_no_interest(self):
        mine, theirs = self.runs("mine", 3, {NAMES[7]: 1.03}), self.runs("theirs", 3)
        self.assertEqual(self.compare(mine, theirs, "--same-within", "5").returncode, 0)
        self.assertEqual((self.counts["slower"], self.counts["same"]), (0, len(NAMES)))
        self.assertIn("same: within 5.0 %", self.compare(mine, theirs, "--same-within", "5").stdout)

    def test_all_cases(self):
        mine, theirs = self.runs("mine", 2), self.runs("theirs", 2)
        few, everything = self.compare(mine, theirs), self.compare(mine, theirs, "--all")
        self.assertEqual(sum(name in few.stdout for name in NAMES), min(self.counts["unclear"], 10))
        self.assertEqual([name for name in NAMES if f"  {name}" not in everything.stdout], [])
        self.assertEqual(few.stdout.splitlines()[-1], everything.stdout.splitlines()[-1])
        many = self.compare(self.runs("mine", 2, dict.fromkeys(NAMES[:15], 0.5)), theirs)
        self.assertEqual(len(self.lines(many, "faster")), 11)
        self.assertIn("5 more; --all shows them", self.lines(many, "faster")[-1])
        many = self.compare(self.runs("mine", 2, dict.fromkeys(NAMES[:15], 2)), theirs)
        self.assertEqual(len(self.lines(many, "slower")), 15)  # never cut short

    def test_missing_and_new_cases(self):
        whole, less = self.runs("theirs", 2), []
        for n in range(2):
            document = run(n)
            document["results"] = [case for case in document["results"] if case["name"] not in NAMES[:2]]
            less.append(self.write(f"less{n}.json", document))
        done = self.compare(less, whole)
        self.assertEqual((done.returncode, self.counts["missing"], self.counts["new"]), (0, 2, 0))
        self.assertIn(f"in theirs alone: 2\n  {NAMES[0]}\n  {NAMES[1]}\n", done.stdout)
        self.assertEqual(self.compare(less, whole, "--fail-below", "0.95").returncode, 3)
        self.assertEqual(self.reason, "2 of theirs cannot be compared")
        done = self.compare(whole, less, "--fail-below", "0.95")
        self.assertEqual((done.returncode, self.counts["missing"], self.counts["new"]), (0, 0, 2))
        self.assertIn("in mine alone: 2\n", done.stdout)

    def test_a_case_that_went_wrong(self):
        for outcome in ("FAILED", "error"):
            document = run(1)
            case = case_of(document, NAMES[3])
            case.update(outcome=outcome, reason="3 elements are wrong")
            for key in ("samples", "time", "work"):
                del case[key]
            wrong = self.write("wrong.json", document)
            for mine in ([wrong], [wrong, *self.runs("mine", 2)]):
                done = self.compare(mine, self.runs("theirs", 1))
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertEqual((self.word, self.reason), ("FAIL", "1 went wrong in mine"))
                (line,) = self.lines(done, "not comparable")
                self.assertIn(f"{NAMES[3]}; {outcome}: 3 elements are wrong", line)
            self.assertEqual(self.compare(self.runs("mine", 1), [wrong]).returncode, 0)
            self.assertEqual(self.counts["new"], 1)

    def test_clocks_that_differ(self):
        def at(clock, seed, factor):
            document = run(seed, {ON_GPU: factor})
            for when in ("device_before", "device_after"):
                case_of(document, ON_GPU)[when] = {"SM clock": f"{clock} MHz"}
            return self.write(f"{seed}.json", document)

        mine = [at(1833, seed, 1.08) for seed in (1, 2)]
        theirs = [at(1980, seed, 1) for seed in (3, 4)]
        done = self.compare(mine, theirs)
        self.assertEqual((done.returncode, self.counts["slower"], self.counts["not_comparable"]), (0, 0, 1))
        (line,) = self.lines(done, "not comparable")
        self.assertIn("clocks differ by 7 %", line)
        self.assertRegex(line, r"; in cycles (1\.00|0\.99)\d; ")
        self.assertEqual(self.compare(mine, theirs, "--fail-below", "0.95").returncode, 3)
        self.assertEqual(self.reason, "1 of theirs cannot be compared")

    def test_another_device(self):
        documents = [run(1), run(2)]
        documents[0]["programs"]["tilestride-cuda"]["spaces"]["cuda: device"] = "NVIDIA B200"
        for case in documents[0]["results"]:
            if case["space"] == "cuda" and case["outcome"] == "passed":
                for name in ("copy", "read", "fma"):
                    case["ceilings"][name] *= 2
        mine, theirs = (self.write(f"{n}.json", document) for n, document in enumerate(documents))
        done = self.compare([mine], [theirs], "--all")
        self.assertIn("tilestride-cuda: cuda: device: NVIDIA B200, theirs NVIDIA H200", done.stdout)
        self.assertRegex(done.stdout, rf"  0\.(49|50)\d .*{re.escape(ON_GPU)}; shares of the ceiling")
        self.assertNotIn("shares of the ceiling", "".join(x for x in done.stdout.splitlines() if "/openmp/" in x))

    def test_facts_that_differ(self):
        documents = [run(seed) for seed in range(4)]
        for number, document in enumerate(documents):
            document["programs"]["tilestride"]["build"]["compiler"] = "GNU 14" if number < 2 else "GNU 13"
            document["environment"]["OMP_PROC_BIND"] = ("close", "spread")[number % 2]
        documents[0]["deck"] = documents[1]["deck"] = REFERENCE["deck"].replace("min_samples = 10", "min_samples = 20")
        paths = [self.write(f"{number}.json", document) for number, document in enumerate(documents)]
        done = self.compare(paths[:2], paths[2:])
        self.assertIn("  tilestride: compiler: GNU 14, theirs GNU 13\n", done.stdout)
        self.assertIn("  OMP_PROC_BIND: differs between runs of a side: close | spread\n", done.stdout)
        self.assertIn("  deck: not the same\n", done.stdout)
        documents[0]["deck"] = documents[1]["deck"] = REFERENCE["deck"].replace("inputs/quick.toml", "elsewhere.toml")
        paths = [self.write(f"{number}.json", document) for number, document in enumerate(documents)]
        self.assertNotIn("deck: not the same", self.compare(paths[:2], paths[2:]).stdout)  # comments are no facts

    def test_nothing_to_compare(self):
        empty = self.write("empty.json", {**REFERENCE, "results": []})
        other = copy.deepcopy(REFERENCE)
        for case in other["results"]:
            case["name"] += "/other"
        for mine, missing, new in ((empty, len(NAMES), 0), (self.write("other.json", other), len(NAMES), len(NAMES))):
            done = self.compare([mine], [self.write("good.json", REFERENCE)])
            self.assertEqual((done.returncode, self.word), (2, "NOTHING TO COMPARE"))
            self.assertEqual((self.counts["missing"], self.counts["new"]), (missing, new))

    # ---- what is refused

    def test_arguments(self):
        good = self.write("good.json", REFERENCE)
        for arguments in (
            (),
            (good,),
            ("--to", good),
            (good, "--to"),
            (good, "--to", good, "--fail-below", "1.5"),
            (good, "--to", good, "--fail-below", "0"),
            (good, "--to", good, "--fail-below", "nan"),
            (good, "--to", good, "--same-within", "nan"),
            (good, "--to", good, "--same-within", "-1"),
            (good, "--to", good, "--same-within", "some"),
        ):
            with self.subTest(arguments):
                done = self.call("compare", *arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertEqual(done.stdout, "")

    def test_one_run_given_twice(self):
        one, copied = self.write("one.json", REFERENCE), self.write("copied.json", REFERENCE)
        for twice in ([one, one], [one, copied]):
            self.refused(twice, self.runs("theirs", 1), twice[0], twice[1], "are one run")
            self.refused(self.runs("mine", 1), twice, "are one run")

    def test_files_that_are_no_result_documents(self):
        def changed(change):
            document = copy.deepcopy(REFERENCE)
            change(document, case_of(document, NAMES[0]))
            return document

        def nested(depth):
            return {"a": depth * [] or nested(depth - 1)} if depth else 1

        text = json.dumps(REFERENCE)
        bad = {
            "nothing.json": ("", "is no whole JSON"),
            "cut.json": (text[: len(text) // 2], "is no whole JSON"),
            "words.json": ("These are words.", "is no whole JSON"),
            "number.json": ("1", "is no result document"),
            "list.json": ("[]", "is no result document"),
            "other.json": ('{"results": []}', "is no result document"),
            "no results.json": (changed(lambda d, c: d.pop("results")), "is no result document"),
            "schema 1.json": (changed(lambda d, c: d.update(schema=1)), "is of schema 1"),
            "schema text.json": (changed(lambda d, c: d.update(schema="2")), "is no result document"),
            "no programs.json": (changed(lambda d, c: d.pop("programs")), "is no result document"),
            "results text.json": (changed(lambda d, c: d.update(results="all")), "is no result document"),
            "case text.json": (changed(lambda d, c: d["results"].append("all")), "is no result document"),
            "twice.json": (changed(lambda d, c: d["results"].append(c)), f"has {NAMES[0]} twice"),
            "median.json": (changed(lambda d, c: c["time"].update(median=1e-9)), "the file was edited"),
            "no median.json": (changed(lambda d, c: c["time"].pop("median")), "is no result document"),
            "name number.json": (changed(lambda d, c: c.update(name=7)), "is no result document"),
            "no name.json": (changed(lambda d, c: c.pop("name")), "is no result document"),
            "no work.json": (changed(lambda d, c: c.pop("work")), "is no result document"),
            "negative work.json": (changed(lambda d, c: c["work"].update(bytes=-1)), "no valid samples or work"),
            "no samples.json": (changed(lambda d, c: c.update(samples=[])), "no valid samples or work"),
            "text samples.json": (changed(lambda d, c: c.update(samples=["1"])), "is no result document"),
            "zero samples.json": (changed(lambda d, c: scale(c, 0)), "no valid samples or work"),
            "negative samples.json": (changed(lambda d, c: scale(c, -1)), "no valid samples or work"),
            "tiny samples.json": (changed(lambda d, c: scale(c, 1e-316)), "no valid samples or work"),
            "huge samples.json": (changed(lambda d, c: c.update(samples=[1e308, 1.7e308])), "no valid samples or work"),
            "deep.json": (100000 * '{"a":[' + 100000 * "]}", "nested too deeply"),
            "deep fact.json": (text.replace('"hidden"', 100000 * "[" + 100000 * "]"), "nested too deeply"),
        }
        good = self.write("good.json", REFERENCE)
        for name, (document, says) in bad.items():
            with self.subTest(name):
                self.write(name, document)
                self.refused([name], [good], name, says)
                self.refused([good], [name], name, says)
        (self.folder / "folder").mkdir()
        for name in ("folder", "missing.json"):
            self.refused([name], [good], name, "cannot be opened")
        for device in ("/dev/null", "/dev/zero", "/proc/self/mem"):
            self.refused([good], [device], device)
        self.refused([*bad], ["missing.json", good, "folder"], "missing.json", "folder", *bad)  # all are told

    def test_what_is_printed_steers_no_terminal(self):
        wild = "wild\x1b[31m\nCOMPARE STATUS: PASS \x9b\r"
        documents = [run(seed, {NAMES[0]: 2, NAMES[1]: 0.5}) for seed in range(3)] + [run(3)]
        for number, document in enumerate(documents):
            document["started"] += wild
            document["machine"][f"a fact {wild}"] = f"{number} {wild}".replace("\n", "")
            document["environment"]["VARIABLE"] = f"{number} {wild}"
            for case in document["results"]:
                case["name"] += wild
                case["pattern"] += wild
        del documents[0]["results"][3]
        for case, name in zip(documents[0]["results"][-2:], NAMES[4:6]):
            case.update(name=f"{name}{wild}", outcome="FAILED", reason=wild)
        documents[0]["results"] = [
            case for case in documents[0]["results"] if case["outcome"] == "FAILED" or NAMES[4] not in case["name"]
        ]
        names = {case["name"]: case for case in documents[0]["results"]}
        documents[0]["results"] = list(names.values())
        paths = [self.write(f"{number}.json", document) for number, document in enumerate(documents)]
        os.rename(self.folder / paths[1], self.folder / f"{wild}.json".replace("/", ""))
        paths[1] = f"{wild}.json"
        done = self.call("compare", *paths[:2], "--to", *paths[2:], "--all")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.no_control(done.stdout)
        self.assertEqual(done.stdout.count("\nCOMPARE STATUS"), 1)
        for document in (f'{{"{wild}', json.dumps({**REFERENCE, "results": [{"name": wild}]})):
            paths[1] = self.write(f"{wild}.json", document)
            self.no_control(self.refused([paths[1]], [paths[0]], "wild\\x1b").stderr)

    def no_control(self, text):
        self.assertEqual([c for c in text if c != "\n" and unicodedata.category(c) == "Cc"], [])
        self.assertNotIn("\nwild", text)

    def test_documents_with_mutations(self):
        """Whatever the file holds: an answer or a refusal."""
        draw = random.Random(1)
        values = (None, True, -1, 0, 1, 2**63, -(2**63), 1e308, 5e-324, 1e-300, "", "\x1b[31m", 5000 * "x", [], {})
        values += ([[[]]], [1, "a"], {"name": 1}, [None], "passed", "FAILED", "GFLOP/s", "ns", "inf MHz", "cuda")
        good = self.write("good.json", small(1))
        text = json.dumps(small(2)).encode()

        def bytes_changed():
            data = bytearray(text)
            for _ in range(draw.choice((1, 1, 3, 30))):
                at = draw.randrange(len(data))
                data[at : at + draw.choice((0, 1, 1, 5))] = draw.randbytes(draw.choice((0, 1, 1, 4)))
            return bytes(data[: draw.randrange(len(data))] if draw.random() < 0.1 else data)

        def values_changed():
            document = json.loads(text)
            for _ in range(draw.choice((1, 1, 2, 5))):
                at = document
                while True:
                    key = draw.choice(range(len(at)) if isinstance(at, list) else [*at])
                    if not isinstance(at[key], (list, dict)) or not at[key] or draw.random() < 0.15:
                        break
                    at = at[key]
                if draw.random() < 0.3:
                    del at[key]
                else:
                    at[key] = draw.choice(values)
                if not document:
                    break
            return json.dumps(document).encode()

        codes = {}
        for number in range(500):
            data = draw.choice((bytes_changed, values_changed))()
            (self.folder / "bad.json").write_bytes(data)
            paths = draw.choice(
                (("bad.json", "--to", good), (good, "--to", "bad.json"), (good, "bad.json", "--to", good))
            )
            done = self.call("compare", *paths, "--all")
            codes[done.returncode] = codes.get(done.returncode, 0) + 1
            message = f"mutation {number}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]} {data!r}"
            self.assertIn(done.returncode, (0, 2, 3), message)
            self.assertEqual(
                STATUS.fullmatch(([""] + done.stdout.splitlines())[-1]) is None, bool(done.stderr), message
            )
            self.assertNotIn("nan", done.stdout, message)
        print(f"exit codes of 500 mutations: {codes}")
        self.assertEqual(set(codes) >= {0, 2}, True, codes)

    # ---- many cases

    def test_ten_thousand_cases(self):
        draw = random.Random(1)
        head = json.dumps({**REFERENCE, "results": []})
        for name in ("mine.json", "theirs.json"):  # case by case: this process must stay smaller than that one
            with (self.folder / name).open("w") as file:
                file.write(head[: head.rindex("[")] + "[")
                for number in range(10000):
                    case = copy.deepcopy(PASSED[number % len(PASSED)])
                    scale(case, draw.lognormvariate(0, 0.001))
                    file.write(("," if number else "") + json.dumps({**case, "name": f"{case['name']}/copy={number}"}))
                file.write("]}")
        quarantine = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=16"
        start = time.monotonic()
        done = subprocess.run(
            [PROGRAM, "compare", "mine.json", "--to", "theirs.json"],
            check=False,
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "ASAN_OPTIONS": quarantine},
        )
        seconds = time.monotonic() - start
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"10,000 cases: {seconds:.1f} s, {megabytes:.0f} MB")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = map(int, STATUS.fullmatch(done.stdout.splitlines()[-1]).groups()[1:-1])
        self.assertEqual(sum(numbers), 10000)
        self.assertLess(megabytes, 500)
