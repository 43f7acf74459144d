#!/bin/bash
# SPDX-License-Identifier: MIT
#
# zstd with four threads, and a dictionary.
# needs: zstd
# case: archives

seq 1 600000 >a
zstd -q -T4 -10 a
sha256sum <a.zst
zstd -dqc a.zst | cmp - a && echo same
mkdir s && split -l 500 a s/x
zstd -q --train s/* -o dictionary 2>/dev/null && zstd -q -D dictionary s/xaa -o d.zst && zstd -dq -D dictionary d.zst -o d && cmp d s/xaa && echo same
