/* SPDX-License-Identifier: MIT */
/*
 * The other user subscribes by its own call of CUPTI. If we use the first form, we give it up
 * before that call, and return after it, whether it has succeeded or not.
 */
#include "preload/gpu/gpu_second.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_form.h"
#include "preload/gpu/gpu_share.h"

#define FUNCTION "cuptiSubscribe_v2"

static _Atomic bool is_here;

bool gpu_second_is_here(void)
{
	return atomic_load_explicit(&is_here, memory_order_relaxed);
}

/* The struct may be of an older version, and shorter. */
static bool allows_several(const void *parameters)
{
	struct cupti_subscriber_parameters asked = { 0 };

	if (!parameters)
		return false;
	memcpy(&asked.bytes, parameters, sizeof(asked.bytes));
	if (asked.bytes <= offsetof(struct cupti_subscriber_parameters, several))
		return false;
	return ((const struct cupti_subscriber_parameters *)parameters)->several != 0;
}

static bool is_shared_by_first_form(void)
{
	for (uint32_t kind = 0; kind < CUPTI_KINDS; kind++)
		if (gpu_share_wants(GPU_THEM, kind))
			return true;
	return gpu_share_has_subscribed(GPU_THEM);
}

/*
 * True if we use the first form and the second form is possible. Not if CUPTI would refuse it
 * because of a third user.
 */
static void make_way(bool is_for_two)
{
	if (!gpu_is_on() || gpu_form_is_second() || is_shared_by_first_form())
		return;
	if (is_for_two)
		gpu_pause();
	else
		gpu_leave_to(FUNCTION);
}

static void has_come(bool is_for_two)
{
	if (!gpu_is_on() && !is_for_two) {
		gpu_share_end(); /* from here on its calls concern only CUPTI */
		return;
	}
	atomic_store(&is_here, true);
	gpu_form_choose_second();
}

cupti_result gpu_second_subscribe(cupti_subscriber *ret_subscriber,
				  cupti_callback_function *callback, void *user, void *parameters)
{
	bool is_for_two = allows_several(parameters) && gpu_form_has_second();
	cupti_result result;

	gpu_others_come(FUNCTION);
	make_way(is_for_two);
	result = gpu_cupti.cuptiSubscribe_v2(ret_subscriber, callback, user, parameters);
	if (result == CUPTI_MULTIPLE_SUBSCRIBERS && !is_for_two && gpu_is_on() &&
	    gpu_form_is_second()) {
		gpu_leave_to(FUNCTION);
		result = gpu_cupti.cuptiSubscribe_v2(ret_subscriber, callback, user, parameters);
	}
	if (!result)
		has_come(is_for_two);
	gpu_go_on(FUNCTION);
	if (!result)
		gpu_share_with(FUNCTION);
	return result;
}

/* --- functions of the first form, implemented by ours of the second --- */

static int next_record(uint8_t *buffer, size_t valid_bytes, void **record)
{
	return gpu_form_next_record(buffer, valid_bytes, record);
}

static int timestamp(uint64_t *ret_ns)
{
	return gpu_form_timestamp(ret_ns);
}

static int gpu_second_push(int whose, uint64_t id)
{
	if (!gpu_cupti.cuptiActivityPushExternalCorrelationId_v2)
		return CUPTI_NOT_SUPPORTED;
	return gpu_cupti.cuptiActivityPushExternalCorrelationId_v2(gpu_form_subscriber(), whose,
								   id);
}

static int gpu_second_pop(int whose, uint64_t *ret_last)
{
	if (!gpu_cupti.cuptiActivityPopExternalCorrelationId_v2)
		return CUPTI_NOT_SUPPORTED;
	return gpu_cupti.cuptiActivityPopExternalCorrelationId_v2(gpu_form_subscriber(), whose,
								  ret_last);
}

void *gpu_second_instead(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} known[] = { { "cuptiActivityGetNextRecord", (void *)next_record },
		      { "cuptiGetTimestamp", (void *)timestamp },
		      { "cuptiActivityPushExternalCorrelationId", (void *)gpu_second_push },
		      { "cuptiActivityPopExternalCorrelationId", (void *)gpu_second_pop } };

	for (size_t i = 0; gpu_form_is_second() && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].function;
	return NULL;
}
