#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make -j4 with a thousand targets.
# needs: make
# limit: 60

{ echo "all: $(seq -s ' ' 1 1000)"; echo '%:'; printf '\t@echo $@ >$@.out\n'; } >Makefile
sed -i 's/^%:/$(shell seq 1 1000):/' Makefile
make -j4 -s; echo "status $?"
cat ./*.out | sort -n | sha256sum
make -n -s 2>&1 | wc -l
