/* SPDX-License-Identifier: MIT */
/*
 * The form is chosen when we subscribe, and again when nobody is subscribed any more. The names
 * that an object asks ld.so for are the undefined names of its symbol table. One flag decides for
 * all functions that exist in both forms.
 */
#include "preload/gpu/gpu_form.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/base/clock.h"
#include "preload/base/symbols.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_share.h"
#include "preload/settings/settings.h"

#define SINCE_CUPTI 130300u /* cuptiGetVersion() */

#define FLUSH_EACH_NS (GPU_FLUSH_PERIOD_MS * 1000000ull)

static _Atomic bool is_chosen;
_Atomic bool gpu_form_second;
static _Atomic(cupti_subscriber) subscriber;

/* --- which --- */

struct clients {
	bool of_first, of_second;
};

static int clients_look(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct clients *clients = context;
	struct symbols s;

	(void)bytes;
	if (!symbols_of_module(module, &s))
		return 0;
	clients->of_first |= symbols_asks_for(&s, "cuptiActivityRegisterCallbacks");
	clients->of_second |= symbols_asks_for(&s, "cuptiSubscribe_v2");
	return 0;
}

static bool second_is_in_sight(void)
{
	struct clients clients = { 0 };

	(void)dl_iterate_phdr(clients_look, &clients);
	return clients.of_second && !clients.of_first;
}

/*
 * Graphs as one piece of work must be requested for all subscribers together, before any of them
 * subscribes. That is not for us to decide, so the second form is not used then.
 */
bool gpu_form_has_second(void)
{
	const struct gpu_library *c = &gpu_cupti;
	uint32_t version = 0;

	return c->cuptiSubscribe_v2 && c->cuptiActivityRegisterCallbacks_v2 &&
	       c->cuptiActivityEnable_v2 && c->cuptiActivityDisable_v2 &&
	       c->cuptiActivityGetNextRecord_v2 && c->cuptiActivityGetNumDroppedRecords_v2 &&
	       c->cuptiGetTimestamp_v2 && settings.graphs != SETTINGS_GRAPHS_WHOLE &&
	       c->cuptiGetVersion(&version) == CUPTI_OK && version >= SINCE_CUPTI;
}

void gpu_form_choose_second(void)
{
	atomic_store(&is_chosen, true);
}

void gpu_form_forget(void)
{
	atomic_store(&subscriber, NULL);
	atomic_store(&gpu_form_second, false);
}

/* --- the subscriber --- */

static cupti_result subscribe_second(cupti_subscriber *ret_subscriber)
{
	struct cupti_subscriber_parameters parameters = { .bytes = sizeof(parameters),
							  .name = "intercept",
							  .several = 1 };

	return gpu_cupti.cuptiSubscribe_v2(ret_subscriber, gpu_callback, NULL, &parameters);
}

cupti_result gpu_form_subscribe(void)
{
	bool wants_second = gpu_form_has_second() &&
			    (atomic_load(&is_chosen) || second_is_in_sight());
	cupti_subscriber made = NULL;
	cupti_result second = wants_second ? subscribe_second(&made) : CUPTI_UNKNOWN;
	cupti_result result = second ? gpu_cupti.cuptiSubscribe(&made, gpu_callback, NULL)
				     : CUPTI_OK;

	if (!result)
		atomic_store(&subscriber, made);
	/* last: whoever finds it true passes the subscriber on */
	atomic_store_explicit(&gpu_form_second, second == CUPTI_OK, memory_order_release);
	return result;
}

cupti_subscriber gpu_form_subscriber(void)
{
	return atomic_load(&subscriber);
}

cupti_result gpu_form_unsubscribe(void)
{
	cupti_result result = gpu_cupti.cuptiUnsubscribe(atomic_load(&subscriber));

	gpu_form_forget();
	return result;
}

/* --- functions that exist in both forms --- */

static void requested_of(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records, void *about)
{
	(void)about;
	gpu_buffer_requested(ret_buffer, ret_bytes, ret_records);
}

static void completed_of(uint8_t *buffer, size_t bytes, size_t valid_bytes, void *about)
{
	(void)about;
	gpu_buffer_completed(NULL, 0, buffer, bytes, valid_bytes);
}

cupti_result gpu_form_register(void)
{
	if (!gpu_form_is_second())
		return gpu_cupti.cuptiActivityRegisterCallbacks(gpu_buffer_requested,
								gpu_buffer_completed);
	return gpu_cupti.cuptiActivityRegisterCallbacks_v2(gpu_form_subscriber(), requested_of,
							   completed_of);
}

cupti_result gpu_form_kind(bool on, int kind)
{
	if (!gpu_form_is_second())
		return on ? gpu_cupti.cuptiActivityEnable(kind)
			  : gpu_cupti.cuptiActivityDisable(kind);
	return on ? gpu_cupti.cuptiActivityEnable_v2(gpu_form_subscriber(), kind, NULL)
		  : gpu_cupti.cuptiActivityDisable_v2(gpu_form_subscriber(), kind, NULL);
}

cupti_result gpu_form_next_record(uint8_t *buffer, size_t valid_bytes, void **record)
{
	if (!gpu_form_is_second())
		return gpu_cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, record);
	return gpu_cupti.cuptiActivityGetNextRecord_v2(gpu_form_subscriber(), buffer, valid_bytes,
						       record);
}

cupti_result gpu_form_timestamp(uint64_t *ret_ns)
{
	if (!gpu_form_is_second())
		return gpu_cupti.cuptiGetTimestamp(ret_ns);
	return gpu_cupti.cuptiGetTimestamp_v2(gpu_form_subscriber(), ret_ns);
}

/* At most one thread per second. NVIDIA allows it in callbacks of calls. */
void gpu_form_flush_sometimes(void)
{
	static _Atomic uint64_t flushed;
	uint64_t last = atomic_load_explicit(&flushed, memory_order_relaxed);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - last < FLUSH_EACH_NS || !atomic_compare_exchange_strong(&flushed, &last, now))
		return;
	if (last)
		(void)gpu_cupti.cuptiActivityFlushAll(0);
}

cupti_result gpu_form_dropped(void *context, uint32_t stream, size_t *ret_dropped)
{
	if (gpu_form_is_second())
		return gpu_cupti.cuptiActivityGetNumDroppedRecords_v2(gpu_form_subscriber(),
								      context, stream, ret_dropped);
	if (!gpu_cupti.cuptiActivityGetNumDroppedRecords)
		return CUPTI_NOT_INITIALISED;
	return gpu_cupti.cuptiActivityGetNumDroppedRecords(context, stream, ret_dropped);
}
