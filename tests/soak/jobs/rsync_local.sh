#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rsync of a tree, twice, with a change between.
# needs: rsync
# case: archives

cp -rLp /usr/share/zoneinfo/Europe t
rsync -a --checksum t/ u/ && diff -r t u && echo copied
echo more >>t/Rome; rm t/Paris
rsync -ai --checksum --no-times --delete t/ u/ | grep -v '^\.d'
diff -r t u && echo same
