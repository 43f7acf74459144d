#!/bin/bash
# SPDX-License-Identifier: MIT
#
# diff, patch and merge of a changed file.
# needs: diff patch diff3
# case: text

seq 1 3000 >a
sed '100s/.*/changed/;2000d' a >b
sed '1500s/.*/theirs/' a >c
diff -u --label a --label b a b >p
cp a d
patch -s d p && cmp b d && echo patched
diff3 -m b a c | sha256sum
