#!/bin/bash
# What whoever runs the tests has set changes none of them: width, place, language, umask, folder, a job's rank, a proxy.
# SPDX-License-Identifier: MIT
# suite: test-all, runs other tests once more
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

umask 077
mkdir -m 700 'with a space'
env TMPDIR="$PWD/with a space" COLUMNS=37 LINES=5 NO_COLOR=1 TERM=dumb TZ=Asia/Kolkata LANG=de_DE.UTF-8 LC_ALL=tr_TR.UTF-8 CDPATH=/ \
	POSIXLY_CORRECT=1 RANK=3 LOCAL_RANK=3 WORLD_SIZE=8 SLURM_PROCID=3 SLURM_NTASKS=8 http_proxy=http://127.0.0.1:9 \
	PYTHONUNBUFFERED=1 PYTHONWARNINGS=error GLIBC_TUNABLES=glibc.malloc.arena_max=1 \
	"$ROOT/tests/run" alloc_symbols io_counts session_ranks diff >out 2>&1 || fail "$(cat out)"
expect_match "what has run" "$(tail -n 1 out)" '^4 passed, 0 failed, 0 skipped$'
