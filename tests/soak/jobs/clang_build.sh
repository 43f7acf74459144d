#!/bin/bash
# SPDX-License-Identifier: MIT
#
# clang compiles and links a program of several files, with and without link-time optimisation.
# needs: clang
# limit: 60

for i in 1 2 3 4; do echo "int f$i(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ $i; return s; }" >"f$i.c"; done
echo '#include <stdio.h>
int f1(int), f2(int), f3(int), f4(int); int main(void) { printf("%d\n", f1(9) + f2(99) + f3(999) + f4(9999)); return 7; }' >m.c
clang -O2 ./*.c -o a && ./a; echo "status $?"
clang -O2 -emit-llvm -c f1.c -o - | sha256sum
clang -O1 -g -S m.c -o - | sha256sum
clang -c bad.c 2>&1 | grep -c 'no such file'
