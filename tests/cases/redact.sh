#!/bin/bash
# prof-report redact: no secret is left in a byte of the copies; times, counts and sums stay; damage and wrong words are refused.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool zstd
need_program empty
golden=$ROOT/tests/golden
host=$(uname -n)
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
mkdir -p user-hidden2/inner
cp "$PROGRAMS/empty" user-hidden2/inner/tool
cat >user-hidden2/main.py <<'END'
import os, subprocess, sys, threading, zipfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "inner"))
import part
if os.fork() == 0:
    part.work(2)
    os._exit(0)
os.wait()
part.work(20)
subprocess.check_call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "inner", "tool"), "--tool-key=hidden1"])
END
cat >user-hidden2/inner/part.py <<'END'
import os
kept = []
def work(count):
    for i in range(count):
        kept.append(bytearray(100000))
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data"), "wb") as out:
            out.write(b"x" * 1000)
        sum(range(200000))
END
mkdir first second
OUTPUT=$PWD/first/run.evt
INTERCEPT_SAMPLE=1000 INTERCEPT_CHILDREN=all INTERCEPT_TRACE=+io,+functions INTERCEPT_STACKS=both run_traced "$python" "$PWD/user-hidden2/main.py" --api-key=hidden1 ||
	fail "status $?"
"$REPORT" symbolize first/run.evt >/dev/null || fail "symbolize: status $?"
bytes_of() { # FILE...: all that is in them, decompressed or not
	local file
	for file; do
		zstd -qdc "$file" && cat "$file"
	done
}
holds() { # TEXT: how often
	grep -aoF -- "$1" stream | wc -l
}
bytes_of first/*.evt >stream
for secret in --api-key=hidden1 --tool-key=hidden1 user-hidden2/inner user-hidden2/inner/part.py user-hidden2/inner/data "$host" "$PWD"; do
	(($(holds "$secret") > 0)) || fail "'$secret' is in no recording: nothing is tested"
done

# Without a word everything goes, of all files of the session, which stay one.
"$REPORT" redact first/run.evt >out 2>err || fail "status $? ($(cat err))"
expect_eq "lines" "$(grep -c 'redacted.*: without args,paths,host$' out)" 2
mv first/*redacted* second/
bytes_of second/*.evt >stream
for secret in hidden1 hidden2 "$PWD" /inner /home/ /usr/lib /root; do
	expect_eq "'$secret' in the copies" "$(holds "$secret")" 0
done
((${#host} < 5)) || expect_eq "the host's name in the copies" "$(holds "$host")" 0
((${#host} >= 5)) && compgen -G "second/*$host*" && fail "the names of the copies have the host's"
(($(holds part.py) > 0 && $(holds libc.so.6) > 0)) || fail "names of files went with their folders"
"$REPORT" check second/run.redacted.evt >check.out || fail "check: $(cat check.out)"

# What is counted stays, in each report.
same() { # REPORT EXPRESSION [OPTION...]
	local report=$1 expression=$2 was
	shift 2
	was=$(json "$report" first/run.evt "$expression" "$@")
	[[ ${#was} -gt 2 ]] || fail "$report says nothing"
	expect_eq "$report $*" "$(json "$report" second/run.redacted.evt "$expression" "$@")" "$was"
}
# Files of one name in different folders are one there, as __init__.py is: of two that import each other one call is a recursion.
for report in alloc io imports functions lines threads processes; do
	same $report '{k: v for k, v in totals.items() if k not in ("bytes_on_disk", "file_bytes", "bytes", "primitive_calls") and not isinstance(v, str)}'
done
cat >added.py <<'END'
import collections, json, os, sys
sums = collections.Counter()
for row in json.load(sys.stdin)["rows"]:
    for column in sys.argv[1:]:
        sums[row["function"], row["line"], os.path.basename(row["file"] or ""), column] += row[column]
print(len(sums), sorted(map(repr, sums.items())))
END
# shellcheck disable=SC2046 # words
added() { # REPORT FILE COLUMN...: by function; whose code a line is goes by its folder, which is left out
	"$REPORT" "$1" $([[ $1 != lines ]] || echo --frames all) --format json --limit 0 "$2" | python3 added.py "${@:3}"
}
same summary '[totals["processes"], totals["events"]]'
for columns in 'functions ncalls tottime_ns' 'lines samples'; do
	read -r report columns <<<"$columns"
	# shellcheck disable=SC2086 # columns
	expect_eq "$report" "$(added "$report" second/run.redacted.evt $columns)" "$(added "$report" first/run.evt $columns)"
done
same processes '[row["pid"] for row in rows]'
expect_eq "processes" "$(json processes second/run.redacted.evt 'len(rows)')" 3
same alloc '[row["bytes_allocated"] for row in rows]' --by size
expect second/run.redacted.evt 'all(row["host"].startswith("redacted-") for row in processes.rows)' \
	'len(set(row["host"] for row in processes.rows)) == 1' 'processes.rows[0]["command"].count(" ") == 0'
# a copy beside what it was made of is not added to it
cp second/run.redacted.evt first/
expect_eq "beside the recording" "$(json processes first/run.evt 'len(rows)')" 3

# Functions of addresses stay, without their folders.
"$REPORT" redact first/run.symbols.evt -o second/named.evt >/dev/null || fail "of symbols: status $?"
expect_eq "functions" "$("$REPORT" alloc --by function --symbols off --format csv --limit 0 second/named.evt | grep -c .)" \
	"$("$REPORT" alloc --by function --symbols off --format csv --limit 0 first/run.symbols.evt | grep -c .)"
bytes_of second/named.evt >stream
expect_eq "folders of sources" "$(holds hidden2)$(holds /usr/)" 00

# One thing only.
"$REPORT" redact --redact args first/run.evt -o args.evt >out || fail "args: status $?"
expect_eq "what is said" "$(cat out)" 'args.evt: without args'
bytes_of args.evt >stream
expect_eq "arguments" "$(holds hidden1)" 0
(($(holds user-hidden2/inner) > 0 && $(holds "$host") > 0)) || fail "args leaves out more"
"$REPORT" redact --redact paths first/run.evt -o paths.evt >out || fail "paths: status $?"
bytes_of paths.evt >stream
expect_eq "folders" "$(holds hidden2)" 0
(($(holds --api-key=hidden1) > 0)) || fail "paths leaves out arguments"

# Recordings of before, of other kinds, and a killed one: all that is counted is the same.
for name in counts counts2 families families3 io killed memory newer_event ranges; do
	[[ -e $golden/$name.evt ]] || fail "no $name.evt"
	"$REPORT" redact "$golden/$name.evt" -o "$name.evt" >/dev/null 2>err || fail "$name: status $? ($(cat err))"
	bytes_of "$name.evt" >stream
	expect_eq "folders in $name" "$(holds /mnt/home)$(holds /usr/lib)" 00
	"$REPORT" dump "$golden/$name.evt" 2>/dev/null | sed -E 's/"[^"]*"//g' >before
	"$REPORT" dump "$name.evt" 2>/dev/null | sed -E 's/"[^"]*"//g' | cmp - before || fail "$name: events differ"
done

# Refused, with a line each; no file is left.
refuses 2 "--redact 'args,names' is none of args, paths and host" redact --redact args,names paths.evt
refuses 2 '--redact needs a value' redact --redact '' paths.evt
refuses 1 "'args.evt' is there; remove it" redact -o args.evt first/run.evt
refuses 1 "^prof-report: 'args.evt' is the recording itself; name another with -o" redact -o args.evt args.evt
ln -s args.evt link.evt
refuses 1 "'link.evt' is the recording itself; name another with -o" redact -o link.evt args.evt
refuses 1 'does not exist|No such file' redact nothing.evt
: >empty.evt
refuses 1 "^prof-report: 'empty.evt' is empty: .*record or copy it again" redact empty.evt
echo "no recording" >foreign.evt
refuses 1 "^prof-report: 'foreign.evt' is not a recording of intercept: name the file" redact foreign.evt
refuses 1 "cannot write 'no/such/folder.evt'" redact -o no/such/folder.evt first/run.evt
cp paths.evt damaged.evt
printf 'XXXXXXXX' | dd of=damaged.evt bs=1 seek=$(($(stat -c %s damaged.evt) / 2)) conv=notrunc 2>/dev/null
refuses 1 "'damaged.evt'" redact -o x.evt damaged.evt
head -c $(($(stat -c %s paths.evt) / 2)) paths.evt >short.evt
refuses 1 "'short.evt'" redact -o x.evt short.evt
[[ -z $(find . -maxdepth 1 -name 'x.evt*') ]] || fail "a file was left: $(ls)"
exit 0
