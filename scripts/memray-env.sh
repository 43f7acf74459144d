#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a folder that has memray, for PYTHONPATH of an interpreter that has torch: ${XDG_CACHE_HOME:-~/.cache}/intercept/memray,
# filled when it is not there (60 MB). Tests compare with it. What it does meanwhile goes to stderr.

die() {
	echo "memray-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
python=$(scripts/find-python.sh) || die "no Python with torch: scripts/python-env.sh installs one"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/memray
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ ! -d "$folder/memray" ]; then
	rm -rf "$folder.part"
	"$python" -m pip install --disable-pip-version-check --no-cache-dir --target "$folder.part" \
		memray >&2 9>&- ||
		die "cannot install memray into '$folder': see above (is there a network?)"
	rm -rf "$folder"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
