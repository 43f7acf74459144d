# SPDX-License-Identifier: MIT
"""Reads the configuration of many hosts."""
import yaml

text = "".join(f"host{i}:\n  address: 10.0.0.{i % 250}\n  ports: [80, 443]\n  tags: {{a: 1, b: two}}\n" for i in range(1500))
print(len(yaml.safe_load(text)))
