# SPDX-License-Identifier: MIT
"""Orders of a shop, each put into an envelope of its own."""
from pydantic import BaseModel


class Line(BaseModel):
    item: str
    count: int


class Order(BaseModel):
    lines: list


class Envelope(BaseModel):
    order: Order


order = Order(lines=[Line(item=f"item {i}", count=i) for i in range(200)])
sent = 0
for customer in range(300):
    sent += len(Envelope(order=order).order.lines)
print(sent)
