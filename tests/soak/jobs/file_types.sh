#!/bin/bash
# SPDX-License-Identifier: MIT
#
# file, strings, readelf and objdump over programs.
# needs: file readelf objdump strings
# case: archives

file -b /bin/bash | cut -d, -f1,2
readelf -d /bin/bash | sha256sum
objdump -d /bin/true | sha256sum
strings -n 8 /bin/bash | sha256sum
