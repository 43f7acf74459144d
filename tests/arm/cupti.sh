#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: the compiler for aarch64 lays out the records of every released CUPTI as we read
# them (case gpu_layouts), with the headers for Arm servers where those are there: in 13.0.85 they are others than for x86-64.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

theirs=$("$ROOT/scripts/arm-cuda-env.sh") || fail "no CUDA for aarch64"
ours=$("$ROOT/scripts/cupti-headers.sh") || fail "no headers of CUPTI"
mkdir intercept
cp -r "$ours" intercept/cupti
for version in 12.4.127 13.0.85; do
	cp "$theirs/$version"/nvidia/*/include/cupti*.h "intercept/cupti/$version/" || fail "no headers of CUPTI $version for aarch64"
done
printf '#!/bin/sh\nexec %s "$@"\n' "$ARM_CC" >cc
chmod +x cc
python=$(torch_python) || fail "no PyTorch, whose packages have all headers of CUDA"
toolkit=$(echo "${python%/bin/*}"/lib/python3*/site-packages/nvidia/cu13)
mkdir case
(cd case && XDG_CACHE_HOME=${PWD%/case} CUDA_HOME=$toolkit CC=${PWD%/case}/cc bash "$ROOT/tests/cases/gpu_layouts.sh") ||
	fail "records of CUPTI are laid out otherwise: see above"
echo "CUPTI for Arm servers: its records lie as they are read"
