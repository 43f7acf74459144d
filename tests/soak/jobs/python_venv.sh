#!/bin/bash
# SPDX-License-Identifier: MIT
#
# python: a virtual environment, and a program in it.
# needs: /usr/bin/python3
# limit: 90

/usr/bin/python3 -m venv --without-pip e
e/bin/python -c 'import sys, json, sqlite3, ssl, ctypes, decimal; print(sys.prefix != sys.base_prefix, decimal.Decimal(2).sqrt())'
e/bin/python -m compileall -q e; echo "status $?"
