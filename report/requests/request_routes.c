/* SPDX-License-Identifier: MIT */
/* A request that has ended keeps its name, also if its endpoint gets a second route later. */
#include "report/requests/request_routes.h"

#include <string.h>

#define ROUTES_SEVERAL UINT64_MAX

/* What endpoints have that stand for many paths: at their end, anywhere. */
static const char routes_dots[] = "...", routes_text[] = "{text}";

void request_routes_init(struct request_routes *routes)
{
	map_init(&routes->map);
}

void request_routes_take(struct request_routes *routes, const struct request_routed *of,
			 uint32_t route)
{
	bool added;
	struct map_entry *entry = map_put(&routes->map, map_hash_bytes(of, sizeof(*of), 0), &added);

	if (!added && entry->value != route)
		entry->value = ROUTES_SEVERAL;
	else
		entry->value = route;
}

static bool request_routes_is_many(const struct source *source, uint32_t endpoint)
{
	const size_t dots = sizeof(routes_dots) - 1;
	size_t length;
	const char *text = name_text(source_name_at(source, endpoint), &length);

	return (length >= dots && memcmp(text + length - dots, routes_dots, dots) == 0) ||
	       memmem(text, length, routes_text, sizeof(routes_text) - 1);
}

uint32_t request_routes_find(const struct request_routes *routes, const struct source *source,
			     const struct request_routed *of, uint32_t status)
{
	const struct map_entry *entry = map_find(&routes->map, map_hash_bytes(of, sizeof(*of), 0));

	if (!entry || entry->value == ROUTES_SEVERAL)
		return of->endpoint;
	if ((status == 404 || status == 405) && request_routes_is_many(source, of->endpoint))
		return of->endpoint;
	return (uint32_t)entry->value;
}

void request_routes_release(struct request_routes *routes)
{
	map_release(&routes->map);
}
