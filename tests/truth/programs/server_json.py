# SPDX-License-Identifier: MIT
# A server that turns its arrays into lists and those into JSON, for each request.
# first: serialisation
# line: server_json.py:15
import array
import json

from serving import serve

scores = array.array("d", (number / 7 for number in range(20000)))


async def handle(path):
    values = scores.tolist()
    return json.dumps({"path": path, "scores": values}).encode()


serve(handle, 200)
