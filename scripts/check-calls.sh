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

forbid() { # DIRECTORY NAMES [ALLOWED-FILES]: in all of its folders
	local object source
	for source in $(scripts/source-files.sh c | grep "^$1/"); do
		[[ ${3:-} && $source =~ ^$1/([a-z_]+/)?(${3})\.c$ ]] && continue
		object=$build/${source%.c}.o
		[[ -f $object ]] || { echo "$object: not built"; continue; }
		nm -u "$object" | awk '{ print $2 }' | sed 's/@.*//' | grep -xE "$2" |
			sed "s|.*|$source: refers to &, which is not allowed here|"
	done
}

{
	forbid preload "$ends|$prints|$formats|$allocates"
	forbid preload "$environment" 'settings|child_environment'
	forbid preload "$changes" settings
	forbid preload "$sockets" nursery # a Unix socket
	forbid collector "$sockets|$runs" nursery
	forbid report "$sockets"
	forbid report "$runs" pager # the PAGER of the user, on a terminal only
	forbid collector "$ends" main
	forbid collector "$prints" main
	forbid collector "$environment|$changes" main
	forbid collector/format "$ends|$prints|$environment|$changes"
	forbid report "$ends" 'main|memory|pager|spool' # spool: its file cannot be read back, which is as memory that is gone
	forbid report 'stderr' 'talk|memory|run|export' # names in lines are escaped there
	forbid report "$environment|$changes" 'main|symbol_cache|pager|terminal|spool|page_file' # where temporary files go, what the terminal is, where a cache is, and whether servers are asked
} | sort -u | grep . && exit 1
exit 0
