#!/bin/bash
# SPDX-License-Identifier: MIT
#
# jq over a large document.
# needs: jq
# case: languages

jq -n -c '[range(20000) | {id: ., name: "n\(.)", even: (. % 2 == 0)}]' >a.json
jq -c 'group_by(.even) | map({even: .[0].even, count: length, sum: (map(.id) | add)})' a.json
jq -r '.[] | select(.id % 5000 == 1) | @csv "\([.id, .name])"' a.json
