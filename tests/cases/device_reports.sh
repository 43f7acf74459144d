#!/bin/bash
# The state of GPUs beside steps, over ranks, in watch, in exports and in the page: all are what NVML told.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program device_file
"$PROGRAMS/device_file" "$PWD/run" || fail "the program"
mkdir free slow # each rank alone
cp run.evt free/
cp run.host.*.evt slow/run.evt

# Steps: 40 of 250 ms at 1,980 MHz in rank 0; of rank 1 those that begin at 5 s or later take 500 ms at 1,215 MHz. Before the
# first sample, at 1 s, nothing is known.
expect free/run.evt 'steps.totals.steps == 40' 'steps.totals.throttled_steps == 0 and steps.totals.unthrottled_steps == 36' \
	'steps.totals.unthrottled_p50_mhz == 1980' \
	'all((row.sm_mhz, row.throttled_ns) == ((None, None) if row.start_ns < 10**9 else (1980, 0)) for row in steps.rows)'
expect slow/run.evt 'steps.totals.steps == 30' 'steps.totals.throttled_steps == 10 and steps.totals.unthrottled_steps == 16' \
	'steps.totals.throttled_p50_ns == 5 * 10**8 and steps.totals.unthrottled_p50_ns == 25 * 10**7' \
	'steps.totals.throttled_p50_mhz == 1215 and steps.totals.unthrottled_p50_mhz == 1980' \
	'all(row.sm_mhz == 1215 and row.throttled_ns == row.total_ns for row in steps.rows if row.start_ns >= 5 * 10**9)'
"$REPORT" steps slow/run.evt >out
expect_match "what is said of the steps" "$(tr -s '\n ' ' ' <out)" \
	"power or temperature held the GPU's clock down for most of 10 of 26 steps: median 500 ms at 1,215 MHz; the others: median 250 ms at 1,980 MHz"
"$REPORT" steps free/run.evt >out
if grep -q "held the GPU's clock" out; then
	fail "steps that were not throttled: $(cat out)"
fi

# Ranks: 36 of 39 steps of rank 0 are known; rank 1 is throttled for 5 of its 9 known seconds.
"$REPORT" ranks run.evt --format json >ranks.json || fail "ranks"
python3 -S - <<'END' || fail "ranks: $(cat ranks.json)"
import json
free, slow = json.load(open("ranks.json"))["rows"]
assert (free["rank"], free["sm_mhz"], free["throttled_percent"]) == (0, 1980, 0), free
assert slow["rank"] == 1 and abs(slow["throttled_percent"] - 100 * 5 / 9) < 0.01, slow
assert slow["sm_mhz"] in (1215, 1980), slow
END

# Tables: a row a sample, from the sample before it.
"$REPORT" export sqlite run.evt -o run.sqlite 2>err || fail "sqlite: $(cat err)"
"$REPORT" export parquet run.evt -o tables 2>err || fail "parquet: $(cat err)"
python3 -S - <<'END' || fail "sqlite"
import sqlite3
rows = sqlite3.connect("run.sqlite").execute(
    "SELECT start, end, uuid, model, isMig, smClockMHz, memoryClockMHz, powerMilliwatts, temperature, gpuPercent, memoryUsedBytes,"
    " isThrottled, heldDownBy FROM INTERCEPT_GPU_STATES ORDER BY uuid, end").fetchall()
assert len(rows) == 20, rows
for number, row in enumerate(rows, 10):
    at, held = number % 10 + 1, number >= 20 and number % 10 + 1 >= 6
    uuid = "GPU-b1b1b1b1-0000-0000-0000-000000000000" if number >= 20 else "GPU-a0a0a0a0-0000-0000-0000-000000000000"
    want = (10**9 * max(1, at - 1), 10**9 * at, uuid, "Fake H100", 0, 1215 if held else 1980, None, 700000 if held else 512000,
            84 if held else 61, 97, 21 << 30, int(held), "power limit" if held else "")
    assert row == want, (row, want)
END
[[ $(find tables -path '*family=gpu_states*' -name '*.parquet' | wc -l) == 2 ]] || fail "tables of both ranks: $(find tables)"

# watch: what NVML told last.
for file in free/run.evt slow/run.evt; do
	COLUMNS=120 "$REPORT" watch "$file" >out || fail "watch $file"
	grep '^device' out >>watched
done
expect_eq "watch" "$(cat watched)" \
	$'device    Fake H100   1980 of 1980 MHz   512 of 700 W   61 C\ndevice    Fake H100   1215 of 1980 MHz   700 of 700 W   84 C   throttled by power limit'
