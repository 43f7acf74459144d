#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A shell with 300 substitutions, traps, jobs, coprocesses and here documents.
# needs: bash
# case: text

sum=0
for i in $(seq 1 300); do sum=$((sum + $(echo "$i"))); done
echo "sum $sum"
trap 'echo trapped' USR1
kill -USR1 $$
coproc cat
echo through >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
eval "exec ${COPROC[1]}>&-"
wait
jobs=()
for i in 1 2 3 4; do (exit "$i") & jobs+=($!); done
for job in "${jobs[@]}"; do wait "$job"; echo "ended $?"; done
{ (kill -TERM $BASHPID); } 2>/dev/null
echo "status $?"
