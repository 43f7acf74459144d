#!/bin/bash
# Input and output in cancelled threads, signal handlers, vforked children and before constructors: it works and is exact.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program io_edges
for what in cancel signals vfork longjmp early errno aio nameless; do
	mkdir "$what" && cd "$what" || exit
	for trace in io all; do
		INTERCEPT_TRACE=$([[ $trace == io ]] && echo io || echo +io) INTERCEPT_OUTPUT=$PWD/$trace.evt LD_PRELOAD=$LIB \
			"$PROGRAMS/io_edges" "$what" >counted || fail "io_edges $what fails with INTERCEPT_TRACE $trace"
		"$REPORT" check "$trace.evt" >/dev/null || fail "$what: the file is damaged"
		while read -r file calls; do
			expect_eq "$what: calls of $file" \
				"$(json io "$trace.evt" "[r for r in rows if r['file'].endswith('/$file')][0]['calls']")" "$calls"
		done <counted
		expect "$trace.evt" 'summary.totals.events_lost == 0'
	done
	cd ..
done

# what the child of vfork() did is nobody's
expect_eq "files of the vforked child" "$(json io vfork/io.evt "[r['file'] for r in rows if 'child.dat' in r['file']]")" "[]"
expect_eq "bytes of its parent" \
	"$(json io vfork/io.evt "[r['bytes_written'] for r in rows if 'parent.dat' in r['file']]")" "[110]"

# a request counts with the bytes that it asked for, and once
expect aio/io.evt 'io.row(file="'"$PWD"'/aio/aio.dat").writes == 11' 'io.row(file="'"$PWD"'/aio/aio.dat").bytes_written == 1100' \
	'io.row(file="'"$PWD"'/aio/aio.dat").reads == 2' 'io.row(file="'"$PWD"'/aio/aio.dat").errors == 1'

# a file without a name has the one that the kernel gives it
expect nameless/io.evt 'sorted((r.bytes_written, r.bytes_read, r.opens, r.calls) for r in io.rows if "/#" in r.file) == [(10, 4, 1, 4), (20, 4, 1, 4)]' \
	'io.totals.bytes_written == 30'

# not recorded unasked, and without a trace nothing is different
run_traced "$PROGRAMS/io_edges" vfork >/dev/null
expect run.evt 'io.rows == []' 'len(threads.rows) == 1'

# names of folders stay out of the file when the user wishes so
INTERCEPT_REDACT=paths INTERCEPT_TRACE=io INTERCEPT_OUTPUT=$PWD/redacted.evt LD_PRELOAD=$LIB "$PROGRAMS/io_edges" vfork >/dev/null
expect redacted.evt 'any(r.file == "parent.dat" for r in io.rows)' 'not any("/" in r.file for r in io.rows)'
