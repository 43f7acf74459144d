# SPDX-License-Identifier: MIT
"""Formats the statements of a dump."""
import sqlparse

rows = ", ".join(f"({i}, 'name {i}', {i * 2})" for i in range(1200))
print(len(sqlparse.format(f"INSERT INTO shop (id, name, price) VALUES {rows};", reindent=True)))
