#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: debian-readers.sh
# Prints a folder with programs that read stacks, `pprof` and `flamegraph.pl`, out of Debian's packages golang-*-go and
# libdevel-nytprof-perl: ${XDG_CACHE_HOME:-~/.cache}/intercept/debian-readers, filled when it is not there (63 MB to load, 10 MB
# kept; nothing is installed). What it does meanwhile goes to stderr.

die() {
	echo "debian-readers: $*" >&2
	exit 1
}

folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/debian-readers
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"
exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# take PACKAGE PATTERN NAME: the one file of it whose path matches
take() {
	(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$1" 9>&-) >&2 || die "cannot load Debian's package $1: is there a network?"
	dpkg-deb -x "$work/$1"_*.deb "$work/$1" || die "cannot unpack $1"
	found=$(find "$work/$1" -path "$2" -type f)
	[ -f "$found" ] || die "the package $1 has no '$2'"
	install -m 755 "$found" "$work/out/$3" && rm -rf "${work:?}/$1" "$work/$1"_*.deb
}
if [ ! -d "$folder" ]; then
	command -v apt-get >/dev/null || die "no apt-get here"
	mkdir "$work/out"
	# golang-go says which version there is
	package=$(apt-cache depends golang-go 2>/dev/null | sed -n 's/.*Depends: \(golang-[0-9.]*-go\)$/\1/p' | head -n 1)
	[ "$package" ] || die "no package golang-go"
	take "$package" '*/pkg/tool/*/pprof' pprof
	take libdevel-nytprof-perl '*/flamegraph.pl' flamegraph.pl
	rm -rf "$folder.part"
	cp -r "$work/out" "$folder.part" || die "cannot write '$folder.part'"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
