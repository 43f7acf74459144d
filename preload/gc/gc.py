# SPDX-License-Identifier: MIT
# Run once by preload/gc/gc.c in a namespace of its own, before the program: shows it the two lists that the collector's state begins
# with. Without an import, which python -v would show, and without a trace in sys.modules.
import sys


def find():
    module = sys.modules.get("gc")
    if module is None:
        builtin, machinery = sys.modules["_imp"], sys.modules["_frozen_importlib"]
        module = builtin.create_builtin(machinery.ModuleSpec("gc", machinery.BuiltinImporter))
        builtin.exec_builtin(module)
        sys.modules.pop("gc", None)  # where the second is the first again, before 3.10
    return module


module = find()
begin(module.garbage, module.callbacks, module)
if sys.modules.get("gc") is not module:  # nobody else has it: gc.get_referrers() and gc.collect() see nothing of it
    vars(module).clear()
del find
