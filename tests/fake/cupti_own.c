/* SPDX-License-Identifier: MIT */
/*
 * The fake libcupti's own kinds: calls, the numbers that a user pushes for them, overhead; and a
 * user's clock.
 */
#include "tests/fake/cupti.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, parameters, arguments) int do_##name parameters;
#include "tests/fake/cupti.def"

/* --- a user's clock --- */

static _Atomic(cupti_timestamp_function *) their_clock;

/*
 * Both clocks as the user's came, and their rate: known after a nap, and better the longer it is
 * used.
 */
static struct clock_pair {
	uint64_t device_ns, theirs;
} first;

static struct clock_pair pair_now(cupti_timestamp_function *clock)
{
	struct clock_pair best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = fake_device_now(), theirs = clock(), after = fake_device_now();

		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct clock_pair){ before + least / 2, theirs };
	}
	return best;
}

int do_cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
	struct timespec nap = { 0, 5000000 };

	if (!clock)
		return CUPTI_INVALID_PARAMETER;
	if (cupti_second_is_used())
		return CUPTI_NOT_COMPATIBLE;
	first = pair_now(clock);
	nanosleep(&nap, NULL);
	atomic_store(&their_clock, clock);
	return CUPTI_OK;
}

bool cupti_has_their_clock(void)
{
	return atomic_load(&their_clock) != NULL;
}

void cupti_their_times(struct fake_work *work)
{
	struct clock_pair now = pair_now(atomic_load(&their_clock));
	double rate = (double)(now.theirs - first.theirs) /
		      (double)(now.device_ns - first.device_ns);
	double start = (double)(int64_t)(work->start_ns - now.device_ns) * rate;
	double length = (double)(work->end_ns - work->start_ns) * rate;

	work->start_ns = now.theirs + (uint64_t)(int64_t)start;
	work->end_ns = work->start_ns + (uint64_t)(length + 0.5);
}

/* --- calls, and the numbers pushed for them --- */

#define WHOSE 8u
#define DEPTH 64u
#define THREADS 512u

/* Of each thread; not thread-local, for which a library that is opened late has no room. */
static struct pushed {
	_Atomic pid_t thread;
	uint64_t id[WHOSE][DEPTH];
	unsigned int depth[WHOSE];
} all_pushed[THREADS];

static struct pushed *pushed_of_thread(void)
{
	pid_t self = (pid_t)syscall(SYS_gettid);

	for (unsigned int i = 0;; i++) {
		struct pushed *pushed = &all_pushed[((unsigned int)self + i) % THREADS];
		pid_t nobody = 0;

		if (atomic_load(&pushed->thread) == self ||
		    atomic_compare_exchange_strong(&pushed->thread, &nobody, self))
			return pushed;
		if (i == THREADS)
			abort();
	}
}

static int push(int whose, uint64_t id)
{
	struct pushed *pushed = pushed_of_thread();

	if (whose <= 0 || whose >= (int)WHOSE)
		return CUPTI_INVALID_PARAMETER;
	if (pushed->depth[whose] < DEPTH)
		pushed->id[whose][pushed->depth[whose]] = id;
	pushed->depth[whose]++;
	return CUPTI_OK;
}

static int pop(int whose, uint64_t *ret_last)
{
	struct pushed *pushed = pushed_of_thread();

	if (whose <= 0 || whose >= (int)WHOSE || !pushed->depth[whose])
		return CUPTI_INVALID_PARAMETER;
	pushed->depth[whose]--;
	if (ret_last && pushed->depth[whose] < DEPTH)
		*ret_last = pushed->id[whose][pushed->depth[whose]];
	return CUPTI_OK;
}

/* The numbers are the thread's here, whoever pushed them. */
int do_cuptiActivityPushExternalCorrelationId(int whose, uint64_t id)
{
	return cupti_second_is_used() ? CUPTI_NOT_COMPATIBLE : push(whose, id);
}

int do_cuptiActivityPopExternalCorrelationId(int whose, uint64_t *ret_last)
{
	return cupti_second_is_used() ? CUPTI_NOT_COMPATIBLE : pop(whose, ret_last);
}

int do_cuptiActivityPushExternalCorrelationId_v2(cupti_subscriber subscriber, int whose,
						 uint64_t id)
{
	return cupti_client_of(subscriber) ? push(whose, id) : CUPTI_INVALID_PARAMETER;
}

int do_cuptiActivityPopExternalCorrelationId_v2(cupti_subscriber subscriber, int whose,
						uint64_t *ret_last)
{
	return cupti_client_of(subscriber) ? pop(whose, ret_last) : CUPTI_INVALID_PARAMETER;
}

#define IDS 1024u

static _Atomic bool is_off[CUPTI_DOMAINS][IDS];

int do_cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t on)
{
	if (id >= IDS)
		return CUPTI_INVALID_PARAMETER;
	atomic_store(&is_off[CUPTI_RUNTIME_API][id], !on);
	return CUPTI_OK;
}

int do_cuptiActivityEnableDriverApi(uint32_t id, uint8_t on)
{
	if (id >= IDS)
		return CUPTI_INVALID_PARAMETER;
	atomic_store(&is_off[CUPTI_DRIVER_API][id], !on);
	return CUPTI_OK;
}

uint64_t cupti_call_now(void)
{
	return fake_device_now();
}

static void pushed_queue(struct fake_work *work)
{
	const struct pushed *pushed = pushed_of_thread();

	work->kind = FAKE_EXTERNAL;
	for (uint32_t whose = 1; whose < WHOSE; whose++) {
		unsigned int depth = pushed->depth[whose];

		if (!depth || depth > DEPTH)
			continue;
		work->id = whose;
		work->bytes = pushed->id[whose][depth - 1];
		(void)cupti_queue(work);
	}
}

/* Below a call of the runtime stands one of the driver: here only that which launches. */
void cupti_call_done(const struct fake_call *call, int domain, uint64_t start_ns, int result)
{
	struct fake_work work = { .kind = FAKE_CALL,
				  .correlation = fake_thread.correlation,
				  .thread = (uint32_t)syscall(SYS_gettid),
				  .start_ns = start_ns,
				  .end_ns = fake_device_now(),
				  .copy = (uint32_t)result,
				  .id = call->function->callback,
				  .is_runtime = domain == CUPTI_RUNTIME_API,
				  .has_their_clock = cupti_has_their_clock() };
	bool is_told = cupti_kind_is_on(&work) && work.id < IDS && !is_off[domain][work.id];

	if (cupti_has_kind(CUPTI_EXTERNAL_CORRELATION) && is_told) {
		struct fake_work external = work;

		pushed_queue(&external);
	}
	if (is_told)
		(void)cupti_queue(&work);
	if (domain == CUPTI_RUNTIME_API && strstr(call->function->name, "Launch")) {
		work.is_runtime = false;
		work.id = 307;
		if (cupti_kind_is_on(&work) && !is_off[CUPTI_DRIVER_API][work.id])
			(void)cupti_queue(&work);
	}
}

/* --- overhead --- */

#define OVERHEAD_EACH 64u
#define OVERHEAD_NS 700u

void cupti_overhead_sometimes(const struct fake_work *work)
{
	static _Atomic uint64_t kernels;
	struct fake_work overhead = *work;

	if (work->kind != FAKE_KERNEL || !cupti_has_kind(CUPTI_OVERHEAD) ||
	    atomic_fetch_add(&kernels, 1) % OVERHEAD_EACH)
		return;
	overhead.kind = FAKE_OVERHEAD;
	overhead.start_ns = work->start_ns - OVERHEAD_NS;
	overhead.end_ns = work->start_ns;
	if (!cupti_queue(&overhead))
		return;
	atomic_fetch_add(&fake_device_overheads.calls, 1);
	atomic_fetch_add(&fake_device_overheads.total_ns, OVERHEAD_NS);
}

/* --- devices --- */

void cupti_devices_tell(unsigned int client)
{
	struct fake_work work = { .kind = FAKE_DEVICE, .clients = (uint8_t)(1u << client) };

	for (work.device = 0; work.device < fake_device_count(); work.device++)
		(void)cupti_queue(&work);
}
