/* SPDX-License-Identifier: MIT */
/*
 * Open scopes that can end a step are in STEPS_SLOTS atomic slots, at most one per thread, and are
 * found by their key when they close. Whether the schedule records now is a word in a page that is
 * shared with children.
 */
#include "preload/steps/steps.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/record/capture.h"
#include "preload/record/capture_asked.h"
#include "preload/record/event.h"
#include "preload/record/family.h"
#include "preload/record/names.h"
#include "preload/record/recorder.h"
#include "preload/record/thread_clock.h"
#include "preload/settings/settings.h"
#include "preload/steps/detail.h"

#define STEPS_SLOTS 32u /* number of threads that can have such a scope open */

_Atomic uint32_t steps_open;
bool steps_scheduled, steps_named;

enum steps_kind {
	STEPS_OTHER,
	STEPS_FIRST, /* ends no step, but the loop of step 0 begins here at the latest */
	STEPS_OPTIMIZER,
	STEPS_PROFILER,
	STEPS_NAMED,
};

static struct steps_slot {
	_Atomic uint64_t key; /* 0: free */
	uintptr_t thread;
	enum steps_kind kind;
	const struct name *name;
} slots[STEPS_SLOTS];

static _Atomic uint32_t profilers_open; /* number of slots of kind STEPS_PROFILER */
static _Atomic uint64_t steps_number;   /* number of the current step */
void (*steps_before_mark)(void);
static _Atomic bool first_is_marked;

static struct string named; /* the setting, without its * */
static bool named_is_prefix;
static struct string schedule_text;

static _Atomic bool is_leader; /* this process counts steps; its children follow it */
/* Written by the leader: whether the schedule records now. Shared with children. */
static _Atomic uint32_t no_page;
static _Atomic uint32_t *leader_records = &no_page;

/* --- the meaning of a name --- */

static bool begins_with(const struct string *name, const char *text)
{
	size_t length = strlen(text);

	return name->bytes && name->length >= length && memcmp(name->bytes, text, length) == 0;
}

static bool is_named(const struct string *name)
{
	char text[SETTINGS_NAME_BYTES];

	if (!named_is_prefix)
		return name->hash == named.hash;
	return name->length >= named.length &&
	       string_copy(name, text, named.length) == named.length &&
	       memcmp(text, named.bytes, named.length) == 0;
}

static enum steps_kind steps_kind_of(const struct string *name)
{
	if (steps_named && is_named(name))
		return STEPS_NAMED;
	if (begins_with(name, "enumerate(DataLoader)#") ||
	    begins_with(name, "Optimizer.zero_grad#"))
		return STEPS_FIRST;
	if (steps_named)
		return STEPS_OTHER;
	if (begins_with(name, "Optimizer.step#"))
		return STEPS_OPTIMIZER;
	return begins_with(name, "ProfilerStep#") ? STEPS_PROFILER : STEPS_OTHER;
}

/*
 * Returns the step's name in the file. torch.profiler's steps all get one name, because each of
 * theirs has a number.
 */
static const struct name *steps_name_of(enum steps_kind kind, const struct string *name)
{
	static const char profiler[] = "ProfilerStep";
	struct string text = *name;

	if (kind == STEPS_PROFILER)
		text = string_of_bytes(profiler, sizeof(profiler) - 1);
	else if (kind == STEPS_NAMED)
		text = string_of(settings.step_name);
	return name_make(&text);
}

/* --- recording --- */

static void steps_tell_nobody(uint64_t step, bool is_recorded)
{
	(void)step;
	(void)is_recorded;
}
static steps_edge_seen *steps_edge = steps_tell_nobody, *steps_edge_also = steps_tell_nobody;

void steps_on_edge(steps_edge_seen *edge)
{
	if (steps_edge == steps_tell_nobody)
		steps_edge = edge;
	else
		steps_edge_also = edge;
}

static void steps_tell_edge(uint64_t number, bool is_recorded)
{
	steps_edge(number, is_recorded);
	steps_edge_also(number, is_recorded);
}

static void record_step(uint64_t number, const struct name *name)
{
	const struct string text = name_string(name);
	const struct recorder_field field[] = { { .number = number }, { .text = &text } };

	steps_tell_edge(number, false);
	thread_clock_record();
	if (steps_before_mark)
		steps_before_mark();
	(void)recorder_record(RECORDER_ANY, EVT_step, field, 2);
	steps_tell_edge(number, true);
}

static void mark_first(const struct name *name)
{
	if (!atomic_load_explicit(&first_is_marked, memory_order_relaxed) &&
	    !atomic_exchange(&first_is_marked, true)) {
		detail_before_step(atomic_load(&steps_number));
		record_step(atomic_load(&steps_number), name);
	}
}

/* --- the schedule --- */

/*
 * The leader publishes the answer to its children. Two threads may do so; the last one has seen the
 * latest number.
 */
static bool steps_is_wanted(void)
{
	uint64_t number;
	bool wanted;

	if (!atomic_load_explicit(&is_leader, memory_order_acquire))
		return atomic_load(leader_records);
	do {
		number = atomic_load(&steps_number);
		wanted = schedule_records(&settings.schedule, number);
		atomic_store(leader_records, wanted);
	} while (number != atomic_load(&steps_number));
	return wanted;
}

/* From here on this process counts for itself, and its children follow its own page. */
static void lead(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	leader_records = page == MAP_FAILED ? &no_page : page;
	atomic_store(&is_leader, true);
	(void)steps_is_wanted();
}

void steps_follow_parent(void)
{
	if (!atomic_load_explicit(&is_leader, memory_order_relaxed) && recorder_gates->generation &&
	    steps_is_wanted() != capture_is_on())
		capture_follow(steps_is_wanted, &schedule_text);
}

bool steps_lead(void)
{
	return !steps_scheduled || atomic_load_explicit(&is_leader, memory_order_relaxed);
}

/* Scopes that are open in other threads of the parent will not end here. */
static void steps_forked(void)
{
	for (unsigned int i = 0; i < STEPS_SLOTS; i++)
		atomic_store(&slots[i].key, 0);
	atomic_store(&steps_open, 0);
	atomic_store(&profilers_open, 0);
	atomic_store(&first_is_marked, false);
	atomic_store(&is_leader, false);
}

static void steps_start(void)
{
	size_t length = strlen(settings.step_name);

	named_is_prefix = length && settings.step_name[length - 1] == '*';
	named = string_of_bytes(settings.step_name, length - named_is_prefix);
	steps_named = length > 0;
	steps_scheduled = settings.schedule.active > 0;
	schedule_text = string_of(settings.schedule_text);
	if (!steps_scheduled)
		return;
	lead();
	capture_switch(steps_is_wanted(), &schedule_text);
}

const struct family family_steps = { .start = steps_start, .forked = steps_forked };

static void step_ends(const struct name *name)
{
	uint64_t number = atomic_fetch_add(&steps_number, 1) + 1;
	bool was_on = capture_is_open();

	atomic_store_explicit(&first_is_marked, true, memory_order_relaxed);
	if (capture_is_asked) {
		if (was_on)
			record_step(number, name);
		detail_before_step(number);
		capture_asked_step(number);
		if (!was_on)
			record_step(number, name);
		return;
	}
	if (settings.trigger[0])
		capture_asked_count_step(number);
	if (!steps_scheduled) {
		detail_before_step(number);
		record_step(number, name);
		detail_after_step(number);
		return;
	}
	if (!atomic_load(&is_leader))
		lead();
	if (was_on)
		record_step(number, name);
	capture_follow(steps_is_wanted, &schedule_text);
	if (!was_on)
		record_step(number, name);
}

/* --- ranges that open and close --- */

#define KEY_FILLING 1u /* belongs to no scope */

static bool thread_has_one(uintptr_t thread)
{
	for (unsigned int i = 0; i < STEPS_SLOTS; i++)
		if (atomic_load_explicit(&slots[i].key, memory_order_acquire) > KEY_FILLING &&
		    slots[i].thread == thread)
			return true;
	return false;
}

static void steps_slot_take(uint64_t key, enum steps_kind kind, const struct name *name)
{
	uintptr_t thread = (uintptr_t)&recorder_self;

	if (thread_has_one(thread))
		return;
	for (unsigned int i = 0; i < STEPS_SLOTS; i++) {
		uint64_t nobody = 0;

		if (!atomic_compare_exchange_strong(&slots[i].key, &nobody, KEY_FILLING))
			continue;
		slots[i].thread = thread;
		slots[i].kind = kind;
		slots[i].name = name;
		atomic_fetch_add(&profilers_open, kind == STEPS_PROFILER);
		atomic_fetch_add(&steps_open, 1);
		atomic_store_explicit(&slots[i].key, key, memory_order_release);
		return;
	}
}

void steps_begin(uint64_t key, const struct string *text)
{
	enum steps_kind kind = steps_kind_of(text);
	const struct name *name;

	if (kind == STEPS_OTHER)
		return;
	if (kind == STEPS_FIRST && atomic_load_explicit(&first_is_marked, memory_order_relaxed))
		return;
	name = steps_name_of(kind, text);
	mark_first(name);
	if (kind != STEPS_FIRST)
		steps_slot_take(key, kind, name);
}

void steps_end(uint64_t key)
{
	for (unsigned int i = 0; i < STEPS_SLOTS; i++) {
		const struct name *name;
		enum steps_kind kind;

		if (atomic_load_explicit(&slots[i].key, memory_order_acquire) != key)
			continue;
		name = slots[i].name;
		kind = slots[i].kind;
		atomic_store_explicit(&slots[i].key, 0, memory_order_release);
		atomic_fetch_sub(&steps_open, 1);
		atomic_fetch_sub(&profilers_open, kind == STEPS_PROFILER);
		if (kind != STEPS_OPTIMIZER || !atomic_load(&profilers_open))
			step_ends(name);
		return;
	}
}
