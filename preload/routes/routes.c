/* SPDX-License-Identifier: MIT */
/*
 * A route is recorded once for each method and endpoint: the report names all requests of these by
 * it. So a request whose endpoint and route are known costs a few look-ups.
 */
#include "preload/routes/routes.h"

#include <errno.h>

#include "preload/python/listeners.h"
#include "preload/python/vectorcall.h"
#include "preload/requests/connections.h"
#include "preload/requests/requests.h"
#include "preload/routes/frameworks.h"
#include "preload/settings/settings.h"

struct framework {
	const char *module, *class, *function;
	vectorcall *ours;
	framework_find *find;
	framework_name *name;
	_Atomic(vectorcall *) original;
	bool is_getter, is_put;
};

#define FRAMEWORK(name, module, class, function) FRAMEWORK_##name,
enum {
#include "preload/routes/frameworks.def"
	FRAMEWORKS
};

#define FRAMEWORK(name, module, class, function) static vectorcall name##_call;
#include "preload/routes/frameworks.def"

static struct framework frameworks[FRAMEWORKS] = {
#define FRAMEWORK(name, module, class, function) \
	[FRAMEWORK_##name] = { module, class, function, name##_call, name##_find, name##_name },
#define FRAMEWORK_PROPERTY(name, module, class, function)                               \
	[FRAMEWORK_##name] = { module,      class,       function,         name##_call, \
			       name##_find, name##_name, .is_getter = true },
#include "preload/routes/frameworks.def"
};

/* --- a request has its route --- */

static bool target_has_begun(struct paths *paths, struct string_view target)
{
	char room[ENDPOINT_BYTES];
	size_t length = endpoint_of(target.bytes, target.length, room);

	if (paths_names(paths, string_of_bytes(room, length).hash, 0))
		return true;
	length = endpoint_generalise(room, length);
	return paths_names(paths, string_of_bytes(room, length).hash, 0);
}

/* Servers that are told their outside path put it in front of what was asked for. */
static struct string_view target_received(struct paths *paths, const struct found *found)
{
	struct string_view target = found->target, rest = target;

	if (!found->outside.length || found->outside.length >= target.length ||
	    memcmp(target.bytes, found->outside.bytes, found->outside.length) != 0)
		return target;
	rest.bytes += found->outside.length;
	rest.length -= found->outside.length;
	return !target_has_begun(paths, target) && target_has_begun(paths, rest) ? rest : target;
}

static void route_found(const struct framework *framework, struct found *found, struct paths *paths)
{
	char endpoint_room[ENDPOINT_BYTES], route_room[ROUTE_BYTES];
	struct string_view target = target_received(paths, found);
	struct string method = string_of_bytes(found->method.bytes, found->method.length), route;
	struct string endpoint = requests_endpoint(paths, target.bytes, target.length,
						   endpoint_room);
	uint64_t key = paths_route_key(method.hash, endpoint.hash, found->identity);
	size_t length;

	if (paths_has_route(paths, key))
		return;
	length = framework->name(found, route_room);
	route = string_of_bytes(route_room, length);
	if (!length || requests_record_route(&method, &endpoint, &route))
		paths_put_route(paths, key);
}

static void route_look(const struct framework *framework, void *const *argument, void *result)
{
	struct connection_table *table = atomic_load_explicit(&connection_table,
							      memory_order_acquire);
	struct found found = { .count = 0 };
	int saved = errno;

	if (table && framework->find(&found, argument, result) && found.target.length)
		route_found(framework, &found, &table->paths);
	found_release(&found);
	errno = saved;
}

/* The route is looked for after the call, whose result may have it. */
static void *framework_run(struct framework *framework, size_t least, void *callable,
			   void *const *argument, size_t flags, void *names)
{
	vectorcall *original = vectorcall_original(&framework->original);
	void *result = original(callable, argument, flags, names);

	if (result && (flags & ~PYTHON_ARGUMENTS_OFFSET) >= least)
		route_look(framework, argument, result);
	return result;
}

#define FRAMEWORK(name, module, class, function)                                                  \
	static void *name##_call(void *callable, void *const *argument, size_t flags, void *more) \
	{                                                                                         \
		return framework_run(&frameworks[FRAMEWORK_##name], 2, callable, argument, flags, \
				     more);                                                       \
	}
#define FRAMEWORK_PROPERTY(name, module, class, function)                                         \
	static void *name##_call(void *callable, void *const *argument, size_t flags, void *more) \
	{                                                                                         \
		return framework_run(&frameworks[FRAMEWORK_##name], 1, callable, argument, flags, \
				     more);                                                       \
	}
#include "preload/routes/frameworks.def"

/* --- the way in --- */

/* The method of the class itself, not of one that it is derived from; to be released. */
static void *framework_function(const struct framework *framework)
{
	void *home = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(),
						     framework->module);
	void *class = home ? python_attribute(home, framework->class) : NULL, *function, *getter;

	function = class ? python_attribute(class, framework->function) : NULL;
	if (class)
		python_api.Py_DecRef(class);
	if (!function || !framework->is_getter)
		return function;
	getter = python_attribute(function, "fget");
	if (!getter)
		getter = python_attribute(function, "wrapped");
	python_api.Py_DecRef(function);
	return getter;
}

static void framework_follow(struct framework *framework)
{
	void *function = framework_function(framework);

	if (!function)
		return;
	framework->is_put = vectorcall_find();
	if (framework->is_put)
		(void)vectorcall_put(function, framework->ours, &framework->original);
	python_api.Py_DecRef(function);
}

/* The modules that are awaited import others after they have defined their classes. */
bool routes_see_import(void *arguments)
{
	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_requests))
		return true;
	for (int i = 0; i < FRAMEWORKS; i++)
		if (!frameworks[i].is_put)
			framework_follow(&frameworks[i]);
	return true;
}
