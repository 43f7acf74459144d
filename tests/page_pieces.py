# SPDX-License-Identifier: MIT
"""The data in a page, without a browser."""

import base64
import itertools
import json
import re
import zlib


def pieces(path):
    """All pieces, by their ids: base64 of zlib of JSON."""
    with open(path, encoding="utf-8") as file:
        found = re.findall(r'<script[^>]*\bid="?data-([\w.-]+)"?[^>]*>([^<]*)</script>', file.read())
    return {name: json.loads(zlib.decompress(base64.b64decode(packed))) for name, packed in found}


def spans(path):
    """The timeline's spans that stand for themselves: category, name, begin, end; and where the timeline ends."""
    data = pieces(path)
    timeline, found = data["timeline"], []
    for level, about in enumerate(timeline["about"]["levels"]):
        for number in about["pieces"]:
            for _, _, deltas, durations, names in data[f"timeline-{level}-{number}"]["spans"]:
                starts = itertools.accumulate([number * about["piece_ns"] + deltas[0]] + deltas[1:])
                found += [(timeline["categories"][name], timeline["names"][name], start, start + duration)
                          for start, duration, name in zip(starts, durations, names)]
    return found, timeline["about"]["end_ns"]
