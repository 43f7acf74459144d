/* SPDX-License-Identifier: MIT */
/*
 * Processes of which no thread of Python was sampled: what their open calls (family osrt) show.
 * That threads wait for locks of each other is certain. Any other call may end at any time.
 */
#include <stdio.h>
#include <string.h>

#include "report/base/text.h"
#include "report/base/units.h"
#include "report/stuck/stuck.h"
#include "report/symbols/symbols.h"

#define OPEN_CYCLE_MAX 64u

/* The open call of the process's thread with that tid; NULL: none. */
static const struct open_wait *stuck_open_of(const struct stuck *stuck,
					     const struct source_process *process, uint32_t tid)
{
	const struct open_wait *found = NULL;

	for (const struct source_thread *thread = tid ? process->first_thread : NULL; thread;
	     thread = thread->next) {
		const struct open_wait *wait = open_wait_of(stuck->waits, thread->index);

		if (thread->tid == tid && wait && (!found || wait->begin_ns > found->begin_ns))
			found = wait;
	}
	return found;
}

/* Returns how many threads the cycle has that begins and ends at this call; 0: there is none. */
static size_t stuck_open_cycle(const struct stuck *stuck, const struct open_wait *first)
{
	const struct source_process *process = first->thread->process;
	const struct open_wait *wait = first;

	for (size_t length = 1; length < OPEN_CYCLE_MAX; length++) {
		wait = stuck_open_of(stuck, process, wait->owner);
		if (!wait)
			return 0;
		if (wait == first)
			return length;
	}
	return 0;
}

static const char *stuck_open_age(const struct open_wait *wait, char text[UNIT_TEXT_BYTES])
{
	uint64_t end_ns = wait->thread->process->end_ns;

	return unit_format_ns(text, end_ns > wait->begin_ns ? end_ns - wait->begin_ns : 0);
}

/* ", called by take (hang.c:6)"; "": where it was called is not known. */
static const char *stuck_open_place(struct symbols *symbols, const struct open_wait *wait,
				    char text[STUCK_PLACE_BYTES])
{
	const struct symbol *symbol = wait->caller ? symbols_of_call(symbols, wait->thread->process,
								     wait->caller, wait->seen_ns)
						   : NULL;
	const char *name = symbol ? symbols_text(symbols, symbol) : NULL;
	char shown[STUCK_PLACE_BYTES / 2];

	*text = 0;
	if (!name)
		return text;
	text_escape(shown, sizeof(shown), name, strlen(name));
	snprintf(text, STUCK_PLACE_BYTES, ", called by %s", shown);
	return text;
}

static void stuck_open_say_cycle(struct stuck *stuck, const struct open_wait *first, size_t length)
{
	const struct source_process *process = first->thread->process;
	const struct open_wait *wait = first;
	char name[STUCK_NAME_BYTES], call[OPEN_WAIT_BYTES], age[UNIT_TEXT_BYTES];
	char place[STUCK_PLACE_BYTES], lock[OPEN_WAIT_BYTES];
	struct symbols symbols;

	symbols_init(&symbols, stuck->source, SYMBOLS_SHORT);
	stuck->has_cycle = true;
	if (length > 1)
		stuck_say(stuck,
			  "%s: %zu threads wait for locks of each other, so none of them goes on:",
			  stuck_name(stuck, process->index, name), length);
	else
		stuck_say(stuck, "%s: a thread waits for a lock that it holds itself:",
			  stuck_name(stuck, process->index, name));
	for (size_t i = 0; i < length; i++) {
		stuck_say(stuck,
			  "thread %u has been in %s for %s%s, waiting for %s that thread %u "
			  "holds.",
			  wait->thread->tid, open_wait_text(stuck->waits, wait, call),
			  stuck_open_age(wait, age), stuck_open_place(&symbols, wait, place),
			  open_wait_lock(stuck->waits, wait, lock), wait->owner);
		wait = stuck_open_of(stuck, process, wait->owner);
	}
	symbols_release(&symbols);
}

void stuck_open_say_cycles(struct stuck *stuck)
{
	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct source_process *process = stuck->process[i].process;
		size_t length = 0;

		if (!process || stuck->process[i].main)
			continue;
		for (const struct source_thread *thread = process->first_thread; thread && !length;
		     thread = thread->next) {
			const struct open_wait *wait = open_wait_of(stuck->waits, thread->index);

			length = wait ? stuck_open_cycle(stuck, wait) : 0;
			if (length)
				stuck_open_say_cycle(stuck, wait, length);
		}
	}
}

void stuck_open_say_main(struct stuck *stuck)
{
	char name[STUCK_NAME_BYTES], call[OPEN_WAIT_BYTES], age[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];
		const struct open_wait *wait = NULL;

		if (state->process && !state->main && !state->left)
			wait = stuck_open_of(stuck, state->process, state->process->pid);
		if (wait)
			stuck_say(stuck, "The main thread of %s has been in %s for %s.",
				  stuck_name(stuck, state->process->index, name),
				  open_wait_text(stuck->waits, wait, call),
				  stuck_open_age(wait, age));
	}
}
