#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the parts that live in, or belong to, somebody else's program must not call, read from the objects:
# nothing that ends the process, prints, allocates or asks the environment; and that none of the three programs opens a
# socket of a network, nor collector and report start another one (docs/SECURITY.md).

cd "$(dirname "$0")/.." || exit 1
build=${O:-build}
ends='exit|_exit|_Exit|quick_exit|abort|__assert_fail|raise|err|errx'
prints='(__)?v?[fd]?printf(_chk)?|puts|fputs|putc|fputc|putchar|fwrite|perror|psignal|stdout|stderr|syslog'
formats='(__)?v?sn?printf(_chk)?|v?asprintf|sscanf|strerror|setlocale'
environment='getenv|secure_getenv|environ|__environ'
changes='setenv|putenv|unsetenv|clearenv'
allocates='malloc|calloc|realloc|reallocarray|free|strn?dup|posix_memalign|aligned_alloc|fopen|fdopen|opendir|getline'
sockets='socket|socketpair|connect|bind|listen|accept4?|send(to|msg|mmsg)?|recv(from|msg|mmsg)?|getaddrinfo|gethostby.*|res_.*'
runs='system|popen|fork|vfork|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve'

# What each source refers to, "source name" a line: read once, as there are hundreds of objects.
mapfile -t sources < <(scripts/source-files.sh c | grep -E '^(preload|collector|report)/')
references=$(mktemp) || exit 1
trap 'rm -f "$references"' EXIT
missing() {
	local source
	for source in "${sources[@]}"; do
		[[ -f $build/${source%.c}.o ]] || echo "$build/${source%.c}.o: not built"
	done
}
not_built=$(missing)
[[ ! $not_built ]] || { echo "$not_built"; exit 1; }
objects=("${sources[@]/#/$build/}")
# nm says "build/report/x.o:                 U name@VERSION"
nm -A -u "${objects[@]/%.c/.o}" | sed -E "s,^$build/(.*)\\.o: +[A-Za-z] ([^@]*).*,\1.c \2," >"$references"
[[ -s $references ]] || { echo "$build: nm finds nothing in the objects"; exit 1; }

forbid() { # DIRECTORY NAMES [ALLOWED-FILES]: in all of its folders
	awk -v folder="$1/" -v names="^($2)\$" -v allowed="${3:+^$1/([a-z_]+/)?($3)[.]c\$}" '
		index($1, folder) == 1 && $2 ~ names && !(allowed != "" && $1 ~ allowed) {
			print $1 ": refers to " $2 ", which is not allowed here"
		}' "$references"
}

{
	forbid preload "$ends|$prints|$formats"
	forbid preload "$allocates" 'operator_hooks|jemalloc_hooks' # where no other is behind them, they are C's functions: our hooks
	forbid preload "$environment" 'settings|child_environment|job' # job: who started it
	forbid preload "$changes" settings
	forbid preload "$sockets" nursery # a Unix socket
	forbid collector "$sockets" nursery
	forbid collector "$runs" 'nursery|seccomp' # seccomp: a child that tries what may be killed
	forbid report "$sockets"
	forbid report "$runs" 'pager|report_sample|mcp_run|doctor_python' # the PAGER of the user, on a terminal only; the collector, for `sample`; reports, for `mcp`; interpreters, for `doctor`
	forbid collector "$ends" 'main|seccomp'
	forbid collector "$prints" main
	forbid collector "$environment|$changes" main
	forbid collector/format "$ends|$prints|$environment|$changes"
	forbid report "$ends" 'main|memory|pager|report_sample|mcp_run|doctor_python|spool' # spool: its file cannot be read back, which is as memory that is gone
	forbid report 'stderr' 'talk|memory|run|export' # names in lines are escaped there
	forbid report "$environment|$changes" 'main|symbol_cache|pager|terminal|spool|page_file|own|confine|mcp_run|doctor_checks|doctor_python|source_seek|workers' # where temporary files go, what the terminal is, where a cache is, and whether servers are asked, whose code is the user's, what may be read, what doctor is asked about, whether segments are passed over, how many threads read
} | sort -u | grep . && exit 1
exit 0
