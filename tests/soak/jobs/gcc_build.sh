#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gcc and make -j build this project's collector; objects are those of a bare build.
# needs: gcc make
# limit: 200

make -C "$SOAK_TREE" O="$PWD/b" -s -j4 "$PWD/b/intercept-collector" >log 2>&1; echo "make $?"
find b -name '*.o' | sort | xargs sha256sum | sed 's|b/||' | sha256sum
b/intercept-collector --help 2>&1 | head -n 1
