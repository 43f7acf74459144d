/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions in actions of Lightning's Trainer, as its AdvancedProfiler shows them: it
 * enables cProfile where an action begins and disables it where the action ends, with one profile
 * for each name. So a call counts in each action that is open on its thread when it begins.
 * Functions that began before the action are not callers in its profile, and a call that is still
 * open when the action ends, ends there. Of nested actions with one name, the outermost counts.
 *
 * Actions that are nested deeper than ACTION_DEPTH_MAX are ignored, because each call is entered
 * into every open action. Names are indices. Memory grows as in calls.h, with open actions instead
 * of threads. To be used by one thread.
 */
#ifndef REPORT_FUNCTIONS_ACTION_CALLS_H
#define REPORT_FUNCTIONS_ACTION_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/scopes/nest.h"
#include "report/functions/calls.h"

/* the Trainer's actions nest about five deep; a hostile file may nest as many as it has events */
#define ACTION_DEPTH_MAX 256u

struct action_calls {
	struct calls calls; /* by the action's name; its threads are the scopes of the nest */
	struct nest nest;   /* open actions, by name */
};

/* The object must not be moved afterwards. */
void action_calls_init(struct action_calls *actions);
void action_calls_release(struct action_calls *actions);

void action_calls_begin(struct action_calls *actions, struct nest_place place, uint32_t name);
/* Ends the innermost action with that name; an action whose begin was not seen is ignored. */
void action_calls_end(struct action_calls *actions, struct nest_place place, uint32_t name);
bool action_calls_any(const struct action_calls *actions, uint32_t thread);

/* The key of `call` is not used. */
void action_calls_enter(struct action_calls *actions, const struct call *call);
void action_calls_return(struct action_calls *actions, const struct call *call);
/* All actions that are open on the thread end, or stay open and add no time, as `how` says. */
void action_calls_cut(struct action_calls *actions, struct nest_place place, enum nest_ending how);

#endif
