#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress-ng: fork, vfork, clone, exec, daemon, zombie, spawn.
# needs: stress-ng
# limit: 150

for class in fork vfork clone zombie daemon wait; do stress-ng --quiet --temp-path . --$class 2 --$class-ops 200 --timeout 60; echo "$class $?"; done
