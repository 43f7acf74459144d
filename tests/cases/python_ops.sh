#!/bin/bash
# Operators by the line of Python that called them; backward functions by the line of their forward operator, of whatever thread.
# SPDX-License-Identifier: MIT
# timeout: 240
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here

cat >lines.py <<'END'
import threading
import torch

w = torch.ones(16, 16, requires_grad=True)


def forward(x):
    y = torch.mm(x, w)  # mm
    z = y.sin()  # sin
    return (z
            .cos()  # cos
            .sum())


def elsewhere(kept):
    kept.append(forward(torch.ones(16, 16)))


def step():
    kept = []
    thread = threading.Thread(target=elsewhere, args=(kept,))
    thread.start()
    thread.join()
    kept.append(forward(torch.ones(16, 16)))
    for loss in kept:
        loss.backward()  # backward


for _ in range(10):
    step()
with torch.no_grad():
    torch.ones(3).sin()  # bare
END
line() { # WORD: the line that is marked with it
	grep -n "# $1\$" lines.py | cut -d : -f 1
}

calls() { # NAME WORD
	json ops "$OUTPUT" "[r['calls'] for r in rows if r['name'] == '$1' and (r['line'] or '').endswith('/lines.py:$(line "$2")')]" --by line
}

INTERCEPT_STACKS=torch:python run_traced "$PYTHON" "$PWD/lines.py" || fail "lines.py ended with $?"
expect_eq "mm" "$(calls aten::mm mm)" "[40]" # 20 forward, and one in each MmBackward0: x wants no gradient
expect_eq "sin" "$(calls aten::sin sin)" "[20]"
expect_eq "MmBackward0" "$(calls MmBackward0 mm)" "[20]"
expect_eq "SinBackward0" "$(calls SinBackward0 sin)" "[20]"
expect_eq "CosBackward0" "$(calls CosBackward0 cos)" "[20]"
expect_eq "what is inside of CosBackward0" "$(calls aten::neg cos)" "[20]"
expect_eq "sin without a gradient, and inside of CosBackward0" "$(calls aten::sin bare) $(calls aten::sin cos)" "[1] [20]"
for by in line function python stack; do
	expect_eq "the same in all by $by" "$(json ops "$OUTPUT" 'sum(r["calls"] for r in rows), sum(r["self_cpu_ns"] for r in rows)' --by $by)" \
		"$(json ops "$OUTPUT" 'totals["calls"], totals["self_cpu_ns"]')"
done
expect_eq "by function" "$(json ops "$OUTPUT" "sum(r['calls'] for r in rows if r['function'] == 'forward' and r['name'] == 'SinBackward0')" --by function)" 20
expect_eq "threads of a row" "$(json ops "$OUTPUT" "max(r['threads'] for r in rows if r['name'] == 'aten::sin') > 1" --by line)" true
expect_eq "by step's stacks alone" "$(json ops "$OUTPUT" "sorted({r['name'] for r in rows if 'Backward' in r['name']})" --by line \
	--filter 'stack~elsewhere')" '["CosBackward0", "MmBackward0", "SinBackward0", "SumBackward0"]'
"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"

# an operator's row is the same without stacks; what to do is said
rm -f ./*.evt*
run_traced "$PYTHON" "$PWD/lines.py" || fail "lines.py ended with $?"
expect_match "without stacks" "$("$REPORT" ops --by line "$OUTPUT" | tr '\n' ' ')" 'operators have no stack here: INTERCEPT_STACKS=python in'
