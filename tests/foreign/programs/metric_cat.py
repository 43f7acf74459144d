# SPDX-License-Identifier: MIT
"""Looks at how often a classifier is right, over many small batches."""
import torch
from ignite.engine import Engine
from ignite.metrics import EpochMetric

torch.manual_seed(0)
model = torch.nn.Linear(32, 100)


def right(predictions, targets):
    return (predictions.argmax(1) == targets).float().mean().item()


def look(engine, batch):
    with torch.no_grad():
        return model(batch), torch.zeros(64, dtype=torch.long)


engine = Engine(look)
EpochMetric(right).attach(engine, "right")
engine.run([torch.randn(64, 32) for _ in range(500)], max_epochs=1)
print(engine.state.metrics)
