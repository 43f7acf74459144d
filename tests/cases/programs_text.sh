#!/bin/bash
# Shells, editors and tools of text that nobody here wrote do under the preload what they do bare; those of tests/soak/jobs with "case: text".
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

exec python3 "$ROOT/scripts/soak/main.py" --build "$BUILD" --case text jobs
