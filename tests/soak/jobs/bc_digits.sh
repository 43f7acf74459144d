#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bc and dc: a thousand digits.
# needs: bc
# case: languages

echo 'scale=600; 4*a(1)' | bc -l | sha256sum
echo '2^4000 % 1000007' | bc
