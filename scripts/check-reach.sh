#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the exported functions reach of libc is what preload/hook/reaches.txt lists, with reasons: below malloc(),
# free() and _exit() nothing may lock, translate, allocate or call back.

cd "$(dirname "$0")/.." || exit 1
exec python3 scripts/reach.py "${O:-build}/libintercept.so" preload/hook/reaches.txt
