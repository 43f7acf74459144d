# SPDX-License-Identifier: MIT
# Run once by preload/python/python.c in a namespace of its own, after `site` and before the program. Tells the
# library, by an audit event, when `import torch` has ended. The finder takes itself away when torch is
# loaded, not when somebody only asks whether there is one (importlib.util.find_spec), and comes back when
# that fails; nothing stays behind in sys.modules, in any namespace or on the loader.
import sys


class InterceptFinder:
    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        for finder in list(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                watch(self, spec.loader)
                return spec
        return None


def watch(finder, loader):
    run = getattr(loader, "exec_module", None)

    # importlib takes frames of this name out of tracebacks
    def _call_with_frames_removed(module):
        vars(loader).pop("exec_module", None)
        if finder not in sys.meta_path:  # found before torch came in another way
            return run(module)
        sys.meta_path.remove(finder)
        try:
            run(module)
        except BaseException:
            sys.meta_path.insert(0, finder)
            raise
        show(module)

    if getattr(run, "__name__", None) == _call_with_frames_removed.__name__:
        return  # a loader that its finder keeps
    try:
        loader.exec_module = _call_with_frames_removed
    except AttributeError:  # a loader of somebody's own, with slots: torch stays unseen
        pass


# What prof-report tells of the environment; `fact` is a function of python.c.
def tell(torch):
    fact("python_version", ".".join(map(str, sys.version_info[:3])))
    fact("python_implementation", sys.implementation.name)
    fact("torch_version", str(torch.__version__))
    fact("torch_cuda", str(torch.version.cuda or "none"))
    fact("torch_threads", str(torch.get_num_threads()))
    environ = sys.modules["os"].environ
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "WORLD_SIZE", "RANK"):
        if name in environ:
            fact(name, environ[name])


# Operators whose sequence numbers rise as nothing else does, for torch.c to find those in its records.
def show(torch):
    try:
        tell(torch)
    except Exception:
        pass
    sys.audit("intercept.torch")
    try:
        with torch.enable_grad():
            x = torch.ones((), requires_grad=True)
            for step in range(4):
                for _ in range(step + 3):
                    x.add(1)
                x.mul(2)
    except Exception:
        pass
    sys.audit("intercept.torch.shown")
    try:
        show_inputs(torch)
    except Exception:
        pass
    sys.audit("intercept.torch.inputs")


# Inputs whose sizes and types are known, in the order of torch_layout.c.
def show_inputs(torch):
    torch.zeros((3,), dtype=torch.float32).mul(2)
    torch.zeros((5, 7), dtype=torch.float64).mul(2)
    torch.zeros((2, 3, 4), dtype=torch.int64).mul(2)
    torch.zeros((1, 2, 1, 3, 1, 2, 1), dtype=torch.float16).mul(2)
    torch.zeros((2, 3)).sum([1, 0], True)


# After the program's own exit functions, before the interpreter takes its modules apart. Without an import, which
# python -v would show, and without a trace in sys.modules. Before 3.10 the module itself holds the functions.
def watch_end():
    atexit = sys.modules.get("atexit")
    if atexit is None:
        builtin, machinery = sys.modules["_imp"], sys.modules["_frozen_importlib"]
        atexit = builtin.create_builtin(machinery.ModuleSpec("atexit", machinery.BuiltinImporter))
        builtin.exec_builtin(atexit)
        keep(atexit)
    atexit.register(ended)


# The collector reads frames as sampling.c does here: with these two functions for an example, of which Python says what
# they are.
def check_frames():
    def innermost():
        code = innermost.__code__
        table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
        numbers = "%d:%d:%d" % (code.co_firstlineno, len(code.co_code), len(table))
        names = (code.co_filename, code.co_name, table, numbers, "\u4e2d\u4e2d")
        check_layout(code, check_frames.__code__, *names, str(sys._getframe().f_lineno))

    innermost()


if "fact" in globals():
    sys.meta_path.insert(0, InterceptFinder())
if "check_layout" in globals():
    try:
        check_frames()
    except Exception:
        pass
if "ended" in globals() and sys.version_info >= (3, 10):
    try:
        watch_end()
    except Exception:
        pass
