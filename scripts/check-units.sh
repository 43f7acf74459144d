#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Unit tests mirror the source tree. Each folder of sources has a test in tests/unit/, or one of its sources names the cases that
# test it where no unit test can: "/* cases: NAME... */". A test is named after a source of its folder: test_NOUN.c, or test_FOLDER_NOUN.c
# where another folder has that noun too; more words may follow (test_NOUN_WHAT.c). The Makefile refuses a path that it does not build, and
# two tests of one name.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
shopt -s nullglob
status=0
wrong() {
	echo "$*"
	status=1
}

folders=0
for folder in preload/*/ collector/*/ report/*/; do
	folder=${folder%/}
	sources=("$folder"/*.c)
	((${#sources[@]})) || continue
	folders=$((folders + 1))
	tests=("tests/unit/$folder"/test_*.c)
	cases=$(sed -n 's@^/\* cases: \([a-z0-9_ ]*\) \*/$@\1@p' "${sources[@]}")
	if ((${#tests[@]} == 0)) && [[ ! $cases ]]; then
		wrong "${sources[0]}:1: no unit test in tests/unit/$folder, and no source of $folder has a line '/* cases: NAME... */'"
	elif ((${#tests[@]})) && [[ $cases ]]; then
		wrong "${sources[0]}:1: $folder has unit tests: the line '/* cases: ... */' is not needed"
	fi
	for name in $cases; do
		[[ -e tests/cases/$name.sh ]] || wrong "${sources[0]}:1: $folder: there is no case '$name'"
	done
	for test in "${tests[@]}"; do
		name=$(basename "$test" .c)
		found=''
		for source in "$folder"/*.{c,h,def}; do
			noun=$(basename "${source%.*}")
			[[ ${name}_ == test_"$noun"_* || ${name}_ == test_"${folder##*/}_$noun"_* ]] && found=1 && break
		done
		[[ $found ]] || wrong "$test:1: is named after no source of $folder"
	done
done
((folders > 50)) || wrong "scripts/check-units.sh:1: only $folders folders with sources"
for test in tests/unit/*/*/test_*.c; do
	folder=${test#tests/unit/}
	[[ -d ${folder%/*} ]] || wrong "$test:1: there is no folder ${folder%/*}"
done
exit $status
