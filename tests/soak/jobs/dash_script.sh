#!/bin/bash
# SPDX-License-Identifier: MIT
#
# dash: loops, functions, pipelines, a background process.
# needs: dash
# case: text

cat >s.sh <<'END'
f() { [ "$1" -gt 0 ] && f $(($1 - 1)); }
f 500
i=0
while [ $i -lt 100 ]; do i=$((i + 1)); echo $i | { read x; echo $((x * 2)); }; done | tail -n 1
sleep 0.2 & wait $!
echo "status $?"
(exit 42); echo "status $?"
END
dash s.sh
