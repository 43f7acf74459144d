#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress-ng: signals, faults, timers, alternate stacks.
# needs: stress-ng
# limit: 150

for class in sigsegv sigfpe sigq sigsuspend timer stack sigpending kill; do stress-ng --quiet --temp-path . --$class 2 --$class-ops 100 --timeout 60; echo "$class $?"; done
