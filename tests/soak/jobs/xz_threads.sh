#!/bin/bash
# SPDX-License-Identifier: MIT
#
# xz with four threads.
# needs: xz
# case: archives

seq 1 400000 >a
xz -T4 --block-size=256KiB -k a
xz -lv a.xz | grep -c CRC
xz -dc -T4 a.xz | cmp - a && echo same
sha256sum <a.xz
