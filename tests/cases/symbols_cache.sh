#!/bin/bash
# What was found out about a file of code is kept between runs, and is never believed when it is damaged.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export PROF_REPORT_CACHE=
export XDG_CACHE_HOME=$PWD/cache
unset HOME
functions() { # of the program's own calls
	"$REPORT" alloc --filter module=subject --format csv --columns function,line --sort bytes_allocated "$OUTPUT" 2>err || fail "status $?: $(cat err)"
}

cp "$BUILD/programs/symbols" subject
mkfifo hold
run_traced ./subject <hold 2>err &
subject=$!
exec 3>hold
eventually "modules of subject" knows_module "$OUTPUT" subject
exec 3>&-
wait "$subject" || fail "subject: $(cat err)"

folder=$XDG_CACHE_HOME/intercept/symbols
"$REPORT" alloc --symbols off --columns function "$OUTPUT" >/dev/null 2>&1
[[ ! -e $folder ]] || fail "--symbols off writes a cache"
PROF_REPORT_CACHE=off "$REPORT" alloc --columns function "$OUTPUT" >/dev/null 2>&1
[[ ! -e $folder ]] || fail "PROF_REPORT_CACHE=off writes a cache"

wanted=$(functions)
grep -q 'hidden' <<<"$wanted" || fail "no functions: $wanted"
id=$(readelf -n subject | sed -n 's/.*Build ID: //p')
[[ -s $folder/$id.symbols ]] || fail "no file of $id: $(ls -R cache)"
expect_eq "rights" "$(stat -c %a "$folder" "$folder/$id.symbols" | tr '\n' ' ')" "700 600 "

# the second time nobody opens the program, or anything where debug information could be
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
	strace -f -e trace=open,openat,socket -o trace "$REPORT" alloc --filter module=subject --columns function "$OUTPUT" >/dev/null 2>&1
	! grep -E 'subject"|\.debug' trace || fail "looked at again"
	! grep socket trace || fail "asked a server, though DEBUGINFOD_URLS is not set"
fi
expect_eq "the second time" "$(functions)" "$wanted"

# a build-id means the same code: another program in its place changes no answer; nothing new is learned from it
mv subject kept
cp /bin/true subject
expect_eq "another program in its place" "$(functions)" "$wanted"
mv kept subject

# what is damaged is made again
size=$(stat -c %s "$folder/$id.symbols")
for damage in 0 1 $((size / 2)) $((size - 1)); do
	truncate -s "$damage" "$folder/$id.symbols"
	expect_eq "cut to $damage bytes" "$(functions)" "$wanted"
	expect_eq "made again after $damage" "$(stat -c %s "$folder/$id.symbols")" "$size"
done
head -c "$size" /dev/urandom >"$folder/$id.symbols"
expect_eq "noise" "$(functions)" "$wanted"
rm -rf "$folder/$id.symbols"
mkdir "$folder/$id.symbols"
expect_eq "a folder" "$(functions)" "$wanted"
rmdir "$folder/$id.symbols"

# several at once, while it is deleted again and again
for i in 1 2 3 4 5 6; do
	"$REPORT" alloc --filter module=subject --format csv --columns function,line --sort bytes_allocated "$OUTPUT" >"out.$i" 2>&1 &
	rm -f "$folder"/*.symbols
done
wait
for i in 1 2 3 4 5 6; do
	expect_eq "at once, $i" "$(cat "out.$i")" "$wanted"
done
expect_eq "nothing half written" "$(find "$folder" -name 'new-*')" ""

# nowhere to write is no error
rm -rf cache
touch cache
expect_eq "no folder" "$(functions)" "$wanted"
expect_eq "nothing is said" "$(cat err)" ""
unset XDG_CACHE_HOME
expect_eq "no home" "$(functions)" "$wanted"
