#!/bin/bash
# Where operators are sampled, forward, backward and the optimizer of a step are what they were: each has at least the time that it slept.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export INTERCEPT_TRACE=torch INTERCEPT_OPERATORS=1000
for kind in usual grads closure; do
	rm -f ./*.evt
	run_traced "$PYTHON" "$ROOT/tests/torch/phases_sampled.py" $kind >slept 2>err || fail "$kind: $(cat err)"
	"$REPORT" steps --format json --limit 0 "$OUTPUT" >steps.json || fail "$kind: status $?"
	python3 -S - $kind <<'END' || fail "$kind: $("$REPORT" steps "$OUTPUT")"
import json, sys
slept = {name: 1000000 * int(ms) for name, ms in (line.split() for line in open("slept"))}
# of the first step it is not known where it began
rows = [row for row in json.load(open("steps.json"))["rows"] if row["step"] >= 1]
assert len(rows) == 6, len(rows)
parts = {"forward": "forward_ns", "backward": "backward_ns", "optimizer": "optimizer_ns", "rest": "other_phase_ns"}
sums = {part: sum(row[name] for row in rows) for part, name in parts.items()}
assert sum(sums.values()) + sum(row["data_ns"] for row in rows) == sum(row["total_ns"] for row in rows), sums
assert all(row["evaluation_ns"] is None for row in rows)
for part, ns in sums.items():
    assert ns >= slept[part], "%s took %d ns and slept %d" % (part, ns, slept[part])
    if not slept[part]:
        assert ns < sum(sums.values()) / 2, "%s took %d" % (part, ns)
END
done
expect_eq "passes begin and end" "$("$REPORT" dump "$OUTPUT" | grep -c ' autograd_begin')" "$("$REPORT" dump "$OUTPUT" | grep -c ' autograd_end')"
expect_match "what is said" "$("$REPORT" steps "$OUTPUT" | tr '\n' ' ')" "operators took more than this, and evaluation is in the rest"

# Forward within the optimizer's step, from nobody knows where on: no figure, rather than a wrong one.
rm -f ./*.evt
cat >prog.py <<'END'
import torch
weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.1)
def again():
    loss = (weight * weight).sum()
    loss.backward()
    return loss
for _ in range(5):
    optimizer.step(again)
END
run_traced "$PYTHON" prog.py || fail "a closure without zero_grad()"
expect_eq "phases of a closure without zero_grad()" "$(json steps "$OUTPUT" '[totals[name] for name in ("forward_ns", "backward_ns", "optimizer_ns", "other_phase_ns")]')" "[null, null, null, null]"
expect_match "what is said of it" "$("$REPORT" steps "$OUTPUT" | tr '\n' ' ')" "forward, backward, the optimizer and evaluation are not known"
