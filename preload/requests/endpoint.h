/* SPDX-License-Identifier: MIT */
/*
 * Names the endpoint of a request by the pattern of its path: the parts that differ from request to
 * request are replaced. So the recording has few names, and no query, token or address of a user.
 *
 *   /items/42/reviews?page=2                -> /items/{number}/reviews
 *   /jobs/550e8400-e29b-41d4-a716-446655440000 -> /jobs/{uuid}
 *
 * No lock, no allocation, no system call.
 */
#ifndef PRELOAD_REQUESTS_ENDPOINT_H
#define PRELOAD_REQUESTS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

#define ENDPOINT_BYTES 128u

/* Writes the pattern of a request's target and returns its length; longer ones end in `...`. */
PRELOAD_HIDDEN size_t endpoint_of(const char *target, size_t length, char room[ENDPOINT_BYTES]);
/* The same, but numbers stay: `/items/42/reviews`. */
PRELOAD_HIDDEN size_t endpoint_path_of(const char *target, size_t length,
				       char room[ENDPOINT_BYTES]);
/* Leaves the first part of a pattern, `/users/...`, or none, `/...`. Returns the new length. */
PRELOAD_HIDDEN size_t endpoint_shorten(char room[ENDPOINT_BYTES], size_t length, bool keeps_first);
/* How long the pattern is in front of its last part, with the slash; 0: it has no slash. */
PRELOAD_HIDDEN size_t endpoint_parent(const char *pattern, size_t length);
/*
 * Replaces the last part by {text}, if it fits. Returns the new length, or that of the pattern as
 * it is.
 */
PRELOAD_HIDDEN size_t endpoint_generalise(char room[ENDPOINT_BYTES], size_t length);
PRELOAD_HIDDEN bool endpoint_has_numbers(const char *pattern, size_t length);

#endif
