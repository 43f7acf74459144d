#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A program of gcc's AddressSanitizer runs and finds its error.
# needs: gcc

echo '#include <stdlib.h>
#include <stdio.h>
int main(int n, char **v) { (void)v; char *p = malloc(10); printf("runs\n"); fflush(stdout); if (n > 1) p[10] = 1; free(p); return 3; }' >a.c
gcc -fsanitize=address -g a.c -o a || exit 1
./a; echo "status $?"
./a x 2>err; echo "status $?"; grep -c heap-buffer-overflow err
