#!/bin/bash
# libintercept.so needs libc only, exports the list only, and its TLS is small and initial-exec.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool readelf
needed=$(readelf -dW "$LIB" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
# Before glibc 2.34 the threads and dlsym stood in libraries of their own, which are libc, too.
for library in $needed; do
	expect_match "needed library" "$library" '^(libc\.so\.6|ld-linux-x86-64\.so\.2|libpthread\.so\.0|libdl\.so\.2)$'
done
[[ $needed == *libc.so.6* ]] || fail "libc is not needed: $needed"
tls=$(readelf -lW "$LIB" | awk '$1 == "TLS" { print $6 }') # hexadecimal
tls=$((${tls:-0}))
expect_between "bytes of TLS" "$tls" 0 384 # glibc keeps 512 for what comes by dlopen(), as an injection by CUDA does
readelf -dW "$LIB" | grep -q STATIC_TLS || ((tls == 0)) || fail "TLS is not initial-exec"
readelf -rW "$LIB" | grep -q -e DTPMOD -e TLSDESC && fail "TLS is not initial-exec: $(readelf -rW "$LIB" | grep -e DTPMOD -e TLSDESC | head -1)"
readelf -dW "$LIB" | grep -q TEXTREL && fail "text relocations"
readelf -lW "$LIB" | grep -q 'GNU_STACK.*RWE' && fail "executable stack"
readelf -VW "$LIB" | grep -q 'Version definition section' && fail "exports have versions"
[[ -x $ROOT/scripts/check-exports.sh ]] && { "$ROOT/scripts/check-exports.sh" || fail "check-exports: status $?"; }
# Every symbol that is taken from libc was there in glibc 2.28.
newer=$(readelf -VW "$LIB" | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | awk -F. '$2 > 28')
[[ -z $newer || $(getconf GNU_LIBC_VERSION) != "glibc 2.28" ]] || fail "needs $newer"
for symbol in malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign valloc pvalloc cfree \
	malloc_usable_size free_sized free_aligned_sized nvtxRangePushA nvtxRangePop InitializeInjectionNvtx2; do
	readelf --dyn-syms -W "$LIB" | grep -qE " $symbol\$" || fail "$symbol is not exported"
done
