#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: cupti-headers.sh
# Prints the folder with the headers of every released CUPTI since 11.8, a folder each, out of NVIDIA's packages on
# PyPI: ${XDG_CACHE_HOME:-~/.cache}/intercept/cupti, which is made when it is not there (10 MB a package to load, 2 MB kept).
# What it does meanwhile goes to stderr.

cd "$(dirname "$0")/.." || exit 1
die() {
	echo "cupti-headers: $*" >&2
	exit 1
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/cupti
mkdir -p "$cache" || die "cannot make '$cache'"
exec 9>"$cache/lock" || die "cannot write '$cache/lock'"
flock 9
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

python=$(scripts/find-python.sh) || python=python3 # Debian's own has no pip
while read -r package version; do
	case $package in '#'* | '') continue ;; esac
	[ -e "$cache/$version/cupti.h" ] && continue
	echo "loading $package $version" >&2
	"$python" -m pip download --disable-pip-version-check -q --no-deps --only-binary :all: \
		--platform manylinux2014_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_27_x86_64 \
		--platform manylinux1_x86_64 -d "$work/$version" "$package==$version" >&2 9>&- ||
		die "cannot load $package $version: is there a network?"
	mkdir -p "$work/headers"
	unzip -q -o -j "$work/$version/"*.whl '*/include/*.h' -d "$work/headers" >&2 ||
		die "the package $package $version has no headers"
	rm -rf "${cache:?}/$version"
	mv "$work/headers" "$cache/$version" || die "cannot make '$cache/$version'"
	rm -rf "${work:?}/$version"
done <scripts/cupti.txt
echo "$cache"
