#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the path of an interpreter that has PyTorch and scikit-learn. $PYTHON is taken when it is set and
# must have them; otherwise ${XDG_CACHE_HOME:-~/.cache}/intercept/venv is used and made when it is not there
# (about 5.6 GB). What it does meanwhile goes to stderr.

die() {
	echo "python-env: $*" >&2
	exit 1
}

# Its packages bring some of CUDA's headers; with the rest of them tests compare our declarations with NVIDIA's.
complete_headers() { # PIP
	version=$("$1" show nvidia-cuda-runtime 2>/dev/null | sed -n 's/^Version: \([0-9]*\.[0-9]*\)\..*/\1/p')
	[ -z "$version" ] ||
		"$1" install --disable-pip-version-check --no-cache-dir --no-deps "nvidia-cuda-crt==$version.*" \
			"nvidia-cuda-profiler-api==$version.*" || echo "python-env: no more headers of CUDA $version: see above" >&2
}

has_packages() {
	"$1" -c 'import sys, importlib.util as u
sys.exit(not all(u.find_spec(name) for name in ("torch", "numpy", "sklearn")))' 2>/dev/null
}

if [ -n "$PYTHON" ]; then
	path=$(command -v "$PYTHON") || die "cannot run PYTHON='$PYTHON': no such program"
	has_packages "$path" || die "'$path' has no torch, numpy and sklearn: install them or unset PYTHON"
	echo "$path"
	exit
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept
venv=$cache/venv
mkdir -p "$cache" || die "cannot make '$cache'"

# One at a time: a second caller waits for the first and then finds all there.
exec 9>"$cache/venv.lock" || die "cannot write '$cache/venv.lock'"
flock 9

if ! has_packages "$venv/bin/python"; then
	free=$(df -Pm "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge 8 ] ||
		die "PyTorch needs 8 GB below '$cache', $free GB are free: set XDG_CACHE_HOME or PYTHON"
	# Debian's own interpreter first: PyTorch has no wheels for every version that may stand in PATH.
	python=/usr/bin/python3
	[ -x $python ] || python=python3
	echo "installing PyTorch into '$venv' (5.6 GB, once, a minute or more)" >&2
	{
		{ [ -x "$venv/bin/pip" ] || $python -m venv --clear "$venv"; } &&
			"$venv/bin/pip" install --disable-pip-version-check --no-cache-dir torch numpy scikit-learn
	} >&2 9>&- || die "cannot install PyTorch into '$venv': see above (is there a network?)"
	complete_headers "$venv/bin/pip" >&2 9>&-
	has_packages "$venv/bin/python" || die "'$venv' is incomplete: remove it and try again"
fi
echo "$venv/bin/python"
