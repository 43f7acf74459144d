/* SPDX-License-Identifier: MIT */
/*
 * Python functions whose calls are requests (INTERCEPT_REQUEST=MODULE:FUNCTION): a call of one is a
 * request from its first line to its return, or to the exception that ends it. A coroutine may be
 * suspended and go on on another thread in between; its frame identifies the call.
 *
 * With the GIL. errno and a pending exception are preserved.
 */
#ifndef PRELOAD_FUNCTIONS_CALL_REQUESTS_H
#define PRELOAD_FUNCTIONS_CALL_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

#define CALL_REQUESTS 16u /* functions */

struct call_requests {
	void *code[CALL_REQUESTS]; /* owned, so that no other code gets their address */
	unsigned int count;
};
PRELOAD_HIDDEN extern struct call_requests call_requests;

/* Returns the number of the function; CALL_REQUESTS: its calls are no requests. */
static inline unsigned int call_request_of(void *code)
{
	for (unsigned int i = 0; i < call_requests.count; i++)
		if (call_requests.code[i] == code)
			return i;
	return CALL_REQUESTS;
}

/* The code is seen for the first time; its frame is the innermost one. */
PRELOAD_HIDDEN void call_request_look(void *code, const char *module);

PRELOAD_HIDDEN void call_request_begin(unsigned int number, void *frame);
PRELOAD_HIDDEN void call_request_end(void *frame, bool failed);
/*
 * For profile functions, which are called in the same way when a coroutine is suspended and goes on
 * again. `result`: NULL if an exception ends the call.
 */
PRELOAD_HIDDEN void call_request_profile(void *code, void *frame, bool ends, const void *result);

#endif
