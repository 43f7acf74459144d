/* SPDX-License-Identifier: MIT */
/*
 * Each kind of record and each callback has a byte with one bit per user. When the last bit is
 * cleared, CUPTI disables it. If the other user has set its bit meanwhile, it is enabled again.
 */
#include "preload/gpu/gpu_share.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/gpu/gpu_form.h"
#include "preload/gpu/gpu_turn.h"
#include "preload/record/recorder.h"
#include "preload/record/wake.h"
#include "preload/settings/settings.h"

enum { UNDECIDED, SHARED, THEIRS };

static struct gpu_turn turn;
static _Atomic int mode;
static _Atomic uint8_t wanted[CUPTI_KINDS];
static _Atomic uint8_t subscribers;
static _Atomic bool is_registered;
static _Atomic bool is_open;
static _Atomic(cupti_callback_function *) their_callback;
static void *_Atomic their_user;

_Atomic uint8_t gpu_share_callbacks[GPU_DOMAINS][GPU_CALLBACK_IDS];
struct gpu_library gpu_cupti;

/* --- whether CUPTI is shared --- */

bool gpu_share_is_used(void)
{
	int undecided = UNDECIDED;
	bool is_wanted;

	if (atomic_load(&mode) == UNDECIDED) {
		is_wanted = settings.trace & 1u << SETTINGS_FAMILY_gpu && wake_program() &&
			    recorder_is_open();
		(void)atomic_compare_exchange_strong(&mode, &undecided,
						     is_wanted ? SHARED : THEIRS);
	}
	return atomic_load(&mode) == SHARED;
}

void gpu_share_end(void)
{
	atomic_store(&mode, THEIRS);
}

/*
 * A forked child leaves CUPTI alone if the parent was using it. If not, the child has still to
 * decide.
 */
void gpu_share_forked(void)
{
	if (atomic_load(&mode) == SHARED)
		atomic_store(&mode, THEIRS);
	gpu_turn_forked(&turn);
}

bool gpu_share_open(const char **ret_missing)
{
	bool is_found;

	*ret_missing = NULL;
	if (atomic_load(&is_open))
		return true;
	gpu_turn_take(&turn);
	is_found = atomic_load(&is_open) || gpu_library_open(&gpu_cupti, ret_missing);
	atomic_store(&is_open, is_found);
	gpu_turn_end(&turn);
	return is_found;
}

void gpu_share_reset(void)
{
	for (int kind = 0; kind < CUPTI_KINDS; kind++)
		atomic_store(&wanted[kind], 0);
	for (int domain = 0; domain < GPU_DOMAINS; domain++)
		for (uint32_t id = 0; id < GPU_CALLBACK_IDS; id++)
			atomic_store(&gpu_share_callbacks[domain][id], 0);
	atomic_store(&subscribers, 0);
	atomic_store(&is_registered, false);
	gpu_form_forget();
}

/* --- subscriber and callbacks --- */

/* In the second form, records need a subscriber too. */
static cupti_result subscriber_make(void)
{
	return gpu_form_subscriber() ? CUPTI_OK : gpu_form_subscribe();
}

static bool kinds_are_wanted(void)
{
	for (int kind = 0; kind < CUPTI_KINDS; kind++)
		if (atomic_load(&wanted[kind]))
			return true;
	return false;
}

cupti_result gpu_share_subscribe(enum gpu_user who, cupti_subscriber *ret_subscriber)
{
	cupti_result result = CUPTI_OK;

	gpu_turn_take(&turn);
	if (atomic_load(&subscribers) & who)
		result = CUPTI_MULTIPLE_SUBSCRIBERS;
	else if (!atomic_load(&subscribers))
		result = subscriber_make();
	if (!result) {
		atomic_fetch_or(&subscribers, who);
		*ret_subscriber = gpu_form_subscriber();
	}
	gpu_turn_end(&turn);
	return result;
}

static void callbacks_drop(enum gpu_user who)
{
	for (int domain = 1; domain < GPU_DOMAINS; domain++)
		for (uint32_t id = 0; id < GPU_CALLBACK_IDS; id++)
			if (atomic_load(&gpu_share_callbacks[domain][id]) & who)
				(void)gpu_share_callback(who, false, domain, id);
}

cupti_result gpu_share_unsubscribe(enum gpu_user who)
{
	cupti_result result = CUPTI_OK;

	if (!(atomic_load(&subscribers) & who))
		return CUPTI_INVALID_PARAMETER;
	callbacks_drop(who);
	gpu_turn_take(&turn);
	if (!(atomic_fetch_and(&subscribers, (uint8_t)~who) & ~who) &&
	    !(gpu_form_is_second() && kinds_are_wanted())) {
		atomic_store(&is_registered, false);
		result = gpu_form_unsubscribe();
	}
	gpu_turn_end(&turn);
	return result;
}

bool gpu_share_has_subscribed(enum gpu_user who)
{
	return atomic_load(&subscribers) & who;
}

cupti_result gpu_share_callback(enum gpu_user who, bool on, int domain, uint32_t id)
{
	_Atomic uint8_t *users;
	cupti_result result;

	if (domain <= 0 || domain >= GPU_DOMAINS || id >= GPU_CALLBACK_IDS)
		return gpu_cupti.cuptiEnableCallback(on, gpu_form_subscriber(), domain, id);
	users = &gpu_share_callbacks[domain][id];
	if (on) {
		atomic_fetch_or(users, who);
		result = gpu_cupti.cuptiEnableCallback(1, gpu_form_subscriber(), domain, id);
		if (result)
			atomic_fetch_and(users, (uint8_t)~who);
		return result;
	}
	if (atomic_fetch_and(users, (uint8_t)~who) & ~who)
		return CUPTI_OK;
	result = gpu_cupti.cuptiEnableCallback(0, gpu_form_subscriber(), domain, id);
	if (atomic_load(users)) /* the other user came in between */
		(void)gpu_cupti.cuptiEnableCallback(1, gpu_form_subscriber(), domain, id);
	return result;
}

cupti_callback_function *gpu_share_their_callback(void **ret_user)
{
	cupti_callback_function *callback = atomic_load_explicit(&their_callback,
								 memory_order_acquire);

	*ret_user = atomic_load_explicit(&their_user, memory_order_relaxed);
	return callback;
}

void gpu_share_set_their_callback(cupti_callback_function *callback, void *user)
{
	/* the last one's argument stays: a thread may be about to call it */
	if (callback)
		atomic_store(&their_user, user);
	atomic_store(&their_callback, callback);
}

/* --- buffers and kinds --- */

cupti_result gpu_share_register(void)
{
	cupti_result result = CUPTI_OK;

	gpu_turn_take(&turn);
	if (!atomic_load(&is_registered))
		result = gpu_form_register();
	if (!result)
		atomic_store(&is_registered, true);
	gpu_turn_end(&turn);
	return result;
}

bool gpu_share_wants(enum gpu_user who, uint32_t kind)
{
	return kind < CUPTI_KINDS &&
	       atomic_load_explicit(&wanted[kind], memory_order_relaxed) & who;
}

/* CUPTI records kernels in one of two ways. If one user asks for the slower way, both get it. */
static bool is_shadowed(int kind)
{
	return kind == CUPTI_CONCURRENT_KERNEL && atomic_load(&wanted[CUPTI_KERNEL]);
}

static void shadow_change(bool on, int kind)
{
	if (kind == CUPTI_KERNEL && atomic_load(&wanted[CUPTI_CONCURRENT_KERNEL]))
		(void)gpu_form_kind(on, CUPTI_CONCURRENT_KERNEL);
}

static cupti_result kind_on(enum gpu_user who, int kind)
{
	uint8_t before = atomic_fetch_or(&wanted[kind], who);
	cupti_result result;

	if (is_shadowed(kind))
		return CUPTI_OK;
	if (!(before & who))
		shadow_change(false, kind);
	result = gpu_form_kind(true, kind);
	if (result && !(before & who)) {
		atomic_fetch_and(&wanted[kind], (uint8_t)~who);
		shadow_change(true, kind);
	}
	return result;
}

static cupti_result kind_off(enum gpu_user who, int kind)
{
	uint8_t before = atomic_fetch_and(&wanted[kind], (uint8_t)~who);
	cupti_result result;

	if (before & ~who || is_shadowed(kind))
		return CUPTI_OK;
	result = gpu_form_kind(false, kind);
	if (before & who)
		shadow_change(true, kind);
	if (atomic_load(&wanted[kind])) /* the other user came in between */
		(void)gpu_form_kind(true, kind);
	return result;
}

cupti_result gpu_share_kind(enum gpu_user who, bool on, int kind)
{
	if (kind <= 0 || kind >= CUPTI_KINDS)
		return gpu_form_kind(on, kind);
	return on ? kind_on(who, kind) : kind_off(who, kind);
}
