#!/bin/bash
# The fuzz targets are built from sources, so that libFuzzer and the sanitisers see all that they are linked with.
# SPDX-License-Identifier: MIT
# suite: test-all, compiles a fuzz target with clang
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

names=() options=()
for source in "$ROOT"/tests/fuzz/fuzz_*.c; do
	names+=("$(basename "$source" .c)")
	options+=(-W "tests/fuzz/${names[-1]}.c")
done
# one plan for all of them: make reads all that it knows each time
make -C "$ROOT" O="$BUILD" V=1 -n "${options[@]}" "${names[@]/#/$BUILD/fuzz/}" >plan 2>err || fail "make -n: $(cat err)"
sed ':a; /\\$/ { N; s/\\\n//; ta }' plan | grep '^clang .*-fsanitize=fuzzer' >commands
for name in "${names[@]}"; do
	grep -E -- "-o $BUILD/fuzz/$name\$" commands >built || fail "$name: no command builds it"
	expect_eq "$name: objects that are not instrumented" "$(grep -o '[^ ]*\.o ' built | head -n 1)" ''
	expect_match "$name: sources" "$(cat built)" '(collector/format/block_reader|collector/cfi/cfi|collector/native/perf_ring|preload/gpu/gpu_record|preload/requests/h2)\.c'
done
