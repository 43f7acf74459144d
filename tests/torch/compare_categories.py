# SPDX-License-Identifier: MIT
"""usage: compare_categories.py REPORT FILE DEVICE [OPTION...]

Compares memory by category of a recording with counted.json of categories.py."""
import json
import subprocess
import sys

report, path, on, *chosen = sys.argv[1:]


def by(key, *options):
    done = subprocess.run([report, "tensors", "--by", key, "--format", "json", "--limit", "0", *options, *chosen, path], capture_output=True, text=True, check=True, timeout=100)
    return [row for row in json.loads(done.stdout)["rows"] if row["device"] == on]


counted, ours, device, moments = json.load(open("counted.json")), by("category"), by("device"), by("moment", "--sort", "moment_ns")
rows = {row["category"]: row for row in ours}
for name, wanted in counted.items():
    got = rows[name]["peak_bytes"]
    if name == "activations":
        assert abs(got - wanted) <= 0.02 * wanted, (name, got, wanted)
    else:
        assert got == wanted, (name, got, wanted)
# over time, from the first tensor on: categories add up, some moment is near the peak
names = ["parameters", "gathered", "gradients", "optimizer", "activations", "inputs", "workspaces", "temporaries", "unknown"]
assert moments and moments[0]["all_bytes"] and all(a["moment_ns"] < b["moment_ns"] for a, b in zip(moments, moments[1:])), len(moments)
assert all(sum(row[name + "_bytes"] or 0 for name in names) == row["all_bytes"] for row in moments)
assert max(row["all_bytes"] for row in moments) <= device[0]["peak_bytes"]
assert max(row["parameters_bytes"] for row in moments) <= rows["parameters"]["bytes_allocated"]
# parts add up to the whole
for column in "peak_bytes", "live_bytes", "bytes_allocated", "allocations":
    assert sum(row[column] for row in ours) == sum(row[column] for row in device), column
