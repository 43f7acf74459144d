# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Completion of prof-report and intercept for bash. Reports, options, keys and columns are those that the programs list.

_prof_report_columns() { # PROGRAM REPORT
	"$1" "$2" --help 2>/dev/null | sed -nE '/^  name +heading +unit/,/^$/s/^  ([a-z0-9_]+) .*/\1/p' | grep -vx name
	"$1" "$2" --help 2>/dev/null | grep -q '^  name  *[^ h]' && echo name
}

_prof_report_values() { # PROGRAM REPORT OPTION
	case $3 in
	--columns | --sort | --filter | --metric) _prof_report_columns "$1" "$2" ;;
	--by | --group-by) "$1" "$2" --by ' ' 2>&1 | sed -n 's/.* is not one of //p' | sed 's/;.*//' | tr -d , | tr ' ' '\n' ;;
	--format | -f) "$1" "$2" --format ' ' 2>&1 | sed -n 's/.* is not one of //p' | sed 's/;.*//' | tr -d , | tr ' ' '\n' ;;
	esac
}

_prof_report() {
	local program=$1 word=$2 before=$3 report='' known i
	COMPREPLY=()
	known=$("$program" --list 2>/dev/null | awk '{ print $1 }')
	for ((i = 1; i < COMP_CWORD; i++)); do
		grep -qxF -e "${COMP_WORDS[i]}" <<<"$known" && { report=${COMP_WORDS[i]}; break; }
	done
	case $before in
	--columns | --sort | --filter | --metric | --by | --group-by | --format | -f)
		mapfile -t COMPREPLY < <(compgen -W "$(_prof_report_values "$program" "${report:-summary}" "$before")" -- "$word")
		return
		;;
	export)
		[[ $i == $((COMP_CWORD - 1)) ]] && mapfile -t COMPREPLY < <(
			compgen -W "$("$program" export 2>&1 </dev/null | sed -n 's/.*; there are //p' | tr -d ,)" -- "$word")
		[[ ${#COMPREPLY[@]} == 0 ]] || return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null | grep -oE -- ' --[a-z][a-z-]*' | sort -u)" -- "$word")
		return
	fi
	[[ $report && $report != diff ]] || mapfile -t COMPREPLY < <(compgen -W "$known help" -- "$word")
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -S / -- "$word"; compgen -f -X '!*.evt*' -- "$word")
}

_intercept() {
	local program=$1 word=$2 i
	COMPREPLY=()
	for ((i = 2; i < COMP_CWORD; i++)); do # a command has begun
		case ${COMP_WORDS[i]} in
		--) i=$((i + 1)); break ;;
		-*) ;;
		*) [[ ${COMP_WORDS[i - 1]} == -* && ${COMP_WORDS[i - 1]} != *=* ]] || break ;;
		esac
	done
	if [[ $COMP_CWORD == 1 ]]; then
		mapfile -t COMPREPLY < <(compgen -W 'run help' -- "$word")
	elif ((i >= COMP_CWORD)) && [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "-o --steps $("$program" help 2>/dev/null | sed -n 's/^\(families\|settings\)://p')" -- "$word")
	elif ((i >= COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -o nosort -F _prof_report prof-report 2>/dev/null || complete -o filenames -F _prof_report prof-report
complete -o filenames -F _intercept intercept
