#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: gen-exports.sh [--names]
# Prints the linker's version script of libintercept.so, made from preload/families.def: exactly the functions
# listed there are visible, without a version. --names prints the names alone, one a line, sorted.

cd "$(dirname "$0")/.." || exit 1

# Each macro of the list that names an exported function is expanded to "@name@".
names=$(${CC:-cc} -E -P -x c -I. - <<'END' | grep -o '@ *[A-Za-z0-9_]* *@' | tr -d '@ ' | sort -u
#define HOOK(library, result, name, ...) @name@
#define ENTRY(result, name, ...) @name@
#define CUDA(library, since, per_thread, name, ...) @name@
#define CUDA_OWN(library, result, name, ...) @name@
#define TORCH(name, ...) @name@
#define DISTRIBUTED(name, ...) @name@
#define AUTOGRAD(name, ...) @name@
#define OPENSSL(name, ...) @name@
#define OPENSSL_VOID(name, ...) @name@
#include "preload/families.def"
END
)
if [ -z "$names" ]; then
	echo "gen-exports: no function found in 'preload/families.def'" >&2
	exit 1
fi
if [ "$1" = --names ]; then
	echo "$names"
	exit
fi
echo '{'
echo 'global:'
echo "$names" | sed 's/.*/\t&;/'
echo 'local:'
printf '\t*;\n};\n'
