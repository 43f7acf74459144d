#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the Python of a venv that has DuckDB, pyarrow, Polars and Perfetto's schema, which tests open exports with, and sqlglot,
# which parses SQL for engines that are not here:
# ${XDG_CACHE_HOME:-~/.cache}/intercept/readers, filled when it is not there (450 MB). What it does meanwhile goes to
# stderr.

die() {
	echo "readers-env: $*" >&2
	exit 1
}

packages='duckdb==2.0.0 pyarrow==26.0.1 polars==2.1.0 perfetto==0.59.1 protobuf==7.36.2 sqlglot==30.30.0'
folder=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/readers
mkdir -p "${folder%/*}" || die "cannot make '${folder%/*}'"

exec 9>"$folder.lock" || die "cannot write '$folder.lock'"
flock 9
if [ "$(cat "$folder/complete" 2>/dev/null)" != "$packages" ]; then
	# one that lacks a package only gets that
	[ -e "$folder/complete" ] || rm -rf "$folder"
	[ -x "$folder/bin/python" ] || python3 -m venv "$folder" >&2 9>&- ||
		die "cannot make a venv: is python3-venv installed?"
	# shellcheck disable=SC2086 # each package is an argument
	"$folder/bin/python" -m pip install --disable-pip-version-check --no-cache-dir $packages >&2 9>&- ||
		die "cannot install the readers into '$folder': see above (is there a network?)"
	echo "$packages" >"$folder/complete" || die "cannot write '$folder'"
fi
echo "$folder/bin/python"
