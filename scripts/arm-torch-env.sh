#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: arm-torch-env.sh aarch64|x86_64
# Prints a folder for PYTHONPATH of a Python 3.11: PyTorch for that architecture, one version for both. It is
# ${XDG_CACHE_HOME:-~/.cache}/intercept/arm/torch-VERSION-ARCHITECTURE and is filled if it does not exist (aarch64: 150 MB are
# downloaded, 520 MB unpacked; x86_64: 900 MB, 1.8 GB). The version is one whose wheel for aarch64 needs no CUDA: from 2.11 on it does,
# 3 GB of it. On x86_64 scripts/torch-stubs.py stands in for CUDA's libraries. pip only unpacks; it runs nothing of what it
# installs. Messages go to stderr.

version=2.8.0
packages="torch==$version numpy==2.2.6 filelock typing-extensions sympy mpmath networkx jinja2 fsspec markupsafe"

die() {
	echo "arm-torch-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
case ${1:-} in
aarch64 | x86_64) ;;
*) die "'${1:-}' is no architecture: aarch64 or x86_64" ;;
esac
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/arm/torch-$version-$1
mkdir -p "$(dirname "$folder")" || die "cannot make '$(dirname "$folder")'"
exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ ! -e "$folder" ]; then
	free=$(df -Pm "$(dirname "$folder")" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge 4 ] || die "PyTorch for $1 needs 4 GB for a while, $free GB are free: set XDG_CACHE_HOME"
	rm -rf "$folder.part"
	pip=$folder.pip
	[ -x "$pip/bin/pip" ] || /usr/bin/python3 -m venv --clear "$pip" >&2 9>&- || die "cannot make '$pip': is python3-venv installed?"
	# both systems are Debian 12: glibc 2.36, Python 3.11
	platforms=$(seq 17 36 | sed "s/.*/--platform manylinux_2_&_$1/" | sort -r)
	# shellcheck disable=SC2086 # words
	"$pip/bin/pip" install --disable-pip-version-check --no-cache-dir --no-compile --only-binary=:all: --no-deps $platforms \
		--platform "manylinux2014_$1" --python-version 311 --implementation cp --abi cp311 --abi abi3 --abi none \
		--target "$folder.part" $packages >&2 9>&- ||
		die "cannot install PyTorch for $1 into '$folder': see above (is there a network?)"
	[ "$1" = aarch64 ] || python3 scripts/torch-stubs.py "$folder.part/torch" >&2 9>&- ||
		die "cannot make what stands in for CUDA's libraries: see above"
	rm -rf "$pip"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
