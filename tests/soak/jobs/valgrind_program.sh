#!/bin/bash
# SPDX-License-Identifier: MIT
#
# valgrind finds a leak and a wrong write.
# needs: valgrind gcc
# limit: 120

echo '#include <stdlib.h>
int main(void) { char *p = malloc(10); p[10] = 1; p = malloc(20); p[0] = 1; return 0; }' >a.c
gcc -g -O0 -Wno-array-bounds a.c -o a 2>/dev/null
valgrind -q --leak-check=full --error-exitcode=9 ./a 2>err; echo "status $?"
grep -c 'Invalid write of size 1' err
