# SPDX-License-Identifier: MIT
"""usage: hubs.py layers|categories MODEL[,MODEL...] ...

Four small models of transformers and torchvision with random weights, for layers.py or categories.py. "{}" in the arguments that follow
becomes the model's name.
"""
import sys

import categories
import layers
import torch

torch.manual_seed(1)
TOKENS = torch.randint(0, 100, (2, 16))
SIZES = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}


# each imports its own package alone: that of both takes longer than all the rest
def of_torchvision(name):
    from torchvision.models import ResNet, VisionTransformer
    from torchvision.models.resnet import BasicBlock
    if name == "ResNet":
        return ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10), torch.randn(2, 3, 64, 64)
    return VisionTransformer(32, 8, 2, 4, 64, 128, num_classes=10), torch.randn(2, 3, 32, 32)


def of_transformers(name):
    from transformers import BertConfig, BertForSequenceClassification, LlamaConfig, LlamaForCausalLM
    if name == "LlamaForCausalLM":
        return LlamaForCausalLM(LlamaConfig(num_key_value_heads=2, **SIZES)), TOKENS
    return BertForSequenceClassification(BertConfig(**SIZES)), TOKENS


MODELS = {"ResNet": of_torchvision, "VisionTransformer": of_torchvision,
          "BertForSequenceClassification": of_transformers, "LlamaForCausalLM": of_transformers}

if __name__ == "__main__":
    what, names, *rest = sys.argv[1:]
    for name in names.split(","):
        (layers if what == "layers" else categories).main({name: MODELS[name](name)}, [name, *(one.replace("{}", name) for one in rest)])
