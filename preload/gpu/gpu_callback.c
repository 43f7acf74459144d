/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's callbacks around calls of CUDA that start work or wait. They bring the call's correlation
 * number. An interposed call takes it into its own record (record/correlation.h). Any other call is
 * recorded here: those of a static runtime, cuBLAS or Triton. The runtime's call and the driver's
 * call beneath it have the same number, and are one record.
 */
#include "preload/gpu/gpu.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/gpu/gpu_asked.h"
#include "preload/gpu/gpu_form.h"
#include "preload/gpu/gpu_graphs.h"
#include "preload/gpu/gpu_records.h"
#include "preload/gpu/gpu_share.h"
#include "preload/gpu/gpu_windows.h"
#include "preload/record/correlation.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

#define IDS GPU_CALLBACK_IDS

/* Names by domain and id. */
static const char *const names[CUPTI_DOMAINS][IDS] = {
#define RUNTIME(id, name, constant) [CUPTI_RUNTIME_API][id] = #name,
#define DRIVER(id, name) [CUPTI_DRIVER_API][id] = #name,
#include "preload/gpu/callbacks.def"
};

/* --- a word for two users --- */

/*
 * CUPTI gives a subscriber a word that keeps its value from a call's begin to its end. If both
 * users are called, each has a word in a pair, to which CUPTI's word points.
 */
struct pair {
	_Atomic bool is_taken;
	uint64_t ours, theirs;
};
#define PAIRS 4096u

static _Atomic(struct pair *) pairs;

void gpu_callback_prepare_two(void)
{
	struct pair *none = NULL, *made;
	int saved = errno;

	if (atomic_load(&pairs))
		return;
	made = mmap(NULL, PAIRS * sizeof(*made), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made != MAP_FAILED && !atomic_compare_exchange_strong(&pairs, &none, made))
		munmap(made, PAIRS * sizeof(*made));
	errno = saved;
}

static struct pair *pair_take(uint32_t correlation)
{
	struct pair *all = atomic_load(&pairs);

	for (uint32_t i = 0; all && i < PAIRS; i++) {
		struct pair *pair = &all[(correlation + i) % PAIRS];
		bool is_taken = false;

		if (atomic_compare_exchange_strong(&pair->is_taken, &is_taken, true)) {
			pair->ours = pair->theirs = 0;
			return pair;
		}
	}
	return NULL;
}

static struct pair *gpu_callback_pair_of(uint64_t word)
{
	uintptr_t all = (uintptr_t)atomic_load(&pairs);

	if (!all || word - all >= PAIRS * sizeof(struct pair))
		return NULL;
	return &atomic_load(&pairs)[(word - all) / sizeof(struct pair)];
}

static void pair_release(struct pair *pair)
{
	atomic_store(&pair->is_taken, false);
}

/* If the other user has gone since the call began, the pair must still be released. */
static uint64_t word_take(uint64_t *kept)
{
	uint64_t word = *kept;
	struct pair *pair = gpu_callback_pair_of(word);

	*kept = 0;
	if (__builtin_expect(!pair, 1))
		return word;
	word = pair->ours;
	pair_release(pair);
	return word;
}

/*
 * With several subscribers (gpu_form.h), CUPTI has one word for all of them, which we must not
 * write. So the start of a call that we do not interpose is kept in a table, by its number and
 * domain. If the table has no room for a call, it is not recorded.
 */
#define OWN_CALLS 1024u
#define OWN_CALLS_SEARCHED 16u

static struct own_call {
	_Atomic uint64_t key; /* 0: free */
	uint64_t start;
} own_calls[OWN_CALLS];

static uint64_t own_key(int domain, uint32_t correlation)
{
	return (uint64_t)correlation << 8 | (uint64_t)domain;
}

static struct own_call *own_find(uint64_t key, uint32_t correlation, uint64_t becomes)
{
	for (uint32_t i = 0; i < OWN_CALLS_SEARCHED; i++) {
		struct own_call *own = &own_calls[(correlation + i) % OWN_CALLS];
		uint64_t seen = key;

		if (atomic_compare_exchange_strong(&own->key, &seen, becomes))
			return own;
	}
	return NULL;
}

static void own_put(int domain, uint32_t correlation, uint64_t start)
{
	struct own_call *own = own_find(0, correlation, own_key(domain, correlation));

	if (own)
		own->start = start;
}

/* Written by the same thread. */
static uint64_t own_take(int domain, uint32_t correlation)
{
	uint64_t key = own_key(domain, correlation);
	struct own_call *own = own_find(key, correlation, key);
	uint64_t start = own ? own->start : 0;

	if (own)
		atomic_store(&own->key, 0);
	return start;
}

/* Keeps the start of a call that we do not interpose, from its begin to its end. */
static void start_put(int domain, const struct cupti_callback *callback, uint64_t start)
{
	if (!gpu_form_is_second())
		*callback->kept = start;
	else if (start)
		own_put(domain, callback->correlation, start);
}

static uint64_t start_take(int domain, const struct cupti_callback *callback)
{
	if (gpu_form_is_second())
		return own_take(domain, callback->correlation);
	return *callback->kept ? word_take(callback->kept) : 0;
}

/* --- ours --- */

static void call_record(const char *name, const struct cupti_callback *callback, uint64_t start,
			uint32_t number)
{
	int saved = errno;
	/* read first, because sending the name may take a while */
	uint64_t ticks = clock_ticks(), field[4];
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_gpu, RECORDER_IN_RECORD);
	struct string text = string_of(name);

	if (!lane)
		return;
	field[0] = string_id(&text, lane);
	field[1] = ticks - start;
	field[2] = callback->result ? (uint32_t)*callback->result : 0;
	field[3] = number;
	(void)recorder_put(lane, EVT_gpu_call, ticks - recorder_base, field, 4);
	recorder_leave(lane);
	errno = saved;
}

static uint32_t last_correlation;

uint32_t gpu_last_correlation(void)
{
	return __atomic_load_n(&last_correlation, __ATOMIC_RELAXED);
}

/* Room for calls that have no callback. */
#define NUMBERS_UNSEEN 4096u

void gpu_callback_renumber(bool goes_on)
{
	uint32_t last = __atomic_exchange_n(&last_correlation, 0, __ATOMIC_RELAXED);

	if (goes_on)
		atomic_fetch_add(&gpu_number_base, last + NUMBERS_UNSEEN);
}

/* Two threads may store the smaller number last. That number belongs to a running call, too. */
static void correlation_note(uint32_t correlation)
{
	if ((int32_t)(correlation - __atomic_load_n(&last_correlation, __ATOMIC_RELAXED)) > 0)
		__atomic_store_n(&last_correlation, correlation, __ATOMIC_RELAXED);
}

/* Out of line: interposed calls, and those beneath calls that have a number, need none of it. */
__attribute__((noinline)) static void own_call_begins(int domain,
						      const struct cupti_callback *callback)
{
	uint32_t known = gpu_number(callback->correlation);

	start_put(domain, callback, clock_ticks());
	if (known < CORRELATION_LIMIT && (correlation_self & 3) != CORRELATION_TAKEN)
		correlation_self = known << 2 | CORRELATION_OWN;
}

static inline void gpu_callback_call_begins(int domain, const struct cupti_callback *callback)
{
	uint32_t self = correlation_self, known = gpu_number(callback->correlation);
	uint32_t number = known << 2;

	correlation_note(callback->correlation);
	if (__builtin_expect(!gpu_form_is_second(), 1))
		*callback->kept = 0;
	if (__builtin_expect(!gpu_windows_count(), 0))
		return;
	if (__builtin_expect(known >= CORRELATION_LIMIT, 0))
		own_call_begins(domain, callback);
	else if (self == CORRELATION_AWAITED)
		correlation_self = number | CORRELATION_TAKEN;
	else if (self != (number | CORRELATION_TAKEN) && self != (number | CORRELATION_OWN))
		own_call_begins(domain, callback);
}

/* Returns whether the call counts: it began in a window. */
static bool call_ends(const char *name, int domain, const struct cupti_callback *callback)
{
	uint64_t start = start_take(domain, callback);
	uint32_t number = gpu_number(callback->correlation);

	if (!start)
		return (correlation_self & 3) == CORRELATION_TAKEN;
	if (correlation_self == (number << 2 | CORRELATION_OWN))
		correlation_self = 0;
	/* looked at behind the number: whoever changes numbers has switched CUPTI off before */
	atomic_thread_fence(memory_order_acquire);
	if (correlation_is_void(start))
		return false;
	call_record(name, callback, start, number);
	return true;
}

/* Nothing of CUPTI's may be used behind gpu_detach(). */
static void call_unseen(void)
{
	if (gpu_asked_is_detaching())
		gpu_detach();
	else if (gpu_asked_count())
		gpu_look_soon();
}

__attribute__((noinline)) static void any_call_ends(const char *name, int domain,
						    const struct cupti_callback *callback)
{
	bool counts = call_ends(name, domain, callback);

	if (gpu_form_is_second())
		gpu_form_flush_sometimes();
	if (!gpu_windows_count())
		gpu_windows_take_call(name, counts);
	if (!gpu_is_wanted())
		call_unseen();
}

static inline void call_ours(int domain, uint32_t id, const struct cupti_callback *callback)
{
	if (!names[domain][id] || !callback->kept || !gpu_is_on())
		return;
	if (callback->site == 0)
		gpu_callback_call_begins(domain, callback);
	else if (*callback->kept || !gpu_windows_count() || !gpu_is_wanted() ||
		 gpu_form_is_second())
		any_call_ends(names[domain][id], domain, callback);
	/* else it is interposed, or beneath a call that is recorded */
}

/* --- the other user's callback --- */

static void call_both(void *user, cupti_callback_function *theirs, int domain, uint32_t id,
		      const struct cupti_callback *callback)
{
	struct pair *pair = callback->site == 0 ? pair_take(callback->correlation)
						: gpu_callback_pair_of(*callback->kept);
	struct cupti_callback copy = *callback;
	uint64_t nothing = 0;

	if (callback->site == 0)
		*callback->kept = (uint64_t)(uintptr_t)pair;
	copy.kept = pair ? &pair->ours : &nothing;
	if (pair)
		call_ours(domain, id, &copy);
	else if (callback->site != 0) /* the other user came in between, so the word is ours */
		call_ours(domain, id, callback);
	copy.kept = pair ? &pair->theirs : &nothing;
	theirs(user, domain, id, &copy);
	if (pair && callback->site != 0)
		pair_release(pair);
}

/*
 * True if both were called when the call began. Then the other user must get its own word, even if
 * one of the two has gone since.
 */
static bool is_of_two(const struct cupti_callback *callback)
{
	return callback->site != 0 && gpu_callback_pair_of(*callback->kept);
}

static bool is_wanted_by(enum gpu_user who, int domain, uint32_t id)
{
	return atomic_load_explicit(&gpu_share_callbacks[domain][id], memory_order_relaxed) & who;
}

/* The argument of a callback in this domain is not a call. */
static void call_of_resource(uint32_t id, const void *about)
{
	void *user;
	cupti_callback_function *theirs = gpu_share_their_callback(&user);

	if (is_wanted_by(GPU_US, CUPTI_RESOURCE, id) && gpu_is_on())
		gpu_graphs_take(id, about);
	if (theirs && is_wanted_by(GPU_THEM, CUPTI_RESOURCE, id))
		theirs(user, CUPTI_RESOURCE, id, about);
}

/*
 * For callbacks that the other user wants or may want. In domains that we do not use, CUPTI calls
 * only for the other user.
 */
__attribute__((noinline)) static void call_with_theirs(int domain, uint32_t id,
						       const struct cupti_callback *callback)
{
	bool is_api = domain > 0 && domain < CUPTI_DOMAINS && id < IDS && callback &&
		      callback->kept;
	bool is_ours = is_api && gpu_is_on() && is_wanted_by(GPU_US, domain, id);
	int saved = errno;
	void *user;
	cupti_callback_function *theirs = gpu_share_their_callback(&user);

	if (domain == CUPTI_RESOURCE && id < IDS && callback)
		call_of_resource(id, callback);
	else if (theirs && is_api && (is_ours || is_of_two(callback)))
		call_both(user, theirs, domain, id, callback);
	else if (theirs)
		theirs(user, domain, id, callback);
	else if (is_ours)
		call_ours(domain, id, callback);
	errno = saved;
}

void gpu_callback(void *unused, int domain, uint32_t id, const struct cupti_callback *callback)
{
	(void)unused;
	if (__builtin_expect(domain > 0 && domain < CUPTI_DOMAINS && id < IDS && callback, 1) &&
	    !is_wanted_by(GPU_THEM, domain, id))
		call_ours(domain, id, callback);
	else
		call_with_theirs(domain, id, callback);
}
