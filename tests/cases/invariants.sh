#!/bin/bash
# What must hold in every recording holds in those of this tree: shares, sums, self and total, lives, figures that two reports state.
# SPDX-License-Identifier: MIT
# timeout: 600
# suite: test-all, every recording of the tree, by every report
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

mapfile -t recordings < <(find "$ROOT/tests" -name '*.evt' -not -path '*/fuzz/*' | sort)
((${#recordings[@]} > 80)) || fail "only ${#recordings[@]} recordings"
# Of each sixth recording also each thread, and halves of the run.
invariants() { # ARGUMENT...
	python3 "$ROOT/tests/invariants.py" "$@" >found || fail "$(wc -l <found) faults: $(head -n 20 found | cut -c 1-300)"
}
mapfile -t deep < <(printf '%s\n' "${recordings[@]}" | awk 'NR % 6 == 0')
mapfile -t others < <(printf '%s\n' "${recordings[@]}" | awk 'NR % 6')
invariants --deep "$REPORT" "${deep[@]}"
invariants "$REPORT" "${others[@]}"

# The same by every key, and in what people read, of small recordings of all families.
families=(collectives families functions gpu5 io memory native pymem samples stacks)
families=("${families[@]/#/$ROOT/tests/golden/}")
invariants --keys "$REPORT" "${families[@]/%/.evt}"

# It finds what is wrong: figures of a report that are changed.
python3 -S - "$ROOT/tests" "$REPORT" <<'END2' || fail "nothing is found in what is wrong"
import copy, json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import invariants

def changed(documents, report, row, column, value):
    (document,) = [copy.deepcopy(one) for one in documents if one["report"] == report]
    place = document["totals"] if row == "totals" else document["rows"][int(row)]
    place[column] = place[column] * int(value[1:]) if value[0] == "x" else json.loads(value)
    return [one for one in documents if one["report"] != report] + [document]

read = {}
for line in """
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
""".split("\n")[1:-1]:
    recording, change = line.split(" ", 1)
    run = invariants.Run(sys.argv[2], "%s/golden/%s.evt" % (sys.argv[1], recording))
    if recording not in read:
        read[recording] = run.read()
        assert not list(invariants.judge(run.tables(read[recording]))), recording
    faults = list(invariants.judge(run.tables(changed(read[recording], *change.split()))))
    assert change.split()[0] in [report for report, _ in faults], (line, faults)
END2
exit 0
