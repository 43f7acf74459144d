#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the folder of CUDA's runtime and CUPTI for Arm servers (sbsa), out of NVIDIA's packages on PyPI:
# ${XDG_CACHE_HOME:-~/.cache}/intercept/arm/cuda, a folder a release, which is filled if it does not exist (30 MB are downloaded, 100 MB
# unpacked). Nothing of it can run without a driver: its headers and unwinding tables are read. Messages go to stderr.

die() {
	echo "arm-cuda-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/arm/cuda
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"
exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
python=$(scripts/find-python.sh) || python=python3 # Debian's own has no pip
platforms=$(seq 17 36 | sed 's/.*/--platform manylinux_2_&_aarch64/')
fill() { # RELEASE PACKAGE...
	release=$1
	shift
	# shellcheck disable=SC2086 # words
	"$python" -m pip download --disable-pip-version-check --no-cache-dir -q --no-deps --only-binary :all: $platforms \
		--platform manylinux2014_aarch64 -d "$folder.part/wheels" "$@" >&2 9>&- || return
	for wheel in "$folder.part/wheels"/*.whl; do
		unzip -q -o "$wheel" 'nvidia/*' -d "$folder.part/$release" >&2 || return
	done
	rm -rf "$folder.part/wheels"
}
if [ ! -e "$folder" ]; then
	rm -rf "$folder.part"
	{ fill 12.4.127 nvidia-cuda-runtime-cu12==12.4.127 nvidia-cuda-cupti-cu12==12.4.127 &&
		fill 13.0.85 nvidia-cuda-runtime==13.0.88 nvidia-cuda-cupti==13.0.85; } ||
		die "cannot load CUDA's packages for aarch64: see above (is there a network?)"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
