#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: intercept run [-o NAME] [--trace LIST] [--FAMILY...] [--SETTING VALUE...] [--steps A..B] [--] COMMAND...
#        intercept capture [--for 5s | --steps 3] PID|RUN.evt
#        intercept sample [--for 10s] [-o NAME] PID
#        intercept doctor
#        intercept help | --version
#
# Runs COMMAND under intercept: a shorthand for LD_PRELOAD and the INTERCEPT_ variables, which remain what counts. --FAMILY,
# as in --modules, is INTERCEPT_TRACE=+modules; --SETTING VALUE, as in --stacks both, is INTERCEPT_STACKS=both. Which there
# are the library says; --functions=VALUE is the setting, --functions alone the family. The exit status is that of COMMAND.

say() {
	printf 'intercept: %s\n' "$*" >&2
}

die() {
	say "$*"
	exit 2
}

# Beside this script in the build tree, or where make install has put it.
here=$(dirname "$(readlink -f "$0")")
for library in "$here/../lib/intercept/libintercept.so" "$here/libintercept.so" "${O:-/nonexistent}/libintercept.so" \
	"$here/../${O:-build}/libintercept.so"; do
	[ -f "$library" ] && break
done
[ -f "$library" ] || die "libintercept.so is not at '$library': install it, or run make"
library=$(readlink -f "$library")
folder=$(dirname "$library")
case $library in
*[:\ ]*) # the loader takes names apart there, and so would that of every child
	link=${XDG_CACHE_HOME:-${HOME:-}/.cache}/intercept/library/$(printf '%s' "$library" | cksum | tr ' ' -)/libintercept.so
	case $link in
	*[:\ ]* | [!/]*) die "LD_PRELOAD cannot name '$library': install intercept where no space or colon is in the path, or set XDG_CACHE_HOME to such a folder" ;;
	esac
	[ "$(readlink "$link" 2>/dev/null)" = "$library" ] || { mkdir -p "${link%/*}" && ln -sfn "$library" "$link"; } ||
		die "cannot make the link '$link', which stands for a path with a space or colon: set XDG_CACHE_HOME to a folder that can be written"
	library=$link
	;;
esac
report=$here/prof-report
[ -x "$report" ] || report=$folder/prof-report
case $report in
"$PWD"/*) report=${report#"$PWD"/} ;;
esac
found=$(command -v prof-report) && [ "$(readlink -f "$found")" = "$(readlink -f "$report")" ] && report=prof-report

# What the library says of its settings: its own list, so that none is written twice. A program that it is not recorded in.
settings=$(INTERCEPT_HELP=1 INTERCEPT_OUTPUT=/dev/null INTERCEPT_CHILDREN=none LD_PRELOAD="$library" /bin/true 2>&1)

usage() {
	sed -n '4,13s/^# \{0,1\}//p' "$0"
	printf '\nfamilies:%s\nsettings:%s\n' "$(families | sed 's/^/ --/' | tr -d '\n')" \
		"$(known_settings | sed 's/^/ --/' | tr -d '\n')"
}

families() {
	printf '%s\n' "$settings" | sed -n '/^  INTERCEPT_TRACE /,/^  INTERCEPT_[A-SU-Z]/p' | grep 'names with commas' |
		tr ';' '\n' | sed -n 's/^ *\([a-z_-]*\): .*/\1/p'
}

known_settings() { # as options
	printf '%s\n' "$settings" | sed -n 's/^  INTERCEPT_\([A-Z_]*\) .*/\1/p' | tr 'A-Z_' 'a-z-' | grep -vx 'help\|output'
}

# --- the command line ---

trace='' output=''
take_steps() { # A..B, or N
	first=${1%%..*} last=${1##*..}
	case $first$last in
	*[!0-9]* | '') die "--steps '$1' is not A..B, as in 10..19" ;;
	esac
	[ "$first" -le "$last" ] || die "--steps '$1' ends before it begins"
	export INTERCEPT_SCHEDULE="skip_first=$first,active=$((last - first + 1)),repeat=1"
}

take_option() { # NAME VALUE
	case $1 in
	trace) trace=$trace${trace:+,}$2 ;;
	steps) take_steps "$2" ;;
	output) output=$2 ;;
	*)
		known_settings | grep -qxF -e "$1" || die "unknown option '--$1'; intercept help lists them"
		variable=INTERCEPT_$(printf '%s' "$1" | tr 'a-z-' 'A-Z_')
		export "$variable=$2"
		;;
	esac
}

# e_machine of the programs that can be recorded
case $(uname -sm) in
'Linux x86_64') machine=62 architecture=x86-64 ;;
'Linux aarch64') machine=183 architecture=aarch64 ;;
*) die "this is $(uname -sm): intercept records on Linux on x86-64 and aarch64 only" ;;
esac
case ${1:-} in
help | --help | -h)
	usage
	exit
	;;
run) shift ;;
capture | sample | doctor) exec "$report" "$@" ;;
--version | -V) "$report" --version | sed 's/^prof-report/intercept/'; exit ;;
'') die "a command is needed, as in: intercept run -- python train.py" ;;
*) die "unknown command '$1'; as in: intercept run -- python train.py" ;;
esac
while [ $# -gt 0 ]; do
	option=$1
	case $option in
	--)
		shift
		break
		;;
	-h | --help)
		usage
		exit
		;;
	-o)
		[ $# -gt 1 ] || die "-o needs the name of a file"
		output=$2
		shift 2
		;;
	--*=*)
		name=${option#--}
		take_option "${name%%=*}" "${name#*=}"
		shift
		;;
	--*)
		shift
		if families | grep -qxF -e "${option#--}"; then
			trace=$trace${trace:+,}+${option#--}
		else
			[ $# -gt 0 ] || die "$option needs a value, or is unknown; intercept help lists them"
			take_option "${option#--}" "$1"
			shift
		fi
		;;
	-*) die "unknown option '$option'; intercept help lists them" ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || die "a command is needed, as in: intercept run -- python train.py"
case $output in
'') ;;
*/) die "-o '$output' is a folder; name a file in it" ;;
*.evt | *%*) ;;
*) output=$output.evt ;;
esac
[ -z "$trace" ] || export INTERCEPT_TRACE="${INTERCEPT_TRACE:+$INTERCEPT_TRACE,}$trace"
[ -z "$output" ] || export INTERCEPT_OUTPUT="$output"
output=${INTERCEPT_OUTPUT:-run.evt}

# --- why something will not be recorded ---

byte_at() { # FILE OFFSET COUNT: a little-endian number
	od -An -tu1 -j "$2" -N "$3" "$1" 2>/dev/null | awk '
		{ for (i = 1; i <= NF; i++) number += $i * 256 ^ n++ }
		END { printf "%.0f\n", number }'
}

# The loader that the program asks for; nothing: it asks for none.
interpreter_of() { # ELF file of 64 bits
	offset=$(byte_at "$1" 32 8) size=$(byte_at "$1" 54 2) count=$(byte_at "$1" 56 2)
	while [ "${count:-0}" -gt 0 ] && [ "$count" -lt 200 ]; do
		if [ "$(byte_at "$1" "$offset" 4)" = 3 ]; then
			dd if="$1" bs=1 skip="$(byte_at "$1" $((offset + 8)) 8)" count="$(byte_at "$1" $((offset + 32)) 8)" 2>/dev/null |
				tr -d '\0'
			return
		fi
		offset=$((offset + size)) count=$((count - 1))
	done
}

check_program() { # FILE
	if [ -u "$1" ] || [ -g "$1" ]; then
		say "'$1' is setuid or setgid: the system does not let it load the library, it will not be recorded"
	elif command -v getcap >/dev/null && [ -n "$(getcap "$1" 2>/dev/null)" ]; then
		say "'$1' has capabilities: the system does not let it load the library, it will not be recorded"
	elif [ ! -r "$1" ] || [ "$(byte_at "$1" 0 4)" != 1179403647 ]; then
		return
	elif [ "$(byte_at "$1" 4 1)" != 2 ] || [ "$(byte_at "$1" 18 2)" != "$machine" ]; then
		say "'$1' is of another architecture: only $architecture programs are recorded"
	else
		loader=$(interpreter_of "$1")
		case $loader in
		'') say "'$1' is a static program: it loads no library, it will not be recorded" ;;
		*musl*) say "'$1' uses musl: only programs of glibc are recorded" ;;
		esac
	fi
}

program=$(command -v "$1") || {
	say "'$1' is not found: name a program, or a path to one"
	exit 127
}
program=$(readlink -f "$program" 2>/dev/null || printf '%s' "$program")
for depth in 1 2 3; do # a script is its interpreter
	if [ ! -r "$program" ] || [ "$(byte_at "$program" 0 2)" != 8483 ]; then break; fi
	line=$(head -n 1 "$program" | tr -d '\0' | cut -c 3-4096)
	# shellcheck disable=SC2086 # words
	line=$(set -f; printf '%s\n' $line)
	next=$(printf '%s\n' "$line" | sed -n 1p)
	case $next in
	*/env) next=$(printf '%s\n' "$line" | sed '1d; /^-/d; /=/d' | sed -n 1p) ;;
	esac
	next=$(command -v "$next") || break
	[ "$depth" = 3 ] || program=$(readlink -f "$next")
done
[ -f "$program" ] && check_program "$program"

case ,$trace, in
*+gpu,* | *+cuda,*)
	ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1' ||
		say "there is no NVIDIA driver (libcuda.so.1) here: nothing of a GPU will be recorded"
	;;
esac
folder=$(dirname "$output")
case $output in
*%*) ;;
*) if [ ! -d "$folder" ] || [ ! -w "$folder" ]; then say "the folder '$folder' of the output is not there or cannot be written: nothing will be recorded"; fi ;;
esac

# --- the run ---

mark=$(mktemp "${TMPDIR:-/tmp}/intercept.XXXXXX") || die "cannot write to ${TMPDIR:-/tmp}"
trap 'rm -f "$mark"' EXIT
set -- LD_PRELOAD="$library${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
if env --default-signal=INT,QUIT true 2>/dev/null; then
	# What a terminal sends reaches both; what is sent to us alone is handed on.
	trap : INT QUIT
	trap 'kill -TERM "$child" 2>/dev/null' TERM
	trap 'kill -HUP "$child" 2>/dev/null' HUP
	exec 3<&0
	env --default-signal=INT,QUIT "$@" <&3 3<&- &
	child=$!
	exec 3<&-
	status=129
	while [ $status -gt 128 ]; do
		wait "$child"
		status=$?
		kill -0 "$child" 2>/dev/null || break
	done
else
	trap : INT QUIT TERM HUP
	env "$@"
	status=$?
fi

quoted() { # a file's name as a word of a command
	case $1 in
	*[!A-Za-z0-9_./:=@%+,-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf '%s' "$1" ;;
	esac
}

written=''
case $output in
*%*) written=$(find "$folder" -maxdepth 1 -name '*.evt' -newer "$mark" 2>/dev/null | sort | head -n 1) ;;
*) written=$(find "$output" -newer "$mark" 2>/dev/null | head -n 1) ;;
esac
if [ -z "$written" ]; then # a program that the command has started writes beside it
	stem=${output##*/}
	written=$(find "$folder" -maxdepth 1 -name "${stem%.evt}.*.evt" -newer "$mark" 2>/dev/null | sort | head -n 1)
fi
if [ -n "$written" ]; then
	say "$(du -h --apparent-size "$written" | cut -f 1) in $(quoted "$written"); next: $report $(quoted "$written")"
else
	say "there is no recording; INTERCEPT_VERBOSE=2 says what the library does"
fi
exit $status
