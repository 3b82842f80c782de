# SPDX-License-Identifier: BSD-3-Clause
"""The page of tools/report.py without a browser: what is refused, what the data of a page hold, how large it is."""

import base64
import copy
import hashlib
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from report import case as cases_module
from report import columns, documents, model, older, page, portability, ranks, samples, sweeps

REFERENCES = [p for p in sorted((ROOT / "reference").glob("*.json")) if "results" in json.loads(p.read_text())]


def case(variant="flat", seconds=1.0, space="openmp", outcome="passed", pattern="stream", keys=None, **more):
    """A case as a document has it; its problem is made of all keys but those in `own`."""
    keys, own = keys or {}, more.pop("own", ())
    made = {"pattern": pattern, "variant": variant, "space": space, "type": "f32", "keys": keys, "outcome": outcome}
    tail = [f"{k}={v}" for k, v in keys.items()]
    made["name"] = "/".join([pattern, variant, space, "f32", *tail])
    made["problem"] = "/".join([pattern, space, "f32", *(f"{k}={v}" for k, v in keys.items() if k not in own)])
    made["role"] = more.pop("role", "portable")
    if outcome == "passed":
        made["figure"] = "GB/s"
        made["time"] = {"median": seconds, "low": seconds, "high": seconds, "count": 1}
        made["rate"] = 8e9 / seconds
        made["work"] = {"bytes": 8e9, "flops": 0.0, "operations": 0.0}
        made["ceilings"] = {"copy": more.pop("copy", 16e9), "fma": 0.0, "read": 0.0}
        made["samples"] = [seconds]
    return {**made, **more}


def document(*cases, **more):
    base = {"schema": 2, "title": "made up", "status": "RUN STATUS: PASS", "machine": {"cpu": "a CPU"}, "programs": {}}
    return {**base, "results": list(cases), **more}


def cases_of(*docs):
    """The cases as model.py sees them."""
    platforms = {}
    made = []
    for number, doc in enumerate(docs):
        for c in doc["results"]:
            platform = platforms.setdefault((number, c["space"]), len(platforms))
            made.append(cases_module.Case(len(made), platform, c))
    return made


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def run_tool(self, *files):
        command = [sys.executable, "-B", ROOT / "tools/report.py", *files, "-o", self.folder / "out"]
        return subprocess.run(command, capture_output=True, text=True, check=False)


class Energy(unittest.TestCase):
    def test_is_among_the_details_of_a_case(self):
        (shown,) = cases_of(document(case(energy={"joules": 0.5, "watts": 250.0, "seconds": 2.5})))
        details = dict(cases_module.details(shown))
        self.assertEqual(details["energy of a call"], "0.5 J")
        self.assertEqual(details["mean power"], "250 W")
        self.assertEqual(details["work for a joule"], "16 GB")  # 8 GB a call
        (without,) = cases_of(document(case()))
        self.assertNotIn("mean power", dict(cases_module.details(without)))

    def test_must_be_numbers(self):
        for wrong in ({}, {"joules": 0, "watts": 1}, {"joules": "1", "watts": 1}, {"joules": 1, "watts": None}):
            with self.assertRaises(documents.BadDocument):
                documents.check(document(case(energy=wrong)))


class Ranks(unittest.TestCase):
    SECONDS = (1.0, 1.02, 1.25, 1.01)
    PLACES = tuple({"rank": r, "host": f"nid{r // 2}", "uuid": f"GPU-{r}", "cpus": "0"} for r in range(4))
    COMPARED = types.MappingProxyType({"deficit": 0.188, "z": -9.0, "compared_with": "the other ranks"})
    SLOW = types.MappingProxyType({"rank": 2, "action": "replace", "case": "stream/flat", **COMPARED})

    def of_ranks(self, **more):
        of_ranks = {"seconds": list(self.SECONDS), "together": 3e10, "slowest_device": {"SM clock": "900 MHz"}}
        measured = case(ranks=of_ranks)
        return document(measured, case("wrong", outcome="error", reason="rank 1 (nid0) of 4: it broke"),
                        **{"ranks": list(self.PLACES), "slow_ranks": [dict(self.SLOW)], **more})  # fmt: skip

    def test_the_head_counts_them_and_names_the_slow_ones(self):
        self.assertEqual(ranks.sentences(document(case())), [])
        self.assertEqual(ranks.sentences(self.of_ranks()), [
            "4 ranks on 2 hosts; slow ones: 1",
            "rank 2 (nid1, GPU-2): replace: 18.8 % below the other ranks in stream/flat"])  # fmt: skip
        self.assertEqual(ranks.sentences(self.of_ranks(slow_ranks=[])), ["4 ranks on 2 hosts; slow ones: none"])
        self.assertIn("4 ranks on 2 hosts; slow ones: 1", model.document_data("x", self.of_ranks())["findings"])

    def test_the_head_names_slow_messages_and_their_host(self):
        pairs = [{"from": 0, "to": 2, "deficit": 0.05, "case": "a"}, {"from": 3, "to": 1, "deficit": 0.2, "case": "b"}]
        for hosts, words in (
            (["nid1"], "all leave or reach nid1"),
            (["nid0", "nid1"], "all leave or reach nid0 or nid1"),
            ([], "no host is common to all"),
        ):
            doc = self.of_ranks(slow_ranks=[], slow_messages={"hosts": hosts, "pairs": pairs})
            documents.check(doc)
            said = f"slow messages: 0->2, 3->1: up to 20.0 % below those of other pairs in b; {words}"
            self.assertEqual(ranks.sentences(doc)[1:], [said])

    def test_the_slowest_is_among_the_details_of_a_case(self):
        doc = self.of_ranks()
        details = dict(cases_module.details(cases_module.Case(0, 0, doc["results"][0], ranks.titles(doc))))
        # the median of all is 1.015 s, 18.8 % below 1.25 s
        self.assertEqual(details["slowest of its ranks"], "rank 2 (nid1, GPU-2): 18.8 % below the median of all")
        self.assertEqual(details["device of the slowest rank"], "SM clock 900 MHz")
        self.assertEqual(details["all ranks together"], "30 GB/s")
        (alone,) = cases_of(document(case()))
        self.assertNotIn("slowest of its ranks", dict(cases_module.details(alone)))

    def test_all_times_are_in_the_page_and_of_many_ranks_quantiles(self):
        column = model.build([("x", self.of_ranks())])["columns"]["ranks"]
        count, middle, fastest, slowest, strip = column[0]
        self.assertEqual((count, middle), (4, 1.015e9))
        self.assertAlmostEqual(1.015 * (1 + fastest / 1e6), 1.0, places=5)
        self.assertAlmostEqual(1.015 * (1 + slowest / 1e6), 1.25, places=5)
        seen = Samples.decode(strip, 1.0, 1.25)
        for a, b in zip(seen, self.SECONDS, strict=True):
            self.assertAlmostEqual(a, b, delta=1e-4)
        self.assertIsNone(column[1])
        self.assertNotIn("ranks", model.build([("x", document(case()))])["columns"])
        many = document(case(ranks={"seconds": [1 + r / 1000 for r in range(1000)], "together": 1.0}))
        count, *_, strip = model.build([("x", many)])["columns"]["ranks"][0]
        self.assertEqual((count, len(strip)), (1000, 2 * ranks.MOST_SHOWN))

    def test_wrong_ones_are_refused(self):
        for wrong in ({"ranks": [{"rank": "0"}]}, {"ranks": {}}, {"slow_ranks": [{**self.SLOW, "deficit": "much"}]},
                      {"slow_ranks": [{**self.SLOW, "rank": -1}]}, {"slow_messages": {"hosts": [], "pairs": []}},
                      {"slow_messages": {"hosts": [1], "pairs": [{}]}}):  # fmt: skip
            with self.subTest(wrong), self.assertRaises(documents.BadDocument):
                documents.check(self.of_ranks(**wrong))
        for wrong in (
            {},
            {"seconds": []},
            {"seconds": [1.0, 0]},
            {"seconds": [None]},
            {"seconds": [1.0], "together": ""},
        ):
            with self.subTest(wrong), self.assertRaises(documents.BadDocument):
                documents.check(document(case(ranks=wrong)))

    def test_a_slow_rank_without_a_place_is_named_by_its_number(self):
        self.assertIn("rank 2: replace", ranks.sentences(self.of_ranks(ranks=list(self.PLACES[:1])))[1])


class Quotes(unittest.TestCase):
    """What tutorials published, beside the same kernel."""

    LITERAL, BEST = "stream/native_literal/cuda/f32", "stream/flat/cuda/f32"

    def quoting(self, **more):
        quote = {"case": self.LITERAL, "published": 38.0, "unit": "GB/s", "device": "a GPU", "here": 380.0, **more}
        cases = (case("native_literal", 2.0, "cuda", role="native"), case("flat", 1.0, "cuda"))
        return document(*cases, published=[quote])

    def test_name_their_cases_by_number(self):
        data = model.build([("x", self.quoting(hardware=10.0, rewriting=2.0, best=self.BEST))])
        self.assertEqual(data["quotes"], [{"platform": 0, "case": 0, "then": 38, "unit": "GB/s", "device": "a GPU",
                                           "here": 380, "hardware": 10, "best": 1, "rewriting": 2}])  # fmt: skip

    def test_of_another_document_or_of_a_case_that_is_not_there_are_left_out(self):
        data = model.build([("x", document(case())), ("y", self.quoting(rewriting=2.0, best="gone"))])
        (quote,) = data["quotes"]
        self.assertEqual(quote["case"], 1)
        self.assertNotIn("rewriting", quote)
        self.assertEqual(model.build([("x", self.quoting(case="gone"))])["quotes"], [])
        self.assertEqual(model.build([("x", document(case()))])["quotes"], [])

    def test_must_be_of_their_types(self):
        for wrong in ({"published": "38"}, {"case": 1}, {"here": 0}, {"hardware": -1.0}, {"best": 3}, {"peak": 1}):
            with self.subTest(wrong), self.assertRaises(documents.BadDocument):
                documents.check(self.quoting(**wrong))


class BadInput(Folder):
    def refused(self, path, *words):
        done = self.run_tool(path)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in (path.name, *words):
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "out/report.html").exists())

    def test_what_is_no_document(self):
        whole = json.dumps(document(case())).encode()
        self.refused(self.folder / "absent.json", "cannot be read")
        self.refused(self.file("empty.json", b""), "no JSON, or not all of it")
        self.refused(self.file("cut.json", whole[: len(whole) // 2]), "not all of it", "column")
        self.refused(self.file("binary.json", b"\xff\xfe\x00\x01"), "no JSON")
        self.refused(self.file("deep.json", b"[" * 100_000), "no JSON")
        self.refused(self.file("nan.json", whole.replace(b"8000000000.0", b"NaN", 1)), "NaN")
        self.refused(self.file("list.json", []), "no result document")
        self.refused(self.file("other.json", {"schema": 1}), "schema 1", "schema 2")
        self.refused(self.file("text.json", {"schema": "2"}), "schema '2'")
        self.refused(self.file("bank.json", (ROOT / "reference/nvidia-h200-bank_model.json").read_bytes()), "no result")

    def test_documents_with_something_missing_or_of_another_type(self):
        for change in ("name", "pattern", "variant", "space", "type", "outcome", "figure", "time", "rate", "work",
                       "ceilings", "samples"):  # fmt: skip
            for broken in (None, []):
                bad = case()
                bad[change] = broken
                with self.subTest(change, broken=broken):
                    self.assertRaises(documents.BadDocument, documents.check, document(case(), bad))
        for bad in (case(outcome="fine"), case(samples=[0.0]), case(samples=[True]), case(keys=None) | {"keys": 7}):
            self.assertRaises(documents.BadDocument, documents.check, document(bad))
        for field in ("title", "status", "machine", "programs", "results"):
            self.assertRaises(documents.BadDocument, documents.check, document(case()) | {field: 7})
        self.assertRaises(documents.BadDocument, documents.check, document(case(), rules=[{"rule": "x"}]))

    def test_a_value_of_another_type_is_refused_or_harmless(self):
        """Anywhere in a document: no other exception than BadDocument."""
        original = json.loads((ROOT / "reference/epyc-2cores-speed_hosts.json").read_text())
        passed = [c for c in original["results"] if c["outcome"] == "passed"]
        original |= {"results": [passed[0], passed[-1]], "rules": original["rules"][:1], "deck": ""}
        original["programs"]["tilestride"]["spaces"].pop("Kokkos configuration")
        for c in original["results"]:
            c |= {"samples": c["samples"][:2], "yardsticks": {}, "predicted": {"p": 1.0}, "measured": {"m": 2.0}}
            c |= {"flags": ["noisy: 1 %"], "kernels": [{"name": "k", "blocks": 1, "threads": 2, "registers": 3}]}
            c |= {"device_before": {"power": "1 W"}, "reason": "", "twin": "x"}
        text = json.dumps(original)

        def paths(value, path=()):
            yield path
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, inner in items:
                yield from paths(inner, (*path, key))

        accepted = refused = 0
        for path in list(paths(original))[1:]:
            for value in (None, True, 7, -1.5, 0, "x", [], ["x"], {}, {"x": 1}):
                changed = json.loads(text)
                parent = changed
                for key in path[:-1]:
                    parent = parent[key]
                parent[path[-1]] = value
                try:
                    documents.check(changed)
                    page.embedded_json(model.build([("x", changed)]))
                    accepted += 1
                except documents.BadDocument:
                    refused += 1
                except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                    self.fail(f"{path} = {value}: {error!r}")
        self.assertGreater(accepted, 500)
        self.assertGreater(refused, 500)

    def test_all_bad_files_are_named(self):
        bad = [self.file("a.json", b"{"), self.file("b.json", {"schema": 3})]
        done = self.run_tool(bad[0], self.file("good.json", document(case())), bad[1])
        self.assertEqual(done.returncode, 2)
        self.assertEqual([line.split(":")[1].strip() for line in done.stderr.splitlines()], [str(p) for p in bad])

    def test_a_folder_that_cannot_be_written(self):
        self.file("out", b"a file")
        done = self.run_tool(self.file("good.json", document(case())))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)


class Safety(Folder):
    TEXT = "</script><script>alert(1)</script><!-- \u2028\u2029\u202e\u0000 & \" ' \ud800"

    def test_texts_of_a_document_cannot_become_markup(self):
        hostile = document(case(name=self.TEXT, variant=self.TEXT, outcome="FAILED", reason=self.TEXT), case())
        hostile |= {"title": self.TEXT, "deck": self.TEXT, "machine": {self.TEXT: self.TEXT}}
        done = self.run_tool(self.file("x.json", hostile), self.file("y.json", document(case())))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "out/report.html").read_text()
        plain = page.render(model.build([("x.json", document(case())), ("y.json", document(case()))]))
        self.assertEqual(text.count("<script"), plain.count("<script"))
        self.assertEqual(text.count("</script"), plain.count("</script"))
        self.assertEqual(text.count("<!--"), plain.count("<!--"))
        embedded = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1]
        self.assertTrue(embedded.isascii())
        self.assertIn("\\u{202e}", json.loads(embedded)["documents"][0]["title"])

    def test_markers_of_the_template_in_a_document_stay_text(self):
        text = page.render(model.build([("x.json", document(case(), title="@SCRIPT@ @DATA@"))]))
        self.assertIn('"title":"@SCRIPT@ @DATA@"', text)

    def test_the_policy_allows_the_page_s_own_script_and_style_alone(self):
        text = page.render(model.build([("x.json", document(case()))]))
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)[1]
        for tag in ("script", "style"):
            body = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
        self.assertIn("default-src 'none'", policy)
        self.assertNotRegex(text, r"(?i)(src|href)\s*=\s*[\"'](https?:)?//")


class Model(unittest.TestCase):
    def test_the_best_solves_its_problem(self):
        cases = cases_of(document(
            case("bound", 1, role="bound"), case("rounded", 2, notes={"rounded to": "BF16"}), case("good", 3),
            case("slow", 4), case("wrong", 0.5, outcome="FAILED"), case("elsewhere", 9, space="serial")))  # fmt: skip
        model.mark_best(cases)
        self.assertEqual([c.variant for c in cases if c.is_best], ["good", "elsewhere"])

    def test_shares_and_models(self):
        (c,) = cases_of(document(case(seconds=2.0, model={"seconds": 1.0, "limiter": "copy"})))
        self.assertEqual((c.ceiling_name, c.share, c.modelled), ("copy", 0.25, 8e9))
        read = case(ceilings={"copy": 16e9, "read": 32e9, "fma": 1.0})
        (c,) = cases_of(document(read))
        self.assertEqual((c.ceiling_name, c.share), ("read", 0.25))
        (c,) = cases_of(document(case(figure="ns", work={"operations": 100}, rate=50.0)))
        self.assertEqual((c.ceiling_name, c.share), ("", None))

    def test_a_status_line_that_counts_other_cases_is_told(self):
        status = "RUN STATUS: PASS passed=2 failed=0 errors=0 skipped=0 not_run=0 rules_met=5"
        self.assertIn("holds 1 cases", model.mismatch(document(case(), status=status)))
        self.assertEqual(model.mismatch(document(case(), case(), status=status)), "")

    def test_flags_become_a_sentence_for_each_kind(self):
        flags = [["noisy: median known to 9.5 %"], ["noisy: median known to 10.1 %", "throttled: power cap"]]
        said = model.flag_sentences(document(*(case(flags=f) for f in flags)))
        self.assertEqual(len(said), 2)
        self.assertRegex(said[0], r"^2 cases .*noisy.*10\.1 %")
        self.assertRegex(said[1], r"^1 case .*throttled.*power cap")

    def test_every_case_of_the_reference_documents_is_in_the_page(self):
        for path in REFERENCES:
            with self.subTest(path.name):
                doc = documents.read(path)
                data = model.build([(path.name, doc)])
                column = data["columns"]
                self.assertEqual({len(values) for values in column.values()}, {len(doc["results"])})
                for i, c in enumerate(doc["results"]):
                    pattern, type_, _ = data["tasks"][column["task"][i]]
                    variant = data["variants"][column["variant"][i]][0]
                    space = data["platforms"][column["platform"][i]]["space"]
                    tail = [data["segments"][number] for number in data["tails"][column["tail"][i]]]
                    self.assertEqual("/".join([pattern, variant, space, type_, *tail]), c["name"])
                    if c["outcome"] == "passed":
                        self.assertAlmostEqual(column["time"][i] / 1e9 / c["time"]["median"], 1, delta=1e-4)


class Older(unittest.TestCase):
    """The problem, the role and the twin of documents that do not tell them."""

    def test_keys_that_some_variant_lacks_or_that_vary_within_a_session_are_its_own(self):
        self.assertEqual(older.own_keys([case(keys={"n": "1"}), case(keys={"n": "1", "tile": "8"})]), {"tile"})
        self.assertEqual(older.own_keys([case(keys={"n": n}) for n in "12"]), set())
        together = [case(keys={"n": "1", "block": b}, session="s") for b in "12"]
        self.assertEqual(older.own_keys(together), {"block"})

    def test_cases_sampled_together_are_one_problem(self):
        for path in REFERENCES:
            doc = documents.read(path)
            older.add_facts(doc)
            problems = {}
            for c in doc["results"]:
                if "session" in c:
                    problems.setdefault(c["session"], set()).add(c["problem"])
            with self.subTest(path.name):
                self.assertEqual([p for p in problems.values() if len(p) > 1], [])

    def test_the_best_of_a_problem_is_found_without_what_a_document_tells(self):
        doc = documents.read(ROOT / "reference/nvidia-h200.json")
        problems = [c["problem"] for c in doc["results"]]
        for c in doc["results"]:
            for told in ("problem", "role", "twin"):
                c.pop(told, None)
        data = model.build([("x", doc)])
        best = [columns.BEST & marks for marks in data["columns"]["marks"]]
        stars = {p: c["name"] for p, c, is_best in zip(problems, doc["results"], best) if is_best}
        self.assertIn("/blocked/", stars["transpose/cuda/f32/4096x4096"])  # and not the copy, which is faster
        self.assertIn("/native_tensor_3xtf32/", stars["matmul/cuda/f32/1024x1024x1024"])  # and not TF32

    def test_facts_that_a_document_tells_are_kept(self):
        doc = document(case("vendor", problem="as told", role="bound", twin="x"))
        older.add_facts(doc)
        self.assertEqual([doc["results"][0][k] for k in ("problem", "role", "twin")], ["as told", "bound", "x"])


class Portability(unittest.TestCase):
    def test_price_compares_twins_of_one_problem_and_the_same_own_keys(self):
        tiles = {"own": ("tile",)}
        cases = cases_of(document(
            case("tiled", 4, keys={"n": "1", "tile": "8"}, **tiles),
            case("tiled", 2, keys={"n": "1", "tile": "16"}, **tiles),
            case("native_tiled", 1, keys={"n": "1", "tile": "16"}, twin="tiled", role="native", **tiles),
            case("native_tiled", 1, keys={"n": "2", "tile": "16"}, twin="tiled", role="native", **tiles),
            case("tiled", 1, space="serial", keys={"n": "2", "tile": "16"}, **tiles)))  # fmt: skip
        (price,) = portability.price(cases)
        self.assertEqual((price["native"], price["portable"], price["ratios"]), ("native_tiled", "tiled", [(0.5, 1)]))

    def test_price_of_the_reference_is_that_of_the_page(self):
        """docs/price.md has medians over the cases, which tools/figures.py has computed from their names."""
        doc = documents.read(ROOT / "reference/nvidia-h200-seeds.json")
        prices = {(p["pattern"], p["native"], p["type"]): p for p in model.build([("x", doc)])["price"]}
        marked = re.compile(
            r"([0-9.]+)<!--nvidia-h200-seeds.json: "
            r"median (\w+)/(\w+)/cuda/(\w+)/\* time / \2/\w+/cuda/\4/\* time; .2f-->"
        )
        found = marked.findall((ROOT / "docs/price.md").read_text())
        self.assertGreaterEqual(len(found), 5)
        for printed, pattern, native, kind in found:
            with self.subTest(f"{pattern}/{native}"):
                self.assertAlmostEqual(prices[pattern, native, kind]["median"], float(printed), delta=0.0051)

    def test_pennycook(self):
        # Two platforms, one problem. Shares 0.5 and 0.25: 2 / (2 + 4) = 1/3. The best on the second is native.
        one = document(case("flat", 1.0, copy=16e9))
        two = document(case("flat", 2.0, copy=16e9), case("native", 1.0, role="native", copy=16e9))
        rows = {r["variant"]: r for r in portability.performance_portability(cases_of(one, two), [0, 1])}
        self.assertAlmostEqual(rows["flat"]["architecture"]["mean"], 1 / 3)
        self.assertEqual(rows["flat"]["application"]["each"], [1.0, 0.5])
        self.assertAlmostEqual(rows["flat"]["application"]["mean"], 2 / 3)
        self.assertEqual(rows["native"]["application"], {"each": [0.0, 1.0], "mean": 0.0})

    def test_pennycook_takes_problems_that_all_platforms_solved(self):
        one = document(case(keys={"n": "1"}), case(keys={"n": "2"}))
        two = document(case(keys={"n": "1"}), case(keys={"n": "2"}, outcome="skipped"))
        (row,) = portability.performance_portability(cases_of(one, two), [0, 1])
        self.assertEqual(row["problems"], 1)

    def test_pennycook_leaves_out_bounds_and_rounded_inputs_and_unknown_ceilings(self):
        docs = [document(case("flat", copy=0), case("bound", 0.1, role="bound"),
                         case("bf16", 0.1, notes={"rounded to": "BF16"})) for _ in "12"]  # fmt: skip
        (row,) = portability.performance_portability(cases_of(*docs), [0, 1])
        self.assertEqual((row["variant"], row["architecture"], row["application"]["mean"]), ("flat", None, 1.0))


class Sweeps(unittest.TestCase):
    def test_numbers(self):
        texts = {"7": 7, "16MiB": 2**24, "1GiB": 2**30, "50%": 50, "512x512x512": 512, "4096x32": None, "fit": None}
        self.assertEqual({text: sweeps.number_of(text) for text in texts}, texts)

    def test_one_key_varies_and_the_others_stay(self):
        made = [case(keys={"a": a, "b": b}) for a in ("1", "2", "4") for b in ("x", "y")]
        made += [case("native", keys={"a": a, "b": "x"}, role="native", twin="flat") for a in ("4", "1", "2")]
        made += [case("short", keys={"a": a, "b": "x"}) for a in ("1", "2")]
        charts = {c["fixed"]: c for c in sweeps.find(cases_of(document(*made)))}
        self.assertEqual(set(charts), {"b=x", "b=y"})
        lines = charts["b=x"]["panels"][0]["lines"]
        self.assertEqual([line["label"] for line in lines], ["flat", "native"])
        self.assertEqual([line["idea"] for line in lines], ["flat", "flat"])
        self.assertEqual(lines[1]["points"], [(1, 7), (2, 8), (4, 6)])

    def test_own_keys_stand_in_the_label(self):
        made = [case(keys={"n": n, "tile": t}, own=("tile",)) for n in "124" for t in "89"]
        (chart,) = sweeps.find(cases_of(document(*made)))
        self.assertEqual([line["label"] for line in chart["panels"][0]["lines"]], ["flat tile=8", "flat tile=9"])

    def test_many_lines_are_divided_by_their_own_keys(self):
        made = [case(keys={"n": n, "tile": t}, own=("tile",)) for n in "124" for t in "23456789"]
        made += [case("native", keys={"n": n}) for n in "124"]
        found = [chart for chart in sweeps.find(cases_of(document(*made))) if chart["key"] == "n"]
        charts = {chart["fixed"]: chart["panels"][0]["lines"] for chart in found}
        self.assertEqual(set(charts), {f"tile={t}" for t in "23456789"})
        for lines in charts.values():
            self.assertEqual([line["label"] for line in lines], ["flat", "native"])


class Samples(unittest.TestCase):
    @staticmethod
    def decode(text, low, high):
        steps = [samples.DIGITS.index(a) * 64 + samples.DIGITS.index(b) for a, b in zip(text[::2], text[1::2])]
        return [low + (high - low) * step / 4095 for step in steps]

    def test_order_and_values_survive(self):
        draw = random.Random(1)
        taken = [draw.lognormvariate(-7, 0.2) for _ in range(500)]
        self.assertEqual(len(set(taken)), 500)
        seen = self.decode(samples.encode(taken), min(taken), max(taken))
        for a, b in zip(seen, taken):
            self.assertAlmostEqual(a, b, delta=(max(taken) - min(taken)) / 8000)
        self.assertEqual(len(seen), 500)
        self.assertEqual(samples.encode([2.5, 2.5]), "AAAA")

    def test_quantiles_keep_the_ends(self):
        chosen = samples.quantiles(list(range(1000, 0, -1)), 11)
        self.assertEqual((chosen[0], chosen[-1], len(chosen)), (1, 1000, 11))
        self.assertEqual(chosen, sorted(chosen))


class Size(Folder):
    def test_ten_thousand_cases(self):
        """Names, samples, ceilings and times of their own; the limit is that of the whole page."""
        source = json.loads((ROOT / "reference/nvidia-h200-seeds.json").read_text())
        measured = [c for c in source["results"] if c["outcome"] == "passed"]
        draw = random.Random(7)
        results = []
        for number in range(10_000):
            c = copy.deepcopy(draw.choice(measured))
            factor = draw.uniform(0.9, 1.1)
            c["samples"] = [
                s * factor * draw.uniform(0.99, 1.01) for s in draw.choices(c["samples"], k=len(c["samples"]))
            ]
            for name in ("median", "low", "high"):
                c["time"][name] *= factor
            c["rate"] /= factor
            c["ceilings"]["copy"] = 4e12 * factor
            c["keys"]["run"] = str(number)
            c["name"] += f"/run={number}"
            results.append(c)
        done = self.run_tool(self.file("many.json", source | {"results": results}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual((self.folder / "out/report.html").stat().st_size, 2_500_000)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 500_000)  # in KiB, the largest child


if __name__ == "__main__":
    unittest.main()
