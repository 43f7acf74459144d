#!/bin/bash
# SPDX-License-Identifier: MIT
#
# strace follows a program and its children.
# needs: strace

strace -f -qq -o t -e trace=execve,exit_group sh -c 'perl -e "exit 3"; exit 4'; echo "status $?"
grep -c 'exit_group(3)' t; grep -c 'exit_group(4)' t
strace -c -o c true; echo "status $?"
