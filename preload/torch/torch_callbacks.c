/* SPDX-License-Identifier: MIT */
/*
 * One thread at a time changes callbacks, and checks again afterwards; others leave it to that
 * thread. Only with PyTorch 1.13 and later, whose list of global callbacks has a lock. Earlier
 * lists must not be changed while operators run.
 *
 * Between windows of time (INTERCEPT_BUDGET in a process without steps) something has to notice
 * when the next one begins, and hooks of the heap must not call PyTorch. So a callback that only
 * looks, the beat, takes the place of the other one. If there are many operators, PyTorch calls it
 * for one in BEAT_ONE_IN of them. A window then lacks as many at its begin, of thousands.
 */
#include "preload/torch/torch_callbacks.h"

#include <stddef.h>

#include "collector/arch/jumps.h"
#include "preload/base/clock.h"
#include "preload/python/listeners.h"
#include "preload/record/capture.h"
#include "preload/record/family.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"
#include "preload/steps/detail.h"
#include "preload/steps/steps.h"

/*
 * at::RecordScope: the scopes of running code. Three others belong to builds that trace which
 * kernels, classes and features are used, and three to the lite interpreter and the static runtime,
 * which programs in Python hardly use: each scope costs every node of a backward pass.
 */
#define SCOPES 10u /* NUM_SCOPES */
#define SCOPE_FUNCTION 0u
#define SCOPE_BACKWARD 1u
#define SCOPE_TORCHSCRIPT 2u
#define SCOPE_USER 7u

/* at::RecordFunctionCallback */
struct callback {
	void *(*start)(void **ret_context, const void *function);
	void (*end)(const void *function, void *context);
	double probability;
	bool scopes[SCOPES];
	bool needs_inputs, needs_outputs, needs_ids;
};

_Static_assert(sizeof(struct callback) == 40, "as ATen/record_function.h lays it out");

static struct {
	uint64_t (*add)(struct callback callback);
	void (*remove)(uint64_t handle);
	bool has_lock;
} torch_callback_api;

static struct torch_callback_functions functions, typed;

_Atomic bool torch_callbacks_vary;
static _Atomic bool is_busy;
static _Atomic bool beat_changes; /* how often the beat is called */
static _Atomic bool wants_types;  /* this process: of the step that is under way */
static _Atomic uintptr_t forking; /* the thread that is about to fork; 0: none */
/* Written by the thread that is busy. */
/* handle of the operators' callback; at first of the callback for all scopes */
static uint64_t handle;
static enum operators_state {
	OPERATORS_NONE,
	OPERATORS_ALL,
	OPERATORS_TYPED, /* all, with inputs */
	OPERATORS_BEAT,
} installed;

bool torch_callbacks_find(const struct symbols *s)
{
	*(void **)&torch_callback_api.add = symbols_address(
		s, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE");
	*(void **)&torch_callback_api.remove = symbols_address(s, "_ZN2at14removeCallbackEm");
	torch_callback_api.has_lock =
		symbols_address(s, "_ZN2at27getStepCallbacksUnlessEmptyENS_11RecordScopeE") != NULL;
	return torch_callback_api.add && torch_callback_api.remove;
}

/*
 * Not for all scopes. Whenever autograd's engine enters or leaves a node, torch builds each scope's
 * list of callbacks again, and a list that is not empty is an allocation.
 */
static uint64_t callback_add(const struct torch_callback_functions *called, bool user_scopes,
			     bool others, double probability)
{
	struct callback callback = { .start = called->start,
				     .end = called->end,
				     .probability = probability,
				     .needs_inputs = called->needs_inputs };

	callback.scopes[SCOPE_FUNCTION] = others;
	callback.scopes[SCOPE_BACKWARD] = others;
	callback.scopes[SCOPE_TORCHSCRIPT] = others;
	callback.scopes[SCOPE_USER] = user_scopes;
	return torch_callback_api.add(callback);
}

/* --- the beat --- */

#define BEAT_ONE_IN 16u
#define BEAT_LOOK 1024u           /* operators after which their rate is looked at */
#define BEAT_LOOK_NS 100000000ull /* there are many if so many take less time */

static _Atomic uint32_t beat_one_in = 1, beats;
static _Atomic uint64_t beat_since_ns;

/* Returns whether the beat is to be called for another share of the operators. */
static bool beat_adapts(void)
{
	uint32_t one_in = atomic_load_explicit(&beat_one_in, memory_order_relaxed), wanted;
	uint64_t now_ns, since_ns;

	if (atomic_fetch_add_explicit(&beats, 1, memory_order_relaxed) % (BEAT_LOOK / one_in))
		return false;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	since_ns = atomic_exchange_explicit(&beat_since_ns, now_ns, memory_order_relaxed);
	wanted = now_ns - since_ns < BEAT_LOOK_NS ? BEAT_ONE_IN : 1;
	atomic_store_explicit(&beat_one_in, wanted, memory_order_relaxed);
	return wanted != one_in;
}

static __attribute__((used)) void *operator_beat(void **ret_context, const void *function)
{
	(void)function;
	*ret_context = NULL;
	detail_look_at_time();
	if (beat_adapts())
		atomic_store(&beat_changes, true);
	torch_callbacks_follow();
	return ret_context;
}

ARCH_RETURNS_OBJECT(operator_beat_called, operator_beat);
PRELOAD_HIDDEN void *operator_beat_called(void **ret_context, const void *function);

static const struct torch_callback_functions beat_functions = { .start = operator_beat_called };

/* --- adding and removing --- */

static void operators_add(enum operators_state wanted)
{
	if (wanted == OPERATORS_ALL)
		handle = callback_add(&functions, false, true,
				      settings.operators > 1 ? 1.0 / settings.operators : 1);
	if (wanted == OPERATORS_TYPED)
		handle = callback_add(&typed, false, true, 1);
	if (wanted == OPERATORS_BEAT)
		handle = callback_add(&beat_functions, false, true,
				      1.0 / atomic_load(&beat_one_in));
	installed = wanted;
}

bool torch_callbacks_may_change(void)
{
	return torch_callback_api.has_lock;
}

void torch_callbacks_begin(const struct torch_callback_functions *shown)
{
	handle = callback_add(shown, true, true, 1);
}

void torch_callbacks_give_up(void)
{
	torch_callback_api.remove(handle);
}

void torch_callbacks_run(const struct torch_callback_functions *recording,
			 const struct torch_callback_functions *with_types, bool scopes_are_known)
{
	bool varies = scopes_are_known && torch_callback_api.has_lock &&
		      (with_types || settings.capture != SETTINGS_CAPTURE_ALL ||
		       budget_is_on(&settings.budget));

	functions = *recording;
	if (with_types)
		typed = *with_types;
	torch_callback_api.remove(handle);
	if (!varies && settings.operators <= 1) {
		torch_callbacks_begin(&functions);
		return;
	}
	(void)callback_add(&functions, true, false, 1);
	operators_add(OPERATORS_ALL);
	atomic_store(&torch_callbacks_vary, varies);
	detail_on_change(torch_callbacks_follow);
}

/* --- while it runs --- */

/*
 * In a child of the process that counts steps, this callback finds out what that process records.
 */
static enum operators_state operators_wanted(void)
{
	if (capture_is_on() && detail_is_on() && atomic_load(&wants_types))
		return OPERATORS_TYPED;
	if ((capture_is_on() && detail_is_on()) || !steps_lead() || atomic_load(&forking))
		return OPERATORS_ALL;
	return capture_is_on() && detail_is_by_time() ? OPERATORS_BEAT : OPERATORS_NONE;
}

/* What PyTorch allocates for the callback is not recorded as the program's. */
static void operators_switch(enum operators_state wanted)
{
	struct recorder_lane *lane;
	bool again = atomic_exchange(&beat_changes, false) && wanted == OPERATORS_BEAT;

	if (wanted == installed && !again)
		return;
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	if (installed != OPERATORS_NONE)
		torch_callback_api.remove(handle);
	operators_add(wanted);
	if (lane)
		recorder_leave(lane);
}

static void operators_follow(void)
{
	enum operators_state wanted;

	do {
		if (atomic_exchange(&is_busy, true))
			return;
		wanted = operators_wanted();
		operators_switch(wanted);
		atomic_store(&is_busy, false);
	} while (operators_wanted() != wanted);
}

void torch_callbacks_follow(void)
{
	uintptr_t own = (uintptr_t)&recorder_self;

	if (!atomic_load_explicit(&torch_callbacks_vary, memory_order_acquire))
		return;
	if (atomic_load(&forking) == own) /* the fork is over, in the parent and in the child */
		atomic_store(&forking, 0);
	operators_follow();
}

void torch_callbacks_type(bool on)
{
	if (atomic_exchange(&wants_types, on) != on)
		torch_callbacks_follow();
}

bool torch_callbacks_are_typed(void)
{
	return atomic_load_explicit(&wants_types, memory_order_relaxed);
}

bool torch_callbacks_before_fork(void *arguments)
{
	(void)arguments;
	if ((!steps_scheduled && !budget_is_on(&settings.budget)) ||
	    !atomic_load(&torch_callbacks_vary))
		return true;
	atomic_store(&forking, (uintptr_t)&recorder_self);
	operators_follow();
	return true;
}

/*
 * Another thread was inside PyTorch's lock when this child was forked, and the lock will never be
 * released here. So nothing is changed any more.
 */
static void callbacks_forked(void)
{
	atomic_store(&wants_types, false); /* the callback itself sees to the rest */
	if (atomic_load(&is_busy))
		atomic_store(&torch_callbacks_vary, false);
}

const struct family family_torch = { .opened = torch_callbacks_follow, .forked = callbacks_forked };
