#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a folder for PYTHONPATH of the Python of scripts/arm-env.sh: PyTorch for aarch64, in the version that x86-64 has here
# (scripts/find-python.sh). It is ${XDG_CACHE_HOME:-~/.cache}/intercept/arm/torch and is filled if it does not exist (3 GB are
# downloaded, 7 GB unpacked): PyPI has wheels for CUDA only, which need its libraries to be imported. pip only unpacks; it runs nothing
# of what it installs. Messages go to stderr.

die() {
	echo "arm-torch-env: $*" >&2
	exit 1
}

cd "$(dirname "$0")/.." || exit 1
root=$(scripts/arm-env.sh) || die "no arm64 system: see above"
python=$(scripts/find-python.sh) || die "no Python with torch to compare with: scripts/python-env.sh installs one"
folder=$(dirname "$root")/torch
version=$("$python" -c 'import importlib.metadata as m; print(m.version("torch").split("+")[0], m.version("numpy"))') ||
	die "cannot read the version of torch of '$python'"
exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ "$(cat "$folder/made-of" 2>/dev/null)" != "$version" ]; then
	free=$(df -Pm "$(dirname "$folder")" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge 12 ] || die "PyTorch for aarch64 needs 12 GB for a while, $free GB are free: set XDG_CACHE_HOME"
	rm -rf "$folder" "$folder.part"
	# the arm64 system is Debian 12: glibc 2.36, Python 3.11
	platforms=$(seq 17 36 | sed 's/.*/--platform manylinux_2_&_aarch64/' | sort -r)
	# shellcheck disable=SC2086 # words
	"$python" -m pip install --disable-pip-version-check --no-cache-dir --no-compile --only-binary=:all: $platforms \
		--platform manylinux2014_aarch64 --python-version 311 --implementation cp --abi cp311 --target "$folder.part" \
		"torch==${version% *}" "numpy==${version#* }" >&2 9>&- ||
		die "cannot install PyTorch for aarch64 into '$folder': see above (is there a network?)"
	echo "$version" >"$folder.part/made-of" || die "cannot write '$folder.part'"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
