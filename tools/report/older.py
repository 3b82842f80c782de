# SPDX-License-Identifier: BSD-3-Clause
"""Documents say of each case its `problem`, the `role` of its variant and the variant's `twin`. The first documents of
schema 2 do not: here these facts are found from the rest of such a document. Nothing new is ever added here."""

import collections

# What the names of variants did not say then.
BOUNDS = {
    ("transpose", "copy"),
    ("transpose", "native_copy"),
    ("transfer", "on_device"),
    ("offset_copy", "partial"),
    ("offset_copy", "duplicated"),
}
LIBRARIES = {("matmul", "kokkos_kernels")}
TWINS = {
    ("bank_stride", "native_shared"): "scratch",
    ("carveout", "native_cache_hungry"): "hybrid_cache_hungry",
    ("carveout", "native_scratch_hungry"): "hybrid_scratch_hungry",
    ("carveout", "native_spill_heavy"): "hybrid_spill_heavy",
    ("l2_window", "native_none"): "hybrid_none",
    ("l2_window", "native_persisting"): "hybrid_persisting",
    ("l2_window", "native_tuned"): "hybrid_tuned",
    ("latency", "native_global"): "pointer_chase",
    ("peer", "native_copy"): "hybrid_copy",
    ("occupancy", "native_maxnreg"): "spill",
    ("reduce", "native_dynamic"): "scratch",
    ("reduce", "native_unrolled"): "scratch_unrolled",
    ("reduce", "native_shuffle"): "team",
    ("shuffle", "native_shuffle"): "team",
    ("staged_copy", "native_static"): "scratch",
    ("staged_copy", "native_dynamic"): "scratch",
    ("staged_copy", "native_async"): "scratch",
    ("tile_access", "native_static"): "scratch",
    ("tile_access", "native_dynamic"): "scratch",
    ("transpose", "native_dynamic"): "padded",
}


def segment(key, value):
    """A key as a part of a name: "4096x4096", "tile=32"."""
    return value if key == "shape" else f"{key}={value}"


def role_of(pattern, variant):
    if (pattern, variant) in BOUNDS:
        return "bound"
    if (pattern, variant) in LIBRARIES or variant.startswith("vendor"):
        return "library"
    return next((role for role in ("native", "hybrid") if variant.startswith(role + "_")), "portable")


def twin_of(pattern, variant, variants):
    """Else by its name: native_tiled is the twin of tiled."""
    plain = variant.removeprefix("native_")
    return TWINS.get((pattern, variant), plain if plain != variant and plain in variants else "")


def own_keys(cases):
    """The keys of a pattern that only some of its variants have: those that some case lacks, or whose value differs
    between cases that were sampled in the same rounds, which share one problem."""
    keys, lacking, values = set(), set(), collections.defaultdict(set)
    for case in cases:
        keys.update(case.get("keys", {}))
    for case in cases:
        lacking.update(keys - case.get("keys", {}).keys())
        if "session" in case:
            for key, value in case["keys"].items():
                values[case["session"], case["space"], case["type"], key].add(value)
    return lacking | {key[-1] for key, seen in values.items() if len(seen) > 1}


def add_facts(document):
    """Adds the three facts to the cases that lack them."""
    patterns = collections.defaultdict(list)
    for case in document["results"]:
        if "problem" not in case:
            patterns[case["pattern"]].append(case)
    for pattern, cases in patterns.items():
        own = own_keys(cases)
        variants = {case["variant"] for case in cases}
        for case in cases:
            shared = [segment(key, value) for key, value in case.get("keys", {}).items() if key not in own]
            cold = ["cache=cold"] if case["name"].endswith("/cache=cold") else []
            case["problem"] = "/".join([pattern, case["space"], case["type"], *shared, *cold])
            case["role"] = role_of(pattern, case["variant"])
            if twin := twin_of(pattern, case["variant"], variants):
                case["twin"] = twin
