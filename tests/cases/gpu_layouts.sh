#!/bin/bash
# The records of every released CUPTI since 11.8 begin as we read them, in their newest form; and its functions and ids are those that we use.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
cache=$(fetched cupti)
while read -r package version; do
	[[ $package == \#* || -e $cache/$version/cupti.h ]] || skip "no headers of CUPTI $version (scripts/cupti-headers.sh loads them)"
done <"$ROOT/scripts/cupti.txt"
for cuda in "${CUDA_HOME:-/usr/local/cuda}/include" "$(dirname "$(torch_python)")"/../lib/python3*/site-packages/nvidia/cu13/include; do
	[[ -e $cuda/cuda.h ]] && break
done
[[ -e $cuda/cuda.h ]] || skip "no cuda.h"

newest() { # NAME: the last CUpti_ActivityNAME<number> of the headers
	grep -o "} CUpti_Activity$1[0-9]*;" "$folder"/cupti_activity*.h | grep -o 'CUpti_[A-Za-z0-9]*' | sort -V | tail -n 1
}
# Some of the headers want a newer cuda.h: what they declare of CUDA is of no concern here.
types_differ() { # DEFINITION...
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE= -I"$ROOT" -I"$folder" -I"$cuda" "$@" -fsyntax-only -fmax-errors=0 -w \
		"$ROOT/tests/unit/preload/gpu/test_cupti_api.c" 2>&1 | grep 'test_cupti_api.c.*error:' >compile.err
}
checked=0
for folder in "$cache"/*/; do
	types=()
	for name in Kernel Memcpy MemcpyPtoP Memset Synchronization Overhead Memory MemoryPool GraphTrace Device; do
		type=$(newest $name)
		[[ $type ]] || fail "$folder: no CUpti_Activity$name"
		types+=("-DNEWEST_${name^^}=$type")
	done
	types_differ "${types[@]}" && fail "$folder (${types[*]}): $(head -n 5 compile.err)"
	checked=$((checked + 1))
done
((checked >= 16)) || fail "$checked versions only"
# a head that is not so is seen
types_differ -DNEWEST_KERNEL=CUpti_ActivityKernel3 || fail "a kernel record of another layout is taken"
exit 0
