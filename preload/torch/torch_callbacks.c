/* SPDX-License-Identifier: MIT */
/*
 * One thread at a time changes callbacks, and checks again afterwards; others leave it to that
 * thread. Only with PyTorch 1.13 and later, whose list of global callbacks has a lock. Earlier
 * lists must not be changed while operators run.
 */
#include "preload/torch/torch_callbacks.h"

#include <stddef.h>

#include "preload/python/listeners.h"
#include "preload/record/capture.h"
#include "preload/record/family.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"
#include "preload/steps/detail.h"
#include "preload/steps/steps.h"

/*
 * at::RecordScope: the scopes of running code. Three others belong to builds that trace which
 * kernels, classes and features are used.
 */
#define SCOPES 10u /* NUM_SCOPES */
#define SCOPE_FUNCTION 0u
#define SCOPE_BACKWARD 1u
#define SCOPE_TORCHSCRIPT 2u
#define SCOPE_LITE_INTERPRETER 6u
#define SCOPE_USER 7u
#define SCOPE_STATIC_RUNTIME_OP 8u
#define SCOPE_STATIC_RUNTIME_MODEL 9u

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

static struct torch_callback_functions functions;
static bool needs_inputs;

_Atomic bool torch_callbacks_vary;
static _Atomic bool is_busy;
static _Atomic uintptr_t forking; /* the thread that is about to fork; 0: none */
/* Written by the thread that is busy. */
/* handle of the operators' callback; at first of the callback for all scopes */
static uint64_t handle;
static bool is_installed;

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
static uint64_t callback_add(bool user_scopes, bool others, double probability)
{
	struct callback callback = { .start = functions.start,
				     .end = functions.end,
				     .probability = probability,
				     .needs_inputs = needs_inputs };

	callback.scopes[SCOPE_FUNCTION] = others;
	callback.scopes[SCOPE_BACKWARD] = others;
	callback.scopes[SCOPE_TORCHSCRIPT] = others;
	callback.scopes[SCOPE_LITE_INTERPRETER] = others;
	callback.scopes[SCOPE_STATIC_RUNTIME_OP] = others;
	callback.scopes[SCOPE_STATIC_RUNTIME_MODEL] = others;
	callback.scopes[SCOPE_USER] = user_scopes;
	return torch_callback_api.add(callback);
}

static void operators_add(void)
{
	handle = callback_add(false, true, settings.operators > 1 ? 1.0 / settings.operators : 1);
	is_installed = true;
}

void torch_callbacks_begin(struct torch_callback_functions with, bool with_inputs)
{
	functions = with;
	needs_inputs = with_inputs;
	handle = callback_add(true, true, 1);
}

void torch_callbacks_give_up(void)
{
	torch_callback_api.remove(handle);
}

void torch_callbacks_run(bool scopes_are_known)
{
	bool varies = scopes_are_known && torch_callback_api.has_lock &&
		      (settings.capture != SETTINGS_CAPTURE_ALL || budget_is_on(&settings.budget));

	if (!varies && settings.operators <= 1)
		return;
	torch_callback_api.remove(handle);
	(void)callback_add(true, false, 1);
	operators_add();
	atomic_store(&torch_callbacks_vary, varies);
	detail_on_change(torch_callbacks_follow);
}

/* --- while it runs --- */

/*
 * In a child of the process that counts steps, this callback finds out what that process records.
 */
static bool operators_are_wanted(void)
{
	return (capture_is_on() && detail_is_on()) || !steps_lead() || atomic_load(&forking);
}

/* What PyTorch allocates for the callback is not recorded as the program's. */
static void operators_switch(bool wanted)
{
	struct recorder_lane *lane;

	if (wanted == is_installed)
		return;
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	if (wanted) {
		operators_add();
	} else {
		torch_callback_api.remove(handle);
		is_installed = false;
	}
	if (lane)
		recorder_leave(lane);
}

static void operators_follow(void)
{
	bool wanted;

	do {
		if (atomic_exchange(&is_busy, true))
			return;
		wanted = operators_are_wanted();
		operators_switch(wanted);
		atomic_store(&is_busy, false);
	} while (operators_are_wanted() != wanted);
}

void torch_callbacks_follow(void)
{
	uintptr_t own = (uintptr_t)&recorder_self;

	if (!atomic_load_explicit(&torch_callbacks_vary, memory_order_relaxed))
		return;
	if (atomic_load(&forking) == own) /* the fork is over, in the parent and in the child */
		atomic_store(&forking, 0);
	operators_follow();
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
	if (atomic_load(&is_busy))
		atomic_store(&torch_callbacks_vary, false);
}

const struct family family_torch = { .opened = torch_callbacks_follow, .forked = callbacks_forked };
