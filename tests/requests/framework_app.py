# SPDX-License-Identifier: MIT
# usage: framework_app.py flask|django|aiohttp PORT: the framework's own server, with what tests/requests/plain_server.py answers.
# Imported, it is an application of FastAPI (`fastapi_app`).
import sys
import time


def flask_app():
    import flask

    app = flask.Flask("app")

    @app.route("/items/<int:key>")
    def item(key):
        return "item %d" % key

    @app.route("/<path:path>", methods=["GET", "POST"])
    def answer(path):
        if path == "boom":
            raise RuntimeError("of the application's own")
        if path == "stream":
            return flask.Response(iter(["one", "three"]))
        if path == "slow":
            time.sleep(0.05)
        if flask.request.method == "POST":
            return flask.request.get_data(), 201
        if path in ("missing", "error"):
            return "no", 404 if path == "missing" else 500
        return ("", 204) if path == "none" else "body of " + path

    return app


def run_django(port):
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.http import HttpResponse, StreamingHttpResponse
    from django.urls import include, path, re_path

    def item(request, key):
        return HttpResponse("item %d" % key)

    def answer(request):
        path = request.path
        if path == "/boom":
            raise RuntimeError("of the application's own")
        if path == "/stream":
            return StreamingHttpResponse(iter([b"one", b"three"]))
        if path == "/slow":
            time.sleep(0.05)
        if request.method == "POST":
            return HttpResponse(request.body, status=201)
        if path in ("/missing", "/error"):
            return HttpResponse("no", status=404 if path == "/missing" else 500)
        return HttpResponse("", status=204) if path == "/none" else HttpResponse("body of " + path)

    settings.configure(ROOT_URLCONF="urls", SECRET_KEY="x", ALLOWED_HOSTS=["*"], MIDDLEWARE=[], LOGGING_CONFIG=None)
    urls = type(sys)("urls")
    urls.urlpatterns = [path("items/", include(([path("<int:key>", item)], "items"))), re_path("", answer)]
    sys.modules["urls"] = urls
    django.setup()
    call_command("runserver", "127.0.0.1:%s" % port, use_reloader=False, skip_checks=True)


def run_aiohttp(port):
    import asyncio

    from aiohttp import web

    async def answer(request):
        path = request.path
        if path == "/boom":
            raise RuntimeError("of the application's own")
        if path == "/stream":
            response = web.StreamResponse()
            await response.prepare(request)
            for part in (b"one", b"three"):
                await response.write(part)
            return response
        if path == "/slow":
            await asyncio.sleep(0.05)
        if request.method == "POST":
            return web.Response(body=await request.read(), status=201)
        if path in ("/missing", "/error"):
            return web.Response(text="no", status=404 if path == "/missing" else 500)
        return web.Response(status=204) if path == "/none" else web.Response(text="body of " + path)

    async def item(request):
        return web.Response(text="item " + request.match_info["key"])

    app = web.Application()
    app.router.add_get("/items/{key:[0-9]+}", item)
    app.router.add_route("*", "/{path:.*}", answer)
    web.run_app(app, host="127.0.0.1", port=int(port), print=None)


def make_fastapi_app():
    import asyncio

    from fastapi import APIRouter, FastAPI, Request, Response
    from fastapi.responses import StreamingResponse

    app = FastAPI()
    items = APIRouter(prefix="/items")

    @items.get("/{key}")
    def item(key: int):
        return {"item": key}

    app.include_router(items)

    @app.post("/echo")
    async def echo(request: Request):
        return Response(await request.body(), status_code=201)

    @app.get("/boom")
    def boom():
        raise RuntimeError("of the application's own")

    @app.get("/stream")
    def stream():
        return StreamingResponse(iter([b"one", b"three"]))

    @app.get("/slow")
    async def slow():
        await asyncio.sleep(0.05)
        return "at last"

    @app.get("/error")
    def error():
        return Response("broken", status_code=500)

    @app.get("/none", status_code=204)
    def none():
        return None

    @app.api_route("/{name}", methods=["GET", "HEAD"])
    def other(name: str):
        return Response("no" if name == "missing" else "body of " + name, status_code=404 if name == "missing" else 200)

    return app


if __name__ == "__main__":
    if sys.argv[1] == "flask":
        flask_app().run("127.0.0.1", int(sys.argv[2]))
    elif sys.argv[1] == "django":
        run_django(sys.argv[2])
    else:
        run_aiohttp(sys.argv[2])
else:
    fastapi_app = make_fastapi_app()
