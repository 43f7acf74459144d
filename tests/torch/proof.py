# SPDX-License-Identifier: MIT
"""usage: proof.py OUTPUT MODEL...

Trains each model of models.py twice under torch.profiler and writes what that saw: every operator with its
place in the tree and its times, by thread. compare.py finds the same in our recording.
"""
import json
import sys

import torch
from torch._C._profiler import _EventType
from torch.profiler import ProfilerActivity, profile

import models


def mark(tensor=torch.zeros(1)):
    """An operator that nothing else here uses and that calls no other; record_function() did in torch 1."""
    tensor.erfinv_()


def rows(event, depth, out):
    """[depth, name, total, self] of an operator and of what is below it, in the order of their begin."""
    children = [child for child in event.children if child.tag == _EventType.TorchOp]
    total = event.duration_time_ns
    out.append([depth, event.name, total, total - sum(child.duration_time_ns for child in children)])
    for child in children:
        rows(child, depth + 1, out)


def threads(profiler):
    """Not p.events(): that folds an operator and its only child when their names are the same."""
    found = {}
    for root in profiler.profiler.kineto_results.experimental_event_tree():
        if root.tag == _EventType.TorchOp:
            rows(root, 0, found.setdefault(root.start_tid, []))
    return list(found.values())


def prove(step, steps=3):
    step()
    runs = []
    for _ in range(2):
        mark()
        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            for _ in range(steps):
                step()
        mark()
        runs.append(threads(profiler))
    return runs


def main():
    torch.manual_seed(1)
    result = {name: prove(getattr(models, name)()) for name in sys.argv[2:]}
    with open(sys.argv[1], "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
