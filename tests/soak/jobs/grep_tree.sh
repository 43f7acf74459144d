#!/bin/bash
# SPDX-License-Identifier: MIT
#
# grep over a tree, find with exec, xargs with two processes at once.
# needs: grep find xargs
# case: text

mkdir -p t/{a,b,c}/{d,e,f}
letters=abc
for i in $(seq 1 200); do echo "line $i of $((i % 7))" >"t/${letters:i % 3:1}/d/$i"; done
grep -rc 'of 3' t | sort | md5sum
grep -rlE 'of (1|5)$' t | sort | wc -l
find t -type f -name '*7' -exec cat {} + | sort | md5sum
find t -type f -print0 | sort -z | xargs -0 -P 2 -n 10 cat | sort | md5sum
