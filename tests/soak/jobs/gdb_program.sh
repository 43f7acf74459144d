#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gdb stops a program, reads its variables, lets it end, and takes a process that runs.
# needs: gdb gcc
# limit: 120

export DEBUGINFOD_URLS=
echo '#include <stdlib.h>
int g = 42; int f(int x) { char *p = malloc(x); free(p); return x + g; } int main(void) { return f(1) - 40; }' >a.c
gcc -g -O0 a.c -o a
gdb -nx -batch -ex 'break f' -ex run -ex 'print g' -ex 'print x' -ex finish -ex continue ./a 2>/dev/null | grep -E '^\$|exited'
perl -e '$SIG{ALRM} = sub { exit 0 }; open F, ">", "up"; print F "up"; close F; sleep 900' & sleeper=$!
until [[ -s up ]]; do sleep 0.05; done
gdb -nx -batch -p $sleeper -ex 'print 6*7' -ex detach 2>/dev/null | grep '^\$'
kill -ALRM $sleeper; wait $sleeper; echo "status $?"
