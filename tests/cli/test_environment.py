# SPDX-License-Identifier: BSD-3-Clause
"""What changes figures unseen is told and recorded, and clean_environment keeps it from the workers."""

import os
import subprocess
import unittest

from tilestride import PROGRAM, CommandLine, strict_json

DECK = """
[[case]]
pattern = "transpose"
space   = "{space}"
variant = "row_read"
shape   = "61x33"
"""
CLEAN = "[run]\nclean_environment = true\n"
TOLD = "environment: figures may differ, because this is set: "
KEPT = "environment: kept from the workers: "

UNSEEN = {"CUDA_LAUNCH_BLOCKING": "1", "MALLOC_ARENA_MAX": "3", "NCCL_DEBUG": "WARN", "OMP_WAIT_POLICY": "passive"}
CHOSEN = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "0"}


# What the program may need to start; the other variables of these tests are their own.
NEEDED = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ}


class EnvironmentOfARun(CommandLine):
    def measure(self, *arguments, clean=False, space="serial", output="out", **variables):
        deck = self.deck((CLEAN if clean else "") + DECK.format(space=space))
        return self.call("run", deck, "-o", output, *arguments, env={**NEEDED, **variables})

    def document(self, output="out"):
        return strict_json((self.folder / output / "result.json").read_text())

    def test_what_changes_figures_is_told_and_recorded(self):
        done = self.measure(**UNSEEN, **CHOSEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = ", ".join(f"{name}={value}" for name, value in UNSEEN.items())
        self.assertIn(f"{TOLD}{told}\n", done.stdout)
        self.assertEqual(self.document()["influences"], {"clean_environment": False, "unseen": UNSEEN, "tools": []})
        seen = self.document()["environment"]
        self.assertEqual(seen, {**seen, **UNSEEN, **CHOSEN})

    def test_bound_threads_are_as_many_as_cpus(self):
        """GCC's OpenMP runtime binds the first thread of every process that it is loaded into, the front too."""
        for name, variables, command in (
            ("free", {}, ()),
            ("bound", {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}, ()),
            ("one", {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}, ("taskset", "-c", self.a_cpu())),
        ):
            with self.subTest(name):
                deck = self.deck(DECK.format(space="openmp"))
                done = subprocess.run(
                    [*command, PROGRAM, "run", deck, "-o", name],
                    env={**NEEDED, **variables},
                    cwd=self.folder,
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=False,
                )
                if done.returncode == 77:
                    self.skipTest("no OpenMP here")
                self.assertEqual(done.returncode, 0, done.stderr)
                (program,) = self.document(name)["programs"].values()
                cpus = 1 if command else len(os.sched_getaffinity(0))
                self.assertEqual(program["spaces"]["openmp: concurrency"], str(cpus))
                self.assertEqual(self.document(name)["machine"]["cores"], str(cpus))

    def a_cpu(self):
        return str(max(os.sched_getaffinity(0)))

    def test_nothing_is_told_when_nothing_changes_figures(self):
        done = self.measure(**CHOSEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("environment: ", done.stdout)
        self.assertNotIn("tools: ", done.stdout)
        self.assertIn("conditions: cores ", done.stdout)

    def test_a_clean_worker_has_none_of_it(self):
        done = self.measure(clean=True, **UNSEEN, **CHOSEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(TOLD, done.stdout)
        self.assertIn(f"{KEPT}CUDA_LAUNCH_BLOCKING=1, ", done.stdout)
        self.assertEqual(self.document()["influences"], {"clean_environment": True, "unseen": UNSEEN, "tools": []})
        self.assertEqual(self.document()["environment"].keys() & UNSEEN.keys(), set())
        self.assertIn("OMP_NUM_THREADS", self.document()["environment"])

    def test_a_sibling_is_clean_too(self):
        """As `env` in the sibling's place sees it."""
        sibling = self.folder / "tilestride-hip"
        sibling.write_text(f"#!/bin/sh\nenv > {self.folder}/seen\nexit 1\n")
        sibling.chmod(0o755)
        for clean in (False, True):
            with self.subTest(clean=clean):
                programs = {"TILESTRIDE_PROGRAMS": str(self.folder)}
                self.measure(clean=clean, space="hip", output=f"out{clean}", **UNSEEN, **CHOSEN, **programs)
                seen = set((self.folder / "seen").read_text().splitlines())
                for name, value in UNSEEN.items():
                    self.assertEqual(f"{name}={value}" in seen, not clean, name)
                for name, value in CHOSEN.items():
                    self.assertIn(f"{name}={value}", seen)

    def test_redacted_values_are_nowhere(self):
        variables = {"LD_LIBRARY_PATH": "/home/someone/lib", "MALLOC_CONF": "prof_prefix:/home/someone/heap"}
        done = self.measure("--redact", **variables, **UNSEEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("MALLOC_CONF=hidden", done.stdout)
        self.assertEqual(self.document()["environment"]["LD_LIBRARY_PATH"], "hidden")
        self.assertEqual(self.document()["influences"]["unseen"]["CUDA_LAUNCH_BLOCKING"], "1")
        written = [path.read_text() for path in (self.folder / "out").iterdir()]
        self.assertGreater(len(written), 2)
        for text in (done.stdout, *written):
            self.assertNotIn("someone", text)

    def test_a_run_is_resumed_under_equal_influences(self):
        self.assertEqual(self.measure(**UNSEEN).returncode, 0)
        same = {**NEEDED, **UNSEEN}
        self.assertEqual(self.call("run", "--resume", "-o", "out", env=same).returncode, 0)
        for other in ({"LD_BIND_NOW": "1"}, {"CUDA_LAUNCH_BLOCKING": "0"}):
            done = self.call("run", "--resume", "-o", "out", env={**same, **other})
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(next(iter(other)), done.stderr)

    def test_tools_are_told(self):
        done = self.measure("--kokkos-tools-libs=/nowhere/libtool.so")
        self.assertIn("tools: figures may differ: a Kokkos tool by --kokkos-tools-libs\n", done.stdout)
        done = self.measure(output="variable", KOKKOS_TOOLS_LIBS="/nowhere/libtool.so")
        self.assertIn(f"{TOLD}KOKKOS_TOOLS_LIBS=/nowhere/libtool.so (a Kokkos tool)\n", done.stdout)

    def test_more_threads_than_kokkos_has_room_for(self):
        done = self.measure(OMP_NUM_THREADS="10000")
        reason = "10000 threads by OMP_NUM_THREADS: OpenMP in Kokkos has room for 512"
        case = self.results()["transpose/row_read/serial/f32/61x33"]
        if case["outcome"] == "passed":
            self.skipTest("this Kokkos has no OpenMP")
        self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
        self.assertIn(reason, case["reason"])
        profile = self.measure("--profile", "row_read", OMP_NUM_THREADS="10000")
        self.assertEqual(profile.returncode, 77)
        self.assertIn(reason, profile.stderr)


if __name__ == "__main__":
    unittest.main()
