#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: free-threaded-env.sh SOURCE
# Builds a free-threaded CPython of its source (a folder, as unpacked from Python-3.14.0.tar.xz) for the tests, and prints its
# path: ${XDG_CACHE_HOME:-~/.cache}/intercept/pythons/VERSIONt/bin/python3. No package that `make test` may install has one, so
# this is for whoever has the source. Takes some minutes. What it does meanwhile goes to stderr.

die() {
	echo "free-threaded-env: $*" >&2
	exit 1
}

[ $# = 1 ] || die "usage: free-threaded-env.sh SOURCE"
source=$(cd "$1" && pwd) || die "cannot enter '$1': give the folder of CPython's source"
version=$(sed -n 's/^#define PY_VERSION  *"\(3\.[0-9]*\).*/\1/p' "$source/Include/patchlevel.h" 2>/dev/null)
[ "$version" ] || die "'$source' is no source of CPython: it has no version in Include/patchlevel.h"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/pythons/${version}t
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ ! -d "$folder" ]; then
	rm -rf "$folder.part" "$folder.build"
	{ mkdir "$folder.build" && cd "$folder.build"; } || die "cannot make '$folder.build'"
	{
		"$source/configure" -q --prefix="$folder" --disable-gil --disable-test-modules --without-ensurepip CFLAGS="-O1 -g0" &&
			make -s -j2 && make -s install DESTDIR="$folder.part"
	} >&2 9>&- || die "cannot build '$source': see above"
	mv "$folder.part$folder" "$folder" || die "cannot make '$folder'"
	[ -e "$folder/bin/python3" ] || ln -s "python$version" "$folder/bin/python3"
	rm -rf "$folder.build" "$folder.part" "$folder"/lib/*.a "$folder"/lib/python*/config-*
fi
echo "$folder/bin/python3"
