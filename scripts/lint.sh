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

# As many at a time as there are cores; what they print stands in the order of their names.
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
check() { # NAME
	local start=$SECONDS status=0
	"scripts/check-$1.sh" >"$out/$1.text" 2>&1 || status=$?
	echo "$status $((SECONDS - start))" >"$out/$1.status"
}
running=0
for name in "${checks[@]}"; do
	check "$name" &
	running=$((running + 1))
	((running < $(nproc))) || { wait -n; running=$((running - 1)); }
done
wait

for name in "${checks[@]}"; do
	read -r status seconds <"$out/$name.status" || { status=1 seconds=0; }
	if ((status == 0)); then
		echo "ok   $name ($seconds s)"
	else
		failed=$((failed + 1))
		echo "FAIL $name ($seconds s)"
		sed 's/^/     /' "$out/$name.text"
	fi
done
((failed == 0)) || echo "lint: $failed of ${#checks[@]} checks failed" >&2
((failed == 0))
