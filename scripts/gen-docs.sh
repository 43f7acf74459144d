#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: gen-docs.sh [--check]
# Writes again what comes out of a list, between the lines "<!-- generated: NAME -->" and
# "<!-- end: NAME -->" of README.md and docs/*.md, in a man page '.\" generated: NAME' and
# '.\" end: NAME'. --check only says what is out of date.
# NAME is a function generate_NAME of this file.
# shellcheck disable=SC2317 # they are called by that name

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

# The list's entries, one a line, fields separated by tabs, strings without their quotes.
expand() { # LIST, then MACRO(PARAMETERS) and FIELDS, with "@," between fields, for each macro of the list
	local list=$1
	shift
	{ printf '%s\n' "${defines:-}"; printf '#define %s @@ %s\n' "$@"; echo "#include \"$list\""; } | ${CC:-cc} -E -P -x c -I. - |
		tr '\n' ' ' | sed 's/@@/\n/g' | sed -E 's/ *@, */\t/g; s/" *"//g; s/(^|\t| )"/\1/g
			s/"( *)(\t|$)/\2/g; s/\\"/"/g; s/ *$//; s/^ //; /^$/d'
}

# The settings as lines of NAME, default, meaning and what is allowed, with tabs between.
list_settings() {
	local family defines stacks presets # the text before the names is a string of the program
	stacks=$(sed -n '/^const char family_stacks_allowed/,/^#/s/^[^#"]*"\(.*\)"$/\1/p' preload/settings/family_settings.c | tr -d '\n')
	[ -n "$stacks" ] || { echo "family_settings.c: no text of family_stacks_allowed" >&2; exit 1; }
	family() { # WITH-FIELDS
		expand collector/format/families.def "FAMILY(name, by_default, needs, doc, none, why)" "$1" \
			"FAMILY_DETAIL(name, by_default, needs, doc)" "$1" \
			"FAMILY_PAIR(one, two, by_default, needs, doc, none, why)" "${1//name/one-two}"
	}
	family=$(family 'by_default @, name' | sed -n 's/^1\t//p' | paste -sd,)
	presets=$(expand preload/settings/presets.def 'PRESET(name, doc)' 'P @, name @, doc' \
		'PRESET_SETS(name, SETTING, value)' 'S @, SETTING @, value' |
		awk -F'\t' '$1 == "P" { printf "; %s: %s", $2, $3 } $1 == "S" { printf ", INTERCEPT_%s=%s", $2, $3 }')
	defines="#define PRESET_ALLOWED \"${presets#; }\"
#define TRACE_DEFAULT \"$family\"
#define TRACE_ALLOWED \"names with commas between; +name adds to the default, -name removes$(family 'name @, doc' |
		sed 's/^/; /; s/\t/: /' | tr -d '\n')\"
#define STACKS_ALLOWED \"$stacks $(expand collector/format/families.def 'FAMILY_STACKS(name, what)' name | paste -sd' ')\""
	expand preload/settings/settings.def \
		'SETTING(kind, NAME, initial, allowed, doc)' \
		'INTERCEPT_##NAME @, initial @, doc @, allowed'
}

# shellcheck disable=SC2016 # backquotes of Markdown
generate_settings() {
	echo '| variable | default | meaning |'
	echo '|---|---|---|'
	list_settings | awk -F'\t' '{ printf "| `%s` | `%s` | %s. Allowed: %s. |\n", $1, $2, $3, $4 }'
}

generate_environment() { # roff
	list_settings | awk -F'\t' '
		{ gsub(/\\/, "\\e"); gsub(/-/, "\\-"); gsub(/\047/, "\\(aq") }
		{ printf ".TP\n.BR %s \" (default: %s)\"\n%s.\nAllowed: %s.\n", $1, $2, $3, $4 }'
}

# shellcheck disable=SC2016 # backquotes of Markdown
generate_events() {
	expand collector/format/events.def \
		'EVENT(id, name, family, doc)' 'E @, id @, name @, family @, doc' \
		'EVENT_IN_BLOCK(n, name, family, doc)' 'E @, family block + n @, name @, family @, doc' \
		'FIELD(codec, name, doc)' 'F @, codec @, name @, doc' | awk -F'\t' '
		$1 == "E" { printf "%s**%s `%s`** (%s): %s.\n\n", n++ ? "\n" : "", $2, $3, $4, $5 }
		$1 == "F" { printf "- `%s` %s: %s\n", $3, $2, $4 }'
}

generate_columns() { # roff
	expand report/families.def 'COLUMN(report, name, header, unit, priority, order, doc)' \
		'report @, name @, header @, doc' | awk -F'\t' '
		$1 == "summary" { next }
		$1 != report { report = $1; title = $1; gsub(/_/, "\\-", title); print ".SS " title }
		{ gsub(/-/, "\\-"); printf ".TP\n.BR %s \" (%s)\"\n%s\n", $2, $3, $4 }'
}

# Which report answers which question, then the columns that people see first, in the reports' own words.
# shellcheck disable=SC2016 # backquotes of Markdown
generate_agents() {
	local columns
	columns=$(expand report/families.def 'COLUMN(report, name, header, unit, priority, order, doc)' \
		'report @, name @, priority @, unit @, doc')
	echo '| question | report |'
	echo '|---|---|'
	expand report/mcp/questions.def 'MCP_QUESTION(report, question)' 'report @, question' |
		awk -F'\t' '{ gsub(/_/, "-", $1); printf "| %s | `%s` |\n", $2, $1 }'
	expand report/mcp/questions.def 'MCP_QUESTION(report, question)' 'report' | while read -r report; do
		printf '\n**%s**: ' "${report//_/-}"
		awk -F'\t' -v report="$report" '
			$1 == report && $3 <= 3 { printf "%s`%s` %s", n++ ? "; " : "", $2, $5 }
			END { print "." }' <<<"$columns"
	done
}

generate_hooks() {
	expand preload/families.def 'HOOK(library, returns, name, ...)' 'library @, name' |
		awk -F'\t' '{ list[$1] = list[$1] " `" $2 "`" } END { for (l in list) print "- " l ":" list[l] }' | sort
}

# shellcheck disable=SC2016 # backquotes of Markdown
generate_programs() {
	awk '/^#/ || !NF { next }
		!n++ { print "| program | what happens | why |\n|---|---|---|" }
		{ name = $1; state = $2; $1 = $2 = ""; sub(/^ */, ""); print "| `" name "` | " state " | " $0 " |" }
		END { if (!n) print "Nothing at present." }' tests/soak/expected.txt
}

# The ten cases that cost most, and what each shows: its second line.
# shellcheck disable=SC2016 # backquotes of Markdown
generate_dearest() {
	local seconds name
	echo '| case | seconds of CPU | what it shows |'
	echo '|---|---|---|'
	sort -k 1,1nr -k 2 tests/seconds.txt | while read -r seconds name; do
		[[ -e tests/cases/$name.sh ]] || continue
		printf '| `%s` | %s | %s |\n' "$name" "$seconds" "$(sed -n '2s/^# //p' "tests/cases/$name.sh")"
	done | sed 10q
}

# The document with each generated part written again.
rewrite() { # FILE
	local line name left='<!-- ' right=' -->'
	[[ $1 == *.md ]] || left='.\" ' right=''
	while IFS= read -r line || [[ $line ]]; do
		if [[ $line =~ ^"${left}generated: "([a-z]+)"$right"$ ]]; then
			name=${BASH_REMATCH[1]}
			printf '%s\n' "$line"
			"generate_$name" || return 1
			while IFS= read -r line && [[ $line != "${left}end: $name$right" ]]; do :; done
			[[ $line ]] || { echo "$1: no end of part '$name'" >&2; return 1; }
		fi
		printf '%s\n' "$line"
	done <"$1"
}

status=0
for file in README.md docs/*.md docs/*.[17]; do
	grep -qs '^\(<!--\|\.\\"\) generated: ' "$file" || continue
	fresh=$(rewrite "$file" && echo .) || exit 1
	fresh=${fresh%.}
	[[ $fresh. == "$(cat "$file"; echo .)" ]] && continue
	if [[ ${1:-} == --check ]]; then
		echo "$file: a generated part is out of date: make docs"
		status=1
	else
		printf '%s' "$fresh" >"$file"
		echo "$file: written"
	fi
done
exit $status
