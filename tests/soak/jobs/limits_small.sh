#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs under small limits of data, files and processes.
# needs: prlimit perl

prlimit --data=8000000 ls -d /; echo "status $?"
prlimit --nofile=16 perl -e 'print "few files\n"'
prlimit --stack=262144 perl -e 'sub f { $_[0] ? 1 + f($_[0] - 1) : 0 } no warnings; print f(500), "\n"'
prlimit --memlock=0 perl -e 'print "no locked memory\n"'
prlimit --fsize=100000000 perl -e 'print "small files\n"'
