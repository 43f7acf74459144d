/* SPDX-License-Identifier: MIT */
/*
 * What a framework's objects say of one request, while it is read. Attributes that were read are
 * kept until found_release(). With the GIL; one thread.
 */
#ifndef PRELOAD_ROUTES_FOUND_H
#define PRELOAD_ROUTES_FOUND_H

#include "preload/python/python_api.h"
#include "preload/record/strings.h"

#define FOUND_KEPT 16u   /* attributes of one request */
#define ROUTE_BYTES 256u /* a route with a longer name is not recorded */

struct found {
	void *kept[FOUND_KEPT];
	unsigned int count;
	void *route;               /* the object that says it */
	uint64_t identity;         /* what is the same for requests of that route, and only these */
	struct string_view method; /* GET, ... */
	struct string_view target; /* the path that was asked for, maybe with its query */
	struct string_view outside; /* what a proxy may have left out of the target's begin */
	struct string_view path;    /* what was matched, decoded */
	struct string_view prefix;  /* where the application is: stands in front of the route */
};

/* Borrowed until found_release(). NULL: `object` is NULL, or has none. */
void *found_attribute(struct found *found, void *object, const char *name);
/* Borrowed from the dict. NULL: it is none, or lacks the key. */
void *found_item(void *dict, const char *key);
/* The text of a str; empty: it is none. */
struct string_view found_text(void *text);
void found_release(struct found *found);

/* Appends to the text, if it fits. */
bool found_append(char room[ROUTE_BYTES], size_t *at, struct string_view text);

#endif
