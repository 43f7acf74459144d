# SPDX-License-Identifier: MIT
# A bare ASGI application: what tests/requests/plain_server.py answers, by any server of ASGI, and /ws for WebSocket.
import asyncio


async def send(to, status, body, *, length=True):
    headers = [(b"content-type", b"text/plain")]
    if length:
        headers.append((b"content-length", str(len(body)).encode()))
    await to({"type": "http.response.start", "status": status, "headers": headers})
    await to({"type": "http.response.body", "body": body})


async def app(scope, receive, to):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await to({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    if scope["type"] == "websocket":
        await receive()
        await to({"type": "websocket.accept"})
        message = await receive()
        await to({"type": "websocket.send", "text": message["text"] * 2})
        await to({"type": "websocket.close"})
        return
    path, body, more = scope["path"], b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if path == "/stream":
        await to({"type": "http.response.start", "status": 200, "headers": []})
        for part in (b"one", b"three"):
            await to({"type": "http.response.body", "body": part, "more_body": True})
            await asyncio.sleep(0.001)
        await to({"type": "http.response.body", "body": b""})
    elif path == "/boom":
        raise RuntimeError("of the application's own")
    elif path == "/missing":
        await send(to, 404, b"no")
    elif path == "/error":
        await send(to, 500, b"broken")
    elif path == "/slow":
        await asyncio.sleep(0.05)
        await send(to, 200, b"at last")
    elif path == "/none":
        await to({"type": "http.response.start", "status": 204, "headers": []})
        await to({"type": "http.response.body", "body": b""})
    elif scope["method"] == "POST":
        await send(to, 201, body)
    else:
        await send(to, 200, b"body of " + path.encode())
