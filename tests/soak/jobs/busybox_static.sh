#!/bin/bash
# SPDX-License-Identifier: MIT
#
# busybox, a static program: its applets and what they start.
# needs: busybox

busybox sh -c 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); done; echo $i; busybox seq 3 | busybox md5sum; perl -e "print 6*7, qq(\n)"; exit 3'; echo "status $?"
busybox tar -cf a.tar -C /usr/share/zoneinfo Europe && busybox tar -tf a.tar | sort | busybox sha256sum
busybox awk 'BEGIN { for (i = 0; i < 1000; i++) s += i; print s }'
