# SPDX-License-Identifier: MIT
# Each step parses a large text.
# first: between_operators
# text: The thread was running there
import json

from training import train

text = json.dumps([{"name": "row %d" % i, "values": [i, i * 0.5]} for i in range(20000)])
train(before=lambda number: json.loads(text))
