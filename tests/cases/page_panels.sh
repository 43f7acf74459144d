#!/bin/bash
# The page of every kind of recording in a real Chromium: each part is drawn without an error, numbers are those of the reports.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
need_browser chromium
need_program empty
need_program cuda_gpu
need_program counts
need_program device_file

pages() { # RECORDING...
	python3 -S "$ROOT/tests/page.py" "$REPORT" "$@" >>log 2>err || fail "line ${BASH_LINENO[0]}: $(tail -n 3 err)"
}

# nothing at all; a program without Python; a GPU; losses; cut off, damaged
run_traced "$PROGRAMS/empty" || fail "empty: status $?"
mv run.evt empty.evt
run_traced "$PROGRAMS/counts" /dev/null 2 2 2 || fail "counts: status $?"
mv run.evt counts.evt
INTERCEPT_STACKS=native run_traced "$PROGRAMS/counts" /dev/null 2 2 2 || fail "stacks: status $?"
mv run.evt stacks.evt
FAKE_CUDA_COUNTS=$PWD/counts.json run_traced "$PROGRAMS/cuda_gpu" work || fail "cuda_gpu: status $?"
mv run.evt gpu.evt
run_lossy
mv run.evt losses.evt
mkdir slow
"$PROGRAMS/device_file" "$PWD/slow/two" || fail "device_file"
rm slow/two.evt
mv slow/two.host.*.evt slow/device.evt
cat >held.py <<'END'
def held(count):
    return [bytearray(20000) for _ in range(count)]
kept = []
for i in range(30):
    kept += held(60)
    for _ in range(200):
        bytearray(90000)
    if i == 20:
        del kept[:600]
END
INTERCEPT_STACKS=python run_traced python3 held.py || fail "held: status $?"
mv run.evt held.evt
some=$ROOT/tests/truth/recordings/collate.evt
bytes=$(stat -c %s "$some")
cp "$some" bad.evt
printf 'xxxxxxxxxxxxxxxx' | dd of=bad.evt bs=1 seek=$((bytes / 2)) conv=notrunc status=none
written # else a page is of less than the reports beside it
# of good_workers the pids began anew: a child has a lower one than its parent
pages "$ROOT/tests/truth/recordings/gpu_good.evt" empty.evt counts.evt stacks.evt held.evt gpu.evt losses.evt bad.evt slow/device.evt "$ROOT"/tests/golden/{cut,families,io,samples}.evt \
	"$ROOT"/tests/truth/recordings/{decode_python,gil_contention,good_workers}.evt
[[ $(grep -c ' arrows [1-9]' log) -ge 2 ]] || fail "too few pages have arrows: $(cat log)"
[[ $(grep -c ' looks [1-9]' log) -ge 2 ]] || fail "too few pages have stacks of Python: $(cat log)"

grep -q 'held.evt .* charts 2' log || fail "no memory by line of Python: $(cat log)"

# what is refused, and never the recording
"$REPORT" page bad.evt -o bad.evt 2>err && fail "the recording was written over"
expect_match "over the recording" "$(cat err)" "'bad.evt' is a file that was read; choose another name"
"$REPORT" page "$some" -o /dev/full 2>err && fail "a full disk was not noticed"
expect_match "a full disk" "$(cat err)" "cannot write '/dev/full': No space left on device; it is incomplete"
"$REPORT" page "$some" -o nowhere/x.html 2>err && fail "a folder that is not there"
expect_match "a folder that is not there" "$(cat err)" "there is no directory 'nowhere'"
"$REPORT" page --sort bytes "$some" -o x.html 2>err && fail "an option of tables was taken"
"$REPORT" page "$some" counts.evt -o x.html 2>err && fail "two sessions were taken"
expect_match "two sessions" "$(cat err)" "page shows one session at a time"

# to stdout the same, byte by byte
"$REPORT" page "$some" -o one.html 2>/dev/null || fail "to a file: status $?"
"$REPORT" page "$some" >two.html || fail "to stdout: status $?"
cmp one.html two.html || fail "two pages of one recording differ"
exit 0
