#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs of clang's AddressSanitizer and ThreadSanitizer run and find their errors.
# needs: clang /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-x86_64.a

echo '#include <stdlib.h>
#include <stdio.h>
int main(int n, char **v) { (void)v; char *p = malloc(10); printf("runs\n"); fflush(stdout); if (n > 1) p[10] = 1; free(p); return 3; }' >a.c
for kind in address undefined; do
	clang -fsanitize=$kind -g a.c -o a || exit 1
	./a; echo "$kind $?"
done
clang -fsanitize=address a.c -o a && ./a x 2>err; echo "status $?"; grep -c heap-buffer-overflow err
