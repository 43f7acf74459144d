#!/bin/bash
# Memory of tensors by what it is for: parameters, gradients and Adam's state to the byte, activations as autograd saved them.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
cat >compare.py <<'END'
import json, sys
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
assert max(row["parameters_bytes"] for row in moments) == rows["parameters"]["bytes_allocated"]
# parts add up to the whole
for column in "peak_bytes", "live_bytes", "bytes_allocated", "allocations":
    assert sum(row[column] for row in ours["rows"]) == sum(row[column] for row in device["rows"]), column
END
while read -r model moment; do
	rm -f ./*.evt
	INTERCEPT_TRACE=-alloc PYTHONPATH=$ROOT/tests/torch:$PYTHONPATH run_traced "$PYTHON" "$ROOT/tests/torch/categories.py" "$model" "$moment" counted.json >out 2>err || fail "$model: $(tail -5 err)"
	"$REPORT" tensors --by category --format json --limit 0 "$OUTPUT" >rows.json || fail "$model: tensors"
	"$REPORT" tensors --by device --format json --limit 0 "$OUTPUT" >device.json || fail "$model: by device"
	"$REPORT" tensors --by moment --format json --limit 0 --sort moment_ns "$OUTPUT" >moments.json || fail "$model: by moment"
	python3 compare.py 2>why || fail "$model, $moment: $(tail -1 why); $("$REPORT" tensors --by category "$OUTPUT")"
done <<'END'
MLP step
Transformer step
Transformer forward
ResNet step
ResNet forward
END
