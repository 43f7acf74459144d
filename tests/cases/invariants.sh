#!/bin/bash
# What must hold in every recording holds in those of this tree: shares, sums, self and total, lives, figures that two reports state.
# SPDX-License-Identifier: MIT
# timeout: 600
# suite: test-all, every recording of the tree, by every report
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export PROF_REPORT_CACHE=off
mapfile -t recordings < <(find "$ROOT/tests" -name '*.evt' -not -path '*/fuzz/*' | sort)
((${#recordings[@]} > 80)) || fail "only ${#recordings[@]} recordings"
python3 "$ROOT/tests/invariants.py" --deep "$REPORT" "${recordings[@]}" >found || fail "$(wc -l <found) faults: $(head -n 20 found | cut -c 1-300)"

# The same by every key, and in what people read, of small recordings of all families.
families=(collectives families functions gpu5 io memory native pymem samples stacks)
families=("${families[@]/#/$ROOT/tests/golden/}")
python3 "$ROOT/tests/invariants.py" --keys "$REPORT" "${families[@]/%/.evt}" >found ||
	fail "$(wc -l <found) faults: $(head -n 20 found | cut -c 1-300)"

# It finds what is wrong: figures of a report that are changed on the way to it.
cat >wrong <<'END2'
#!/usr/bin/env python3
import glob, json, os, subprocess, sys
status = subprocess.run([os.environ["REPORT"], *sys.argv[1:]]).returncode
change = os.environ["CHANGE"].split()
for path in glob.glob(sys.argv[5] + "/*.json") if sys.argv[1] == "export" else ():
    document = json.load(open(path))
    if document["report"] == change[0]:
        row = document["totals"] if change[1] == "totals" else document["rows"][int(change[1])]
        row[change[2]] = json.loads(change[3]) if change[3][0] != "x" else row[change[2]] * int(change[3][1:])
        json.dump(document, open(path, "w"))
sys.exit(status)
END2
chmod +x wrong
while read -r recording change; do
	CHANGE=$change python3 "$ROOT/tests/invariants.py" --all ./wrong "$ROOT/tests/golden/$recording.evt" >found && fail "nothing is found in: $change"
	expect_match "$change" "$(cat found)" "$recording.evt: ${change%% *}: "
done <<'END2'
families alloc 0 percent 101
families ops 0 self_cpu_ns x100
families ops 0 min_cpu_ns x10000000
families ops 0 max_cpu_ns x10000000
families nvtx 0 max_ns x1000000000
families steps 0 other_ns x2
families steps 0 start_ns x1000
families alloc 0 allocations x2
families alloc 0 bytes_allocated -1
families threads 0 cuda_ns x1000000
families threads 0 end_ns 0
families top-down 0 self x2
families peak totals bytes 1
families leaks totals bytes 1
families summary totals allocations 1
collectives threads 0 cpu_ns x1000000
collectives threads 0 blocked_ns x1000000
gpu5 utilization 0 idle_ns x2
memory memory 0 percent 101
memory memory 3 end_bytes 7
samples lines 0 cpu_ns x1000
../truth/recordings/gpu_sleep bottleneck 0 function "_engine_run_backward"
../truth/recordings/gpu_sleep bottleneck 1 function "_engine_run_backward"
END2
exit 0
