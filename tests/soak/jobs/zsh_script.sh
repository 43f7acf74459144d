#!/bin/bash
# SPDX-License-Identifier: MIT
#
# zsh: arrays, globs, process substitution.
# needs: zsh
# case: text

zsh -f -c 'a=(${(s: :)"$(seq -s " " 1 500)"}); echo $#a ${a[-1]}; touch 1.x 2.x; echo *.x(On); diff <(seq 3) <(seq 3); echo $?
for i in {1..50}; do b+=$(echo $i); done; echo $#b'
