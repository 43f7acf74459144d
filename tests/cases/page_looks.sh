#!/bin/bash
# The page in light, in dark and on paper: all text can be read, nothing of it is cut on paper; keys come to all that a mouse does.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
need_browser chromium
need_program cuda_gpu
need_program device_file
FAKE_CUDA_COUNTS=$PWD/counts.json run_traced "$PROGRAMS/cuda_gpu" work || fail "cuda_gpu: status $?"
mv run.evt gpu.evt
run_lossy
mv run.evt losses.evt
# states of GPUs: the widest tables
mkdir slow
"$PROGRAMS/device_file" "$PWD/slow/two" || fail "device_file"
rm slow/two.evt
mv slow/two.host.*.evt device.evt
for file in "$ROOT/tests/truth/recordings/good_workers.evt" "$ROOT/tests/truth/recordings/decode_python.evt" gpu.evt losses.evt device.evt; do
	"$REPORT" page "$file" -o "$(basename "$file" .evt).html" 2>err || fail "$file: $(cat err)"
done
python3 -S "$ROOT/tests/page_looks.py" ./*.html >log 2>err || fail "$(tail -n 40 err)"
exit 0
