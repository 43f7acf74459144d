#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sort, join, comm, split and checksums over pipes and temporary files.
# needs: sort join comm split sha256sum
# case: text

seq 1 50000 | awk '{ print ($1 * 7919) % 50021, $1 }' | sort -n >a
sort -k1,1 a >b
awk '{ print $2, $1 }' b | sort -k1,1 >c
join b c | md5sum
split -l 5000 -d a part.
cat part.* | cmp - a && ls part.* | wc -l
comm -12 <(cut -d' ' -f1 a | sort) <(cut -d' ' -f2 a | sort) | wc -l
sort -S 1M --parallel=2 -T . -k2,2n a | sha256sum
