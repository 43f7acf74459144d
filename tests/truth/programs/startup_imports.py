# SPDX-License-Identifier: MIT
# A module that takes 12 seconds to be imported.
# first: none
# text: passed before the first step
import os
import sys
import tempfile

from training import train

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "slow_module.py"), "w", encoding="utf-8") as file:
        file.write("import time\ntime.sleep(12)\n")
    sys.path.insert(0, folder)
    import slow_module  # noqa: F401

train()
