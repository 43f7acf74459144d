#!/bin/bash
# INTERCEPT_SCHEDULE records exactly the steps that torch.profiler records, with the same operators; what ends a step.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
need_torch eager
export INTERCEPT_TRACE=-alloc
train() { # KIND SCHEDULE [NAME=VALUE...]
	local kind=$1 schedule=$2
	shift 2
	rm -f ./*.evt seen.json
	run_traced env "$@" INTERCEPT_SCHEDULE="$schedule" "$PYTHON" "$ROOT/tests/programs/steps.py" "$kind" "$schedule" >out 2>err ||
		fail "$kind $schedule: $(tail -3 err)"
	expect_silence err "$kind $schedule"
	"$REPORT" dump "$OUTPUT" >dump.txt
}

# same_steps KIND ENDED_BY NUMBER...: these steps are recorded, with the operators that torch.profiler saw in them.
same_steps() {
	python3 -S - "$@" <<'END' || fail "$*: not the steps that torch.profiler records"
import collections, json, re, sys
kind, ended_by, wanted = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]]
seen, ours, ends, number, recording = json.load(open("seen.json")), {}, {}, None, None
for line in sorted(open("dump.txt"), key=lambda line: int(line.split()[0])):  # the file goes by thread
    event = re.match(r'\d+ \S+ (\w+)(?: (?:number=(\d+) )?name="((?:[^"\\]|\\.)*)")?', line)
    if not event:
        continue
    what, mark, name = event.groups()
    if what in ("capture_start", "capture_stop"):
        assert recording != what, line
        recording, number = what, None
    elif what == "step":
        if number is not None:
            ends[number] = name
        number = int(mark)
        ours.setdefault(number, collections.Counter())
    elif what.startswith("torch_begin"):
        assert recording == "capture_start", line
        if number is not None:
            ours[number][name] += 1
got = sorted(ends)
assert got == wanted, "steps recorded: %r, wanted %r" % (got, wanted)
assert set(ends.values()) == set(ended_by.split(",")), set(ends.values())
if kind == "profiler":
    assert sorted(int(n) for n in seen) == wanted, "torch.profiler's: %r" % sorted(seen)
for n in wanted:
    theirs = {k: v for k, v in seen[str(n)].items() if not k.startswith("profiler::")}
    mine = {k: v for k, v in ours[n].items() if not k.startswith("profiler::")}
    # a step begins, here and there, somewhat before the first thing in it
    wrong = {k: (theirs.get(k, 0), mine.get(k, 0)) for k in set(theirs) | set(mine)
             if theirs.get(k, 0) != mine.get(k, 0) and not k.startswith("ProfilerStep")}
    assert not wrong, "step %d: torch.profiler, ours: %r" % (n, wrong)
END
	shift 2
	expect "$OUTPUT" "sorted(int(r['step']) for r in steps.rows) == [$(echo "$*" | tr ' ' ,)]"
}

train profiler wait=1,warmup=1,active=3,repeat=2,skip_first=0
same_steps profiler ProfilerStep 2 3 4 7 8 9
train profiler skip_first=2,wait=2,active=1
same_steps profiler ProfilerStep 4 7 10
train optimizer_ends warmup=2,active=2,repeat=2,skip_first=1
same_steps optimizer_ends Optimizer.step#SGD.step 3 4 7 8
train scope_ends wait=3,active=1 INTERCEPT_STEP='iteration *'
same_steps scope_ends 'iteration *' 3 7 11
train gan skip_first=3,active=3,repeat=1
same_steps gan Optimizer.step#Adam.step,Optimizer.step#SGD.step 3 4 5
train gan skip_first=3,active=3,repeat=1 INTERCEPT_STEP=Optimizer.step#Adam.step
expect "$OUTPUT" 'sorted(int(r["step"]) for r in steps.rows) == [3, 4, 5]' \
	'{r["ended_by"] for r in steps.rows} == {"Optimizer.step#Adam.step"}'
