# SPDX-License-Identifier: MIT
"""A program that only imports torch."""
import torch  # noqa: F401
