# SPDX-License-Identifier: MIT
"""Orders, one by one, into a small database."""
import os
import tempfile
from tinydb import TinyDB

path = os.path.join(tempfile.mkdtemp(), "orders.json")
db = TinyDB(path)
for number in range(500):
    db.insert({"order": number, "items": ["bread", "milk"], "price": number * 1.5})
print(len(db))
