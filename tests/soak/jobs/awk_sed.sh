#!/bin/bash
# SPDX-License-Identifier: MIT
#
# awk with tables and pipes of its own, sed scripts.
# needs: awk sed
# case: text

seq 1 20000 >n
awk '{ s[$1 % 97] += $1 } END { for (k in s) print k, s[k] | "sort -n" }' n | md5sum
sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta' n | tail -n 3
sed -n '1~100{=;p}' n | paste - - | tail -n 2
awk 'BEGIN { while (("echo a b c" | getline line) > 0) print line; system("exit 3"); exit 4 }'
echo "status $?"
