/* SPDX-License-Identifier: MIT */
/*
 * Keeps a nest of open actions. A call is entered into struct calls once for each open action that
 * counts, with the action's scope instead of a thread, and the action's name as the key.
 */
#include "report/functions/action_calls.h"

/* Calls that are still open in the action end with it, as with cProfile's disable(). */
static void action_calls_action_ended(void *state, const struct nest_end *end)
{
	calls_cut(&((struct action_calls *)state)->calls, end->scope, end->time_ns, end->how);
}

void action_calls_init(struct action_calls *actions)
{
	calls_init(&actions->calls);
	nest_init(&actions->nest,
		  (struct nest_options){ .is_keyed = true, .depth_max = ACTION_DEPTH_MAX },
		  action_calls_action_ended, actions);
}

void action_calls_release(struct action_calls *actions)
{
	calls_release(&actions->calls);
	nest_release(&actions->nest);
}

void action_calls_begin(struct action_calls *actions, struct nest_place place, uint32_t name)
{
	nest_begin(&actions->nest, place, name, false);
}

void action_calls_end(struct action_calls *actions, struct nest_place place, uint32_t name)
{
	(void)nest_end_key(&actions->nest, place, name);
}

bool action_calls_any(const struct action_calls *actions, uint32_t thread)
{
	return nest_innermost(&actions->nest, thread) != NEST_NONE;
}

/*
 * Iterates over the actions that count. An end belongs to the innermost action with its name, so of
 * nested actions with one name the outermost lasts the longest.
 */
static uint32_t next_that_counts(const struct action_calls *actions, uint32_t scope)
{
	while (scope != NEST_NONE && actions->nest.scope[scope].outer != NEST_NONE)
		scope = actions->nest.scope[scope].below;
	return scope;
}

void action_calls_enter(struct action_calls *actions, const struct call *call)
{
	uint32_t scope = next_that_counts(actions, nest_innermost(&actions->nest, call->thread));

	while (scope != NEST_NONE) {
		struct call inside = *call;

		inside.thread = scope;
		inside.key = actions->nest.scope[scope].key + 1;
		calls_enter(&actions->calls, &inside);
		scope = next_that_counts(actions, actions->nest.scope[scope].below);
	}
}

void action_calls_return(struct action_calls *actions, const struct call *call)
{
	uint32_t scope = next_that_counts(actions, nest_innermost(&actions->nest, call->thread));

	while (scope != NEST_NONE) {
		struct call inside = *call;

		inside.thread = scope;
		calls_return(&actions->calls, &inside);
		scope = next_that_counts(actions, actions->nest.scope[scope].below);
	}
}

void action_calls_cut(struct action_calls *actions, struct nest_place place, enum nest_ending how)
{
	nest_cut(&actions->nest, place, how);
}
