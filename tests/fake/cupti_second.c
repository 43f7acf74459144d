/* SPDX-License-Identifier: MIT */
/*
 * The fake libcupti's second form, by which several subscribe: cuptiSubscribe_v2(), and buffers of
 * each. From version 13.3 on, over a driver of 13.3 or later. The first who subscribes says whether
 * there may be others, for as long as the process lives.
 */
#include "tests/fake/cupti.h"

#include <stddef.h>
#include <stdlib.h>

#define CALL(name, parameters, arguments) int do_##name parameters;
#include "tests/fake/cupti.def"

#define SINCE_CUPTI 130300u
#define SINCE_DRIVER 13030
#define UNDECIDED 2

static _Atomic int several = UNDECIDED;

static bool is_allowed(int asked)
{
	const char *driver = getenv("FAKE_CUDA_DRIVER"); /* as the fake libcuda has it */
	int undecided = UNDECIDED;

	if (asked && (!driver || atoi(driver) < SINCE_DRIVER))
		return false;
	if (!asked && cupti_second_is_used())
		return false;
	return atomic_compare_exchange_strong(&several, &undecided, asked) || undecided == asked;
}

int do_cuptiSubscribe_v2(cupti_subscriber *ret_subscriber, cupti_callback_function *callback,
			 void *user, void *parameters)
{
	const struct cupti_subscriber_parameters *asked = parameters;
	bool says = asked && asked->bytes > offsetof(struct cupti_subscriber_parameters, several);

	if (!ret_subscriber || !callback)
		return CUPTI_INVALID_PARAMETER;
	if (cupti_version() < SINCE_CUPTI)
		return do_cuptiSubscribe(ret_subscriber, callback, user);
	if (cupti_first_is_used() || !is_allowed(says && asked->several))
		return CUPTI_MULTIPLE_SUBSCRIBERS;
	for (unsigned int client = 1; client < CUPTI_CLIENTS; client++) {
		*ret_subscriber = cupti_subscribe(client, callback, user);
		if (*ret_subscriber)
			return CUPTI_OK;
	}
	return CUPTI_MAX_LIMIT;
}

int do_cuptiActivityRegisterCallbacks_v2(cupti_subscriber subscriber,
					 cupti_buffer_requested_of *requested,
					 cupti_buffer_completed_of *completed)
{
	unsigned int client = cupti_client_of(subscriber);

	if (!client || !requested || !completed)
		return CUPTI_INVALID_PARAMETER;
	cupti_set_buffers_of(client, requested, completed);
	return CUPTI_OK;
}

int do_cuptiActivityGetNextRecord_v2(cupti_subscriber subscriber, uint8_t *buffer,
				     size_t valid_bytes, void **record)
{
	if (!cupti_client_of(subscriber))
		return CUPTI_INVALID_PARAMETER;
	return cupti_next_record(buffer, valid_bytes, record);
}

int do_cuptiActivityGetNumDroppedRecords_v2(cupti_subscriber subscriber, void *context,
					    uint32_t stream, size_t *ret_dropped)
{
	(void)context;
	(void)stream;
	if (!cupti_client_of(subscriber) || !ret_dropped)
		return CUPTI_INVALID_PARAMETER;
	*ret_dropped = cupti_take_dropped();
	return CUPTI_OK;
}

int do_cuptiGetTimestamp_v2(cupti_subscriber subscriber, uint64_t *ret_ns)
{
	if (!cupti_client_of(subscriber))
		return CUPTI_INVALID_PARAMETER;
	*ret_ns = fake_device_now();
	return CUPTI_OK;
}
