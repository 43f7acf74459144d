# SPDX-License-Identifier: MIT
"""usage: hubs.py layers|categories MODEL ...

Four small models of transformers and torchvision with random weights, for layers.py or categories.py.
"""
import sys

import categories
import layers
import torch
from torchvision.models import ResNet, VisionTransformer
from torchvision.models.resnet import BasicBlock
from transformers import BertConfig, BertForSequenceClassification, LlamaConfig, LlamaForCausalLM

torch.manual_seed(1)
TOKENS = torch.randint(0, 100, (2, 16))
SIZES = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
MODELS = {
    "ResNet": lambda: (ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10), torch.randn(2, 3, 64, 64)),
    "VisionTransformer": lambda: (VisionTransformer(32, 8, 2, 4, 64, 128, num_classes=10), torch.randn(2, 3, 32, 32)),
    "BertForSequenceClassification": lambda: (BertForSequenceClassification(BertConfig(**SIZES)), TOKENS),
    "LlamaForCausalLM": lambda: (LlamaForCausalLM(LlamaConfig(num_key_value_heads=2, **SIZES)), TOKENS),
}

if __name__ == "__main__":
    what, name, *rest = sys.argv[1:]
    (layers if what == "layers" else categories).main({name: MODELS[name]()}, [name, *rest])
