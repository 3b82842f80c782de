# SPDX-License-Identifier: BSD-3-Clause
"""The page of tools/report.py: documents.py reads result documents, model.py turns them into the page's data (case.py,
sweeps.py, portability.py, columns.py, samples.py), page.py puts data, page.html, style.css and js/ into one file."""
