#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: test-torch-versions.sh [TORCH-PYTHON...]     such as 2.1.2-3.8; all of them by default
# Runs tests/cases/torch_*.sh with several releases of PyTorch and Python and writes what passed into the
# table of docs/COMPATIBILITY.md. Each gets an environment of its own below
# ${XDG_CACHE_HOME:-~/.cache}/intercept, made when it is not there: 1.4 to 1.9 GB, without CUDA's
# libraries (torch-stubs.py stands in for them); Debian's 0.7 GB. 14 GB in all.

cd "$(dirname "$0")/.." || exit 1
export ROOT=$PWD O=${O:-build}
export TORCH_AS_IT_IS=1 # tests/torch/eager is for the release that make test installs
cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept
table=docs/COMPATIBILITY.md
releases=(1.13.1-3.11 2.1.2-3.8 2.1.2-3.11 2.4.1-3.9 2.4.1-3.12 2.8.0-3.10 2.8.0-3.13 2.15.0-3.11 2.15.0-3.13)
# a column of the table each, after the sequence numbers
cases=(torch_ops torch_proof_models torch_shapes torch_proof_workers torch_proof_compile torch_proof_users torch_entry)

tell() {
	echo "test-torch-versions: $*" >&2
}

interpreter() { # VERSION: the path of a Python of that version
	local candidate
	for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python3 /usr/bin/python3; do
		candidate=$(command -v "$candidate") || continue
		[[ $("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) == "$1" ]] || continue
		echo "$candidate"
		return
	done
	return 1
}

# Debian's PyTorch, unpacked beside the system with all that it needs and the system has not.
fill_from_debian() { # DIRECTORY
	local packages="$1/packages"
	mkdir -p "$packages/partial" &&
		apt-get install -q -y --download-only --no-install-recommends -o Dir::Cache::archives="$packages" \
			python3-torch python3-numpy &&
		find "$packages" -name '*.deb' -exec dpkg -x {} "$1/debian" \; &&
		rm -rf "$packages" &&
		echo "$1/debian/usr/lib/python3/dist-packages" >"$("$1/bin/python" -c \
			'import site; print(site.getsitepackages()[0])')/debian.pth"
}

fill_from_pypi() { # DIRECTORY TORCH
	local numpy=numpy
	[[ $2 == 2.[12].* ]] && numpy='numpy<2'
	"$1/bin/pip" install -q --no-cache-dir --no-deps "torch==$2" &&
		"$1/bin/pip" install -q --no-cache-dir filelock typing-extensions sympy networkx jinja2 fsspec \
			setuptools "$numpy" 2>"$1/pip.log" &&
		python3 scripts/torch-stubs.py "$("$1/bin/python" -c 'import importlib.util as u
print(u.find_spec("torch").submodule_search_locations[0])')"
}

environment() { # TORCH PYTHON: makes it; its directory
	local directory="$cache/torch-${1%.*}-py$2" python
	if [[ $("$cache/venv/bin/python" -c 'import importlib.metadata as m, sys
print(m.version("torch"), "%d.%d" % sys.version_info[:2])' 2>/dev/null) == "$1 $2" ]]; then
		echo "$cache/venv"
		return
	fi
	python=$(interpreter "$2") || { tell "no Python $2"; return 1; }
	[[ $1 == 1.* ]] && python=/usr/bin/python3
	if [[ ! -e $directory/complete ]]; then
		tell "making '$directory'"
		"$python" -m venv --clear "$directory" &&
			if [[ $1 == 1.* ]]; then fill_from_debian "$directory"; else fill_from_pypi "$directory" "$1"; fi >&2 &&
			touch "$directory/complete" || return 1
	fi
	echo "$directory"
}

# Whether sequence numbers and threads were found in this torch's records.
numbers() {
	local file
	file=$(mktemp -d)/run.evt
	INTERCEPT_OUTPUT=$file LD_PRELOAD=$PWD/$O/libintercept.so "$PYTHON" -c 'import torch
torch.ones((), requires_grad=True).mul(2).backward()' 2>/dev/null
	if "$O/prof-report" dump "$file" 2>/dev/null | grep -q 'MulBackward0.* scope=1 .*forward_thread=1$'; then
		echo yes
	else
		echo no
	fi
	rm -rf "${file%/*}"
}

row() { # TORCH PYTHON: the line of the table
	local directory case word log=$O/torch-$1-py$2.log
	directory=$(environment "$1" "$2") || return 1
	export PYTHON=$directory/bin/python LD_LIBRARY_PATH=
	if [[ -d $directory/debian ]]; then
		LD_LIBRARY_PATH=$(find "$directory/debian" -maxdepth 5 -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
	fi
	[[ $LD_LIBRARY_PATH ]] || unset LD_LIBRARY_PATH
	tests/run -v -j 1 "${cases[@]}" >"$log" 2>&1
	printf '| %s | %s | %s |' "$1" "$2" "$(numbers)"
	for case in "${cases[@]}"; do
		word=$(sed -n "s/^\([A-Z]*\) ${case}[ :].*/\1/p" "$log")
		case $word in PASS) word=yes ;; SKIP) word=- ;; *) word=no ;; esac
		printf ' %s |' "$word"
	done
	echo
	grep -E '^(FAIL|SKIP)' "$log" >&2
	return 0
}

# The line takes the place of the one of the same releases, or comes at the end of the table.
keep() { # LINE
	LINE=$1 awk '
		BEGIN { split(ENVIRON["LINE"], new, "|") }
		{ split($0, old, "|") }
		/^\|/ && old[2] == new[2] && old[3] == new[3] { print ENVIRON["LINE"]; done = 1; next }
		/^<!-- end/ && !done { print ENVIRON["LINE"] }
		{ print }' "$table" >"$table.new" && mv "$table.new" "$table"
}

failed=0
[[ $# -gt 0 ]] || set -- "${releases[@]}"
for release; do
	tell "PyTorch ${release%-*}, Python ${release#*-}"
	if line=$(row "${release%-*}" "${release#*-}"); then
		echo "$line"
		keep "$line"
		[[ $line == *' no |'* ]] && failed=$((failed + 1))
	else
		tell "no environment for $release: see above"
		failed=$((failed + 1))
	fi
done
echo "$(($# - failed)) passed, $failed failed"
((failed == 0))
