#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: greenlet-env.sh PYTHON
# Prints a folder that has greenlet for that interpreter, for its PYTHONPATH:
# ${XDG_CACHE_HOME:-~/.cache}/intercept/greenlet/VERSION, filled when it is not there (2 MB). Tests switch stacks with it. What
# it does meanwhile goes to stderr.

die() {
	echo "greenlet-env: $*" >&2
	exit 1
}

[ $# = 1 ] || die "usage: greenlet-env.sh PYTHON"
version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2] + sys.abiflags)') || die "cannot run '$1'" # 3.13, 3.13t
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/greenlet/$version
mkdir -p "${folder%/*}" || die "cannot make '$folder'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ ! -d "$folder" ]; then
	rm -rf "$folder.part"
	python=$1
	# one without pip takes that of the machine's, which has to be told for whom it installs
	set --
	"$python" -m pip --version >/dev/null 2>&1 || {
		set -- --python-version "${version%t}" --implementation cp --abi "cp$(echo "$version" | tr -d .)" --platform manylinux_2_28_x86_64
		python=python3
	}
	"$python" -m pip install --disable-pip-version-check --no-cache-dir --only-binary :all: "$@" --target "$folder.part" greenlet >&2 9>&- ||
		die "cannot install greenlet into '$folder': see above (is there a network?)"
	mv "$folder.part" "$folder" || die "cannot make '$folder'"
fi
echo "$folder"
