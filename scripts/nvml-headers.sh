#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: nvml-headers.sh
# Prints the folder with nvml.h of two releases, a folder each, out of NVIDIA's packages on PyPI:
# ${XDG_CACHE_HOME:-~/.cache}/intercept/nvml, which is made when it is not there (150 KB a package). What it does meanwhile goes to stderr.

cd "$(dirname "$0")/.." || exit 1
die() {
	echo "nvml-headers: $*" >&2
	exit 1
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/nvml
mkdir -p "$cache" || die "cannot make '$cache'"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python=$(scripts/find-python.sh) || python=python3 # Debian's own has no pip
for package in nvidia-nvml-dev-cu12==12.9.79 nvidia-nvml-dev==13.5.37; do
	version=${package#*==}
	[ -e "$cache/$version/nvml.h" ] && continue
	echo "loading $package" >&2
	"$python" -m pip download --disable-pip-version-check -q --no-deps --only-binary :all: \
		--platform manylinux2014_x86_64 -d "$work/$version" "$package" >&2 || die "cannot load $package: is there a network?"
	mkdir -p "$work/headers"
	unzip -q -o -j "$work/$version/"*.whl '*/nvml.h' -d "$work/headers" >&2 || die "the package $package has no nvml.h"
	mkdir -p "$cache/$version"
	mv "$work/headers/nvml.h" "$cache/$version/nvml.h" || die "cannot make '$cache/$version'"
done
echo "$cache"
