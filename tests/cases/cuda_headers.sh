#!/bin/bash
# hooks.def against the toolkit: versions of the driver's functions, names that its libraries export, order of arguments.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# Arguments are passed on in the order of the parameters: needs no toolkit.
python3 -S - "$ROOT/preload/cuda/hooks.def" >list.txt <<'EOF_PYTHON' || fail "$(cat list.txt)"
import re, sys


def group(text):
    """The first parenthesised group, and what follows it."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return text[text.index("(") + 1:at], text[at + 1:]


failed = 0
for line in open(sys.argv[1]):
    found = re.match(r"DRIVER_UNTIL\((\w+), (\d+)\)", line)
    if found:
        print("UNTIL", found[2], found[1])
    found = re.match(r"(RUNTIME|DRIVER)(_WORDS)?(_PT)?\((?:(\d+), )?(\w+), (?:(_pt[sd][sz]), )?(\(.*)", line)
    if not found:
        continue
    kind, words, _, since, name, suffix, rest = found.groups()
    parameters, rest = group(rest)
    arguments, _ = group(rest)
    names = [] if parameters == "void" else [re.search(r"(\w+)$", part).group() for part in parameters.split(", ")]
    if names != [part for part in arguments.split(", ") if part]:
        failed = 1
        print("%s: arguments are (%s), parameters (%s)" % (name, arguments, parameters))
    if not failed:
        print(kind, since or 0, name, suffix or "", words or "")
sys.exit(failed)
EOF_PYTHON

include=$(sed -n 's/^CUDA_CFLAGS := -isystem //p' "$BUILD/config.mk" 2>/dev/null)
[[ -f $include/cudaTypedefs.h ]] || skip "no cudaTypedefs.h: arguments checked, nothing else"
grep -qE '^#define +CUDA_VERSION +13' "$include/cuda.h" || skip "not the headers of CUDA 13"

# The packages of PyTorch have most headers; those of the runtime do not compile without the others.
mkdir few
ln -s "$include"/* few/
rm -f few/cudaProfiler.h few/cuda_profiler_api.h few/crt
own=$("${CC:-gcc}" -print-file-name=include) # not /usr/local/include, where a toolkit may be, too
for test in cuda/test_cuda_api gpu/test_cupti_api; do
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -fsyntax-only -nostdinc -isystem few -isystem "$own" -isystem /usr/include/x86_64-linux-gnu \
		-isystem /usr/include -I"$ROOT" "$ROOT/tests/unit/preload/$test.c" >few.txt 2>&1 ||
		fail "$test with PyTorch's headers: $(head -n 3 few.txt)"
done

# A version of a function that came later has other parameters: it must be in the list too, or a program that
# asks for it would be given a wrapper of fewer. The per-thread twins all came with 7.0 or later.
python3 -S - list.txt "$include/cudaTypedefs.h" "$(sed -nE 's/^#define +CUDA_VERSION +//p' "$include/cuda.h")" <<'EOF_PYTHON' || fail "versions differ from cudaTypedefs.h"
import re, sys

versions = {}
for line in open(sys.argv[2], errors="replace"):
    found = re.match(r"\s*typedef .*\*PFN_(cu\w+?)_v(\d+)(_pt[sd][sz])?\)\(", line)
    if found:
        versions.setdefault((found[1], found[3] or ""), set()).add(int(found[2]))
ours, ends = {}, {}
for line in open(sys.argv[1]):
    kind, since, name, *more = line.split()
    suffix = more[0] if more and more[0].startswith("_pt") else ""
    if kind == "DRIVER":
        base = re.sub(r"_v\d$", "", name)
        for twin in {"", suffix}:
            ours.setdefault((base, twin), set()).add(int(since))
    if kind == "UNTIL" and int(since) <= int(sys.argv[3]):
        ends[name] = int(since)
failed = 0
for key, mine in sorted(ours.items()):
    theirs = versions.get(key)
    if not theirs:
        print("not in cudaTypedefs.h:", *key)
        continue
    known = {max(since, 7000) if key[1] else since for since in mine}
    if key[0] in ends:
        known.add(ends[key[0]])
        theirs = {since for since in theirs if since <= ends[key[0]]}
    unknown, missing = known - theirs, {since for since in theirs if since > min(known)} - known
    if unknown or missing:
        failed = 1
        print("%s%s: versions %s, the header has %s" % (*key, sorted(known), sorted(theirs)))
sys.exit(failed)
EOF_PYTHON

exported() { # KIND PATH...: the names of the list that no library exports, but those that CUDA 13 has no more
	local kind=$1 file
	shift
	for file; do
		[[ -e $file ]] || continue
		nm -D --defined-only "$file" 2>/dev/null | awk '{ print $3 }' | sed 's/@.*//' | sort -u >exported.txt
		[[ -s exported.txt ]] || continue
		awk -v kind="$kind" '$1 == kind { print $3; if ($4 ~ /^_pt/) print $3 $4 }' list.txt | sort -u |
			comm -23 - exported.txt >missing.txt
		return
	done
	return 1
}
lib=$(dirname "$include")
if exported RUNTIME "$lib"/lib64/libcudart.so "$lib"/lib/libcudart.so* "$lib"/lib/libcudart.so.13; then
	expect_eq "functions that libcudart has not" "$(tr '\n' ' ' <missing.txt)" ''
fi
if exported DRIVER "$lib"/lib64/stubs/libcuda.so "$lib"/lib/stubs/libcuda.so; then
	expect_eq "functions that libcuda has not" "$(tr '\n' ' ' <missing.txt)" ''
fi
