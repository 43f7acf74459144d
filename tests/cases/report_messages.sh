#!/bin/bash
# What went wrong is one line that names the thing and ends with what to do; without a recording, how to make one.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
fails() { # STATUS REGEX ARGUMENT...
	local status=$1 wanted=$2
	shift 2
	"$REPORT" "$@" >out 2>err
	expect_eq "exit status of prof-report $*" $? "$status"
	expect_match "what prof-report $* says" "$(cat err)" "$wanted"
	expect_eq "output of prof-report $*" "$(cat out)" ''
}

# Without a recording: the two commands. The first is for a shell, and makes what the second reads.
fails 1 "^prof-report: 'run.evt' does not exist. Record a program"
command=$(sed -n 's/^    \(LD_PRELOAD=.*\) python train.py$/\1/p' err)
expect_eq "the library it names" "$command" "LD_PRELOAD=$(realpath "$LIB")"
expect_eq "the second command" "$(sed -n 3p err)" '    prof-report'
fails 1 "'run.evt' does not exist" check
(eval "$command \"\$PROGRAMS/empty\"") || fail "'$command' does not run"
"$REPORT" >out || fail "what was recorded so is not read: status $?"
mv run.evt 'an other.evt'
fails 1 "or read one that is here:"
command=$(tail -n 1 err)
expect_eq "the recording that is here" "$command" "    prof-report 'an other.evt'"
mv 'an other.evt' run.host.1.evt # as another process of the run names it
"$REPORT" >out 2>err || fail "what is left of a run is not read: $(cat err)"
mv run.host.1.evt run.evt

# Installed, the library is found where make install puts it; elsewhere nothing is made up.
mkdir -p there/bin there/lib/intercept alone
cp "$REPORT" there/bin
cp "$REPORT" alone
cp "$LIB" there/lib/intercept
(cd alone && ../there/bin/prof-report 2>&1) | grep -qF "LD_PRELOAD=$PWD/there/lib/intercept/libintercept.so " || fail "not found where it is installed"
(cd alone && ./prof-report 2>&1) | grep -qF "LD_PRELOAD=/PATH/TO/libintercept.so " || fail "a path that is not there"

mkdir folder
: >empty.evt
echo 'import torch' >train.py
fails 1 "'nosuch.evt' does not exist: name a recording" nosuch.evt
fails 1 "'folder' cannot be read: Is a directory; name a file in it" folder
fails 1 "'empty.evt' is empty: .* record or copy it again" empty.evt
fails 1 "'train.py' is not a recording of intercept: name the file" train.py
fails 2 "'aloc' is neither a report nor a file; did you mean 'alloc'" aloc
fails 2 "'colour' is not one of caller, stack, function, line, module, python, thread" alloc --by colour
fails 2 "report 'alloc' has no column 'alocs', did you mean 'allocs'|did you mean 'allocations'" alloc --sort alocs
fails 2 "report 'alloc' has no column 'zzz'; prof-report alloc --help lists them" alloc --sort zzz
fails 2 "no column 'zzz'; prof-report alloc --help lists the columns" alloc --filter zzz=1
fails 2 "'x' is not a whole number, such as 20" alloc --limit x
fails 2 "report 'check' takes no --output; prof-report help check lists what it takes$" check -o x # not the forty that do
fails 2 "no directory '/nowhere': make it" alloc -o /nowhere/x
fails 2 "only one report at a time" alloc ops
fails 1 "cannot write 'folder': Is a directory; name another file" alloc -o folder

# What was not recorded: the setting that records it.
for family in modules io; do
	expect_match "$family" "$("$REPORT" $family | tr '\n' ' ')" "record again with INTERCEPT_TRACE=\+$family"
done

# help: a report's name behind it or --help behind the name, all within 80 columns
"$REPORT" help >out || fail "help: status $?"
"$REPORT" --help | cmp - out || fail "help is not --help"
for report in '' $("$REPORT" --list | awk '{ print $1 }'); do
	# shellcheck disable=SC2086 # nothing or a word
	"$REPORT" help $report >out || fail "help $report: status $?"
	# shellcheck disable=SC2086
	"$REPORT" $report --help | cmp - out || fail "help $report is not $report --help"
	expect_eq "lines of help $report wider than 80 columns" "$(awk 'length > 80' out)" ''
done
fails 2 "'aloc' is neither a report nor a file; did you mean 'alloc'" help aloc
