# SPDX-License-Identifier: MIT
# Run by preload/modules/modules.c in a namespace of its own, when torch has been imported and INTERCEPT_TRACE has
# `modules`: finds the names of modules. Given are forget(id): what resolve() has said of that module no longer holds, and
# gone(place), which calls lost(). Left in the namespace are resolve() and lost().
#
# A module is called `Class: dotted.name` after the outermost module that is being called, which is `Class`;
# `?` stands for one that is not registered where it is called. Names are found when the outermost module is
# first seen. Of the program's modules only ids and weak references are kept, and nothing is put into them.
import itertools
import weakref


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

    def lost(self, place):
        if self.places.get(place.key) is place:
            del self.places[place.key]
        forget(place.key)
        for key in place.members:
            member = self.places.get(key)
            if member is not None:
                forget(key)
                member.texts.pop(place.number, None)
                if member.tree == place.number:
                    member.tree = None

    def place_of(self, module):
        place = self.places.get(id(module))
        if place is None:
            place = self.places.setdefault(id(module), Place(module, gone, next(self.numbers)))
        return place

    def put(self, module, tree, text):
        place = self.place_of(module)
        forget(place.key)
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


names = Names()
lost = names.lost


# Through all wrappers.
def inside(module):
    inner = module
    while inner is not None:
        module, inner = inner, wrapped_of(inner)
    return module


# Id, tree and name of the module that a call of this one is a call of, inside of the module with the id `around` in
# `tree` (0: inside of none).
def resolve(module, around, tree):
    module = inside(module)
    outer = names.places.get(around)
    try:
        place, tree, text = names.find(module, outer and (outer, tree))
    except Exception:  # named_modules() of somebody's own
        place = names.place_of(module)
        forget(place.key)
        place.tree = tree if outer else place.number
        place.texts[place.tree] = text = class_of(module)
        tree = place.tree
    return place.key, tree, text
