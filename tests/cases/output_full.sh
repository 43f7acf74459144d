#!/bin/bash
# A full disk: the program runs as without us, and the report says what was lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
[[ $(id -u) == 0 ]] || skip "a small file system of its own needs root"
need_tool unshare
mkdir full
cat >inner.sh <<'END'
mount -t tmpfs -o size=64k none full || exit 77
INTERCEPT_OUTPUT=$PWD/full/run.evt LD_PRELOAD=$LIB python3 -c '
import sys
keep = [bytearray(1000 + i * 7 % 1000) for i in range(200000)]
print(len(keep))
sys.exit(6)' >out 2>err
echo $? >status
df full | tail -1 >df.out
"$REPORT" summary full/run.evt >report.out 2>report.err
echo $? >report.status
"$REPORT" leaks full/run.evt >leaks.out 2>leaks.err
END
unshare -m bash inner.sh 2>unshare.err || skip "cannot mount a tmpfs here: $(head -1 unshare.err)"
expect_eq "exit status" "$(cat status)" 6
expect_eq output "$(cat out)" 200000
expect_eq "lines on standard error ($(cat err))" "$(wc -l <err)" 1
expect_match "the line" "$(cat err)" '^intercept: .*(space|full|lost)'
expect_match "exit status of the report" "$(cat report.status)" '^[01]$'
grep -qi lost report.out report.err || fail "the report does not say that events were lost: $(cat report.out report.err)"
# What was freed after the disk was full is no leak.
grep -q '^not freed by ' leaks.out || fail "leaks does not say until when: $(cat leaks.out leaks.err)"
