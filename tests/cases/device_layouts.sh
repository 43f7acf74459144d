#!/bin/bash
# The functions, types and numbers of NVML that we declare ourselves are those of nvml.h, in two releases.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cache=$(fetched nvml)
checked=0
differs() { # FOLDER with nvml.h
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE= -I"$ROOT" -I"$1" -fsyntax-only -w \
		"$ROOT/tests/unit/collector/device/test_nvml_api.c" >compile.err 2>&1 && return 1
	grep -q 'error:' compile.err
}
for folder in "$cache"/*/; do
	[[ -e $folder/nvml.h ]] || continue
	differs "$folder" && fail "$folder: $(head -n 5 compile.err)"
	checked=$((checked + 1))
	mkdir changed
	# what is not so is seen
	for change in '/define NVML_FI_DEV_MEMORY_TEMP/s/82/83/' '/DECLDIR nvmlDeviceGetPowerUsage/s/unsigned int/int/'; do
		sed "$change" "$folder/nvml.h" >changed/nvml.h
		differs changed || fail "$folder: a header with $change is taken"
	done
	rm -r changed
done
((checked)) || skip "no headers of NVML (scripts/nvml-headers.sh loads them)"
expect_eq "releases" $checked 2
