#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: pip-folder.sh lightning|memray|viewers|guests|coverage|eventlet|foreign|servers|grpc|mcp|hubs
# Prints a folder for PYTHONPATH of an interpreter that has torch, with the packages of scripts/packages/NAME.txt, which
# tests need: ${XDG_CACHE_HOME:-~/.cache}/intercept/NAME. It is filled when it is not there, and again when the list changes.
# A line "# pip: OPTIONS" of the list is for pip. What pip prints goes to stderr.

die() {
	echo "pip-folder: $*" >&2
	exit 1
}

[ $# = 1 ] || die "usage: pip-folder.sh NAME, of scripts/packages/NAME.txt"
cd "$(dirname "$0")/.." || exit 1
list=scripts/packages/$1.txt
[ -f "$list" ] || die "no list '$list'; there are: $(basename -s .txt -a scripts/packages/*.txt | tr '\n' ' ')"
python=$(scripts/find-python.sh) || die "no Python with torch: scripts/python-env.sh installs one"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/$1
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if ! cmp -s "$list" "$folder/made-of"; then
	rm -rf "$folder.part"
	# shellcheck disable=SC2046 # words
	"$python" -m pip install --disable-pip-version-check --no-cache-dir $(sed -n 's/^# pip: //p' "$list") \
		--target "$folder.part" -r "$list" >&2 9>&- ||
		die "cannot install $list into '$folder': see above (is there a network?)"
	cp "$list" "$folder.part/made-of" && rm -rf "$folder"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
