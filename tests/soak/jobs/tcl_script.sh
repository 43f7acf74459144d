#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tcl: lists, a pipe.
# needs: tclsh
# case: languages

echo 'set l {}; for {set i 0} {$i < 50000} {incr i} {lappend l [expr {$i * 7 % 1009}]}; puts [llength [lsort -unique $l]]; puts [exec seq 3]; exit 2' | tclsh
echo "status $?"
