#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress-ng: pthread, mutex, futex, semaphores, switching.
# needs: stress-ng
# limit: 150

for class in pthread mutex futex sem switch tsc; do stress-ng --quiet --temp-path . --$class 2 --$class-ops 500 --timeout 60; echo "$class $?"; done
