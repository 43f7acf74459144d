/* SPDX-License-Identifier: MIT */
/*
 * The callbacks of CUPTI around calls of CUDA that start work or wait: they bring the call's number. An interposed
 * call takes it along in its own record (record/correlation.h); any other is recorded here: what a static runtime,
 * cuBLAS or Triton calls. The runtime's call and the driver's beneath it have the same number: one record.
 */
#include "preload/gpu/gpu.h"

#include <errno.h>
#include <stddef.h>

#include "preload/record/correlation.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

#define IDS 1024u /* of a domain */

/* Names by domain and id. */
static const char *const names[CUPTI_DOMAINS][IDS] = {
#define RUNTIME(id, name, constant) [CUPTI_RUNTIME_API][id] = #name,
#define DRIVER(id, name) [CUPTI_DRIVER_API][id] = #name,
#include "preload/gpu/callbacks.def"
};

static void call_record(const char *name, const struct cupti_callback *callback, uint64_t start)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_gpu, RECORDER_IN_RECORD);
	struct string text = string_of(name);
	uint64_t ticks = clock_ticks(), field[4];

	if (!lane)
		return;
	field[0] = string_id(&text, lane);
	field[1] = ticks - start;
	field[2] = callback->result ? (uint32_t)*callback->result : 0;
	field[3] = callback->correlation;
	ticks = clock_ticks();
	(void)recorder_put(lane, EVT_gpu_call, ticks - recorder_base, field, 4);
	recorder_leave(lane);
}

static void call_begins(const struct cupti_callback *callback)
{
	uint32_t self = correlation_self, number = callback->correlation << 2;

	*callback->kept = 0;
	if (callback->correlation >= CORRELATION_LIMIT) {
		*callback->kept = clock_ticks();
		return;
	}
	if (self == CORRELATION_AWAITED) {
		correlation_self = number | CORRELATION_TAKEN;
		return;
	}
	if (self == (number | CORRELATION_TAKEN) || self == (number | CORRELATION_OWN))
		return;
	*callback->kept = clock_ticks();
	if ((self & 3) != CORRELATION_TAKEN)
		correlation_self = number | CORRELATION_OWN;
}

static void call_ends(const char *name, const struct cupti_callback *callback)
{
	uint64_t start = *callback->kept;

	if (!start)
		return;
	*callback->kept = 0;
	if (correlation_self == (callback->correlation << 2 | CORRELATION_OWN))
		correlation_self = 0;
	call_record(name, callback, start);
}

void gpu_callback(void *user, int domain, uint32_t id, const struct cupti_callback *callback)
{
	int saved = errno;

	(void)user;
	if (domain <= 0 || domain >= CUPTI_DOMAINS || id >= IDS || !names[domain][id] ||
	    !callback || !callback->kept || !gpu_is_on())
		return;
	if (callback->site == 0)
		call_begins(callback);
	else
		call_ends(names[domain][id], callback);
	errno = saved;
}
