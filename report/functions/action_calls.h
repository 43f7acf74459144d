/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions in actions of Lightning's Trainer, as its AdvancedProfiler has them: what
 * cProfile says that is enabled where an action begins and disabled where it ends, with one profile
 * a name. So a call counts in each action that is open on its thread when it begins, and in its
 * profile those that began before the action are no callers; what is still open when the action
 * ends is over there. Of actions of one name inside of each other the outermost counts.
 *
 * Those deeper than ACTION_DEPTH_MAX are none: each call is looked at in all that are open. Names
 * are indices. Memory as of calls.h, with open actions for threads. One thread.
 */
#ifndef REPORT_FUNCTIONS_ACTION_CALLS_H
#define REPORT_FUNCTIONS_ACTION_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/scopes/nest.h"
#include "report/functions/calls.h"

/* the Trainer's are some five deep; a hostile file has as many as it has events */
#define ACTION_DEPTH_MAX 256u

struct action_calls {
	struct calls calls; /* by the action's name; threads of it are scopes of the nest */
	struct nest nest;   /* open actions, by name */
};

/* Does not move afterwards. */
void action_calls_init(struct action_calls *actions);
void action_calls_release(struct action_calls *actions);

void action_calls_begin(struct action_calls *actions, struct nest_place place, uint32_t name);
/* The innermost one of that name; one that was not seen to begin is nothing. */
void action_calls_end(struct action_calls *actions, struct nest_place place, uint32_t name);
bool action_calls_any(const struct action_calls *actions, uint32_t thread);

/* The key of `call` is nothing. */
void action_calls_enter(struct action_calls *actions, const struct call *call);
void action_calls_return(struct action_calls *actions, const struct call *call);
/* All that is open on the thread ends, or runs on and adds no time. */
void action_calls_cut(struct action_calls *actions, struct nest_place place, enum nest_ending how);

#endif
