#!/bin/bash
# Interpreters and a database that nobody here wrote do under the preload what they do bare; those of tests/soak/jobs with "case: languages".
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

exec python3 "$ROOT/scripts/soak/main.py" --build "$BUILD" --case languages jobs
