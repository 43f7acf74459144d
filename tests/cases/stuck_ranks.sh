#!/bin/bash
# A job of three ranks that hangs: which rank keeps the others waiting, on which line; while it hangs, is stopped, and after SIGKILL.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >hang.py <<'END'
import os
import signal
import sys
import threading
import time

import torch
import torch.distributed as dist

kind, rank = sys.argv[1], int(os.environ["RANK"])
dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/{kind}.store", rank=rank, world_size=3)
lock = threading.Lock()


def hold():
    with lock:
        time.sleep(1000)  # held


def load(step):
    if step == 1 and rank == 1 and kind == "barrier":
        os.kill(os.getpid(), signal.SIGSTOP)  # itself
    if step != 3 or rank != 1:
        return
    if kind == "barrier":
        dist.barrier()
    threading.Thread(target=hold, name="holder", daemon=True).start()
    time.sleep(.5)
    with lock:  # here
        pass


for step in range(5):
    load(step)
    dist.all_reduce(torch.ones(3))  # there
dist.barrier()
os._exit(0)  # gloo now and then aborts in its own teardown, without intercept too
END
export GLOO_SOCKET_IFNAME=lo
here=$(grep -n '# here' hang.py | cut -d: -f1) there=$(grep -n '# there' hang.py | cut -d: -f1)

begin() { # KIND
	pids=()
	for rank in 0 1 2; do
		RANK=$rank WORLD_SIZE=3 LOCAL_RANK=$rank INTERCEPT_OUTPUT=$PWD/$1$rank.evt LD_PRELOAD=$LIB "$PYTHON" hang.py "$1" >out.$rank 2>&1 &
		pids+=($!)
	done
}

verdict() { # KIND
	"$REPORT" stuck --live --format json "$1"?.evt 2>/dev/null |
		python3 -I -S -c 'import json, sys; print(json.load(sys.stdin)["totals"]["verdict"])' 2>/dev/null
}

await() { # KIND REGEX
	for ((i = 0; i < looks; i++)); do
		[[ $(verdict "$1") =~ $2 ]] && return
		sleep .2
	done
	fail "$1: $(verdict "$1"); $(cat out.?)"
}

begin lock
late="^Rank 1 has not entered gloo:all_reduce number 4, which ranks 0 and 2 entered .* ago; it is at hang\.py:$here \(load\), waiting for a lock, a condition or another thread\.$"
await lock "$late"
kill -9 "${pids[@]}"
wait "${pids[@]}" 2>/dev/null
"$REPORT" stuck lock?.evt >shown || fail "after SIGKILL"
[[ $(verdict lock) =~ $late ]] || fail "after SIGKILL: $(verdict lock)"
! grep MISSING shown || fail "nothing is missing"
expect_eq "rows" "$(json stuck "lock0.evt" '[[r["rank"], r["thread"] == "holder", r["line"].rsplit(":", 1)[1], r["operation"], r["sequence"]]
	for r in sorted(rows, key=lambda r: (r["rank"], r["thread"] == "holder"))]' lock1.evt lock2.evt)" \
	"[[0, false, \"$there\", \"gloo:all_reduce\", 4], [1, false, \"$here\", null, null], [1, true, \"$(grep -n '# held' hang.py | cut -d: -f1)\", null, null], [2, false, \"$there\", \"gloo:all_reduce\", 4]]"
# What is open at the end is in each export, up to the end of its process, and marked.
for form in chrome:json perfetto:pftrace sqlite:db parquet:d; do
	"$REPORT" export "${form%:*}" lock0.evt -o "trace.${form#*:}" 2>err || fail "export $form after SIGKILL: $(cat err)"
done
python3 -S - "$(json processes "$PWD/lock0.evt" 'rows[0]["end_ns"]')" "$(json ops "$PWD/lock0.evt" 'row(name="gloo:all_reduce")["max_cpu_ns"]')" <<'END' || fail "exports after SIGKILL"
import json, sqlite3, sys
end, longest = map(int, sys.argv[1:])
cut = [event for event in json.load(open("trace.json"))["traceEvents"] if "end not recorded" in (event.get("args") or {})]
assert [event["name"] for event in cut] == ["gloo:all_reduce"], cut
assert abs((cut[0]["ts"] + cut[0]["dur"]) * 1000 - end) < 1 and abs(cut[0]["dur"] * 1000 - longest) < 1, (cut, end, longest)
assert open("trace.pftrace", "rb").read().count(b"end not recorded") == 1
rows = sqlite3.connect("trace.db").execute("SELECT value, start, end FROM NVTX_EVENTS JOIN StringIds ON id = textId WHERE endNotRecorded").fetchall()
assert rows == [("gloo:all_reduce", end - longest, end)], (rows, end, longest)
END
for family in ranges collectives; do
	grep -qa end_not_recorded trace.d/*/*/family=$family/part.parquet || fail "Parquet has no column of what is cut in $family"
done
"$REPORT" summary lock?.evt | grep -q 'Rank 1 has not entered' || fail "the summary does not say it"
"$REPORT" watch lock0.evt >shown || fail "watch: status $?"
grep -q '^stuck     Rank 0 entered gloo:all_reduce number 4' shown || fail "watch: $(cat shown)"

begin barrier
await barrier "^Rank 1 has not entered gloo:all_reduce number 2, which ranks 0 and 2 entered .* ago; it is at hang\.py:$(grep -n '# itself' hang.py | cut -d: -f1) \(load\), stopped by a signal\.$"
kill -CONT "${pids[1]}"
await barrier "^The ranks are in 2 different collectives at the same time"
# one of them is stopped as well, which stays known
kill -STOP "${pids[1]}"
in_barrier() {
	"$REPORT" stuck --live barrier?.evt 2>/dev/null | tr '\n' ' ' | grep -q 'Rank 1: in gloo:barrier number 1 for .*, at hang\.py:[0-9]* (load), stopped by a signal\.'
}
eventually "a stopped rank" in_barrier
kill -9 "${pids[@]}"
wait "${pids[@]}" 2>/dev/null
in_barrier || fail "$("$REPORT" stuck barrier?.evt)"
