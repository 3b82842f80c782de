# SPDX-License-Identifier: BSD-3-Clause
"""The page of tools/report.py. documents.py reads result documents, model.py turns them into the page's data, page.py puts
data, page.html, style.css and the scripts of js/ into one file."""
