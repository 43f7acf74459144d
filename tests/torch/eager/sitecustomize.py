# SPDX-License-Identifier: MIT
"""On PYTHONPATH: what the interpreter imports before the program."""

import eager  # noqa: F401
