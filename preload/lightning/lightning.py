# SPDX-License-Identifier: MIT
# Run by preload/lightning/lightning.c in a namespace of its own, when Lightning has defined its PassThroughProfiler:
# replaces the two empty methods by functions that tell us and look the same. Given are `module`, where the
# class is, and the functions action_begin and action_end. Raises where the class is not the one we know.
import sys


def link(begin, end, is_compiling):
    # torch.compile calls no function that it does not know, and need not know ours
    def start(self, action_name):
        if not is_compiling():
            begin(action_name)

    def stop(self, action_name):
        if not is_compiling():
            end(action_name)

    return start, stop


def nothing(self, action_name):
    pass


# What inspect, pickle, help() and tracebacks look at is the original's.
def disguise(ours, theirs):
    code = theirs.__code__
    look = {name: getattr(code, name) for name in ("co_filename", "co_firstlineno", "co_qualname") if hasattr(code, name)}
    function = type(theirs)(
        ours.__code__.replace(**look), theirs.__globals__, theirs.__name__, theirs.__defaults__, ours.__closure__
    )
    annotations = "__annotate__" if hasattr(theirs, "__annotate__") else "__annotations__"
    for name in ("__qualname__", "__module__", "__doc__", "__kwdefaults__", "__type_params__", annotations):
        if hasattr(theirs, name):
            setattr(function, name, getattr(theirs, name))
    function.__dict__.update(theirs.__dict__)
    return function


def replace(profiler, functions):
    fresh = {}
    for ours in functions:
        theirs = vars(profiler)[ours.__name__]
        code = theirs.__code__
        if (code.co_code, code.co_varnames) != (nothing.__code__.co_code, nothing.__code__.co_varnames):
            raise TypeError
        fresh[ours.__name__] = disguise(ours, theirs)
    for name in fresh:
        setattr(profiler, name, fresh[name])


compiler = getattr(sys.modules.get("torch"), "compiler", None)
replace(module.PassThroughProfiler, link(action_begin, action_end, getattr(compiler, "is_compiling", bool)))
