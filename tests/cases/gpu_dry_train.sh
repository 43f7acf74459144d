#!/bin/bash
# make test-gpu over the fake CUDA: trainings with torch.profiler in them, many launches and what they cost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
need_cuda_torch eager
"$PYTHON" -c 'import sklearn, triton' 2>/dev/null || skip "no sklearn or no Triton for '$PYTHON'"
export PYTHONPATH=$ROOT/tests/torch/rest${PYTHONPATH:+:$PYTHONPATH} # PyTorch's own end
OUT=$PWD/out "$ROOT/scripts/test-gpu.sh" --fake "$BUILD/fake" --runs 1 --only beside_plain,beside_demo,million,cost >fake.out 2>&1 || fail "$(cat fake.out)"
expect_eq "last line" "$(tail -n 1 fake.out)" '4 passed, 0 failed, 0 skipped'
[[ -s out/figures.json ]] || fail "no figures.json"
python3 -c 'import json
names = [json.loads(line)["name"] for line in open("out/figures.json")]
assert any("torch.profiler" in name for name in names) and "on disk" in names, names' || fail "figures: $(cat out/figures.json)"
