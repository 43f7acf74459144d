#!/bin/bash
# Exports of events need memory for names and for what is open, not for the length of a run; sums are those of the tables.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
# suite: test-all, half a minute of CPU for long recordings
need_program work_file
# of 24 seconds exports have all that they keep for as long as a recording may be
"$PROGRAMS/work_file" 24 short.evt || fail "work_file failed"
"$PROGRAMS/work_file" 32 long.evt || fail "work_file failed"
expect_eq "kernels" "$(json kernels long.evt 'totals["calls"]')" $((32 * 16000))
cat >peak.py <<'END'
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stderr.strip(), file=sys.stderr)
sys.exit(done.returncode)
END
for format in chrome perfetto sqlite parquet; do
	for length in short long; do
		rm -rf "$length.out"
		python3 -S peak.py "$REPORT" export $format $length.evt -o $length.out 2>$length.err || fail "$format: $(cat $length.err)"
	done
	# 6,000 KiB for 128,000 more kernels: a quarter of what they would need
	expect_between "KiB that export $format takes for a third more" "$(cut -d' ' -f1 long.err)" 1000 \
		$(($(cut -d' ' -f1 short.err) + 6000))
	[[ $format != sqlite ]] || mv long.out long.sqlite
done
rm -rf short.out long.out
# nor do tables with a row for each kernel, which wait in a temporary file, and the exports that have all tables: with what gpu-trace and
# pyprof kept once it would be 25,000 to 40,000 KiB for 128,000 more. Nor the page, whose timeline is full with 800,000 kernels and their launches
for format in "gpu-trace --limit 20" "export csv" "export json" page; do
	if [[ $format == page ]]; then
		"$PROGRAMS/work_file" 50 short.evt || fail "work_file failed"
		"$PROGRAMS/work_file" 60 long.evt || fail "work_file failed"
	fi
	for length in short long; do
		rm -rf $length.out
		# shellcheck disable=SC2086 # words
		python3 -S peak.py "$REPORT" $format $length.evt -o $length.out 2>$length.err || fail "$format: $(cat $length.err)"
	done
	[[ $format != "export csv" ]] || expect_eq "rows by kernel" "$(wc -l <long.out/gpu-trace.csv) $(wc -l <long.out/pyprof.csv)" \
		"$((32 * 16000 + 1)) $((32 * 16000 + 1))"
	expect_between "KiB that $format takes for more" "$(cut -d' ' -f1 long.err)" 1000 \
		$(($(cut -d' ' -f1 short.err) + 15000))
	expect_between "KiB that $format takes" "$(cut -d' ' -f1 long.err)" 1000 614400
done
expect_between "bytes of the page" "$(stat -c %s long.out)" 1000 26214400
python3 -S - <<'END' || fail "what is in the database"
import sqlite3
data = sqlite3.connect("file:long.sqlite?mode=ro", uri=True)
rows = data.execute('''SELECT f.value, s.value, m.value, COUNT(*), SUM(k."end" - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
    JOIN StringIds AS f ON f.id = demangledName JOIN StringIds AS s ON s.id = shortName
    JOIN StringIds AS m ON m.id = mangledName GROUP BY demangledName''').fetchall()
assert sorted(rows) == sorted((f"void kernel<{i}>()", f"kernel<{i}>", f"_Z6kernelILi{i}EEvv", 12800, 12800 * 20000) for i in range(40)), rows[:3]
assert data.execute("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN PROCESSES USING (globalPid)").fetchone() == (512000,)
END
# what must hold in every recording is examined in a short one of this kind
rm short.evt long.evt
"$PROGRAMS/work_file" 2 judged.evt || fail "work_file failed"
exit 0
