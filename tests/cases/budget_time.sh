#!/bin/bash
# INTERCEPT_BUDGET in a process without steps: windows of time after the beginning, nothing of the heap between them, and tables that say of how much time they are.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program timed_work
# Blocks of half a second are drawn by their numbers, so the same windows come in each run: of one in two, the blocks 1, 2, 6, 8 and 9 are without.
INTERCEPT_BUDGET=1/2,first=500ms INTERCEPT_STACKS=caller run_traced "$PROGRAMS/timed_work" 6 >out 2>err || fail "status $?: $(cat err)"
expect_silence err
"$REPORT" dump "$OUTPUT" >dumped
"$REPORT" alloc "$OUTPUT" >alloc.txt || fail "alloc: status $?"
"$REPORT" alloc --format json --limit 0 "$OUTPUT" >alloc.json || fail "alloc: status $?"
"$REPORT" summary "$OUTPUT" >summary.txt || fail "summary: status $?"
python3 -S - "$(cat out)" <<'END_OF_JUDGE' || fail "the windows"
import json, re, sys

ours = int(sys.argv[1])
on, edges, late, begun, after = True, 0, 0, 0, 0
lines = [line for line in open("dumped") if line.split()[0].isdigit()]
for line in sorted(lines, key=lambda line: (int(line.split()[0]), " detail_asked " not in line)):
    words = line.split()
    event = words[2]
    if event == "detail_asked":
        assert ("on=1" in words) != on, line
        edges += 1
        on = "on=1" in words
        late = 0
        after += on
    elif event == "malloc" and "size=4321" in words:
        begun += 1
        late += not on
        # a thread notices within 64 words of its ring, three a block and one or two to free it
        assert late <= 64, line
assert edges >= 3 and after >= 1, edges
assert 0 < begun < ours, (begun, ours)
totals = json.load(open("alloc.json"))["totals"]
said = " ".join(open("alloc.txt").read().split())
found = re.search(r"recorded with detail: ([\d.]+) (m?s) of ([\d.]+) (m?s) in (\d+) windows \(INTERCEPT_BUDGET\)", said)
assert found, said[:500]
assert int(found[5]) == after + 1, (found[5], after)
assert float(found[1]) * (1 if found[2] == "s" else 0.001) < float(found[3]), found[0]
assert found[0] in " ".join(open("summary.txt").read().split()).replace("Recorded", "recorded")
assert totals["frees_unmatched"] == 0, totals
END_OF_JUDGE

# Without a budget, and before the beginning is over, all of it is recorded.
INTERCEPT_BUDGET=1/2,first=600s INTERCEPT_OUTPUT=$PWD/whole.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 >out || fail "status $?"
written whole.evt
expect_eq "blocks of the beginning" "$("$REPORT" dump whole.evt | grep -c ' malloc .* size=4321')" "$(cat out)"
# A process that has steps draws steps, whatever the time.
touch now
INTERCEPT_BUDGET=1/2,first=5 INTERCEPT_STEP=step INTERCEPT_OUTPUT=$PWD/steps.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 "$PWD/now" >out ||
	fail "status $?"
written steps.evt
expect_eq "windows of time beside steps" "$("$REPORT" dump steps.evt | grep -c ' detail_asked ')" 0
expect_match "what is said of steps" "$("$REPORT" alloc steps.evt | tr -s '\n ' ' ')" 'recorded with detail: [0-9]+ of 41 steps \(INTERCEPT_BUDGET\)'

# A slow step in a hundred is found in 1,000 steps of which few have detail: how long each took is always recorded.
cat >slow.py <<'END'
import ctypes, time

nvtx = ctypes.CDLL(None)
for step in range(1000):
    nvtx.nvtxRangePushA(b"step")
    if step % 100 == 99:
        time.sleep(0.1)
    nvtx.nvtxRangePop()
END
INTERCEPT_BUDGET=1/16,first=20 INTERCEPT_STEP=step INTERCEPT_OUTPUT=$PWD/slow.evt LD_PRELOAD=$LIB python3 -S slow.py || fail "status $?"
written slow.evt
expect slow.evt 'steps.totals.steps == 1000' '20 <= steps.totals.detailed < 200' \
	'{row.step for row in steps("--limit", "0").rows if row.total_ns >= 100_000_000} >= set(range(99, 1000, 100))'
"$REPORT" bottleneck --format json slow.evt >bottleneck.json || fail "bottleneck: status $?"
grep -q '"slow_steps"' bottleneck.json || fail "the slow steps are no cause: $(cat bottleneck.json)"
# what is at stake is that of all steps, and not of those with detail
expect slow.evt 'bottleneck.row(id="slow_steps").stake_ns >= 800_000_000'
