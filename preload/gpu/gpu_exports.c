/* SPDX-License-Identifier: MIT */
/*
 * The functions by which another user of CUPTI comes (hooks.def). While we use CUPTI, each is done
 * for both users (gpu_share.h). What fails for the other user fails as it would without us. If
 * nothing of the GPU is recorded, and in a forked child, only the original is called.
 */
#include "preload/gpu/gpu.h"

#include <stddef.h>

#include "preload/gpu/gpu_asked.h"
#include "preload/gpu/gpu_clock.h"
#include "preload/gpu/gpu_copy.h"
#include "preload/gpu/gpu_form.h"
#include "preload/gpu/gpu_second.h"
#include "preload/gpu/gpu_share.h"
#include "preload/hook/hook.h"

static bool is_shared(const char *function)
{
	const char *missing;

	if (!gpu_share_is_used() || !gpu_share_open(&missing))
		return false;
	gpu_others_come(function);
	gpu_share_with(function);
	return true;
}

/* The body of a function: both(...) if CUPTI is shared, else the original. */
#define EXPORTED(name, parameters, arguments)                                 \
	static cupti_result both_##name parameters;                           \
	HOOK_EXPORT int name parameters                                       \
	{                                                                     \
		int(*original) parameters;                                    \
                                                                              \
		if (is_shared(#name))                                         \
			return both_##name arguments;                         \
		*(void **)(void *)&original = gpu_library_find(#name);        \
		return original ? original arguments : CUPTI_NOT_INITIALISED; \
	}                                                                     \
	static cupti_result both_##name parameters

/* A user of the second form has a subscriber of its own, which concerns only it and CUPTI. */
static bool is_other(cupti_subscriber subscriber)
{
	return gpu_second_is_here() && subscriber != gpu_form_subscriber();
}

/* --- callbacks --- */

EXPORTED(cuptiSubscribe,
	 (cupti_subscriber * ret_subscriber, cupti_callback_function *callback, void *user),
	 (ret_subscriber, callback, user))
{
	cupti_result result;

	if (!ret_subscriber || !callback)
		return gpu_cupti.cuptiSubscribe(ret_subscriber, callback, user);
	result = gpu_share_subscribe(GPU_THEM, ret_subscriber);
	if (result)
		return result;
	gpu_callback_prepare_two();
	gpu_share_set_their_callback(callback, user);
	return CUPTI_OK;
}

EXPORTED(cuptiUnsubscribe, (cupti_subscriber subscriber), (subscriber))
{
	cupti_result result;

	if (is_other(subscriber))
		return gpu_cupti.cuptiUnsubscribe(subscriber);
	result = gpu_share_unsubscribe(GPU_THEM);
	if (!result)
		gpu_share_set_their_callback(NULL, NULL);
	return result;
}

EXPORTED(cuptiEnableCallback, (uint32_t on, cupti_subscriber subscriber, int domain, uint32_t id),
	 (on, subscriber, domain, id))
{
	if (is_other(subscriber))
		return gpu_cupti.cuptiEnableCallback(on, subscriber, domain, id);
	return gpu_share_callback(GPU_THEM, on != 0, domain, id);
}

/*
 * Does not use CUPTI's own function if that would switch our callbacks off. That function does not
 * know all ids.
 */
static cupti_result domain_switch(uint32_t on, cupti_subscriber subscriber, int domain)
{
	cupti_result result = CUPTI_OK;

	if (domain <= 0 || domain >= GPU_DOMAINS || is_other(subscriber))
		return gpu_cupti.cuptiEnableDomain
			       ? gpu_cupti.cuptiEnableDomain(on, subscriber, domain)
			       : CUPTI_NOT_INITIALISED;
	if (on && gpu_cupti.cuptiEnableDomain)
		result = gpu_cupti.cuptiEnableDomain(on, subscriber, domain);
	for (uint32_t id = 0; !result && id < GPU_CALLBACK_IDS; id++)
		(void)gpu_share_callback(GPU_THEM, on != 0, domain, id);
	return result;
}

EXPORTED(cuptiEnableDomain, (uint32_t on, cupti_subscriber subscriber, int domain),
	 (on, subscriber, domain))
{
	return domain_switch(on, subscriber, domain);
}

#define ALL_DOMAINS 8 /* upper limit: CUPTI refuses domains that it does not know */

EXPORTED(cuptiEnableAllDomains, (uint32_t on, cupti_subscriber subscriber), (on, subscriber))
{
	cupti_result first, second;

	if (is_other(subscriber))
		return gpu_cupti.cuptiEnableAllDomains
			       ? gpu_cupti.cuptiEnableAllDomains(on, subscriber)
			       : CUPTI_NOT_INITIALISED;
	first = domain_switch(on, subscriber, CUPTI_DRIVER_API);
	second = domain_switch(on, subscriber, CUPTI_RUNTIME_API);
	for (int domain = CUPTI_DOMAINS; domain < ALL_DOMAINS; domain++)
		(void)domain_switch(on, subscriber, domain);
	return first ? first : second;
}

/* --- records --- */

EXPORTED(cuptiActivityRegisterCallbacks,
	 (cupti_buffer_requested * requested, cupti_buffer_completed *completed),
	 (requested, completed))
{
	cupti_result result;

	if (!requested || !completed)
		return CUPTI_INVALID_PARAMETER;
	result = gpu_share_register();
	if (!result)
		gpu_copy_register(requested, completed);
	return result;
}

EXPORTED(cuptiActivityEnable, (int kind), (kind))
{
	cupti_result result;

	gpu_asked_stay();
	result = gpu_share_kind(GPU_THEM, true, kind);
	if (!result && kind > 0)
		gpu_copy_kind((uint32_t)kind, true);
	return result;
}

EXPORTED(cuptiActivityDisable, (int kind), (kind))
{
	cupti_result result = gpu_share_kind(GPU_THEM, false, kind);

	if (!result && kind > 0)
		gpu_copy_kind((uint32_t)kind, false);
	return result;
}

EXPORTED(cuptiActivityFlushAll, (uint32_t how), (how))
{
	cupti_result result = gpu_cupti.cuptiActivityFlushAll(how);

	gpu_copy_flush();
	return result;
}

/* Our period is a second. If the other user wants a shorter one, it is used. */
EXPORTED(cuptiActivityFlushPeriod, (uint32_t period_ms), (period_ms))
{
	if (!gpu_cupti.cuptiActivityFlushPeriod)
		return CUPTI_NOT_INITIALISED;
	gpu_copy_set_prompt(period_ms != 0);
	if (gpu_is_on() && (!period_ms || period_ms > GPU_FLUSH_PERIOD_MS))
		period_ms = GPU_FLUSH_PERIOD_MS;
	return gpu_cupti.cuptiActivityFlushPeriod(period_ms);
}

EXPORTED(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *ret_dropped),
	 (context, stream, ret_dropped))
{
	if (!ret_dropped)
		return CUPTI_INVALID_PARAMETER;
	gpu_copy_dropped(gpu_take_dropped(context, stream));
	*ret_dropped = gpu_copy_take_dropped();
	return CUPTI_OK;
}

/*
 * If the same function is given again, nothing changes, but CUPTI garbles records each time
 * (pytorch#192021). So CUPTI is given a function only once.
 */
EXPORTED(cuptiActivityRegisterTimestampCallback, (cupti_timestamp_function * timestamp),
	 (timestamp))
{
	cupti_result result;

	if (!gpu_cupti.cuptiActivityRegisterTimestampCallback)
		return CUPTI_NOT_INITIALISED;
	if (gpu_form_is_second()) /* with several subscribers CUPTI has only its own clock */
		return CUPTI_NOT_SUPPORTED;
	if (timestamp && timestamp == gpu_clock_theirs())
		return CUPTI_OK;
	if (gpu_is_on())
		(void)gpu_cupti.cuptiActivityFlushAll(0); /* records so far use CUPTI's own clock */
	gpu_clock_prepare(gpu_form_timestamp);
	result = gpu_cupti.cuptiActivityRegisterTimestampCallback(timestamp);
	if (!result)
		gpu_clock_follow(timestamp);
	return result;
}

/* Zeroed buffers would have to be provided by us. */
EXPORTED(cuptiActivitySetAttribute, (int attribute, size_t *bytes, void *value),
	 (attribute, bytes, value))
{
	if (attribute == CUPTI_ATTRIBUTE_ZEROED || gpu_form_is_second())
		return CUPTI_OK;
	if (!gpu_cupti.cuptiActivitySetAttribute)
		return CUPTI_NOT_INITIALISED;
	return gpu_cupti.cuptiActivitySetAttribute(attribute, bytes, value);
}

/* The other user's CUPTI ends, ours continues. */
EXPORTED(cuptiFinalize, (void), ())
{
	cupti_result result = CUPTI_OK;

	if (!gpu_is_on()) {
		if (gpu_cupti.cuptiFinalize)
			result = gpu_cupti.cuptiFinalize();
		gpu_share_reset();
		return result;
	}
	for (int kind = 1; kind < CUPTI_KINDS; kind++)
		if (gpu_share_wants(GPU_THEM, (uint32_t)kind))
			(void)both_cuptiActivityDisable(kind);
	gpu_copy_flush();
	(void)both_cuptiUnsubscribe(gpu_form_subscriber());
	gpu_copy_register(NULL, NULL);
	return result;
}

/* --- the second form --- */

HOOK_EXPORT int cuptiSubscribe_v2(cupti_subscriber *ret_subscriber,
				  cupti_callback_function *callback, void *user, void *parameters)
{
	int (*original)(cupti_subscriber *, cupti_callback_function *, void *, void *);
	const char *missing;

	*(void **)(void *)&original = gpu_library_find("cuptiSubscribe_v2");
	if (!original)
		return CUPTI_NOT_INITIALISED;
	if (!gpu_share_is_used() || !gpu_share_open(&missing) || !gpu_cupti.cuptiSubscribe_v2)
		return original(ret_subscriber, callback, user, parameters);
	return gpu_second_subscribe(ret_subscriber, callback, user, parameters);
}

/* --- functions that cannot be done for two users: we leave CUPTI to the other --- */

#define LEAVING(name, parameters, arguments, then)                     \
	HOOK_EXPORT int name parameters                                \
	{                                                              \
		int(*original) parameters;                             \
		cupti_result result = CUPTI_NOT_INITIALISED;           \
                                                                       \
		*(void **)(void *)&original = gpu_library_find(#name); \
		if (original) {                                        \
			gpu_leave_to(#name);                           \
			result = original arguments;                   \
		}                                                      \
		if (!result)                                           \
			then;                                          \
		return result;                                         \
	}

/* Enables a kind for one context only. Not all kinds of records show their context. */
LEAVING(cuptiActivityEnableContext, (void *context, int kind), (context, kind),
	gpu_copy_kind((uint32_t)kind, true))
LEAVING(cuptiActivityDisableContext, (void *context, int kind), (context, kind),
	gpu_copy_kind((uint32_t)kind, false))
