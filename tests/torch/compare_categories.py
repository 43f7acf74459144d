# SPDX-License-Identifier: MIT
"""Compares memory by category (rows.json and others, in the current folder) with counted.json of categories.py."""
import json
counted, ours, device = (json.load(open(name)) for name in ("counted.json", "rows.json", "device.json"))
rows = {row["category"]: row for row in ours["rows"]}
for name, wanted in counted.items():
    got = rows[name]["peak_bytes"]
    if name == "activations":
        assert abs(got - wanted) <= 0.02 * wanted, (name, got, wanted)
    else:
        assert got == wanted, (name, got, wanted)
# over time: categories add up, some moment is near the peak, and the last one has what is live
moments = [row for row in json.load(open("moments.json"))["rows"]]
names = ["parameters", "gradients", "optimizer", "activations", "inputs", "temporaries", "unknown"]
assert len(moments) > 20 and all(a["moment_ns"] < b["moment_ns"] for a, b in zip(moments, moments[1:])), len(moments)
assert all(sum(row[name + "_bytes"] or 0 for name in names) == row["all_bytes"] for row in moments)
assert max(row["all_bytes"] for row in moments) <= device["rows"][0]["peak_bytes"]
assert max(row["parameters_bytes"] for row in moments) <= rows["parameters"]["bytes_allocated"]
# parts add up to the whole
for column in "peak_bytes", "live_bytes", "bytes_allocated", "allocations":
    assert sum(row[column] for row in ours["rows"]) == sum(row[column] for row in device["rows"]), column
