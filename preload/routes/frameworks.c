/* SPDX-License-Identifier: MIT */
/* For each framework: what it calls the route, and the path that was asked for. */
#include "preload/routes/frameworks.h"

#include "preload/requests/endpoint.h"
#include "preload/routes/template.h"

/* --- Starlette and FastAPI: Request(scope) --- */

#define MOUNTS_MAX 4    /* routers in one another */
#define ROUTES_MAX 4096 /* of a router */

/* Since 1.0, Starlette puts the route into the scope, FastAPI always has. */
bool starlette_find(struct found *found, void *const *argument, void *result)
{
	void *scope = argument[1], *raw = found_item(scope, "raw_path"), *outside;

	(void)result;
	found->kept[found->count++] = scope;
	python_api.Py_IncRef(scope);
	found->route = found_item(scope, "route");
	if (!found->route)
		found->route = found_item(scope, "endpoint");
	found->method = found_text(found_item(scope, "method"));
	found->path = found_text(found_item(scope, "path"));
	found->target = found->path;
	if (raw) {
		found->target.bytes = python_api.PyBytes_AsString(raw);
		found->target.length = found->target.bytes ? strlen(found->target.bytes) : 0;
		python_api.PyErr_Clear();
	}
	outside = found_item(scope, "app_root_path");
	found->outside = found_text(outside ? outside : found_item(scope, "root_path"));
	found->identity = (uintptr_t)found->route;
	return found->route;
}

/* FastAPI has had routers without their prefix, whose whole path it keeps apart, since 0.1xx. */
static struct string_view starlette_path(struct found *found, void *scope)
{
	void *whole = found_item(found_item(scope, "fastapi"), "effective_route_context");
	struct string_view path = found_text(found_attribute(found, whole, "path"));

	return path.length ? path : found_text(found_attribute(found, found->route, "path"));
}

/* The path of the route with that endpoint, in a list of routes and what is mounted there. */
static struct string_view starlette_search(struct found *found, void *routes, int depth)
{
	struct string_view path = { NULL, 0 };

	for (ssize_t i = 0; routes && !path.length && i < ROUTES_MAX; i++) {
		void *route = python_api.PySequence_GetItem(routes, i), *endpoint, *inner;

		if (!route)
			break;
		endpoint = python_attribute(route, "endpoint");
		inner = depth ? python_attribute(route, "routes") : NULL;
		if (endpoint == found->route)
			path = found_text(found_attribute(found, route, "path"));
		else if (inner)
			path = starlette_search(found, inner, depth - 1);
		if (endpoint)
			python_api.Py_DecRef(endpoint);
		if (inner)
			python_api.Py_DecRef(inner);
		python_api.Py_DecRef(route);
	}
	python_api.PyErr_Clear();
	return path;
}

size_t starlette_name(struct found *found, char room[ROUTE_BYTES])
{
	void *scope = found->kept[0];
	struct string_view path = starlette_path(found, scope);
	char prefix[ENDPOINT_BYTES];
	size_t from, at = 0;

	if (!path.length)
		path = starlette_search(
			found, found_attribute(found, found_item(scope, "router"), "routes"),
			MOUNTS_MAX);
	if (!path.length || !template_fits_end(path, found->path, &from))
		return 0;
	if (from >= found->outside.length && found->outside.length &&
	    memcmp(found->path.bytes, found->outside.bytes, found->outside.length) == 0) {
		found->path.bytes += found->outside.length;
		from -= found->outside.length;
	}
	from = endpoint_of(found->path.bytes, from, prefix);
	return found_append(room, &at, (struct string_view){ prefix, from }) &&
			       found_append(room, &at, path)
		       ? at
		       : 0;
}

/* --- WSGI --- */

static void found_environ(struct found *found, void *environ)
{
	void *target = found_item(environ, "RAW_URI");

	if (!target)
		target = found_item(environ, "REQUEST_URI");
	if (!target)
		target = found_item(environ, "PATH_INFO");
	found->target = found_text(target);
	found->method = found_text(found_item(environ, "REQUEST_METHOD"));
	found->path = found_text(found_item(environ, "PATH_INFO"));
	found->prefix = found_text(found_item(environ, "SCRIPT_NAME"));
}

/* --- Werkzeug and Flask: Response(environ, start_response) --- */

bool werkzeug_find(struct found *found, void *const *argument, void *result)
{
	(void)result;
	found->route = found_attribute(found, found_item(argument[1], "werkzeug.request"),
				       "url_rule");
	found->identity = (uintptr_t)found->route;
	found_environ(found, argument[1]);
	return found->route;
}

size_t werkzeug_name(struct found *found, char room[ROUTE_BYTES])
{
	struct string_view rule = found_text(found_attribute(found, found->route, "rule"));
	size_t at = 0;

	return rule.length && found_append(room, &at, found->prefix) &&
			       found_append(room, &at, rule)
		       ? at
		       : 0;
}

/* --- Django: WSGIHandler(environ, start_response), BaseHandler.resolve_request(request) --- */

/* Of the response, whose end also ends the request. */
static void *django_match(struct found *found, void *response)
{
	void *closers = found_attribute(found, response, "_resource_closers"), *match = NULL;

	for (ssize_t i = 0; closers && !match && i < 4; i++) {
		void *closer = python_api.PySequence_GetItem(closers, i);
		void *request = python_attribute(closer, "__self__");

		match = found_attribute(found, request, "resolver_match");
		if (request)
			python_api.Py_DecRef(request);
		if (closer)
			python_api.Py_DecRef(closer);
	}
	python_api.PyErr_Clear();
	return match;
}

/* A match, and its text, are made for each request. */
static bool django_identify(struct found *found)
{
	struct string_view route = found_text(found->route);

	found->identity = string_of_bytes(route.bytes, route.length).hash;
	return route.bytes;
}

bool django_wsgi_find(struct found *found, void *const *argument, void *result)
{
	found->route = found_attribute(found, django_match(found, result), "route");
	found_environ(found, argument[1]);
	return django_identify(found);
}

bool django_asgi_find(struct found *found, void *const *argument, void *result)
{
	void *request = argument[1];

	found->route = found_attribute(found, result, "route");
	found->target = found_text(found_attribute(found, request, "path"));
	found->path = found_text(found_attribute(found, request, "path_info"));
	found->method = found_text(found_attribute(found, request, "method"));
	return django_identify(found);
}

/*
 * A pattern that fits more than it says, as re_path(""), names no route: what has nothing variable
 * in it is the path itself.
 */
static bool django_names(struct string_view route, struct string_view path)
{
	for (size_t i = 0; i < route.length; i++)
		if (strchr("<(^$[*+?\\", route.bytes[i]))
			return true;
	return path.length == route.length + 1 &&
	       memcmp(path.bytes + 1, route.bytes, route.length) == 0;
}

size_t django_wsgi_name(struct found *found, char room[ROUTE_BYTES])
{
	const struct string_view slash = { "/", 1 }, route = found_text(found->route);
	size_t at = 0;

	if (!django_names(route, found->path))
		return 0;
	return found_append(room, &at, found->prefix) &&
			       (route.bytes[0] == '/' || found_append(room, &at, slash)) &&
			       found_append(room, &at, route)
		       ? at
		       : 0;
}

size_t django_asgi_name(struct found *found, char room[ROUTE_BYTES])
{
	return django_wsgi_name(found, room);
}

/* --- aiohttp: request.keep_alive, which the answer asks for --- */

bool aiohttp_find(struct found *found, void *const *argument, void *result)
{
	void *request = argument[0];
	void *match = found_attribute(found, request, "_match_info");
	void *route = found_attribute(found, match, "_route");

	(void)result;
	found->route = found_attribute(found, route, "_resource");
	if (!found->route)
		return false;
	found->identity = (uintptr_t)found->route;
	found->method = found_text(found_attribute(found, request, "_method"));
	found->target = found_text(
		found_attribute(found, found_attribute(found, request, "_message"), "path"));
	return true;
}

size_t aiohttp_name(struct found *found, char room[ROUTE_BYTES])
{
	void *text = found_attribute(found, found->route, "_formatter");
	size_t at = 0;

	if (!text)
		text = found_attribute(found, found->route, "_path");
	return found_append(room, &at, found_text(text)) ? at : 0;
}
