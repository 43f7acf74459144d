#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: demo-cuda.sh [DIRECTORY]
# Trains the demo's network on "cuda" without a GPU: over the fake CUDA of tests/fake, which does what it is
# told and computes nothing. What the program asks of CUDA is real; losses, results and GPU times are not.

cd "$(dirname "$0")/.." || exit 1
file=${1:+$1/}cuda.evt
O=${O:-build}
fake=$O/fake

show() { # the command as a user would type it, then its output
	printf '\n$'
	for word; do
		case $word in
		*=*' '*) printf ' %s="%s"' "${word%%=*}" "${word#*=}" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	env "$@"
}

scripts/install-deps.sh || exit 1
python=$(scripts/python-env.sh) || exit 1
"${MAKE:-make}" --no-print-directory O="$O" all fake-cuda || exit 1

cat <<END

The GPU is a FAKE: libraries out of tests/fake that stand in for NVIDIA's. Losses and accuracy below are
garbage, and times on the GPU are those of a simple model. The calls, kernels, bytes and host times are PyTorch's.
The memory of the fake GPU is taken from the heap, so the heap and libfakecuda.so among its callers are larger.
END
show INTERCEPT_OUTPUT="$file" \
	LD_PRELOAD="$O/libintercept.so $fake/libcudart.so.13 $fake/libcuda.so.1 $fake/libcublas.so.13 $fake/libcublasLt.so.13 $fake/libcupti.so.13" \
	"$python" scripts/demo_train.py 3 --device cuda || exit 1
show "$O/prof-report" "$file" || exit 1
for report in api launches kernels memcpy gpu-copies device-memory; do
	show "$O/prof-report" "$report" --limit 12 "$file" || exit 1
done
cat <<END

Once more: the GPU was a fake. More of the same run:
  $O/prof-report launches --by range $file
  $O/prof-report kernels --by op $file
  $O/prof-report ops $file
  $O/prof-report utilization $file
  $O/prof-report gpu-idle $file
  $O/prof-report nvtx $file
END
