#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a folder that has PyTorch Lightning under both of its names, for PYTHONPATH of an interpreter that has
# torch: ${XDG_CACHE_HOME:-~/.cache}/intercept/lightning, filled when it is not there (30 MB). torch itself is
# not installed. What it does meanwhile goes to stderr.

die() {
	echo "lightning-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
python=$(scripts/find-python.sh) || die "no Python with torch: scripts/python-env.sh installs one"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/lightning
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ ! -d "$folder/lightning" ] || [ ! -d "$folder/pytorch_lightning" ]; then
	rm -rf "$folder.part"
	"$python" -m pip install --disable-pip-version-check --no-cache-dir --no-deps --target "$folder.part" \
		lightning pytorch-lightning lightning-utilities torchmetrics pyyaml packaging fsspec tqdm >&2 9>&- ||
		die "cannot install Lightning into '$folder': see above (is there a network?)"
	rm -rf "$folder"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
