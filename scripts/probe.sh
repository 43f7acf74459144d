#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: probe.sh CONFIG OPTIONS
# Asks the compiler which libraries and headers there are. Writes CONFIG (make variables) and OPTIONS
# (the table that `make` prints). A required header that is missing is named in one line and nothing is written.

config=$1
options=$2
cc=${CC:-cc}
here=$(dirname "$0")

has_header() { # HEADER [FLAG]...
	header=$1
	shift
	echo "#include <$header>" | $cc -E -x c "$@" - >/dev/null 2>&1
}

require() { # HEADER PACKAGE
	has_header "$1" && return
	echo "make: $1 not found: run 'make deps' or install $2" >&2
	exit 1
}

first_directory() { # HEADER DIRECTORY...
	header=$1
	shift
	for directory; do
		[ -f "$directory/$header" ] && echo "$directory" && return
	done
}

row() { # PART FOUND WHAT-IT-IS-FOR
	printf '  %-16s %-4s %s\n' "$1" "$([ -n "$2" ] && echo on || echo off)" "$3"
}

command -v "${cc%% *}" >/dev/null || { echo "make: compiler '$cc' not found: set CC or install gcc" >&2; exit 1; }
require zstd.h libzstd-dev
require libiberty/demangle.h libiberty-dev
require zlib.h zlib1g-dev
require sqlite3.h libsqlite3-dev
require elfutils/libdwfl.h libdw-dev
require xxhash.h libxxhash-dev

jemalloc=
echo 'int main(void) { return 0; }' | $cc -x c - -ljemalloc -o /dev/null 2>/dev/null && jemalloc=-ljemalloc
archive= # what can be linked into a program without libstdc++
for name in libjemalloc_pic.a libjemalloc.a; do
	if [ -z "$archive" ] && echo '#include <stdlib.h>
int main(void) { return !malloc(1); }' | $cc -x c - -l:$name -lm -lpthread -ldl -o /dev/null 2>/dev/null; then archive="-l:$name"; fi
done
libunwind=
has_header libunwind.h && libunwind=yes
python=$("$here/find-python.sh") || python=
# The PyPI build of PyTorch brings headers of CUDA and NVTX beside itself.
packages=
[ -n "$python" ] && packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nvidia
cuda=$(first_directory cuda_runtime_api.h "${CUDA_HOME:-/usr/local/cuda}/include" /usr/local/cuda/include \
	/usr/include "$packages"/*/include)
nvtx=$(first_directory nvtx3/nvToolsExt.h "${CUDA_HOME:-/usr/local/cuda}/include" /usr/local/cuda/include \
	/usr/include "$packages"/*/include)

{
	echo "JEMALLOC_LIBS := $jemalloc"
	echo "JEMALLOC_ARCHIVE := $archive"
	echo "CUDA_CFLAGS := ${cuda:+-isystem $cuda}"
	echo "NVTX_CFLAGS := ${nvtx:+-isystem $nvtx -DHAVE_NVTX3}"
} >"$config.tmp"
{
	echo "optional parts:"
	row jemalloc "$jemalloc" "allocator of prof-report"
	row libunwind "$libunwind" "judge of native stacks, in the tests"
	row "CUDA headers" "$cuda" "check of our declarations against the real ones"
	row "NVTX 3 headers" "$nvtx" "tests that use the real header"
	row PyTorch "$python" "tests and demo with a real training${python:+ ($python)}"
} >"$options"
mv "$config.tmp" "$config"
