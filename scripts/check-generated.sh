#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The generated parts of the documents are those that `make docs` would write.

exec "$(dirname "$0")/gen-docs.sh" --check
