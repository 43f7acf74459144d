#!/bin/bash
# Versions, threads and variables of the environment are recorded once, also when recording begins later.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch eager
export INTERCEPT_TRACE=-alloc OMP_NUM_THREADS=1
cat >prog.py <<'END'
import platform
import torch

parameter = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([parameter], lr=0.1)
for _ in range(4):
    parameter.sum().backward()
    optimizer.step()
print(platform.python_version(), torch.__version__, torch.get_num_threads(), torch.version.cuda or "none")
END
fact() {
	"$REPORT" dump "$OUTPUT" | sed -n "s/.* fact key=\"$1\" value=\"\(.*\)\" age_ns=.*/\1/p"
}
same_facts() {
	expect_eq "$1: versions" "$(fact python_version) $(fact torch_version) $(fact torch_threads) $(fact torch_cuda)" "$(cat out)"
	expect_eq "$1: OMP_NUM_THREADS" "$(fact OMP_NUM_THREADS)" 1
	"$REPORT" check "$OUTPUT" >check.txt || fail "$1: $(cat check.txt)"
}
run_traced "$PYTHON" prog.py >out || fail "no run"
same_facts "from the start"
expect_eq "ages" "$("$REPORT" dump "$OUTPUT" | grep ' fact ' | grep -vc ' age_ns=0$')" 0
rm "$OUTPUT"
INTERCEPT_SCHEDULE=skip_first=2,active=1 run_traced "$PYTHON" prog.py >out || fail "no run with a schedule"
same_facts "with a schedule"
expect_eq "ages that tell" "$("$REPORT" dump "$OUTPUT" | grep ' fact ' | grep -c ' age_ns=0$')" 0
rm "$OUTPUT"
cat >ranges.py <<'END'
import torch

with torch.cuda.nvtx.range("measured"):
    exec(open("prog.py").read())
END
INTERCEPT_CAPTURE=nvtx:measured run_traced "$PYTHON" ranges.py >out || fail "no run with a capture range"
same_facts "with a capture range"
