# SPDX-License-Identifier: MIT
"""usage: compare_layers.py MODEL [checkpoint] [forward]

Compares what reports say of the modules of layers.py (rows.json and others, in the current folder) with judge.json.
forward: FLOPs of modules are judged in forward passes alone, in forward.json.
"""
import json, sys
model, *options = sys.argv[1:]
theirs, ours, tree, ops = (json.load(open(name)) for name in ("judge.json", "rows.json", "tree.json", "ops.json"))
totals = ours["totals"]
rows = {row["module"]: row for row in ours["rows"]}
top = next(row for row in ours["rows"] if row["depth"] == 0)
name = top["module"]

# FLOPs. flop_counter takes a module for left when its backward hooks say so, and these come late where paths of the
# graph are beside one another, and in repeated calls: what it adds to "down" is counted in other modules as well.
def flops_of(judged, rows):
    for path, flops in judged.items():
        path = name if path in ("Global", name) else path.partition(".")[2]
        yield path, rows[path]["flops"], flops

if "forward" in options:
    alone = {row["module"]: row for row in json.load(open("forward.json"))["rows"]}
    for path, ours_of, flops in flops_of(theirs["forward_flops"], alone):
        assert ours_of == flops, (path, ours_of, flops)
else:
    for path, ours_of, flops in flops_of(theirs["flops"], rows):
        if "down" in path or "checkpoint" in options and path.startswith("layers."):
            assert 0 < ours_of <= flops, (path, ours_of, flops)
        else:
            assert ours_of == flops, (path, ours_of, flops)
assert sum(row["self_flops"] for row in ours["rows"]) == top["flops"] == theirs["flops"]["Global"]

if "checkpoint" in options:  # 24 positions of 32 to 128 and back, two steps; the second product is not repeated
    product = 2 * 24 * 32 * 128
    assert rows["layers.1.mlp"]["flops"] == 2 * (2 * product + 4 * product + product), rows["layers.1.mlp"]

# calls, those that are recomputed apart
for path, calls in theirs["calls"].items():
    row = rows[name if path == model else path]
    assert row["calls"] + row["recomputed_calls"] == calls, (path, row["calls"], row["recomputed_calls"], calls)
    again = row["calls"] if "checkpoint" in options and path.startswith("layers.") else 0
    assert row["recomputed_calls"] == again and (row["recomputed_ns"] > 0) == (again > 0) or row is top, row

# backward functions of the modules, and those of others, are what the engine evaluated
engine = sum(row["total_cpu_ns"] for row in ops["rows"] if row["name"].startswith("autograd::engine"))
assert totals["total_backward_ns"] + totals["backward_elsewhere_ns"] + totals["total_recomputed_ns"] == engine, (totals, engine)
assert totals["backward_elsewhere_ns"] < engine

# operators and tensors by module are those of all modules, and of none
split, tensors, devices = (json.load(open(name))["rows"] for name in ("split.json", "tensors.json", "devices.json"))
for column in "self_cpu_ns", "calls":
    assert sum(row[column] for row in split) == sum(row[column] for row in ops["rows"]), column
assert {row["module"] for row in split} <= {*rows, "(no module)"}
for column in "allocations", "bytes_allocated", "peak_bytes", "live_bytes":
    assert sum(row[column] for row in tensors) == sum(row[column] for row in devices), column
assert max(row["bytes_allocated"] for row in tensors if row["module"] in rows) > 0
# each parameter has a gradient of its size
assert top["parameter_bytes"] == theirs["parameters"][model] and top["activation_bytes"] > 0, (top, theirs["parameters"][model])

# parts add up to the whole, by name and in the tree
assert sum(row["self_ns"] for row in ours["rows"]) == totals["total_ns"] == top["total_ns"]
for row in ours["rows"]:
    assert row["total_ns"] == row["forward_ns"] + row["backward_ns"] + row["recomputed_ns"] and 0 <= row["percent"] <= 100, row
inside, path = [0] * len(tree["rows"]), []
for number, row in enumerate(tree["rows"]):
    path[row["depth"]:] = [number]
    if row["depth"]:
        inside[path[-2]] += row["total_ns"]
for number, row in enumerate(tree["rows"]):
    assert row["total_ns"] - row["self_ns"] == inside[number], row
