/* SPDX-License-Identifier: MIT */
/*
 * operator_start() and operator_end() are the callback and write words directly into the ring.
 * First the callback is shown known operators to find the layout, and then known inputs. Only then
 * does it record (enum torch_state).
 */
#include "preload/torch/torch.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "collector/arch/jumps.h"
#include "preload/python/listeners.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/record/task.h"
#include "preload/record/thread_clock.h"
#include "preload/settings/settings.h"
#include "preload/record/capture_asked.h"
#include "preload/requests/marks.h"
#include "preload/steps/capture_range.h"
#include "preload/steps/detail.h"
#include "preload/steps/steps.h"
#include "preload/record/strings.h"
#include "preload/base/symbols.h"
#include "preload/stacks/stack.h"
#include "preload/torch/torch_callbacks.h"
#include "preload/torch/torch_function.h"
#include "preload/torch/torch_inputs.h"
#include "preload/torch/torch_layout.h"
#include "preload/torch/torch_passes.h"
#include "preload/torch/torch_shapes.h"
#include "preload/torch/torch_typing.h"

/* at::RecordScope */
#define SCOPE_FUNCTION 0u
#define SCOPE_BACKWARD 1u
#define SCOPE_USER 7u
#define SHOWN_LIST_NAME "aten::sum"

static struct {
	const char *(*name)(const void *function);
	uint64_t (*thread_id)(void);
	bool (*is_async)(const void *function); /* NULL: this torch does not have it */
	int64_t (*sequence)(void);              /* NULL: this torch does not have it */
} torch_api;

static bool with_inputs;
static _Atomic bool sampling_unreported;

enum torch_state { TORCH_OFF, TORCH_SHOWING, TORCH_SHOWING_INPUTS, TORCH_ON };
static _Atomic int torch_state;

static bool wants_inputs(void)
{
	return settings.trace & 1u << SETTINGS_FAMILY_shapes;
}

/* Not of sampled operators: no part of a step's time can be told by them. */
static bool wants_types(void)
{
	return !wants_inputs() && settings.operators <= 1 && torch_callbacks_may_change();
}

static void look_at_function(const uint64_t *function)
{
	int64_t sequence = torch_api.sequence ? torch_api.sequence() : TORCH_FUNCTION_NO_SEQUENCE;

	torch_function_look(function, torch_api.name(function), sequence);
}

static void look_at_inputs(const uint64_t *function)
{
	const char *name = torch_api.name(function);
	size_t count;
	const struct torch_value *inputs = torch_function_inputs(function, &count);

	if (strcmp(name, TORCH_SHOWN_NAME) == 0 || strcmp(name, SHOWN_LIST_NAME) == 0)
		torch_layout_look(inputs, count);
}

/* --- recording --- */

static uint64_t torch_name_ask(const uint64_t *function, const char **ret_name,
			       struct recorder_lane *lane)
{
	struct string name = string_of(torch_api.name(function));

	*ret_name = name.bytes;
	return string_id_again(&name, lane);
}

/*
 * Most operators have a schema, which stays where it is. Its name needs no call, and the length is
 * known.
 */
static inline uint64_t name_id(const uint64_t *function, const char **ret_name,
			       struct recorder_lane *lane)
{
	const uint64_t *schema = torch_function_schema(function);

	if (__builtin_expect(!schema || schema[1] < STRING_MARKED_MIN, 0))
		return torch_name_ask(function, ret_name, lane);
	*ret_name = (const char *)(uintptr_t)schema[0];
	return string_id_of(schema, (struct string_view){ *ret_name, schema[1] }, lane);
}

/*
 * Prefetches what name_id() reads, which is mostly in no near cache, before the clock and the ring
 * are read.
 */
static inline void name_fetch(const uint64_t *function)
{
	const uint64_t *schema = torch_function_schema(function);

	if (!schema)
		return;
	__builtin_prefetch((const void *)(uintptr_t)schema[0]);
	__builtin_prefetch(string_owner_place(schema));
}

/*
 * A guard in a C++ function ends on its thread, in nesting order. A guard that is held elsewhere (a
 * frame of TorchScript, record_function() of Python) may end anywhere, at any time. A guard on the
 * stack is a few frames above ours. The bound only has to be less than the distance from a thread's
 * last frames to the end of its stack, so that no heap is within it.
 */
#define GUARD_BYTES 4096u

static inline __attribute__((always_inline)) bool is_guard(const void *function)
{
	return (uintptr_t)function - (uintptr_t)__builtin_frame_address(0) < GUARD_BYTES;
}

/* True if the scope does not nest with others on its thread. Known when it begins. */
static inline bool is_async(const uint64_t *function)
{
	return torch_function.thread && torch_function_scope(function) == SCOPE_USER &&
	       torch_api.is_async && torch_api.is_async(function);
}

/* The start of an operator: when, and the Python stack that called it; 0: none. */
struct beginning {
	uint64_t ticks, stack;
};

static bool record_plain(struct recorder_lane *lane, struct beginning begin, uint64_t name)
{
	uint64_t *at = stack_room(lane, begin.stack, begin.ticks, 2);

	if (!at)
		return false;
	at[0] = record_word(begin.ticks, EVT_torch_begin);
	at[1] = name;
	recorder_publish(lane, 2);
	return true;
}

/*
 * Writes word by word into the ring, because a copy of fields just written would wait for the
 * stores.
 */
static bool record_operator(const uint64_t *function, uint64_t name, struct beginning begin,
			    struct recorder_lane *lane)
{
	uint64_t *at, scope, sequence;

	if (!torch_function.sequence)
		return record_plain(lane, begin, name);
	scope = torch_function_scope(function);
	sequence = function[torch_function.sequence];
	if (!scope && (int64_t)sequence < 0)
		return record_plain(lane, begin, name);
	at = stack_room(lane, begin.stack, begin.ticks, 6);
	if (!at)
		return false;
	at[0] = record_word(begin.ticks, EVT_torch_begin_ex);
	at[1] = name;
	at[2] = scope;
	at[3] = sequence;
	at[4] = function[torch_function.thread];
	at[5] = scope == SCOPE_BACKWARD ? function[torch_function.forward] : 0;
	recorder_publish(lane, 6);
	return true;
}

/* For a guard that is held elsewhere: its end will name it. */
static bool record_held(const uint64_t *function, uint64_t name, struct beginning begin,
			struct recorder_lane *lane)
{
	bool is_known = torch_function.sequence;
	uint64_t *at = stack_room(lane, begin.stack, begin.ticks, 8);

	if (!at)
		return false;
	at[0] = record_word(begin.ticks, EVT_torch_begin_id);
	at[1] = name;
	at[2] = is_known ? torch_function_scope(function) : SCOPE_FUNCTION;
	at[3] = is_known ? function[torch_function.sequence] : (uint64_t)-1;
	at[4] = is_known ? function[torch_function.thread] : 0;
	at[5] = at[2] == SCOPE_BACKWARD ? function[torch_function.forward] : 0;
	at[6] = (uintptr_t)function;
	at[7] = recorder_self.task;
	recorder_publish(lane, 8);
	return true;
}

/* Recorded before the first operator, because the gates may have been shut when sampling began. */
static void record_sampling(uint64_t ticks, struct recorder_lane *lane)
{
	uint64_t field[2] = { settings.operators, torch_passes_on };

	if (atomic_exchange(&sampling_unreported, false) &&
	    !recorder_put(lane, EVT_torch_sampling, ticks, field, 2))
		atomic_store(&sampling_unreported, true);
}

/* Returns false if its inputs are not to be recorded. */
static __attribute__((noinline)) bool record_held_begin(const uint64_t *function, uint64_t name,
							struct beginning begin,
							struct recorder_lane *lane)
{
	uint64_t field[2] = { name, (uintptr_t)function };

	if (!is_async(function)) {
		task_look(lane, begin.ticks);
		return record_held(function, name, begin, lane);
	}
	(void)recorder_put(lane, EVT_torch_async_begin, begin.ticks, field, 2);
	return false;
}

static inline void record_inputs(const uint64_t *function, const char *name, uint64_t id,
				 uint64_t ticks, struct recorder_lane *lane)
{
	size_t count;
	const struct torch_value *inputs = torch_function_inputs(function, &count);

	if (count)
		torch_inputs_record(name, id, inputs, count, ticks, lane);
}

/*
 * Returns whether the end is to be recorded. Not if this record was dropped, unless the end names
 * what it ends.
 */
static inline bool torch_record_begin(const uint64_t *function, bool is_held,
				      struct recorder_lane *lane)
{
	uint64_t stack = stack_python_of(lane, EVT_FAMILY_torch);
	uint64_t ticks = thread_clock_edge(lane, recorder_now());
	const char *name;
	uint64_t id;

	if (__builtin_expect(atomic_load_explicit(&sampling_unreported, memory_order_relaxed), 0))
		record_sampling(ticks, lane);
	task_look_if_any(lane, ticks);
	id = name_id(function, &name, lane);
	if (__builtin_expect(is_held, 0) && torch_passes_on && torch_passes_wants(name))
		torch_passes_edge(lane, ticks);
	if (__builtin_expect(is_held, 0)
		    ? !record_held_begin(function, id, (struct beginning){ ticks, stack }, lane)
		    : !record_operator(function, id, (struct beginning){ ticks, stack }, lane))
		return is_held;
	if (with_inputs)
		record_inputs(function, name, id, ticks, lane);
	return true;
}

/* A key for capture_range.h, different from the numbers of NVTX ranges. */
static inline uint64_t label_key(const void *function)
{
	return 1ull << 63 | (uintptr_t)function;
}

/* Likewise a key for marks.h. */
static inline uint64_t mark_key(const void *function)
{
	return 1ull << 62 | (uintptr_t)function;
}

/* If scopes are not known, any function may be a user scope. */
static inline bool may_be_user_scope(const uint64_t *function)
{
	return !torch_function.thread || torch_function_scope(function) == SCOPE_USER;
}

/* Called first, also while nothing is recorded. */
static inline void look_for_range(const uint64_t *function)
{
	steps_look();
	capture_asked_look();
	if (__builtin_expect(may_be_user_scope(function), 0)) {
		struct string name = string_of(torch_api.name(function));

		steps_begin((uintptr_t)function, &name);
		if (marks_of_labels)
			marks_begin_label(mark_key(function), &name);
		if (capture_range_labels && capture_range_matches(name.hash, 0))
			capture_range_open_key(label_key(function));
	}
}

/*
 * An at::ObserverContext, which has a virtual destructor and nothing else. If the begin of an
 * operator was recorded, it gets one; an end without one is not recorded. PyTorch passes it to the
 * end and then deletes it; our destructors do nothing.
 */
static void context_delete(const void *context)
{
	(void)context;
}

static const struct {
	/* the words of a vtable before the place that objects point to */
	const void *top, *type;
	void (*complete)(const void *context); /* its destructors */
	void (*deleting)(const void *context);
} context_class = { NULL, NULL, context_delete, context_delete };

struct context {
	const void *class;
};

/*
 * Each open operator of a thread has one of these contexts; the outermost has the first. Operators
 * end in nesting order, except if greenlets switch within one. The last context is shared by all
 * others: operators that are held elsewhere, whose end names them, and those that are nested deeper
 * than there are bits.
 */
#define CONTEXT_SLOTS 32u
#define FOUR(element) element, element, element, element
#define CONTEXT                         \
	{                               \
		&context_class.complete \
	}
static const struct context contexts[CONTEXT_SLOTS + 1] = {
	FOUR(CONTEXT), FOUR(CONTEXT), FOUR(CONTEXT), FOUR(CONTEXT), FOUR(CONTEXT),
	FOUR(CONTEXT), FOUR(CONTEXT), FOUR(CONTEXT), CONTEXT,
};
#undef CONTEXT
#undef FOUR

static inline const struct context *context_take(bool is_held)
{
	uint32_t open = recorder_self.operators;
	unsigned int slot = open ? CONTEXT_SLOTS - (unsigned int)__builtin_clz(open) : 0;

	if (__builtin_expect(is_held || slot == CONTEXT_SLOTS, 0))
		return &contexts[CONTEXT_SLOTS];
	recorder_self.operators = open | 1u << slot;
	return &contexts[slot];
}

/* Returns the bits of those that began later than the one that ends. */
static inline uint32_t context_give_back(const struct context *context)
{
	unsigned int slot = (unsigned int)(context - contexts);
	uint32_t open = recorder_self.operators;

	if (__builtin_expect(slot >= CONTEXT_SLOTS, 0))
		return 0;
	recorder_self.operators = open & ~(1u << slot);
	return open >> slot >> 1;
}

/* unique_ptr<ObserverContext>: returned in memory. */
static __attribute__((used)) void *operator_start(void **ret_context, const void *function)
{
	struct recorder_lane *lane;
	int state = atomic_load_explicit(&torch_state, memory_order_acquire);

	*ret_context = NULL;
	if (__builtin_expect(state != TORCH_ON, 0)) {
		if (state == TORCH_SHOWING)
			look_at_function(function);
		else if (state == TORCH_SHOWING_INPUTS && torch_function.sequence)
			look_at_inputs(function);
		return ret_context;
	}
	if (__builtin_expect(!detail_is_on(), 0) && !may_be_user_scope(function)) {
		detail_look_at_time();
		torch_callbacks_follow();
		return ret_context;
	}
	name_fetch(function);
	look_for_range(function);
	lane = recorder_enter(EVT_FAMILY_torch, RECORDER_IN_RECORD);
	if (lane) {
		bool is_held = !is_guard(function);

		if (torch_record_begin(function, is_held, lane))
			*ret_context = (void *)(uintptr_t)context_take(is_held);
		recorder_leave(lane);
	} else if (atomic_load_explicit(&torch_callbacks_vary, memory_order_relaxed)) {
		torch_callbacks_follow();
	}
	return ret_context;
}

ARCH_RETURNS_OBJECT(operator_start_called, operator_start);
PRELOAD_HIDDEN void *operator_start_called(void **ret_context, const void *function);

/* The operator's begin was recorded by this thread a moment ago. */
static void record_types(const uint64_t *function)
{
	struct recorder_lane *lane;
	uint64_t types;
	size_t count;
	const struct torch_value *inputs = torch_function_inputs(function, &count);

	types = torch_shapes_types(inputs, count);
	lane = types ? recorder_enter(EVT_FAMILY_torch, RECORDER_IN_RECORD) : NULL;
	if (!lane)
		return;
	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_torch_typed), recorder_now(),
				    &types, 1);
	recorder_leave(lane);
}

/* In steps whose types are recorded. */
static __attribute__((used)) void *operator_start_typed(void **ret_context, const void *function)
{
	if (__builtin_expect(!torch_callbacks_are_typed(), 0))
		torch_callbacks_follow();
	operator_start(ret_context, function);
	if (*ret_context)
		record_types(function);
	return ret_context;
}

ARCH_RETURNS_OBJECT(operator_start_typed_called, operator_start_typed);
PRELOAD_HIDDEN void *operator_start_typed_called(void **ret_context, const void *function);

/* For a guard that is held elsewhere: the record says which one ends. */
static __attribute__((noinline)) void record_held_end(const uint64_t *function, uint64_t ticks,
						      struct recorder_lane *lane)
{
	uint64_t field[4] = { 0, 0, (uintptr_t)function, 0 };
	struct string name;

	if (is_async(function)) {
		(void)recorder_put(lane, EVT_torch_async_end, ticks, &field[2], 1);
		return;
	}
	task_look(lane, ticks);
	field[3] = recorder_self.task;
	name = string_of(torch_api.name(function));
	if (torch_passes_on && torch_passes_wants(name.bytes))
		torch_passes_edge(lane, ticks);
	field[0] = string_id(&name, lane);
	if (torch_function.thread && function[torch_function.thread] != torch_api.thread_id())
		field[1] = function[torch_function.thread];
	(void)recorder_put(lane, EVT_torch_end_id, ticks, field, 4);
}

/*
 * Operators that began later on this thread are still open, because greenlets switched within them.
 */
static __attribute__((noinline)) void record_outer_end(uint32_t later, uint64_t ticks,
						       struct recorder_lane *lane)
{
	uint64_t inside = (unsigned int)__builtin_popcount(later);

	(void)recorder_put(lane, EVT_torch_end_outer, ticks, &inside, 1);
}

/* `later` has a bit for each operator that began later and has not ended. */
static inline void torch_record_end(const uint64_t *function, uint32_t later,
				    struct recorder_lane *lane)
{
	uint64_t ticks = thread_clock_edge(lane, recorder_now());

	if (__builtin_expect(!is_guard(function), 0))
		record_held_end(function, ticks, lane);
	else if (__builtin_expect(later, 0))
		record_outer_end(later, ticks, lane);
	else
		(void)recorder_put(lane, EVT_torch_end, ticks, NULL, 0);
}

/*
 * A scope that closes may have been a step, or the label of an open capture range. Operators never
 * are.
 */
static __attribute__((noinline)) void user_scope_ends(const uint64_t *function)
{
	if (atomic_load_explicit(&steps_open, memory_order_relaxed))
		steps_end((uintptr_t)function);
	if (atomic_load_explicit(&marks_open, memory_order_relaxed))
		marks_end(mark_key(function), false);
	if (atomic_load_explicit(&capture_range_held, memory_order_relaxed))
		capture_range_close_key(label_key(function));
}

static void operator_end(const void *function, void *context)
{
	struct recorder_lane *lane;
	uint32_t later;

	if (__builtin_expect(atomic_load_explicit(&torch_state, memory_order_acquire) != TORCH_ON,
			     0))
		return;
	if (context) {
		later = context_give_back(context);
		lane = recorder_enter(EVT_FAMILY_torch, RECORDER_IN_RECORD);
		if (lane) {
			torch_record_end(function, later, lane);
			recorder_leave(lane);
		}
	}
	if (__builtin_expect(may_be_user_scope(function), 0))
		user_scope_ends(function);
}

/* --- the functions of torch --- */

static int look_for_api(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct symbols s;

	(void)bytes;
	(void)context;
	if (!symbols_of_module(module, &s))
		return 0;
	*(void **)&torch_api.name = symbols_address(&s, "_ZNK2at14RecordFunction4nameEv");
	*(void **)&torch_api.thread_id = symbols_address(
		&s, "_ZN2at14RecordFunction15currentThreadIdEv");
	*(void **)&torch_api.sequence = symbols_address(&s, "_ZN2at15sequence_number4peekEv");
	*(void **)&torch_api.is_async = symbols_address(&s, "_ZNK2at14RecordFunction7isAsyncEv");
	return torch_callbacks_find(&s) && torch_api.name && torch_api.thread_id;
}

bool torch_begin(void *arguments)
{
	int off = TORCH_OFF;

	(void)arguments;
	if (!atomic_compare_exchange_strong(&torch_state, &off, TORCH_SHOWING))
		return true;
	if (dl_iterate_phdr(look_for_api, NULL))
		torch_callbacks_begin(&(struct torch_callback_functions){
			.start = operator_start_called,
			.end = operator_end,
			.needs_inputs = wants_inputs() || wants_types(),
		});
	else
		limitation_say(LIMITATION_torch_unknown, NULL);
	return true;
}

/* Everything is known: recording starts. */
static void torch_start(bool with_types)
{
	const struct torch_callback_functions functions = { .start = operator_start_called,
							    .end = operator_end,
							    .needs_inputs = wants_inputs() };
	const struct torch_callback_functions typed = { .start = operator_start_typed_called,
							.end = operator_end,
							.needs_inputs = true };

	torch_passes_run(torch_api.sequence);
	atomic_store(&sampling_unreported, settings.operators > 1);
	torch_callbacks_run(&functions, with_types ? &typed : NULL, torch_function.thread != 0);
	if (with_types)
		torch_typing_start();
	atomic_store(&torch_state, TORCH_ON);
}

bool torch_calibrate(void *arguments)
{
	(void)arguments;
	if (atomic_load(&torch_state) != TORCH_SHOWING || !torch_api.name)
		return false;
	if (torch_function_find(torch_api.thread_id(), wants_inputs() || wants_types())) {
		atomic_store(&torch_state, TORCH_SHOWING_INPUTS);
		return true;
	}
	atomic_store(&torch_state, TORCH_OFF);
	torch_callbacks_give_up();
	limitation_say(LIMITATION_torch_differs, NULL);
	return false;
}

/* Returns whether inputs can be read. */
static bool find_inputs(void)
{
	if (!torch_function.sequence)
		return false;
	torch_layout.undefined = symbols_find_loaded("_ZN3c1019UndefinedTensorImpl10_singletonE");
	torch_inputs_prepare();
	return torch_layout_found();
}

bool torch_calibrate_inputs(void *arguments)
{
	bool found;

	(void)arguments;
	if (atomic_load(&torch_state) != TORCH_SHOWING_INPUTS)
		return true;
	found = (wants_inputs() || wants_types()) && find_inputs();
	with_inputs = wants_inputs() && found;
	if (wants_inputs() && !found)
		limitation_say(torch_function.sequence ? LIMITATION_shapes_tensors
						       : LIMITATION_shapes_inputs,
			       NULL);
	torch_start(wants_types() && found);
	return true;
}
