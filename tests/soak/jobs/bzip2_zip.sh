#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bzip2, zip and unzip.
# needs: bzip2 zip unzip
# case: archives

seq 1 100000 >a
bzip2 -k a && bzip2 -dc a.bz2 | cmp - a && sha256sum <a.bz2
touch -d @1000000000 a && TZ=UTC zip -qX a.zip a && unzip -p a.zip a | cmp - a && TZ=UTC unzip -l a.zip
