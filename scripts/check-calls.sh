#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the parts that live in, or belong to, somebody else's program must not call, read from the objects:
# nothing that ends the process, prints, allocates or asks the environment.

cd "$(dirname "$0")/.." || exit 1
build=${O:-build}
ends='exit|_exit|_Exit|quick_exit|abort|__assert_fail|raise|err|errx'
prints='(__)?v?[fd]?printf(_chk)?|puts|fputs|putc|fputc|putchar|fwrite|perror|psignal|stdout|stderr|syslog'
formats='(__)?v?sn?printf(_chk)?|v?asprintf|sscanf|strerror|setlocale'
environment='getenv|secure_getenv|environ|__environ'
changes='setenv|putenv|unsetenv|clearenv'
allocates='malloc|calloc|realloc|reallocarray|free|strn?dup|posix_memalign|aligned_alloc|fopen|fdopen|opendir|getline'

forbid() { # DIRECTORY NAMES [ALLOWED-FILES]
	local object source
	for source in "$1"/*.c; do
		[[ -f $source ]] || continue
		[[ ${3:-} && $source =~ ^$1/(${3})\.c$ ]] && continue
		object=$build/${source%.c}.o
		[[ -f $object ]] || { echo "$object: not built"; continue; }
		nm -u "$object" | awk '{ print $2 }' | sed 's/@.*//' | grep -xE "$2" |
			sed "s|.*|$source: refers to &, which is not allowed here|"
	done
}

{
	forbid preload "$ends|$prints|$formats|$allocates"
	forbid preload "$environment" 'settings|environment'
	forbid preload "$changes" settings
	forbid collector "$ends" main
	forbid collector "$prints" main
	forbid collector "$environment|$changes" main
	forbid collector/format "$ends|$prints|$environment|$changes"
	forbid report "$ends" 'main|memory'
	forbid report "$environment|$changes" main
} | sort -u | grep . && exit 1
exit 0
