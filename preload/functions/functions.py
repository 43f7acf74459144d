# SPDX-License-Identifier: MIT
# Run once by preload/functions/functions.c in a namespace of its own, before the program. `see` are functions of monitor.c by the
# names of events, where this CPython has sys.monitoring.
import sys


# What cProfile calls a function of C.
def label(function):
    try:
        if type(function).__name__ == "method_descriptor":
            return repr(function)
        owner, name, module = function.__self__, function.__name__, function.__module__
        if owner is None:
            return "<built-in method %s>" % name if module in (None, "builtins") else "<%s.%s>" % (module, name)
        for base in type(owner).__mro__:
            if name in base.__dict__:
                return repr(base.__dict__[name])
        if isinstance(module, str):
            return "<built-in method %s.%s>" % (module, name)
        return "<built-in method %s>" % name
    except Exception:
        return "<built-in function>"


def monitor(see):
    monitoring = sys.monitoring
    tool = next((tool for tool in (4, 3) if monitoring.get_tool(tool) is None), None)
    if tool is None:
        return False
    monitoring.use_tool_id(tool, "intercept")
    events = 0
    for name, function in see.items():
        event = getattr(monitoring.events, name)
        monitoring.register_callback(tool, event, function)
        events |= 0 if name in ("C_RETURN", "C_RAISE") else event
    monitoring.set_events(tool, events)
    return True


given(label, getattr(getattr(sys, "monitoring", None), "DISABLE", None))
