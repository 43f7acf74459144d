# SPDX-License-Identifier: MIT
"""Reads letters in encodings that nobody knows."""
import chardet

letters = [("Schöne Grüße aus München, %d. " % i * 300).encode("latin-1") for i in range(25)]
found = set()
for letter in letters:
    found.add(chardet.detect(letter)["encoding"])
print(found)
