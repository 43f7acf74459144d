#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress-ng: malloc, mmap, brk and shared memory, so many operations each.
# needs: stress-ng
# limit: 120

for class in malloc mmap brk bigheap shm memfd; do stress-ng --quiet --temp-path . --$class 2 --$class-ops 60 --malloc-bytes 64M --mmap-bytes 32M --bigheap-bytes 64M --shm-bytes 4M --memfd-bytes 16M --timeout 60; echo "$class $?"; done
