/* SPDX-License-Identifier: MIT */
/* Bodies of the fake libcupti: subscribers and their callbacks, activities. */
#include "tests/fake/cupti.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, parameters, arguments) int do_##name parameters;
#include "tests/fake/cupti.def"

/* --- subscribers and their callbacks --- */

#define IDS 1024u
#define DOMAINS 7 /* up to CUPTI_CB_DOMAIN_STATE */

struct CUpti_Subscriber_st {
	_Atomic(cupti_callback_function *) callback;
	void *user;
	_Atomic bool on[DOMAINS][IDS];
};

/* The first for cuptiSubscribe(). */
static struct CUpti_Subscriber_st subscribers[CUPTI_CLIENTS];
#define the_subscriber subscribers[0]

/* All subscribers have one word. */
static void callback_call(struct fake_call *call, int domain, bool is_done, int result)
{
	uint32_t id = domain == CUPTI_DRIVER_API && call->is_runtime ? 307
								     : call->function->callback;

	for (unsigned int i = 0; i < CUPTI_CLIENTS; i++) {
		struct CUpti_Subscriber_st *who = &subscribers[i];
		cupti_callback_function *callback = atomic_load(&who->callback);
		struct cupti_callback about = { .site = is_done,
						.function = call->function->name,
						.result = is_done ? &result : NULL,
						.context = who,
						.context_id = 1,
						.kept = &call->kept[domain - 1],
						.correlation = fake_thread.correlation };

		if (callback && id < IDS && atomic_load(&who->on[domain][id]))
			callback(who->user, domain, id, &about);
	}
}

/* What the program calls, and below a call of the runtime the one that it makes of the driver. */
static void tool_call(struct fake_call *call, bool is_done, int result)
{
	int domain = call->is_runtime ? CUPTI_RUNTIME_API : CUPTI_DRIVER_API;

	if (!is_done) {
		cupti_buffer_prepare();
		call->start_ns = cupti_call_now();
		callback_call(call, domain, false, 0);
	}
	if (domain == CUPTI_RUNTIME_API)
		callback_call(call, CUPTI_DRIVER_API, is_done, result);
	if (is_done) {
		callback_call(call, domain, true, result);
		cupti_call_done(call, domain, call->start_ns, result);
	}
	if (is_done && cupti_queue_is_long())
		cupti_flush_some();
}

static bool tool_work(const struct fake_work *work)
{
	struct fake_work with_clock = *work;

	with_clock.has_their_clock = cupti_has_their_clock();
	if (!cupti_kind_is_on(work) || !cupti_queue(&with_clock))
		return false;
	cupti_overhead_sometimes(&with_clock);
	return true;
}

/* A resource callback; what it is called with is valid until it returns. */
static void tool_node(CUgraph graph, const void *node, const void *original)
{
	uint32_t id = original ? CUPTI_NODE_CLONED : CUPTI_NODE_CREATED;
	struct cupti_graph_data data = { .graph = graph,
					 .node = (void *)(uintptr_t)node,
					 .original_node = (void *)(uintptr_t)original };

	for (unsigned int i = 0; i < CUPTI_CLIENTS; i++) {
		struct CUpti_Subscriber_st *who = &subscribers[i];
		cupti_callback_function *callback = atomic_load(&who->callback);
		struct cupti_resource resource = { .context = who, .about = &data };

		if (callback && atomic_load(&who->on[CUPTI_RESOURCE][id]))
			callback(who->user, CUPTI_RESOURCE, id, (const void *)&resource);
	}
}

static bool tool_has_whole_graphs(void)
{
	return cupti_has_kind(CUPTI_GRAPH_TRACE);
}

static const struct fake_tool tool = { .call = tool_call,
				       .work = tool_work,
				       .node = tool_node,
				       .has_whole_graphs = tool_has_whole_graphs };

int do_cuptiGetGraphId(CUgraph graph, uint32_t *ret_id)
{
	*ret_id = graph->id;
	return CUPTI_OK;
}

int do_cuptiGetGraphExecId(CUgraphExec exec, uint32_t *ret_id)
{
	*ret_id = exec->id;
	return CUPTI_OK;
}

int do_cuptiGetGraphNodeId(const struct fake_node *node, uint64_t *ret_id)
{
	*ret_id = node->id;
	return CUPTI_OK;
}

struct CUpti_Subscriber_st *cupti_subscribe(unsigned int client, cupti_callback_function *callback,
					    void *user)
{
	struct CUpti_Subscriber_st *who = &subscribers[client];
	cupti_callback_function *nobody = NULL;

	if (atomic_load(&who->callback))
		return NULL;
	who->user = user;
	if (!atomic_compare_exchange_strong(&who->callback, &nobody, callback))
		return NULL;
	atomic_store(&fake_tool, &tool);
	atomic_store(&fake_is_subscribed, true);
	return who;
}

unsigned int cupti_client_of(cupti_subscriber subscriber)
{
	for (unsigned int i = 1; i < CUPTI_CLIENTS; i++)
		if (subscriber == &subscribers[i] && atomic_load(&subscriber->callback))
			return i;
	return 0;
}

bool cupti_second_is_used(void)
{
	for (unsigned int i = 1; i < CUPTI_CLIENTS; i++)
		if (atomic_load(&subscribers[i].callback))
			return true;
	return false;
}

bool cupti_first_is_used(void)
{
	bool is_used = atomic_load(&the_subscriber.callback) != NULL;

	for (int kind = 0; kind < CUPTI_KINDS; kind++)
		is_used = is_used || cupti_client_has_kind(0, kind);
	return is_used;
}

int do_cuptiSubscribe(cupti_subscriber *ret_subscriber, cupti_callback_function *callback,
		      void *user)
{
	if (!ret_subscriber || !callback)
		return CUPTI_INVALID_PARAMETER;
	if (cupti_second_is_used())
		return CUPTI_MULTIPLE_SUBSCRIBERS;
	*ret_subscriber = cupti_subscribe(0, callback, user);
	return *ret_subscriber ? CUPTI_OK : CUPTI_MULTIPLE_SUBSCRIBERS;
}

static bool has_subscribed(cupti_subscriber subscriber)
{
	return (subscriber == &the_subscriber && atomic_load(&the_subscriber.callback)) ||
	       cupti_client_of(subscriber);
}

int do_cuptiUnsubscribe(cupti_subscriber subscriber)
{
	unsigned int client = cupti_client_of(subscriber);

	if (!has_subscribed(subscriber))
		return CUPTI_INVALID_PARAMETER;
	for (int domain = 0; domain < DOMAINS; domain++)
		for (unsigned int id = 0; id < IDS; id++)
			atomic_store(&subscriber->on[domain][id], false);
	for (int kind = 1; client && kind < CUPTI_KINDS; kind++)
		cupti_kind_set(client, kind, false);
	atomic_store(&subscriber->callback, NULL);
	atomic_store(&fake_is_subscribed,
		     cupti_second_is_used() || atomic_load(&the_subscriber.callback));
	return CUPTI_OK;
}

int do_cuptiEnableCallback(uint32_t on, cupti_subscriber subscriber, int domain, uint32_t id)
{
	if (!has_subscribed(subscriber) || domain >= DOMAINS || id >= IDS)
		return CUPTI_INVALID_PARAMETER;
	atomic_store(&subscriber->on[domain][id], on != 0);
	return CUPTI_OK;
}

int do_cuptiEnableDomain(uint32_t on, cupti_subscriber subscriber, int domain)
{
	for (uint32_t id = 0; domain < DOMAINS && id < IDS; id++)
		(void)do_cuptiEnableCallback(on, subscriber, domain, id);
	return CUPTI_OK;
}

int do_cuptiEnableAllDomains(uint32_t on, cupti_subscriber subscriber)
{
	(void)do_cuptiEnableDomain(on, subscriber, CUPTI_DRIVER_API);
	return do_cuptiEnableDomain(on, subscriber, CUPTI_RUNTIME_API);
}

/* --- activities --- */

int do_cuptiActivityRegisterCallbacks(cupti_buffer_requested *requested,
				      cupti_buffer_completed *completed)
{
	if (!requested || !completed)
		return CUPTI_INVALID_PARAMETER;
	if (cupti_second_is_used())
		return CUPTI_NOT_COMPATIBLE;
	cupti_set_buffers(requested, completed);
	atomic_store(&fake_tool, &tool);
	atomic_store(&fake_is_subscribed, true);
	return CUPTI_OK;
}

static int kind_switch(unsigned int client, bool on, int kind)
{
	if (kind <= 0 || kind >= CUPTI_KINDS)
		return CUPTI_INVALID_KIND;
	if (on && ((kind == CUPTI_KERNEL && cupti_has_kind(CUPTI_CONCURRENT_KERNEL)) ||
		   (kind == CUPTI_CONCURRENT_KERNEL && cupti_has_kind(CUPTI_KERNEL))))
		return CUPTI_NOT_COMPATIBLE;
	cupti_kind_set(client, kind, on);
	if (on && kind == CUPTI_DEVICE)
		cupti_devices_tell(client);
	return CUPTI_OK;
}

int do_cuptiActivityEnable(int kind)
{
	return cupti_second_is_used() ? CUPTI_NOT_COMPATIBLE : kind_switch(0, true, kind);
}

int do_cuptiActivityDisable(int kind)
{
	return cupti_second_is_used() ? CUPTI_NOT_COMPATIBLE : kind_switch(0, false, kind);
}

int do_cuptiActivityEnable_v2(cupti_subscriber subscriber, int kind, void *config)
{
	unsigned int client = cupti_client_of(subscriber);

	(void)config;
	return client ? kind_switch(client, true, kind) : CUPTI_INVALID_PARAMETER;
}

int do_cuptiActivityDisable_v2(cupti_subscriber subscriber, int kind, void *config)
{
	unsigned int client = cupti_client_of(subscriber);

	(void)config;
	return client ? kind_switch(client, false, kind) : CUPTI_INVALID_PARAMETER;
}

/* There is one context. */
int do_cuptiActivityEnableContext(void *context, int kind)
{
	return context ? do_cuptiActivityEnable(kind) : CUPTI_INVALID_PARAMETER;
}

int do_cuptiActivityDisableContext(void *context, int kind)
{
	return context ? do_cuptiActivityDisable(kind) : CUPTI_INVALID_PARAMETER;
}

int do_cuptiActivityFlushAll(uint32_t how)
{
	while (how && getenv("FAKE_CUPTI_HANG"))
		sleep(1);
	cupti_flush(how != 0);
	return CUPTI_OK;
}

static _Atomic uint32_t period;

static void *flusher(void *unused)
{
	(void)unused;
	while (atomic_load(&period)) {
		uint32_t ms = atomic_load(&period);
		struct timespec nap = { ms / 1000, ms % 1000 * 1000000 };

		nanosleep(&nap, NULL);
		cupti_flush_full();
	}
	return NULL;
}

int do_cuptiActivityFlushPeriod(uint32_t period_ms)
{
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (cupti_second_is_used())
		return CUPTI_NOT_COMPATIBLE;
	if (atomic_exchange(&period, period_ms) || !period_ms)
		return CUPTI_OK;
	sigfillset(&all); /* the program's handlers run on its own threads */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, flusher, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error)
		return CUPTI_UNKNOWN;
	pthread_detach(thread);
	return CUPTI_OK;
}

int do_cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes, void **record)
{
	if (cupti_second_is_used())
		return CUPTI_NOT_COMPATIBLE;
	return cupti_next_record(buffer, valid_bytes, record);
}

int do_cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *ret_dropped)
{
	(void)context;
	(void)stream;
	if (cupti_second_is_used())
		return CUPTI_NOT_COMPATIBLE;
	*ret_dropped = cupti_take_dropped();
	return CUPTI_OK;
}

/* Whoever used it: all is gone; but of several nobody ends it for the others. */
int do_cuptiFinalize(void)
{
	if (cupti_second_is_used())
		return CUPTI_OK;
	for (int kind = 1; kind < CUPTI_KINDS; kind++)
		cupti_kind_set(0, kind, false);
	(void)do_cuptiUnsubscribe(&the_subscriber);
	cupti_flush(true);
	cupti_set_buffers(NULL, NULL);
	fake_correlations_begin();
	return CUPTI_OK;
}

int do_cuptiGetVersion(uint32_t *ret_version)
{
	*ret_version = cupti_version();
	return CUPTI_OK;
}

int do_cuptiGetTimestamp(uint64_t *ret_ns)
{
	if (cupti_second_is_used())
		return CUPTI_NOT_COMPATIBLE;
	*ret_ns = fake_device_now();
	return CUPTI_OK;
}

int do_cuptiGetResultString(int code, const char **ret_text)
{
	*ret_text = code ? "CUPTI_ERROR_OF_THE_FAKE" : "CUPTI_SUCCESS";
	return CUPTI_OK;
}

int do_cuptiGetCallbackName(int domain, uint32_t id, const char **ret_name)
{
	(void)domain;
	(void)id;
	*ret_name = "cudaOfTheFake";
	return CUPTI_OK;
}
