#!/bin/bash
# bottleneck: a bad training gets the advice that it needs, a good one none of it; runs without torch or steps.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
need_torch eager
need_program counts
export OMP_NUM_THREADS=1
cat >train.py <<'PROGRAM'
import sys
import time
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1)
slow, bad, good = (sys.argv[1] == kind for kind in ("slow", "bad", "good"))


class Data(Dataset):
    def __len__(self):
        return 240

    def __getitem__(self, index):
        if slow:  # so long that no load makes the rest longer
            time.sleep(0.025)
        return torch.zeros(256), index % 4


width = 512 if good else 32
layers = [torch.nn.Linear(256, width)] + [torch.nn.Linear(width, width) for _ in range(48 if bad else 3)]
model = torch.nn.Sequential(*layers)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, foreach=False, fused=good)
kept, total = [], torch.zeros(())
for number, (x, y) in enumerate(DataLoader(Data(), batch_size=4)):
    optimizer.zero_grad()
    if good:
        x = x.repeat(64, 1)
        y = y.repeat(64)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if bad:
        kept.append(loss.item() * torch.ones(4000))
    else:
        total += loss.detach()
PROGRAM
run_traced "$PYTHON" train.py slow >out 2>err || fail "slow: $(cat err)"
# on a busy machine the start takes more seconds, which is a note, and notes stand behind all others
expect "$OUTPUT" '[r.id for r in bottleneck.rows if r.severity != "note"][0] == "dataloader"' \
	'(lambda at: at == sorted(at, reverse=True))([r.stake_ns or 0 for r in bottleneck.rows
		if r.severity != "note" and r.id not in ("small_operators", "slow_steps")])'
"$REPORT" bottleneck --no-color "$OUTPUT" >text.txt || fail "as text"
grep -Eq '^[0-9]\. dataloader .(problem|warning), at most [0-9.]+ m?s, [0-9.]+ % of the steps. time\)' text.txt || fail "text: $(cat text.txt)"

rm "$OUTPUT"
run_traced "$PYTHON" train.py bad >out 2>err || fail "bad: $(cat err)"
facts=$("$PYTHON" -c 'import importlib.util as u, os, platform, runpy
version = runpy.run_path(os.path.join(os.path.dirname(u.find_spec("torch").origin), "version.py"))["__version__"]
print([str(version), platform.python_version(), "1", 60])')
# values read on a CPU are no "item"; the parts of a step are all of it
expect "$OUTPUT" 'bottleneck.select(id="optimizer")' '15000 <= bottleneck.row(id="tensor_growth").value <= 17500' \
	'not bottleneck.select(id="item")' 'all(r.value > r.threshold for r in bottleneck.rows)' \
	"[bottleneck.totals[n] for n in ('torch_version', 'python_version', 'OMP_NUM_THREADS', 'steps')] == $facts" \
	'0 < bottleneck.totals.import_torch_ns < bottleneck.totals.first_step_ns < bottleneck.totals.last_step_ns <= bottleneck.totals.wall_ns' \
	'sum(v for k, v in bottleneck.totals.items() if k.startswith("step_") and k not in ("step_total_ns", "step_p50_ns")) == bottleneck.totals.step_total_ns'
"$REPORT" bottleneck --no-color "$OUTPUT" >text.txt || fail "as text"
grep -q 'import torch. done ' text.txt || fail "no time of the import: $(cat text.txt)"

rm "$OUTPUT"
run_traced "$PYTHON" train.py good >out 2>err || fail "good: $(cat err)"
advice=$(json bottleneck "$OUTPUT" '" ".join(r["id"] for r in rows)')
for id in dataloader optimizer item tensor_growth zero_grad losses out_of_memory cuda_errors no_steps; do
	[[ " $advice " != *" $id "* ]] || fail "a good training: $("$REPORT" bottleneck "$OUTPUT")"
done

rm "$OUTPUT"
run_traced "$PYTHON" -c 'import torch; torch.ones(3).sum()' || fail "no steps"
expect "$OUTPUT" '[r.id for r in bottleneck.rows if r.id != "cpu_contention"] == ["no_steps"]' 'bottleneck.totals.first_step_ns is None'

rm "$OUTPUT"
run_traced "$PROGRAMS/counts" one_thread >out 2>err
expect_eq "without torch" "$(json bottleneck "$OUTPUT" '[[r["id"] for r in rows if r["id"] != "cpu_contention"], totals["torch_version"], totals["steps"]]')" '[[], null, 0]'
"$REPORT" bottleneck "$OUTPUT" >text.txt || fail "as text without torch"
grep -q 'INTERCEPT_TRACE=+native-samples records them' text.txt || fail "without torch: $(cat text.txt)"
! grep -qi pytorch text.txt || fail "a program without torch is told of PyTorch: $(cat text.txt)"
: >empty.evt
"$REPORT" bottleneck empty.evt >text.txt 2>err
expect_eq "status for an empty file" "$?" 1
