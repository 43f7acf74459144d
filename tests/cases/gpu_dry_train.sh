#!/bin/bash
# make test-gpu over the fake CUDA: trainings with torch.profiler in them, many launches and what they cost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
# suite: test-all, the checks of make test-gpu, torch.profiler in them
need_cuda_torch eager
"$PYTHON" -c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ("sklearn", "triton"))))' || skip "no sklearn or no Triton for '$PYTHON'"
export PYTHONPATH=$ROOT/tests/torch/rest${PYTHONPATH:+:$PYTHONPATH} # PyTorch's own end
OUT=$PWD/out "$ROOT/scripts/test-gpu.sh" --fake "$BUILD/fake" --runs 1 --only beside_plain,beside_demo,ops_plain,ops_demo,million,cost \
	>fake.out 2>&1 || fail "$(sed -n '/^FAIL/,/^PASS/p' fake.out; tail -n 2 fake.out)"
expect_eq "last line" "$(tail -n 1 fake.out)" '6 passed, 0 failed, 0 skipped'
python3 -S -c 'import json
names = [row["name"] for row in json.load(open("out/results.json"))["figures"]]
assert "on disk" in names and "step_ms, profiler, over bare" in names and "step_ms, default, off over bare" in names, names
steps = json.load(open("out/steps.json"))
assert not steps["failed"] and len(steps["works"]["step_ms"]["targets"]) == 2, steps' || fail "figures: $(cat out/results.json)"
