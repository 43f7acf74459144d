#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: lint.sh [NAME...]
# Runs scripts/check-NAME.sh, all of them without NAME. Each prints one line a finding, "file:line: what",
# and exits with 1 when there is one. Needs the programs built (exports and calls are read from them).

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C O=${O:-build}
failed=0
checks=("$@")
if [[ ${#checks[@]} == 0 ]]; then
	for file in scripts/check-*.sh; do
		name=${file##*/check-}
		checks+=("${name%.sh}")
	done
fi

for name in "${checks[@]}"; do
	start=$SECONDS
	if output=$("scripts/check-$name.sh" 2>&1); then
		echo "ok   $name ($((SECONDS - start)) s)"
	else
		failed=$((failed + 1))
		echo "FAIL $name ($((SECONDS - start)) s)"
		echo "     ${output//$'\n'/$'\n'     }"
	fi
done
((failed == 0)) || echo "lint: $failed of ${#checks[@]} checks failed" >&2
((failed == 0))
