# SPDX-License-Identifier: MIT
"""PyTorch without torch.compile.

An optimizer imports torch._dynamo only to say that it is not to be compiled, torch.profiler torch._inductor to ask for one
setting: 900 modules, which take as much CPU time as all the rest of torch. What programs that compile nothing ask of these two
stands here in their place.
"""

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


stand_in("torch._dynamo", disable=disable, graph_break=nothing,
         config=types.SimpleNamespace(error_on_nested_fx_trace=True),  # of checkpoints
         trace_rules=types.SimpleNamespace(clear_lru_cache=nothing))  # of process groups
config = stand_in("torch._inductor.config", triton=types.SimpleNamespace(cudagraphs=False))
stand_in("torch._inductor", config=config)
