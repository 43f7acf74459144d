# SPDX-License-Identifier: MIT
# Run by preload/modules/modules.c in a namespace of its own, when torch has been imported and INTERCEPT_TRACE has
# `modules`: registers hooks that are called around every forward of every nn.Module. Given are `home`, the
# module torch.nn.modules.module, and the functions module_begin, module_end and module_depth.
#
# A module is called `Class: dotted.name` after the outermost module that is being called, which is `Class`;
# `?` stands for one that is not registered where it is called. Names are found when the outermost module is
# first seen. Of the program's modules only ids and weak references are kept, and nothing is put into them.
import itertools
import sys
import threading
import weakref

NEAR = 256  # bytes of C stack that one and the same call may differ by


class Place(weakref.ref):
    __slots__ = "key", "number", "tree", "texts", "members", "missed"

    def __new__(cls, module, gone, number):
        return super().__new__(cls, module, gone)

    def __init__(self, module, gone, number):
        super().__init__(module, gone)
        self.key = id(module)
        self.number = number  # of the tree that it is the top of
        self.tree = None  # the tree that it is named in when it is called alone
        self.texts = {}  # tree to name
        self.members = ()  # keys of those that the tree has named
        self.missed = set()  # classes that were looked for below it in vain


def dotted(text):
    return text.partition(": ")[2]


# Modules of torch that only call another one: class, where it is from, and the name of the other one. A call of
# such a wrapper is one of the module in it.
WRAPPERS = {
    "OptimizedModule": ("torch._dynamo", "_orig_mod"),
    "DistributedDataParallel": ("torch.nn.parallel", "module"),
    "FullyShardedDataParallel": ("torch.distributed.fsdp", "_fsdp_wrapped_module"),
    "CheckpointWrapper": ("torch.distributed.algorithms", "_checkpoint_wrapped_module"),
}
UNNAMED = {name for _, name in WRAPPERS.values()} - {"module"}


# The module in a wrapper; None: it is no wrapper.
def wrapped_of(module):
    kind = type(module)
    home, name = WRAPPERS.get(kind.__name__, ("", ""))
    return module._modules.get(name) if name and kind.__module__.startswith(home) else None


def is_wrapper(module):
    return wrapped_of(module) is not None


# fully_shard() makes a class of two: FSDPModule and the module's own.
def class_of(module):
    kind = type(module)
    if kind.__name__.startswith("FSDP") and kind.__bases__[0].__name__ == "FSDPModule":
        kind = kind.__bases__[-1]
    return kind.__name__


def name_of(module, path):
    path = ".".join(part for part in path.split(".") if part not in UNNAMED)
    return class_of(module) + (": " + path if path else "")


def parts_of(module):
    return [(path, part) for path, part in module.named_modules() if not is_wrapper(part)]


class Names:
    def __init__(self):
        self.places = {}
        self.numbers = itertools.count()

    def gone(self, place):
        if self.places.get(place.key) is place:
            del self.places[place.key]
        for key in place.members:
            member = self.places.get(key)
            if member is not None:
                member.texts.pop(place.number, None)
                if member.tree == place.number:
                    member.tree = None

    def place_of(self, module):
        place = self.places.get(id(module))
        if place is None:
            place = self.places.setdefault(id(module), Place(module, self.gone, next(self.numbers)))
        return place

    def put(self, module, tree, text):
        place = self.place_of(module)
        if len(place.texts) > 64:  # called by ever new modules that do not have it
            place.texts = {}
        place.texts[tree] = text
        place.tree = tree
        return place.key

    def name_tree(self, module, place):
        place.members = [self.put(part, place.number, name_of(part, path)) for path, part in parts_of(module)]

    # One that its tree does not know yet: added later, or not registered at all.
    def name_inside(self, module, place, around, tree):
        parent, path = around(), dotted(around.texts.get(tree, ""))
        prefix = path + "." if path else ""
        kind = class_of(module)
        found = [name for name, part in parent._modules.items() if part is module]
        if not found and kind not in around.missed:
            found = [name for name, part in parts_of(parent) if part is module]
            if not found:
                around.missed.add(kind)
        if not found:
            return kind + ": " + prefix + "?"
        for below, part in parts_of(module):
            self.put(part, tree, name_of(part, prefix + found[0] + ("." + below if below else "")))
        return place.texts[tree]

    # Name and tree of a module that is called inside of another (None: of none).
    def find(self, module, outer):
        place = self.place_of(module)
        if outer is None:
            if place.tree is None:
                self.name_tree(module, place)
            tree = place.tree
            text = place.texts[tree]
        else:
            around, tree = outer
            text = place.texts.get(tree)
            if text is None:
                text = place.texts[tree] = self.name_inside(module, place, around, tree)
        return place, tree, text


def is_running(module):
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code is home.Module._call_impl.__code__ and frame.f_locals.get("self") is module:
            return True
        frame = frame.f_back
    return False


def link(begin, end, depth, is_compiling):
    names = Names()
    places = names.places
    local = threading.local()

    def name(module, stack):
        outer = stack[-1][:2] if stack else None
        try:
            return names.find(module, outer)
        except Exception:  # named_modules() of somebody's own
            place = names.place_of(module)
            tree = outer[1] if outer else place.number
            place.tree = tree
            place.texts[tree] = text = class_of(module)
            return place, tree, text

    # What is on the stack: place, tree, depth, and whether it is a wrapper's. `...` is a wrapper in a wrapper and
    # None the module in it: their call has begun with the outer wrapper.
    def close(stack):
        if stack.pop()[3] not in (..., None):
            end(None)

    # Through all wrappers: module and place.
    def inside(module):
        place, inner = None, wrapped_of(module)
        while place is None and inner is not None:
            module, place = inner, places.get(id(inner))
            inner = wrapped_of(module)
        return module, place

    # A call that an exception has left without a word lies at or above us on the stack. Beside us may be one
    # that is under way, too: where Python calls Python without C between, as in module.__call__(x).
    def is_dead(open, place, at):
        if abs(open[2] - at) > NEAR:
            return open[2] < at
        return open[0] is place or not is_running(open[0]())

    def record(module):
        at = depth(None)
        try:
            stack = local.stack
        except AttributeError:
            stack = local.stack = []
        place = places.get(id(module))
        wrapped = place is None and is_wrapper(module)
        if wrapped:
            module, place = inside(module)
        if stack:
            if stack[-1][3] and stack[-1][0] is place:  # has begun with a wrapper
                stack.append((place, stack[-1][1], at, ... if wrapped else None))
                return
            while stack and is_dead(stack[-1], place, at):
                close(stack)
        tree = stack[-1][1] if stack else place and place.tree
        text = place and place.texts.get(tree)
        if text is None:
            place, tree, text = name(module, stack)
        stack.append((place, tree, at, wrapped))
        begin(text)

    def leave(module):
        stack = getattr(local, "stack", None)
        if not stack:
            return
        place = places.get(id(module))
        if place is None:
            place = inside(module)[1]
        if stack[-1][0] is place:
            close(stack)
        elif any(open[0] is place for open in stack):
            while stack[-1][0] is not place:
                close(stack)
            close(stack)

    # torch.compile follows these two and calls nothing of ours
    def before(module, arguments):
        if not is_compiling():
            record(module)

    def after(module, arguments, result):
        if not is_compiling():
            leave(module)

    return before, after


# Dynamo looks at a function's file to decide what to do with it: to it these are torch's own.
def as_of_torch(function):
    return type(function)(
        function.__code__.replace(co_filename=home.__file__),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


# torch.compile warns of global hooks, before it calls them once more: not of ours.
def hush():
    theirs = home._has_any_global_hook

    def _has_any_global_hook():
        hooks = home._global_forward_pre_hooks, home._global_forward_hooks
        others = [key for each in hooks for key in each if key not in ours]
        return others or home._global_backward_hooks or home._global_backward_pre_hooks

    if callable(theirs):
        home._has_any_global_hook = as_of_torch(_has_any_global_hook)


def find_is_compiling(torch):
    for module, name in (
        (getattr(torch, "compiler", None), "is_dynamo_compiling"),
        (getattr(torch, "compiler", None), "is_compiling"),
        (getattr(torch, "_utils", None), "is_compiling"),
    ):
        if hasattr(module, name):
            return getattr(module, name)
    return bool


before, after = map(as_of_torch, link(module_begin, module_end, module_depth, find_is_compiling(sys.modules["torch"])))
ours = [home.register_module_forward_pre_hook(before).id]
try:
    ours.append(home.register_module_forward_hook(after, always_call=True).id)
except TypeError:  # before 2.0
    ours.append(home.register_module_forward_hook(after).id)
if hasattr(home, "_has_any_global_hook"):
    hush()
