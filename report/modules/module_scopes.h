/* SPDX-License-Identifier: MIT */
/*
 * Which module each thread is in, and in which phase: calls of modules and backward functions, as
 * they begin and end. Time and work between two of these moments belong to the innermost one, so
 * each moment of a thread counts once.
 *
 * A backward function belongs to the module of its forward operator. A module that is called while
 * a backward function runs is recomputed (checkpointing).
 *
 * Threads are indices. Memory grows with threads, open scopes and rows. To be used by one thread.
 */
#ifndef REPORT_MODULES_MODULE_SCOPES_H
#define REPORT_MODULES_MODULE_SCOPES_H

#include "report/modules/module_tree.h"
#include "report/scopes/nest.h"

struct module_scope {
	uint32_t row; /* MODULE_NONE: it is in no module */
	enum module_phase phase;
	bool counts; /* the filters hold */
	/*
	 * Where its time and work belong: itself, or, if it does not count, the one around it that
	 * does. MODULE_NONE: nowhere.
	 */
	uint32_t into;
	bool is_within; /* it is not itself */
	enum module_phase into_phase;
};

/* Up to when the thread's time and work have been added to rows. */
struct module_thread {
	uint64_t time_ns;
	struct work work;
};

struct module_scopes {
	struct module_tree tree;
	struct nest nest;          /* keys: whether it is a call or a backward function */
	struct module_scope *open; /* parallel to the nest */
	size_t open_room;
	struct module_thread *thread;
	size_t thread_room;
	uint64_t unmatched;    /* ends of calls of which none was open */
	uint64_t elsewhere_ns; /* in backward functions that belong to no module */
};

/* A moment of a thread, with its counters of work. */
struct module_moment {
	struct nest_place place;
	struct work work;
};

void module_scopes_init(struct module_scopes *scopes);
void module_scopes_release(struct module_scopes *scopes);

/* A module of that name is called. */
void module_scopes_call(struct module_scopes *scopes, const struct module_moment *moment,
			uint32_t name, bool counts);
void module_scopes_return(struct module_scopes *scopes, const struct module_moment *moment);
/* A backward function of an operator of that module; MODULE_NONE: it was in none, or not known. */
void module_scopes_begin_backward(struct module_scopes *scopes, const struct module_moment *moment,
				  uint32_t row, bool counts);
void module_scopes_end_backward(struct module_scopes *scopes, const struct module_moment *moment);
/* All that is open on the thread ends, or stays open. */
void module_scopes_cut(struct module_scopes *scopes, const struct module_moment *moment,
		       enum nest_ending how);

/* The innermost scope of the thread; NULL: none, or it is in no module. */
const struct module_scope *module_scopes_top(const struct module_scopes *scopes, uint32_t thread);
/* Until when the thread's time has been added to rows. */
uint64_t module_scopes_added_ns(const struct module_scopes *scopes, uint32_t thread);
/* Where its time and work belong; NULL: nowhere. */
struct module_amounts *module_scope_amounts(struct module_scopes *scopes,
					    const struct module_scope *scope);

#endif
