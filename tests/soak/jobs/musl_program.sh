#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A program of another libc starts, dynamic and static, and its children.
# needs: musl-gcc
# limit: 60

echo '#include <stdlib.h>
#include <stdio.h>
int main(void) { free(malloc(10)); printf("musl\n"); fflush(stdout); return system("perl -e \"exit 3\"") >> 8; }' >a.c
musl-gcc a.c -o a && ./a; echo "status $?"
musl-gcc -static a.c -o b && ./b; echo "status $?"
