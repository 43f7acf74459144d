#!/bin/bash
# Modules of four models: FLOPs are those of torch.utils.flop_counter, backward functions those of ops, calls those of hooks, recomputed ones told apart.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
cat >compare.py <<'END'
import json, sys
model, *options = sys.argv[1:]
theirs, ours, tree, ops = (json.load(open(name)) for name in ("judge.json", "rows.json", "tree.json", "ops.json"))
totals = ours["totals"]
rows = {row["module"]: row for row in ours["rows"]}
top = next(row for row in ours["rows"] if row["depth"] == 0)
name = top["module"]

# FLOPs. flop_counter takes a module for left when its backward hooks say so, and these come late where paths of the
# graph are beside one another, and in repeated calls: what it adds to "down" is counted in other modules as well.
for path, flops in theirs["flops"].items():
    path = name if path in ("Global", name) else path.partition(".")[2]
    ours_of = rows[path]["flops"]
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
END
for model in Transformer ResNet MLP Recurrent "Transformer checkpoint"; do
	rm -f ./*.evt
	# shellcheck disable=SC2086
	set -- $model
	"$PYTHON" "$ROOT/tests/torch/layers.py" "$@" judge.json >out 2>err || fail "$model: $(tail -5 err)"
	INTERCEPT_TRACE=+modules,+shapes,-alloc run_traced "$PYTHON" "$ROOT/tests/torch/layers.py" "$@" >out 2>err || fail "$model: $(tail -5 err)"
	"$REPORT" modules --format json --limit 0 "$OUTPUT" >rows.json || fail "$model: modules"
	"$REPORT" modules --tree --format json --limit 0 "$OUTPUT" >tree.json || fail "$model: tree"
	"$REPORT" ops --format json --limit 0 "$OUTPUT" >ops.json || fail "$model: ops"
	python3 compare.py "$@" 2>why || fail "$model: $(tail -3 why)"
done
