/* SPDX-License-Identifier: MIT */
/*
 * The thread's first wait binds it to its ring before the original runs, so that a thread that
 * waits for ever from its beginning is known to wait. Sums are added to by one instruction each: a
 * signal handler may come between any two, and no other thread writes them.
 */
/* cases: osrt */
#include "preload/osrt/wait.h"

#include <stddef.h>

#include "collector/arch/arch.h"
#include "preload/hook/origin.h"
#include "preload/record/family.h"
#include "preload/record/event.h"
#include "preload/settings/settings.h"
#include "preload/stacks/long_calls.h"

PRELOAD_HOT bool osrt_is_never;

static struct string call_name[REGION_WAIT_LIMIT] = {
#define WAIT_CALL(name) [REGION_WAIT_##name] = { .bytes = #name, .length = sizeof(#name) - 1 },
#include "collector/region/wait_calls.def"
};

bool osrt_find(void *original, const char *name)
{
	void *found;

	if (!hook_resolve())
		return false;
	__atomic_load((void **)original, &found, __ATOMIC_RELAXED);
	if (!found) {
		found = origin_next(name);
		__atomic_store_n((void **)original, found, __ATOMIC_RELAXED);
	}
	return found;
}

int osrt_missing(void)
{
	errno = ENOSYS;
	return -1;
}

static uint64_t wait_name(enum region_wait call, struct recorder_lane *lane)
{
	struct string *name = &call_name[call];

	/* two threads that come first compute the same value */
	if (__builtin_expect(!name->hash, 0))
		__atomic_store_n(&name->hash, string_hash(name->bytes, name->length),
				 __ATOMIC_RELAXED);
	return string_id(name, lane);
}

/* --- before the original --- */

static __attribute__((noinline)) void wait_bind(void)
{
	int saved = errno;
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_osrt, RECORDER_IN_RECORD);

	if (lane)
		recorder_leave(lane);
	errno = saved;
}

/* NULL: the thread has no ring, that of a forked child's parent, or one without such a block. */
static struct region_waits *waits_of_thread(void)
{
	const struct recorder_lane *lane = &recorder_self.lane[0];

	return lane->bound == recorder_gates->generation + 1 ? recorder_waits(lane) : NULL;
}

void osrt_begin(struct osrt_wait *wait)
{
	struct region_waits *waits;

	if (__builtin_expect(recorder_self.lane[0].bound != recorder_gates->generation + 1, 0))
		wait_bind();
	wait->noted = waits = waits_of_thread();
	wait->start = recorder_now();
	if (!waits)
		return;
	atomic_store_explicit(&waits->start, 0, memory_order_relaxed);
	/* a reader that sees one of the fields sees the 0, too; pairs with thread_waits.c */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&waits->object, wait->object, memory_order_relaxed);
	atomic_store_explicit(&waits->owner, wait->owner, memory_order_relaxed);
	atomic_store_explicit(&waits->call, wait->call, memory_order_relaxed);
	atomic_store_explicit(&waits->kind, wait->kind, memory_order_relaxed);
	atomic_store_explicit(&waits->caller, wait->caller, memory_order_relaxed);
	atomic_store_explicit(&waits->head, recorder_self.lane[0].head, memory_order_relaxed);
	atomic_store_explicit(&waits->start, wait->start + !wait->start, memory_order_release);
}

/* --- after it --- */

/* A handler may have forked meanwhile: what was noted is the parent's then. */
static inline bool wait_is_noted(const struct osrt_wait *wait)
{
	return wait->noted && recorder_self.lane[0].bound == recorder_gates->generation + 1;
}

static inline void wait_sum_add(_Atomic uint64_t *sum, uint64_t value)
{
	arch_word_add(sum, value);
}

/* Returns false if the wait is to be recorded: it was long, or nobody would see the sum. */
static bool wait_is_counted(struct recorder_lane *lane, const struct osrt_wait *wait,
			    uint64_t ticks)
{
	struct region_waits *waits;

	if (ticks >= long_calls_ticks(settings.osrt_min_ns))
		return false;
	waits = wait_is_noted(wait) && lane == &recorder_self.lane[0] ? wait->noted
								      : recorder_waits(lane);
	if (!waits)
		return false;
	wait_sum_add(&waits->sum[wait->call].calls, 1);
	wait_sum_add(&waits->sum[wait->call].ticks, ticks);
	return true;
}

static void wait_record(struct recorder_lane *lane, const struct osrt_wait *wait, uint64_t now,
			int error)
{
	uint64_t ticks = now - wait->start;
	uint64_t field[] = { wait_name(wait->call, lane),
			     wait->kind,
			     wait->object,
			     wait->owner,
			     (uint64_t)error,
			     ticks };
	const unsigned int fields = sizeof(field) / sizeof(field[0]);
	uint64_t stack = stack_of_call(lane, EVT_FAMILY_osrt, ticks);
	uint64_t *at = stack_room(lane, stack, now, fields + RECORD_IN_BLOCK_HEAD);

	if (!at)
		return;
	at[0] = record_word(now, RECORD_IN_BLOCK);
	at[1] = recorder_number_in_block(EVT_osrt_wait);
	for (unsigned int i = 0; i < fields; i++)
		at[i + RECORD_IN_BLOCK_HEAD] = field[i];
	recorder_publish(lane, fields + RECORD_IN_BLOCK_HEAD);
}

void osrt_end(const struct osrt_wait *wait, int error)
{
	int saved = errno;
	uint64_t now = recorder_now();
	struct recorder_lane *lane;

	if (wait_is_noted(wait))
		atomic_store_explicit(&wait->noted->start, 0, memory_order_relaxed);
	lane = recorder_enter(EVT_FAMILY_osrt, RECORDER_IN_RECORD);
	if (lane) {
		if (!wait_is_counted(lane, wait, now - wait->start))
			wait_record(lane, wait, now, error);
		recorder_leave(lane);
	}
	errno = saved;
}

/* --- the family --- */

/* A function that libc lacks would be called through NULL. */
static bool wait_has_originals(void)
{
	bool all = hook_resolve();

#define HOOK(library, returns, name, parameters, arguments) all = all && hook_real.name;
#include "preload/osrt/hooks.def"
	return all;
}

static void osrt_loaded(void)
{
	osrt_is_never = !(settings.trace & 1u << SETTINGS_FAMILY_osrt) && wait_has_originals();
}

PRELOAD_HIDDEN extern const struct family family_osrt;

const struct family family_osrt = { .loaded = osrt_loaded };
