#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: arm-python-env.sh VERSION
# Prints the folder of an arm64 system with that Python, of the Debian that has it: ${XDG_CACHE_HOME:-~/.cache}/intercept/arm/pythonVERSION,
# which is filled if it does not exist (10 MB are downloaded, 50 MB unpacked). Messages go to stderr.

die() {
	echo "arm-python-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
version=${1:-}
case $version in
3.9) suite=bullseye ;;
3.13) suite=trixie ;;
3.14) suite=testing ;;
*) die "'$version' is no version that is known here: 3.9, 3.13 or 3.14" ;;
esac
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/arm/python$version
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"
exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ ! -e "$folder" ]; then
	rm -rf "$folder.part"
	{ mkdir -p "$folder.part/usr/lib" && ln -s usr/lib "$folder.part/lib"; } || die "cannot make '$folder.part'"
	scripts/debian-packages.sh "$folder.part" "$suite" arm64 "python$version-minimal" "libpython$version-minimal" \
		"libpython$version-stdlib" libc6 libexpat1 zlib1g 9>&- || die "no Python $version for arm64: see above"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
