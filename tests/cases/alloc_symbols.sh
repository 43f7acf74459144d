#!/bin/bash
# Callers as functions and lines: those of the file that was recorded, and of no other build of it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export PROF_REPORT_CACHE=off # what was found out about the file stands there after it was stripped
source=$ROOT/tests/programs/symbols.cpp
line_of() { grep -n "/\* $1 \*/\$" "$source" | cut -d: -f1; }
said() { # EXPRESSION: of the rows of the program's own calls
	json alloc "$OUTPUT" "[$1 for row in sorted(rows, key=lambda row: row['bytes_allocated']) if row['module'] == 'subject']"
}

cp "$BUILD/programs/symbols" subject
mkfifo hold
run_traced ./subject <hold 2>err &
subject=$!
exec 3>hold
# a program that is over before the collector has looked at it has no modules
eventually "modules of subject" knows_module "$OUTPUT" subject
exec 3>&-
wait "$subject" || fail "subject: $(cat err)"

expect_eq "functions" "$(said 'row["function"]')" '["ends(unsigned long)", "app::inlined(unsigned long)", "plain", "hidden(unsigned long)"]'
expect_eq "lines" "$(said 'row["line"].split("/")[-1]')" \
	"[\"symbols.cpp:$(line_of ends)\", \"symbols.cpp:$(line_of inlined)\", \"symbols.cpp:$(line_of plain)\", \"symbols.cpp:$(line_of hidden)\"]"
"$REPORT" alloc "$OUTPUT" >out || fail "status $?"
grep -q "^plain (symbols.cpp:$(line_of plain))  *10 " out || fail "the table does not name plain(): $(cat out)"
"$REPORT" alloc --filter 'function~hid' --format csv --columns function,allocations "$OUTPUT" >out || fail "status $?"
expect_eq "a condition on the function" "$(tail -1 out)" '"hidden(unsigned long)",10'
"$REPORT" alloc --names short --filter 'function~hid' --format csv --columns function "$OUTPUT" >out || fail "status $?"
expect_eq "short names" "$(tail -1 out)" hidden
"$REPORT" alloc --names mangled --filter 'function~hid' --format csv --columns function "$OUTPUT" >out || fail "status $?"
expect_eq "mangled names" "$(tail -1 out | cut -c1-11)" _ZL6hiddenm
"$REPORT" alloc --symbols off --format csv --columns function "$OUTPUT" >out || fail "status $?"
! grep -q '[a-z]' <(tail -n +2 out) || fail "functions in spite of --symbols off: $(cat out)"

expect_eq "by function, off" "$("$REPORT" alloc --by function --symbols off --format csv --columns function,allocations "$OUTPUT" | grep subject)" '[subject],31'

# by function, line and module: rows of one are one
expect_eq "by function" "$("$REPORT" alloc --by function --format csv --columns function,allocations "$OUTPUT" | grep -c ',10$')" 3
expect_eq "by line" "$("$REPORT" alloc --by line --format csv --columns line,allocations "$OUTPUT" | grep -c "symbols.cpp:[0-9]*\"*,10$")" 3
expect_eq "by module" "$("$REPORT" alloc --by module --format csv --columns module,allocations "$OUTPUT" | grep '^subject')" subject,31

# without symbols; then another build, which must not be believed; then none; then what must not be waited for
offsets=$(said 'row["caller"]')
for what in stripped other missing pipe text; do
	rm -f subject
	case $what in
	stripped) strip -o subject "$BUILD/programs/symbols" ;;
	other) cp "$BUILD/programs/leak" subject 2>/dev/null || cp /bin/true subject ;;
	pipe) mkfifo subject ;;
	text) echo "no program" >subject ;;
	esac
	expect_eq "functions, $what" "$(said 'row["function"]')" '[null, null, null, null]'
	expect_eq "callers, $what" "$(said 'row["caller"]')" "$offsets"
	"$REPORT" alloc "$OUTPUT" >out || fail "$what: status $?"
	case $what in
	stripped) ! grep -q 'no functions' out || fail "a stripped file is the one recorded: $(cat out)" ;;
	other) grep -q 'subject is another build' out || fail "nothing said of the other build: $(cat out)" ;;
	missing) grep -q 'subject is not there' out || fail "nothing said of the missing file: $(cat out)" ;;
	*) grep -q 'subject cannot be read' out || fail "$what: nothing said: $(cat out)" ;;
	esac
done

# debug information in a file of its own, found by its build-id or by the link
rm -f subject
objcopy --only-keep-debug "$BUILD/programs/symbols" subject.debug || fail "objcopy"
objcopy --strip-all --add-gnu-debuglink=subject.debug "$BUILD/programs/symbols" subject || fail "objcopy"
expect_eq "functions by debug link" "$(said 'row["function"]')" '["ends(unsigned long)", "app::inlined(unsigned long)", "plain", "hidden(unsigned long)"]'

# a small table of symbols within the stripped file, as Fedora has it: functions without lines
rm -f subject subject.debug small small.xz
objcopy --only-keep-debug --strip-debug "$BUILD/programs/symbols" small 2>/dev/null || fail "objcopy"
strip -o subject "$BUILD/programs/symbols" || fail "strip"
if xz -k small && objcopy --add-section .gnu_debugdata=small.xz subject; then
	expect_eq "functions of .gnu_debugdata" "$(said 'row["function"]')" '["ends(unsigned long)", "app::made<long>(long)", "plain", "hidden(unsigned long)"]'
	printf garbage >garbage
	objcopy --update-section .gnu_debugdata=garbage subject || fail "objcopy"
	expect_eq "functions of what is no table" "$(said 'row["function"]')" '[null, null, null, null]'
fi

# one is no plural
need_program one_block
rm -f "$OUTPUT"
run_traced "$PROGRAMS/one_block" || fail "one_block: status $?"
"$REPORT" alloc "$OUTPUT" >out || fail "status $?"
expect_eq "lines that say how many blocks" "$(grep -c ' in 1 block\( at .*\|, .*\)\?$' out)" 3
