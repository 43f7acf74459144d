/* SPDX-License-Identifier: MIT */
/*
 * Which route of its framework a request had: of a process, by method and endpoint. Where requests
 * of one endpoint had several routes, it stands for itself. Memory grows with endpoints.
 */
#ifndef REPORT_REQUESTS_REQUEST_ROUTES_H
#define REPORT_REQUESTS_REQUEST_ROUTES_H

#include "report/base/map.h"
#include "report/session/source.h"

struct request_routes {
	struct map map; /* hash of a routed to the route's name; ROUTES_SEVERAL */
};

/* Indices; without holes. */
struct request_routed {
	uint32_t process, method, endpoint;
};

void request_routes_init(struct request_routes *routes);
void request_routes_take(struct request_routes *routes, const struct request_routed *of,
			 uint32_t route);
/*
 * Returns the name of the route, or of the endpoint. `status`: of the answer. A framework that
 * finds no route answers 404 or 405; where the endpoint stands for many paths, it may have been
 * such a one.
 */
uint32_t request_routes_find(const struct request_routes *routes, const struct source *source,
			     const struct request_routed *of, uint32_t status);
void request_routes_release(struct request_routes *routes);

#endif
