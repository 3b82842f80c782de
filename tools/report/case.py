# SPDX-License-Identifier: BSD-3-Clause
"""One case of a document, with what the page says about it. The notions are those of the program's own tables
(src/report/table.cpp)."""

from . import older, ranks

WORK_OF_FIGURE = {"GB/s": "bytes", "GFLOP/s": "flops", "ns": "operations"}


class Case:
    """One case of a document, with what the charts need of it."""

    def __init__(self, number, platform, json_case, rank_titles=()):
        self.number = number
        self.rank_titles = rank_titles
        self.platform = platform
        self.json = json_case
        self.name, self.pattern = json_case["name"], json_case["pattern"]
        self.variant, self.space, self.type = json_case["variant"], json_case["space"], json_case["type"]
        self.outcome = json_case["outcome"]
        self.passed = self.outcome == "passed"
        self.role = json_case["role"]
        self.twin = json_case.get("twin", "")
        self.problem = json_case["problem"]
        self.keys = {key: str(value) for key, value in json_case.get("keys", {}).items()}
        parts = self.problem.split("/")
        self.cold = "cache=cold" in parts
        self.shared = parts[3:]  # the keys of the problem, as in its name
        self.own = {key for key, value in self.keys.items() if older.segment(key, value) not in self.shared}
        self.task = "/".join([self.pattern, self.type, *self.shared])  # the problem on any platform
        self.rounded = json_case.get("notes", {}).get("rounded to", "")
        self.is_best = False
        if self.passed:
            self.add_figures()

    def add_figures(self):
        self.figure = self.json["figure"]
        self.rate = self.json["rate"]
        ceilings = self.json["ceilings"]
        self.ceiling_name = {"GFLOP/s": "fma", "ns": ""}.get(self.figure, "read" if ceilings.get("read") else "copy")
        ceiling = ceilings.get(self.ceiling_name, 0)
        self.share = self.rate / ceiling if ceiling else None
        seconds = self.json.get("model", {}).get("seconds", 0)
        self.modelled = self.amount() / seconds if seconds else None

    def amount(self):
        """The work that its figure counts: bytes, flops or operations."""
        return self.json["work"].get(WORK_OF_FIGURE.get(self.figure, ""), 0)

    @property
    def solves(self):
        """It passed, did all that the problem requires, and with the bits of its type."""
        return self.passed and self.role != "bound" and not self.rounded


def short_quantity(value):
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)


def main_kernel(case):
    """That with the most registers per thread, without kernels of a single block."""
    kernels = case.json.get("kernels", [])
    return max(kernels, key=lambda k: (k.get("blocks", 0) > 1, k.get("registers", 0)), default={})


def remarks(case):
    """The last column of the program's table."""
    notes, kernel = case.json.get("notes", {}), main_kernel(case)
    said = list(case.json.get("flags", []))
    if "core type" in notes:
        said.append(f"{notes['core type']} kernels")
    if "block" in notes and case.keys.get("block") == "auto":
        said.append(f"block {notes['block']}")
    if case.rounded:
        said.append(f"inputs rounded to {case.rounded}")
    if local := kernel.get("local_bytes"):
        spilled = f", {kernel['spill_stores']} B spilled" if kernel.get("spill_stores") else ""
        said.append(f"{local} B of local memory per thread{spilled}")
    return "; ".join(said)


def energy(case):
    """Where the deck asked for it: the energy of one call, the mean power, and the figure's work for a joule."""
    used = case.json.get("energy")
    if not used:
        return []
    found = [("energy of a call", f"{used['joules']:.4g} J"), ("mean power", f"{used['watts']:.4g} W")]
    unit = {"GB/s": "GB", "GFLOP/s": "GFLOP"}.get(case.json["figure"])
    if unit:
        amount = case.json["rate"] * case.json["time"]["median"]
        found.append(("work for a joule", f"{amount / used['joules'] / 1e9:.4g} {unit}"))
    return found


def details(case):
    """What the page shows of a case that is selected: [(what, text)]."""
    found = ranks.details(case, case.rank_titles) if case.passed else []
    found.append(("verified", case.json.get("verification", {}).get("detail", "")))
    for what, error in case.json.get("verification", {}).get("share_of_allowed_error", {}).items():
        found.append((f"{what} error, share of what rounding explains", short_quantity(error)))
    for what, flops in case.json.get("intensity", {}).items():
        found.append((f"flops for a byte, {what}", short_quantity(flops)))
    found += energy(case)
    kernel = main_kernel(case)
    if kernel:
        launch = f"{kernel.get('blocks', 0)} × {kernel.get('threads', 0)}"
        found += [("kernel", kernel.get("name", "")), ("blocks × threads", launch)]
        found.append(("registers per thread", str(kernel.get("registers", ""))))
        found.append(("occupancy", short_quantity(kernel.get("occupancy", 0))))
    for kind in ("predicted", "measured"):
        found += [(f"{name} ({kind})", short_quantity(value)) for name, value in case.json.get(kind, {}).items()]
    found += [(f"note: {name}", str(value)) for name, value in case.json.get("notes", {}).items()]
    for when in ("before", "after"):
        state = case.json.get(f"device_{when}", {})
        text = ", ".join(f"{name} {value}" for name, value in state.items())
        found.append((f"device {when}", text))
    found += [("clock", case.json.get("clock", "")), ("calls in a sample", str(case.json.get("repetitions", "")))]
    return [(what, str(text)) for what, text in found if text]
