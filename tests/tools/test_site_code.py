# SPDX-License-Identifier: BSD-3-Clause
"""The code that the site takes from the sources. Needs mkdocs (scripts/docs.sh)."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import site_code as tool
from mkdocs.exceptions import PluginError

SOURCE = """#include "a.hpp"

void use() { Kernel(1); }

/// What it is,
/// in two lines.
template <class T>
struct Kernel {
  int x = 0;  // not the end: }
  char const* text = "} also not";

  /// Runs.
  void run(int a,
           int b) {
    if (a) { b(); }
  }
};

struct Declared;
int declared(int);
"""


class SiteCode(unittest.TestCase):
    def test_a_struct_with_its_comment_and_template(self):
        code = tool.definition(SOURCE, "Kernel").split("\n")
        self.assertEqual((code[0], code[-1]), ("/// What it is,", "};"))
        self.assertEqual(len(code), 13)

    def test_a_member_function_without_its_indent(self):
        self.assertEqual(tool.definition(SOURCE, "run"),
                         "/// Runs.\nvoid run(int a,\n         int b) {\n  if (a) { b(); }\n}")

    def test_declarations_are_no_definitions(self):
        for name in ("Declared", "declared", "nothing"):
            self.assertIsNone(tool.definition(SOURCE, name))

    def test_links_become_code_or_end_the_build(self):
        file = "src/patterns/transpose/row_read.hpp"
        page = f'before\n[{file}: RowRead](../../{file} "code")\nafter [x](y.md)'
        text = tool.on_page_markdown(page)
        self.assertIn("struct RowRead {", text)
        self.assertNotIn('"code"', text)
        self.assertTrue(text.startswith("before\n```") and text.endswith("```\nafter [x](y.md)"))
        for wrong in (page.replace("RowRead", "RowWrote"), page.replace("row_read", "row_wrote"),
                      page.replace(f"../../{file}", "../../src/patterns/transpose/row_write.hpp")):
            with self.subTest(page=wrong), self.assertRaises(PluginError):
                tool.on_page_markdown(wrong)


if __name__ == "__main__":
    unittest.main()
