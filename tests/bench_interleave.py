# SPDX-License-Identifier: BSD-3-Clause
"""What `compare --interleave` finds of a difference that is known, beside a competing load. For people, not for ctest.

usage: bench_interleave.py TILESTRIDE-FAULTS [LOADS]

Runs the paced variant of the test program twice as two programs, the second slower by 0, 1, 2 and 5 %, while LOADS
processes (default: none) keep the cores busy, and prints the ratio that was found beside the one that was planted.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

DECK = """schema = 1
[[case]]
pattern = "faults"
variant = "paced"
space = "serial"
shape = ["64x48", "65x48", "66x48", "67x48"]
"""


def paced(folder, faults, pace):
    """A program that is `pace` times as slow."""
    path = folder / f"pace-{pace}"
    path.write_text(f'#!/bin/sh\nTILESTRIDE_FAULTS_PACE={pace} exec {faults} "$@"\n')
    path.chmod(0o755)
    return path


def ratios(front, slow, fast, deck):
    command = [front, "compare", "--interleave", slow, fast, deck, "--all"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.findall(r"(\w+) +([0-9.]+) +\[[^]]*\] +faults/", run.stdout)
    if not found:
        sys.exit(run.stdout + run.stderr)
    return found


def main(faults, loads):
    folder = pathlib.Path(tempfile.mkdtemp())
    deck = folder / "deck.toml"
    deck.write_text(DECK)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loads)]
    try:
        for pace in (1, 1.01, 1.02, 1.05):
            found = ratios(faults, paced(folder, faults, pace), paced(folder, faults, 1), deck)
            print(f"planted {1 / pace:.4f}  found", *(f"{ratio} {verdict}" for verdict, ratio in found))
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) == 3 else 0)
