#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What depends on the processor's architecture is in collector/arch/, a folder an architecture: no other file of
# the three programs tests for one, includes headers of its intrinsics, or contains instructions. The folders
# define the same names, so that what builds for one builds for the others.

cd "$(dirname "$0")/.." || exit 1
files=$(scripts/source-files.sh c h def | grep -E '^(collector|preload|report)/' | grep -v '^collector/arch/') || exit 1

words='\<__(x86_64|amd64|i386|aarch64|arm|ARM_[A-Z]+|SSE[0-9_]*|AVX[0-9A-Z]*)(__)?\>|\<(__rdtsc|__builtin_ia32_[a-z0-9_]+|_mm[0-9]*_[a-z0-9_]+)\>|<(cpuid|arm_[a-z]+|[a-z0-9]*intrin)\.h>'
wide='^collector/format/(varints|kinds)_wide\.c:' # written for one architecture only: ARCH_HAS_WIDE_LANES

names() { # FOLDER
	cat "collector/arch/$1"/*.h | sed -nE 's/^#define (ARCH_[A-Z0-9_]+).*/\1/p; s/^.*static inline .*\<(arch_[a-z0-9_]+)\(.*/\1/p' |
		grep -vE '^ARCH_ARGUMENTS_' | sort -u
}

{
	echo "$files" | xargs grep -nE "$words" | grep -vE "$wide" | sed -E 's|^([^:]*:[0-9]+):.*|\1: of one architecture only|'
	# an instruction, but no directive, and no empty text that only hides a value from the compiler
	echo "$files" | xargs grep -nE '(__asm__|\<asm)( volatile)?\("[^".]' | grep -vE '__asm__\("_|__asm__\("__' |
		sed -E 's|^([^:]*:[0-9]+):.*|\1: an instruction|'
	first=
	for folder in collector/arch/*/; do
		folder=$(basename "$folder")
		if [ -z "$first" ]; then
			first=$folder
			expected=$(names "$folder")
		elif [ "$(names "$folder")" != "$expected" ]; then
			printf '%s\n' "$expected" "$(names "$folder")" | sort | uniq -u |
				sed "s|^|collector/arch/: only one of $first and $folder has |"
		fi
	done
} | grep . && exit 1
exit 0
