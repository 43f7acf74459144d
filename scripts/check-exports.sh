#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What libintercept.so brings into a process: exactly the symbols of preload/families.def, without a version,
# libc and nothing else, and less than 384 bytes of thread-local storage, of the initial-exec model.

cd "$(dirname "$0")/.." || exit 1
library=${O:-build}/libintercept.so
[ -f "$library" ] || { echo "$library: not built"; exit 1; }

{
	diff <(scripts/gen-exports.sh --names) <(nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u) |
		sed -n "s|^< \(.*\)|$library: \1 is in families.def but not exported|p
			s|^> \(.*\)|$library: \1 is exported but not in families.def|p"
	readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vx 'libc\.so\.6' |
		# before glibc 2.34 these two are libraries of their own
		grep -vxE "$(getconf GNU_LIBC_VERSION | awk '$2 < 2.34 { print "libdl.so.2|libpthread.so.0" }')" |
		sed "s|^|$library: needs |"
	tls=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }') # hexadecimal
	((${tls:-0} < 384)) || echo "$library: thread-local storage of $((tls)) bytes, less than 384 are allowed"
	nm -D --undefined-only "$library" | grep -w __tls_get_addr |
		sed "s|.*|$library: dynamic thread-local storage (__tls_get_addr)|"
} | grep . && exit 1
exit 0
