# SPDX-License-Identifier: MIT
"""PyTorch without torch.compile.

An optimizer imports torch._dynamo only to say that it is not to be compiled, torch.profiler torch._inductor to ask for one
setting: 900 modules, which take as much CPU time as all the rest of torch. What programs that compile nothing ask of these two
stands here in their place. The kernels of the meta device, which has no values, bring torch._refs and torch._prims: a quarter of
what `import torch` takes.

Nor is garbage collected while torch is imported, which finds none: its 200,000 objects are set aside for good, which also makes the
interpreter's end shorter. That is another quarter.
"""

import contextlib
import gc
import importlib.machinery
import sys
import types


def disable(function=None, recursive=True, **_):
    return function if function else lambda decorated: decorated


def nothing(*_, **__):
    pass


def stand_in(name, **content):
    module = types.ModuleType(name, __doc__)
    vars(module).update(content)
    sys.modules[name] = module
    return module


stand_in("torch._dynamo", disable=disable, allow_in_graph=disable, assume_constant_result=disable, graph_break=nothing,
         OptimizedModule=type("OptimizedModule", (), {}),  # of Lightning, which looks whether a module is one
         compiled_autograd=types.SimpleNamespace(_disable=contextlib.nullcontext),  # of torch.func
         config=types.SimpleNamespace(error_on_nested_fx_trace=True),  # of checkpoints
         trace_rules=types.SimpleNamespace(clear_lru_cache=nothing),  # of process groups
         utils=stand_in("torch._dynamo.utils", get_optimize_ddp_mode=lambda: "ddp_optimizer",  # of DistributedDataParallel
                        is_compile_supported=lambda device: False))  # of torchvision
stand_in("torch._dynamo._trace_wrapped_higher_order_op", TransformGetItemToIndex=contextlib.nullcontext)  # of transformers
config = stand_in("torch._inductor.config", triton=types.SimpleNamespace(cudagraphs=False))
stand_in("torch._inductor", config=config)


class MetaDevice:
    """Finds torch._meta_registrations, which torch imports last, and leaves its place after that."""

    def find_spec(self, name, path, target=None):
        if name == "torch._C":
            gc.disable()
        if name == "torch._meta_registrations":
            sys.meta_path.remove(self)
            gc.freeze()
            gc.enable()
            return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import torch
        if hasattr(torch._C, "_set_generator_metaclass"):  # else there is no torch.Generator(); torch._prims does it otherwise
            from torch._custom_class_base import CustomClassBaseMeta
            torch._C._set_generator_metaclass(CustomClassBaseMeta)


sys.meta_path.insert(0, MetaDevice())
