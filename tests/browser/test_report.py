# SPDX-License-Identifier: BSD-3-Clause
"""The page of tools/report.py in a real browser: what its DOM holds, what it loads, what keys do, how it looks. The
screenshots go to the folder that TILESTRIDE_SCREENSHOTS names (docs/images holds those of the reference documents)."""

import copy
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import chromium

ROOT = pathlib.Path(__file__).parents[2]
H200 = ROOT / "reference/nvidia-h200.json"
XEON = ROOT / "reference/xeon-cascadelake-2cores.json"
SPEED = ROOT / "reference/nvidia-h200-speed.json"
WINDOW = ROOT / "reference/nvidia-h200-l2_window.json"
LARGEST_SHOT = 400_000

HOSTILE = "</script><script>window.hostile = 1</script><img src=x onerror='window.hostile = 2'>\"'\u2028\u202ekoko"

# The texts that can be seen and have less contrast than 4.5 to what is behind them.
LOW_CONTRAST = """(() => {
  const numbers = (color) => { const n = color.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = (color) => {
    const linear = (n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = numbers(color).map((n) => linear(n / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let e = node; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (numbers(color)[3] > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  let seen = 0;
  const test = (element, color, text) => {
    seen += 1;
    const [a, b] = [light(color), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push([text.trim().slice(0, 40), color, behind(element)]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.matches("script, noscript, title")) continue;
    const style = getComputedStyle(element);
    test(element, element.ownerSVGElement ? style.fill : style.color, walker.currentNode.data);
  }
  for (const field of document.querySelectorAll("input[placeholder]"))
    test(field, getComputedStyle(field, "::placeholder").color, field.placeholder);
  return { seen, found };
})()"""

# What is wider than the page, or text of a chart outside of it.
OVERFLOW = """(() => {
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
  for (const text of document.querySelectorAll("svg text")) {
    const box = text.getBoundingClientRect();
    if (box.width && (box.left < -1 || box.right > innerWidth + 1)) wide.push(text.textContent);
  }
  return wide;
})()"""

# Texts of one chart that lie on each other.
COLLISIONS = """(() => {
  const found = [];
  for (const chart of document.querySelectorAll("svg.canvas")) {
    const texts = [...chart.querySelectorAll("text:not([transform])")];
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
      const across = p.left < q.right - 1 && q.left < p.right - 1;
      if (across && p.top < q.bottom - 3 && q.top < p.bottom - 3) found.push(`${a} / ${b}`);
    }));
  }
  return found;
})()"""


def names_in_table(tab):
    return tab.evaluate("[...document.querySelectorAll('#cases tbody th .link')].map((b) => b.textContent)")


@unittest.skipUnless(chromium.PROGRAM, "chromium-headless-shell is not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.tab = chromium.Chromium()
        cls.addClassCleanup(cls.tab.close)
        cls.pages = {}

    def page(self, *files):
        """The page of these documents, made once."""
        if files not in self.pages:
            place = pathlib.Path(self.folder.name) / str(len(self.pages))
            command = [sys.executable, "-B", ROOT / "tools/report.py", *files, "-o", place]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            self.pages[files] = place / "report.html"
        return self.pages[files]

    def written(self, name, document):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(json.dumps(document))
        return path

    def assert_quiet(self):
        """No request but that for the page itself, and nothing said on the console."""
        requests = [event["request"]["url"] for event in self.tab.happened("Network.requestWillBeSent")]
        self.assertEqual(len(requests), 1, requests)
        self.assertTrue(requests[0].startswith("file://"))
        self.assertEqual(self.tab.happened("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"), [])

    def test_every_reference_document_is_drawn_quietly(self):
        for path in sorted((ROOT / "reference").glob("*.json")):
            if "results" not in json.loads(path.read_text()):
                continue
            with self.subTest(path.name):
                self.tab.open(self.page(path))
                self.assert_quiet()
                self.assertGreater(self.tab.evaluate("document.querySelectorAll('main section').length"), 4)

    def test_a_run_without_any_figure_is_drawn_quietly(self):
        document = json.loads(XEON.read_text())
        kept = ("name", "pattern", "variant", "space", "type", "keys")
        for number, case in enumerate(document["results"]):
            outcome = ("FAILED", "error", "skipped", "not run")[number % 4]
            document["results"][number] = {name: case[name] for name in kept} | {"outcome": outcome, "reason": "so"}
        for name, results in (("failed.json", document["results"]), ("empty.json", [])):
            self.tab.open(self.page(self.written(name, document | {"results": results})))
            self.assert_quiet()
            self.assertEqual(len(names_in_table(self.tab)), min(50, len(results)))

    def test_all_cases_are_in_the_table(self):
        for files in ((H200, XEON), (SPEED,)):
            self.tab.open(self.page(*files))
            self.tab.evaluate("document.querySelector('#cases .pager button:last-child').click()")  # "Show all"
            expected = [case["name"] for file in files for case in json.loads(file.read_text())["results"]]
            self.assertEqual(names_in_table(self.tab), expected)

    def test_keys_sort_search_and_open(self):
        self.tab.open(self.page(SPEED))
        heading = "[...document.querySelectorAll('#cases thead button')].find((b) => b.textContent === 'Time')"
        order = "document.activeElement.closest('th').getAttribute('aria-sort')"
        cases = json.loads(SPEED.read_text())["results"]
        passed = [case for case in cases if case["outcome"] == "passed"]
        times = {case["name"]: float(f"{case['time']['median']:.5g}") for case in passed}  # the page has five digits
        by_time = sorted(times.values())
        self.tab.evaluate(f"{heading}.focus()")
        self.tab.press("Enter", "\r")
        self.assertEqual(self.tab.evaluate(order), "ascending")
        self.assertEqual([times[name] for name in names_in_table(self.tab)], by_time[:50])
        self.tab.press("Enter", "\r")
        self.assertEqual(self.tab.evaluate(order), "descending")
        self.assertEqual([times[name] for name in names_in_table(self.tab)], by_time[::-1][:50])

        self.tab.evaluate("document.getElementById('search').focus()")
        self.tab.type("F64 transpose 8192")
        found = {case["name"] for case in cases if all(word in case["name"] for word in ("f64", "transpose", "8192"))}
        self.assertTrue(found)
        self.assertEqual(set(names_in_table(self.tab)), found)

        self.tab.evaluate("document.querySelector('#cases tbody th .link').focus()")
        self.tab.press("Enter", "\r")
        self.assertTrue(self.tab.evaluate("document.querySelector('dialog').open"))
        self.tab.settle()
        name = names_in_table(self.tab)[0]
        samples = next(case for case in cases if case["name"] == name)["samples"]
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('dialog circle').length"), len(samples))
        self.tab.press("Escape")
        self.assertFalse(self.tab.evaluate("document.querySelector('dialog').open"))
        self.assertEqual(self.tab.evaluate("document.activeElement.textContent"), name)

    def test_the_ranks_of_a_case_are_a_strip_of_their_own(self):
        document = json.loads(SPEED.read_text())
        measured = next(case for case in document["results"] if case["outcome"] == "passed")
        times = [measured["time"]["median"] * (1 + r / 1000) for r in range(7)]
        document["ranks"] = [{"rank": r, "host": f"node{r // 4}"} for r in range(7)]
        for count, shown in ((7, 7), (1000, 200)):
            measured["ranks"] = {"seconds": (times * 143)[:count], "together": 1e12}
            document["results"] = [measured]
            self.tab.open(self.page(self.written(f"ranks{count}.json", document)))
            self.assertIn("7 ranks on 2 hosts", self.tab.evaluate("document.querySelector('.findings').textContent"))
            self.tab.evaluate("document.querySelector('#cases tbody th .link').click()")
            self.tab.settle()
            strips = "[...document.querySelectorAll('dialog svg')].map((s) => s.querySelectorAll('circle').length)"
            self.assertEqual(self.tab.evaluate(strips), [len(measured["samples"]), shown])
            said = self.tab.evaluate("document.querySelector('dialog').textContent")
            self.assertIn("slowest of its ranksrank 6 (node1)", said)
        self.assert_quiet()

    def test_outcomes_are_filtered_by_keyboard(self):
        self.tab.open(self.page(H200))
        self.tab.evaluate("document.querySelector('.boxes input[value=passed]').focus()")
        self.tab.press(" ", " ")
        skipped = [c["name"] for c in json.loads(H200.read_text())["results"] if c["outcome"] == "skipped"]
        self.assertEqual(names_in_table(self.tab), skipped[:50])

    def test_dark_mode_by_the_system_and_by_the_switch(self):
        colour = "getComputedStyle(document.body).backgroundColor"
        self.tab.open(self.page(H200))
        light = self.tab.evaluate(colour)
        self.tab.emulate(scheme="dark")
        dark = self.tab.evaluate(colour)
        self.assertNotEqual(dark, light)
        self.tab.evaluate("document.getElementById('theme').focus()")
        self.tab.press("Enter", "\r")
        self.assertEqual(self.tab.evaluate(colour), light)

    def test_text_can_be_read(self):
        for files in ((H200, XEON), (SPEED,)):
            for scheme in ("light", "dark"):
                with self.subTest(scheme):
                    self.tab.open(self.page(*files), scheme=scheme)
                    contrast = self.tab.evaluate(LOW_CONTRAST)
                    self.assertGreater(contrast["seen"], 500)
                    self.assertEqual(contrast["found"], [])

    def test_nothing_sticks_out_or_collides_from_400_to_2560(self):
        for files in ((H200, XEON), (SPEED,), (WINDOW,)):
            for width in (400, 760, 1280, 2560):
                with self.subTest(files=files[0].name, width=width):
                    self.tab.open(self.page(*files), width=width)
                    self.assertEqual(self.tab.evaluate(OVERFLOW), [])
                    self.assertEqual(self.tab.evaluate(COLLISIONS), [])

    def test_structure_for_screen_readers(self):
        self.tab.open(self.page(H200, XEON))
        levels = self.tab.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))")
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(b <= a + 1 for a, b in itertools.pairwise(levels)), levels)
        nameless = """[...document.querySelectorAll('svg, table, section, button, input, select')].filter((e) =>
          !e.matches('[aria-label], [aria-labelledby], label *') && !e.querySelector('caption') &&
          !e.textContent.trim()).length"""
        self.assertEqual(self.tab.evaluate(nameless), 0)
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('main, nav[aria-label], header').length"), 3)
        unexplained = (
            "[...document.querySelectorAll('figure.chart')].filter((f) => !f.querySelector('table, details')).length"
        )
        self.assertEqual(self.tab.evaluate(unexplained), 0)

    def test_hostile_texts_are_inert(self):
        document = json.loads(H200.read_text())
        document["title"] = HOSTILE
        document["machine"]["cpu"] = document["deck"] = HOSTILE
        victim = copy.deepcopy(document["results"][0])
        victim.update(name=HOSTILE, outcome="FAILED", reason=HOSTILE, variant=HOSTILE)
        document["results"].insert(0, victim)
        self.tab.open(self.page(self.written("hostile.json", document)))
        self.tab.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        self.tab.settle()
        self.assert_quiet()
        self.assertIsNone(self.tab.evaluate("window.hostile"))
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('img, iframe, object, link').length"), 0)
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('script').length"), 2)
        shown = HOSTILE.replace("\u2028", "\\u{2028}").replace("\u202e", "\\u{202e}")
        self.assertEqual(self.tab.evaluate("document.querySelector('h1').textContent"), shown)
        self.assertIn(shown, names_in_table(self.tab))

    def test_screenshots(self):
        folder = pathlib.Path(os.environ.get("TILESTRIDE_SCREENSHOTS", self.folder.name))
        both = (H200, XEON)
        shots = [
            ("light", both, 1280, 2400, "light", ""),
            ("dark", both, 1280, 2400, "dark", ""),
            ("wide", both, 1920, 2000, "light", ""),
            ("narrow", both, 400, 3200, "light", ""),
            ("print", both, 1000, 2400, "light", "print"),
            ("curves", (WINDOW,), 1280, 900, "light", ""),
        ]
        for name, files, width, height, scheme, media in shots:
            self.tab.open(self.page(*files), width=width, height=height, scheme=scheme)
            if media:
                self.tab.emulate(media=media, scheme=scheme)
                self.tab.settle()
            if name == "curves":
                self.tab.evaluate("document.querySelectorAll('main section:not(#curves)').forEach((s) => s.remove())")
                self.tab.settle()
            picture = self.tab.screenshot(width, height)
            self.assertLess(len(picture), LARGEST_SHOT, name)
            (folder / f"report-{name}.png").write_bytes(picture)


if __name__ == "__main__":
    unittest.main()
