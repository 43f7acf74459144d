#!/bin/bash
# Archives, compression and copies that nobody here wrote do under the preload what they do bare; those of tests/soak/jobs with "case: archives".
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

exec python3 "$ROOT/scripts/soak/main.py" --build "$BUILD" --case archives jobs
