#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the program with one mistake in a kernel, for each of mutants.py, and looks whether the verdict catches it.

The sources are copied, so that a checkout stays as it is. First every deck runs on the sound program: all cases must
pass. Then one build after the other holds at most one mutant of a pattern. A mutant is caught when its case is FAILED
or an error and the sound case beside it has passed. The exit code: 0 all are caught, 1 some survived or a sound one
failed, 2 bad input or set-up.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("CMakeLists.txt", "cmake", "src")
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "CMAKE_CXX_FLAGS_RELEASE": "-O1 -DNDEBUG",
    "TILESTRIDE_SPACES": "Serial",
    "TILESTRIDE_KOKKOS_KERNELS": "OFF",
    "TILESTRIDE_OPENBLAS": "OFF",
    "TILESTRIDE_BUILD_TESTS": "OFF",
}


class SetUpError(Exception):
    """Nothing can be said about mutants."""


# --- the sources ---


def write_if_changed(path, content):
    """A file that stays as it is keeps its time, so that nothing is built again because of it."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_sources(to):
    wanted = {}
    for top in COPIED:
        for path in [ROOT / top, *(ROOT / top).rglob("*")]:
            if path.is_file():
                wanted[to / path.relative_to(ROOT)] = path.read_bytes()
    for path in to.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()
    for path, content in wanted.items():
        write_if_changed(path, content)


def mutated(mutant, source):
    text = (source / "src" / mutant.file).read_text()
    if (count := text.count(mutant.old)) != 1:
        raise SetUpError(f"{mutant.name}: what it replaces stands {count} times in src/{mutant.file}")
    return text.replace(mutant.old, mutant.new)


@contextlib.contextmanager
def in_place(batch, source):
    """The sources with these mutants in them, one of a pattern at most."""
    sound = {source / "src" / mutant.file: (source / "src" / mutant.file).read_bytes() for mutant in batch}
    try:
        for mutant in batch:
            (source / "src" / mutant.file).write_text(mutated(mutant, source))
        yield
    finally:
        for path, content in sound.items():
            path.write_bytes(content)


def batches_of(chosen):
    """Number i of each pattern goes into batch i."""
    batches = []
    met = {}
    for mutant in chosen:
        number = met[mutant.pattern] = met.get(mutant.pattern, -1) + 1
        if number == len(batches):
            batches.append([])
        batches[number].append(mutant)
    return batches


# --- the program ---


def call(command, log):
    with log.open("w") as output:
        return subprocess.run(command, check=False, stdout=output, stderr=subprocess.STDOUT).returncode


def end_of(log, lines=30):
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def configure(folder):
    found = subprocess.run([ROOT / "scripts/get_kokkos.sh", "cpu"], check=False, stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        raise SetUpError("scripts/get_kokkos.sh cpu failed")
    prefix = found.stdout.strip()
    options = OPTIONS | {"CMAKE_PREFIX_PATH": prefix, "Kokkos_ROOT": prefix}
    command = ["cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja"]
    log = folder / "configure.log"
    if call(command + [f"-D{name}={value}" for name, value in options.items()], log) != 0:
        raise SetUpError(f"cmake failed:\n{end_of(log)}")


def build(folder, jobs):
    """The patterns that do not compile; none when the program is built."""
    log = folder / "build.log"
    command = ["cmake", "--build", folder / "build", "--target", "tilestride", "--parallel", str(jobs), "--", "-k", "0"]
    if call(command, log) == 0:
        return set()
    failed = set(re.findall(r"^FAILED: .*/src/patterns/(\w+)/", log.read_text(errors="replace"), re.MULTILINE))
    if not failed:
        raise SetUpError(f"the program cannot be built:\n{end_of(log)}")
    return failed


def run(mutant, folder):
    """The cases of the mutant's deck: variant -> case."""
    runs = folder / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    runs.mkdir()
    deck = runs / "deck.toml"
    deck.write_text(mutant.deck)
    command = [folder / "build/tilestride", "run", deck, "-o", runs / "out", "--set", 'sampling.max_time="0.1 s"']
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", timeout=600)
    result = runs / "out/result.json"
    if done.returncode not in (0, 1) or not result.is_file():
        raise SetUpError(
            f"{mutant.name}: the run ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return {case["variant"]: case for case in json.loads(result.read_text())["results"]}


# --- the verdicts ---


def words(case, length=110):
    reason = case.get("reason", "")
    return case["outcome"] + (f": {reason}" if reason else "")[: length - len(case["outcome"])]


def false_alarms(chosen, folder):
    """The decks whose cases do not all pass when nothing is wrong, each only once."""
    alarms = []
    for mutant in {mutant.deck: mutant for mutant in chosen}.values():
        for case in run(mutant, folder).values():
            if case["outcome"] != "passed":
                alarms.append(case["name"])
                print(f"FALSE ALARM  {case['name']}: {words(case)}", flush=True)
    return alarms


def judge(mutant, cases):
    """caught, equivalent or survived, and what was seen."""
    case = cases[mutant.variant]
    seen = words(case)
    if mutant.sibling and cases[mutant.sibling]["outcome"] != "passed":
        return "survived", f"its sound sibling {mutant.sibling} is {words(cases[mutant.sibling])}; itself: {seen}"
    if case["outcome"] in ("FAILED", "error"):
        return "caught", seen
    return ("equivalent" if mutant.expected == "equivalent" else "survived"), seen


def judge_batch(batch, folder, jobs):
    """(mutant, verdict, what was seen) of each. What does not compile survives, and the others are built without it."""
    with in_place(batch, folder / "source"):
        broken = build(folder, jobs)
        log = end_of(folder / "build.log")
        if not broken:
            return [(mutant, *judge(mutant, run(mutant, folder))) for mutant in batch]
    stays = [mutant for mutant in batch if mutant.pattern not in broken]
    if len(stays) == len(batch):
        raise SetUpError(f"patterns without a mutant do not compile: {', '.join(sorted(broken))}\n{log}")
    verdicts = [(mutant, "survived", f"it does not compile:\n{log}") for mutant in batch if mutant.pattern in broken]
    return verdicts + (judge_batch(stays, folder, jobs) if stays else [])


def examine(chosen, folder, jobs):
    copy_sources(folder / "source")
    for mutant in chosen:
        mutated(mutant, folder / "source")
    configure(folder)
    if broken := build(folder, jobs):
        raise SetUpError(f"patterns do not compile: {', '.join(sorted(broken))}\n{end_of(folder / 'build.log')}")
    alarms = false_alarms(chosen, folder)
    counts = {"caught": 0, "equivalent": 0, "survived": 0}
    for batch in batches_of(chosen):
        for mutant, verdict, seen in judge_batch(batch, folder, jobs):
            counts[verdict] += 1
            print(f"{verdict.upper() if verdict == 'survived' else verdict:12} {mutant.name}: {seen}", flush=True)
    if alarms:
        print(f"false alarms on the sound program: {len(alarms)}")
    print(", ".join(f"{verdict} {count}" for verdict, count in counts.items()))
    return 1 if alarms or counts["survived"] else 0


def choose(names):
    """Those with these names, or whose names begin so."""
    chosen = [mutant for mutant in mutants.ALL if not names or mutant.name.startswith(tuple(names))]
    if not chosen:
        raise SetUpError(f"no mutant is called {', '.join(names)}; --list names them")
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="these mutants alone, or all whose names begin so"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=os.cpu_count(), help="of the builds (default: all cores)"
    )
    parser.add_argument(
        "--keep", metavar="FOLDER", type=pathlib.Path, help="work there, and leave it for the next call"
    )
    parser.add_argument("--list", action="store_true", help="names them, and what there is to know")
    parser.add_argument("--check", action="store_true", help="only whether each still finds what it replaces")
    arguments = parser.parse_args()
    try:
        chosen = choose(arguments.only)
        if arguments.list:
            for mutant in chosen:
                print(f"{mutant.name} ({mutant.expected}) {mutant.note or mutant.proof}".rstrip())
            return 0
        if arguments.check:
            for mutant in chosen:
                mutated(mutant, ROOT)
            return 0
        with contextlib.ExitStack() as stack:
            folder = arguments.keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder = folder.resolve()
            folder.mkdir(parents=True, exist_ok=True)
            return examine(chosen, folder, arguments.jobs)
    except SetUpError as problem:
        print(f"mutants: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
