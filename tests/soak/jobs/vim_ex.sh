#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vim as a line editor.
# needs: vim.tiny
# case: text

seq 1 5000 >a
vim.tiny -u NONE -n -es -c '%s/\d*7\d*/seven/g' -c 'g/^seven$/d' -c 'wq' a </dev/null; echo "status $?"
wc -l <a; sha256sum <a
