# SPDX-License-Identifier: BSD-3-Clause
"""Puts data, style and scripts into one HTML file that loads nothing."""

import base64
import hashlib
import json
import pathlib

HERE = pathlib.Path(__file__).parent

# In the order in which they use each other; page.js comes last and runs.
SCRIPTS = ("dom", "format", "data", "axes", "table", "summary", "roofline", "variants", "curves", "portability",
           "quotes", "cases", "machines", "page")  # fmt: skip


def embedded_json(data):
    """JSON in ASCII alone that no markup can end: </script>, <!-- and line separators are written as escapes."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def hash_of(text):
    """As a content security policy names it: the browser runs this script and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def render(data):
    style = (HERE / "style.css").read_text(encoding="utf-8")
    parts = [(HERE / "js" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    script = "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"
    page = (HERE / "page.html").read_text(encoding="utf-8")
    page = page.replace("@SCRIPT_HASH@", hash_of(script)).replace("@STYLE_HASH@", hash_of(style))
    page = page.replace("@STYLE@", style).replace("@SCRIPT@", script)
    return page.replace("@DATA@", embedded_json(data))  # last: what it holds is not looked at again
