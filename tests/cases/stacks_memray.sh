#!/bin/bash
# Allocations, their bytes, leaked bytes and bytes at the peak are those of memray --native, stack by stack, of a library below Python.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_torch # scripts/pip-folder.sh installs memray for that interpreter
memray=$(fetched memray)
[[ -d $memray/memray ]] || skip "no memray (scripts/pip-folder.sh memray installs it)"
need_program libstack_work.so
library=$PROGRAMS/libstack_work.so

cat >run.py <<'END'
import ctypes, sys
ctypes.PyDLL(sys.argv[1]).work()
END
# "work;name;... VALUE" of what was called below work()
cat >theirs.py <<'END'
import collections, sys
from memray import AllocatorType, FileReader
FREES = (AllocatorType.FREE, AllocatorType.MUNMAP)
def write(name, records, value):
    sums = collections.Counter()
    for record in records:
        if AllocatorType(record.allocator) in FREES:
            continue
        functions = [frame[0] for frame in record.native_stack_trace()]
        if "work" in functions:
            sums[";".join(reversed(functions[:functions.index("work") + 1]))] += value(record)
    with open("theirs." + name, "w") as file:
        file.writelines(f"{stack} {value}\n" for stack, value in sorted(sums.items()) if value)
size, count = lambda r: r.size, lambda r: r.n_allocations
with FileReader("memray.bin") as reader:
    write("calls", reader.get_allocation_records(), count)
    write("bytes", reader.get_allocation_records(), size)
    write("live", reader.get_leaked_allocation_records(merge_threads=True), size)
    write("peak", reader.get_high_watermark_allocation_records(merge_threads=True), size)
END
PYTHONPATH=$memray "$PYTHON" -m memray run -q -f --native -o memray.bin run.py "$library" >memray.txt 2>&1 ||
	skip "memray does not run here: $(cat memray.txt)"
PYTHONPATH=$memray "$PYTHON" theirs.py 2>memray.txt || fail "cannot read memray's file: $(cat memray.txt)"
INTERCEPT_STACKS=native run_traced "$PYTHON" run.py "$library" >out.txt 2>&1 || fail "status $?: $(cat out.txt)"
for value in calls bytes live peak; do
	"$REPORT" flame --value $value --format folded "$OUTPUT" | sed -n 's/.*;work;/work;/p' | LC_ALL=C sort >ours.$value
	[ -s theirs.$value ] || fail "memray has no $value"
	LC_ALL=C sort theirs.$value | diff - ours.$value >diff.txt || fail "$value, memray's and ours: $(cat diff.txt)"
done
expect_eq "stacks at the peak" "$(wc -l <ours.peak)" 23
