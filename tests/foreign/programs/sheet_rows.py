# SPDX-License-Identifier: MIT
"""A sheet with measurements, row by row."""
from openpyxl import Workbook

sheet = Workbook().active
for number in range(4500):
    row = sheet.max_row + 1
    for column, value in enumerate((number, number ** 2, "measured"), 1):
        sheet.cell(row, column, value)
print(sheet.max_row)
