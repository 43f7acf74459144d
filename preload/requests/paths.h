/* SPDX-License-Identifier: MIT */
/*
 * Which paths of requests are recorded beside the endpoint, with the numbers that its pattern
 * leaves out: the first PATHS_OF_ENDPOINT different ones of each endpoint. So a service with few
 * numbers (/models/7) keeps them, and one with a number for each user has no more names for that.
 * Also which endpoints have a name of their own: the first ones of a process, so that what clients
 * ask for does not decide how many names a recording has. And which routes of a framework were
 * recorded.
 *
 * Hashes only, in memory of the caller, zero at first. If it is full, further paths are not
 * recorded. Any thread, signal handlers too; no lock, no allocation, no system call.
 */
#ifndef PRELOAD_REQUESTS_PATHS_H
#define PRELOAD_REQUESTS_PATHS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

#define PATHS_OF_ENDPOINT 16u
#define PATHS_ENDPOINTS 256u /* powers of two */
#define PATHS_SLOTS 4096u
#define PATHS_NAMED 1000u       /* endpoints with a name of their own */
#define PATHS_SIBLINGS 100u     /* of them, those that differ in their last part only */
#define PATHS_SHORTENED 1000u   /* names that stand for more than one */
#define PATHS_NAMED_SLOTS 4096u /* more than both, so that few find no slot */
#define PATHS_ROUTE_SLOTS 8192u

struct paths {
	struct paths_endpoint {
		_Atomic uint64_t hash; /* 0: free */
		_Atomic uint32_t count;
	} endpoint[PATHS_ENDPOINTS];
	_Atomic uint64_t path[PATHS_SLOTS];
	_Atomic uint64_t named[PATHS_NAMED_SLOTS];
	_Atomic uint32_t named_count;
	_Atomic uint64_t route[PATHS_ROUTE_SLOTS];
};

/* Hashes are not 0. Returns the same for a path whenever it is asked. */
PRELOAD_HIDDEN bool paths_keeps(struct paths *paths, uint64_t endpoint, uint64_t path);
/*
 * True if the endpoint has a name of its own, which it gets if fewer than `most` have one. Returns
 * the same for an endpoint that has one whenever it is asked.
 */
PRELOAD_HIDDEN bool paths_names(struct paths *paths, uint64_t endpoint, uint32_t most);

/*
 * Counts an endpoint that gets a name, by what is in front of its last part. False: there are
 * PATHS_SIBLINGS already.
 */
PRELOAD_HIDDEN bool paths_takes_sibling(struct paths *paths, uint64_t parent);

/* Of a method, an endpoint and what the framework calls it by (preload/routes). */
static inline uint64_t paths_route_key(uint64_t method, uint64_t endpoint, uint64_t route)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;

	return (((method * odd ^ endpoint) * odd ^ route) * odd) | 1;
}

/* True if it was put, or there is no room for it. */
PRELOAD_HIDDEN bool paths_has_route(struct paths *paths, uint64_t key);
PRELOAD_HIDDEN void paths_put_route(struct paths *paths, uint64_t key);

#endif
