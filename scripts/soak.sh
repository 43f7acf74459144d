#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: soak.sh             what `make soak` calls: sweep and jobs; about 12 minutes on two cores
#        make soak SOAK=sweep             the ELF programs of this machine: --version, and some with work of their own
#        make soak SOAK=jobs ONLY='job:git*'   tests/soak/jobs/*.sh, or one by its name (a pattern)
#        make soak SOAK=cpython           CPython's regression suite, test by test (an hour); SOAK_PYTHON=/usr/bin/python3.11
#        make soak SOAK=kills             SOAK_KILLS=200 random kills of program and collector
#        make soak SOAK_SECONDS=600       start nothing new in a part after that time
#        make soak SOAK_SETTINGS='INTERCEPT_STACKS=native'   more settings for what runs under the preload
#        make soak SOAK_WRITE=1           also write the result, with date and versions, into docs/RELIABILITY.md
# Each is run bare, and under the preload with INTERCEPT_CHILDREN=all; output and status are compared. The exit status
# is 1 when something differs that tests/soak/expected.txt does not list. `scripts/install-deps.sh soak` installs what the
# jobs need; what is not there is not run, and counted. As root the programs run as nobody, without a network.

cd "$(dirname "$0")/.." || exit 1
unset LD_PRELOAD
# shellcheck disable=SC2086 # a list of words
exec python3 scripts/soak/main.py --build "${O:-build}" --only "${ONLY:-*}" ${SOAK_SECONDS:+--seconds "$SOAK_SECONDS"} \
	${SOAK_WRITE:+--write} ${SOAK:-sweep jobs}
