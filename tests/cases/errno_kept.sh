#!/bin/bash
# Results and errno of every heap function, success and failure, are those without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program errnos
same_as_bare "$PROGRAMS/errnos"
