#!/bin/bash
# SPDX-License-Identifier: MIT
#
# groff sets a manual page.
# needs: groff
# limit: 60

printf '.TH A 1\n.SH NAME\na \\- b\n.SH TEXT\n' >a.1
seq 1 400 | sed 's/.*/.PP\nparagraph &/' >>a.1
groff -man -Tascii a.1 | tail -n 5
