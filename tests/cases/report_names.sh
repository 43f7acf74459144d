#!/bin/bash
# Names that anybody chose: of files, in commands that are proposed, in cells of a spreadsheet, in locales.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program captured
need_program empty
UTF8=C.UTF-8
locale -a | grep -qix 'C\.utf-\?8' || skip "no locale $UTF8"

# no byte that steers a terminal, none that is not seen (U+200B), in C none beyond ASCII
expect_plain() { # FILE WHAT
	if [[ $LC_ALL == C ]]; then
		! grep -aq '[^ -~]' "$1"
	else
		! grep -aqP '[\x00-\x1f\x7f-\x9f\x{200b}\x{202e}]' "$1" && ! grep -aqxv '.*' "$1"
	fi || fail "$2 (LC_ALL=$LC_ALL): $(head -c 400 "$1" | cat -v)"
}

run_traced "$PROGRAMS/captured" || fail "status $?"
# shellcheck disable=SC2016 # not to be expanded
names=($'e\x1b[31mil\n.evt' $'zero\xe2\x80\x8bwidth \xe2\x80\xae.evt' $'not\xff\xc3utf8 \xc3\xa9.evt'
	'a b;touch hacked;$(touch hacked).evt' "it's !1 \`x\`.evt" '-n.evt' '~root.evt' $'\\b\x07s\'!.evt' 'plain-1.evt')
mkdir named
for name in "${names[@]}"; do
	cp run.evt "named/$name"
done
cd named || exit 1
for LC_ALL in C $UTF8; do
	export LC_ALL
	for name in "${names[@]}"; do
		for report in summary bottleneck check processes nvtx; do
			"$REPORT" $report -- "$name" >../out 2>../err || fail "$report '$name': status $? $(cat ../err)"
			expect_plain ../out "$report '$name'"
			expect_eq "standard error of $report '$name'" "$(cat ../err)" ''
			[[ $report != check ]] || expect_eq "lines of check '$name'" "$(wc -l <../out)" 1
		done
		"$REPORT" summary --format json -- "$name" >../out || fail "json '$name': status $?"
		expect_plain ../out "json '$name'"
		cat ../out >>../documents
		# what is proposed means this file, in bash and, where it has no quotes of bash, in sh
		"$REPORT" summary -- "$name" | sed -n 's/^ *\(prof-report .*[.]evt.*\)$/\1/p' >../next
		[[ -s ../next ]] || fail "nothing is proposed for '$name'"
		while IFS= read -r command; do
			for shell in bash sh; do
				[[ $shell == sh && $command == *"$'"* ]] && continue
				# shellcheck disable=SC2016 # for that shell
				last=$($shell -c 'show() { shift $(($# - 1)); printf "%s." "$1"; }; '"${command/prof-report/show}")
				[[ $last == "$name." || $last == "./$name." ]] || fail "'$command' means '$last' in $shell"
			done
		done <../next
	done
	[[ -e hacked ]] && fail "a name was run"
	# two files: each is named
	"$REPORT" dump -- "${names[0]}" "${names[1]}" >../out || fail "dump of two: status $?"
	expect_plain ../out "dump of two files"
	expect_eq "files named by dump" "$(grep -c '^# ' ../out)" 2
	# those that are missing, not ours, damaged
	for name in "${names[@]}"; do
		for kind in missing foreign cut; do
			rm -f "../$name"
			[[ $kind == foreign ]] && echo hello >"../$name"
			[[ $kind == cut ]] && head -c 3000 "./$name" >"../$name"
			for report in summary check dump; do
				(cd .. && "$REPORT" $report -- "$name" >out 2>err)
				expect_eq "status of $report of a $kind '$name'" $? 1
				expect_plain ../out "$report of a $kind '$name'"
				expect_plain ../err "$report of a $kind '$name'"
				expect_between "lines of $report of a $kind '$name'" "$(wc -l <../err)" 0 3
			done
		done
		rm -f "../$name"
	done
	"$REPORT" alloc --output $'no/\x1b[31m/x' plain-1.evt 2>../err
	expect_plain ../err "a wrong --output"
	"$REPORT" $'no-such-r\x1b\nport' 2>../err
	expect_plain ../err "a wrong report"
	expect_eq "lines of a wrong report" "$(wc -l <../err)" 1
done
proposed() { # FILE
	"$REPORT" summary "$1" | sed -n 's/ \+time by range$//; s/.*prof-report nvtx --tree //p'
}
expect_eq "an ordinary name" "$(proposed plain-1.evt)" plain-1.evt
# shellcheck disable=SC2016 # not to be expanded
expect_eq "a name with a space" "$(proposed "${names[3]}")" "'a b;touch hacked;\$(touch hacked).evt'"
cd .. || exit 1
need_program names_file
printf '%065536d\0%065535d\0' 0 0 >long
"$PROGRAMS/names_file" long long.evt || fail "names_file: status $?"
expect_match "of a name that may be cut" "$("$REPORT" nvtx --limit 0 long.evt | tr -s '\n ' ' ')" \
	' cut: 1 row has a name of 65,536 bytes, where longer ones are cut: names that differ later are one row\.'
python3 -S - <<'END' || fail "json of files with such names"
import json
text = open("documents").read()
while text:
    document, end = json.JSONDecoder().raw_decode(text)
    text = text[end:].strip()
END

# a session's file that is still being written, found beside the named one by its name alone
waited=$'run.w\x1b[31m\nx.evt'
cp run.evt "$waited"
mkfifo finish
python3 -S - "$waited" finish <<'END' &
import fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
open("locked", "w").close()
open(sys.argv[2]).read()
END
rm -f err
eventually "file locked" test -e locked
"$REPORT" summary --wait -- "$waited" >out 2>err &
reader=$!
eventually "file err" test -s err
: >finish
wait $reader || fail "status $? behind a writer: $(cat err)"
expect_plain err "the line of waiting"
expect_eq "lines of waiting" "$(wc -l <err)" 1
expect_match "the line of waiting" "$(cat err)" 'w\\x1b\[31m\\nx\.evt'
rm "$waited"

# cells that a spreadsheet would compute
for first in = + - @ $'\t' $'\r'; do
	rm -f run.evt
	# shellcheck disable=SC2016 # for the inner bash
	run_traced bash -c 'exec -a "$1" "$0"' "$PROGRAMS/empty" "${first}cmd|' /C calc'!A0" || fail "status $?"
	"$REPORT" processes --format csv --columns command,exit_status run.evt >safe.csv || fail "csv: status $?"
	"$REPORT" processes --format csv --columns command,exit_status --raw run.evt >raw.csv || fail "--raw: status $?"
	python3 -S - "$first" <<'END' || fail "csv of a name that begins with $(printf %q "$first"): $(cat safe.csv raw.csv)"
import csv, sys
shown = {"\t": "\\t", "\r": "\\r"}.get(sys.argv[1], sys.argv[1]) + "cmd|' /C calc'!A0"
safe, raw = (list(csv.reader(open(name))) for name in ("safe.csv", "raw.csv"))
assert safe == [["command", "exit_status"], ["'" + shown, "0"]], safe
assert raw == [["command", "exit_status"], [shown, "0"]], raw
END
done
for report in alloc threads nvtx; do
	cmp <("$REPORT" $report --format csv run.evt) <("$REPORT" $report --format csv --raw run.evt) ||
		fail "numbers of $report are not numbers"
done
"$REPORT" alloc --raw run.evt 2>err
expect_eq "status of --raw without csv" $? 2

# what a locale can show
export COLUMNS=150
rm -f run.evt
# shellcheck disable=SC2016 # for the inner bash
run_traced bash -c 'exec -a "$1" "$0"' "$PROGRAMS/empty" $'caf\xc3\xa9 a\xe2\x80\x8bb \xf3\xa0\x81\xa1' || fail "status $?"
for format in table csv markdown json; do
	LC_ALL=C "$REPORT" processes --format $format run.evt >out || fail "$format: status $?"
	LC_ALL=C expect_plain out "processes as $format"
	case $format in
	json) grep -qF 'caf\u00e9 a\u200bb \udb40\udc61' out ;;
	markdown) grep -qF 'caf\\u{e9} a\\u{200b}b \\u{e0061}' out ;;
	*) grep -qF 'caf\u{e9} a\u{200b}b \u{e0061}' out ;;
	esac || fail "the name in C as $format: $(cat out)"
	LC_ALL=$UTF8 "$REPORT" processes --format $format run.evt >out || fail "$format: status $?"
	LC_ALL=$UTF8 expect_plain out "processes as $format"
	grep -q $'caf\xc3\xa9 ' out || fail "the name in UTF-8 as $format: $(cat out)"
done
