/* SPDX-License-Identifier: MIT */
/*
 * Reads the route of a request from the objects of a framework, of any version that has them: what
 * is not there is not known. With the GIL. No exception is pending, and none is left.
 */
#ifndef PRELOAD_ROUTES_FRAMEWORKS_H
#define PRELOAD_ROUTES_FRAMEWORKS_H

#include "preload/routes/found.h"

/* Returns false if the request has no route, or not yet. `result`: of the function. */
typedef bool framework_find(struct found *found, void *const *argument, void *result);
/* Writes the route's name, as the user wrote it, and returns its length; 0: it is not known. */
typedef size_t framework_name(struct found *found, char room[ROUTE_BYTES]);

#define FRAMEWORK(name, module, class, function) \
	framework_find name##_find;              \
	framework_name name##_name;
#include "preload/routes/frameworks.def"

#endif
