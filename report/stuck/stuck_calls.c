/* SPDX-License-Identifier: MIT */
/*
 * Collectives of ranks that do not go on (stuck.h).
 *
 * Calls of a label belong together by their order: the n-th of each rank. That one rank keeps the
 * others waiting is said only if all that wait are in the same number, and all others have ended
 * just the ones before it. Otherwise several groups of ranks may use the label, and the sentence
 * says only who is where.
 */
#include "report/stuck/stuck.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/session/ranks.h"

/* --- counts --- */

struct stuck_calls {
	struct stuck *stuck;
	struct map rows;
	size_t room;
};

static struct stuck_call *stuck_calls_row(struct stuck_calls *calls, uint32_t name,
					  uint32_t process)
{
	struct stuck *stuck = calls->stuck;
	struct map_entry *entry;
	bool added;

	entry = map_put(&calls->rows, (uint64_t)name << 32 | process, &added);
	if (added) {
		stuck->call = memory_room(stuck->call, stuck->call_count, &calls->room,
					  sizeof(*stuck->call));
		stuck->call[stuck->call_count] = (struct stuck_call){ .name = name,
								      .process = process };
		entry->value = stuck->call_count++;
	}
	return &stuck->call[entry->value];
}

static void stuck_call_move(struct stuck_call *call, uint64_t time_ns)
{
	if (time_ns > call->moved_ns)
		call->moved_ns = time_ns;
}

static int stuck_calls_compare(const void *a, const void *b)
{
	const struct stuck_call *left = a, *right = b;

	if (left->name != right->name)
		return left->name < right->name ? -1 : 1;
	return (left->process > right->process) - (left->process < right->process);
}

void stuck_calls_find(struct stuck *stuck)
{
	const struct collectives *all = stuck->collectives;
	struct stuck_calls calls = { .stuck = stuck };
	struct stuck_call *row;

	map_init(&calls.rows);
	for (size_t i = 0; i < all->call_count; i++) {
		row = stuck_calls_row(&calls, all->call[i].name, all->call[i].process);
		row->begun++;
		row->ended++;
		stuck_call_move(row, all->call[i].end_ns);
	}
	for (size_t i = 0; i < all->open_count; i++) {
		row = stuck_calls_row(&calls, all->open_call[i].name, all->open_call[i].process);
		row->begun++;
		stuck_call_move(row, all->open_call[i].begin_ns);
		if (!row->open_ns || all->open_call[i].begin_ns < row->open_ns)
			row->open_ns = all->open_call[i].begin_ns;
	}
	map_release(&calls.rows);
	if (stuck->call_count)
		qsort(stuck->call, stuck->call_count, sizeof(*stuck->call), stuck_calls_compare);
}

const struct stuck_call *stuck_call_of(const struct stuck *stuck, uint32_t process)
{
	const struct stuck_call *found = NULL;

	for (size_t i = 0; i < stuck->call_count; i++) {
		const struct stuck_call *call = &stuck->call[i];

		if (call->process == process && call->open_ns &&
		    (!found || call->open_ns < found->open_ns))
			found = call;
	}
	return found;
}

/* --- ranks --- */

static uint64_t stuck_calls_begun(const struct stuck *stuck, uint32_t process)
{
	uint64_t begun = 0;

	for (size_t i = 0; i < stuck->call_count; i++)
		begun += stuck->call[i].process == process ? stuck->call[i].begun : 0;
	return begun;
}

/*
 * Workers of a rank have its number, too: the rank is the process with most calls, else the first
 * one.
 */
static bool stuck_is_rank(const struct stuck *stuck, const struct stuck_process *state)
{
	uint64_t begun;

	if (!state->process || state->rank == UINT64_MAX)
		return false;
	begun = stuck_calls_begun(stuck, state->process->index);
	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *other = &stuck->process[i];
		uint64_t others;

		if (!other->process || other == state || other->rank != state->rank)
			continue;
		others = stuck_calls_begun(stuck, other->process->index);
		if (others > begun || (others == begun && other < state))
			return false;
	}
	return true;
}

/* The rank that ended without an error before, while that one went on; NULL: none did. */
static const struct stuck_process *left_before(const struct stuck *stuck,
					       const struct stuck_process *failed)
{
	uint64_t begun = stuck_calls_begun(stuck, failed->process->index);
	const struct stuck_process *first = NULL;

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (stuck_is_rank(stuck, state) && state->process->ended &&
		    !state->process->exit_status &&
		    state->process->end_ns < failed->process->end_ns &&
		    stuck_calls_begun(stuck, state->process->index) < begun &&
		    (!first || state->process->end_ns < first->process->end_ns))
			first = state;
	}
	return first;
}

void stuck_calls_say_left(struct stuck *stuck, const struct stuck_process *failed)
{
	const struct stuck_process *left = stuck_is_rank(stuck, failed) ? left_before(stuck, failed)
									: NULL;
	char name[STUCK_NAME_BYTES], others[STUCK_NAME_BYTES], time[UNIT_TEXT_BYTES];

	if (!left)
		return;
	stuck_say(stuck,
		  "%s had ended with status 0 %s earlier, after %" PRIu64
		  " collectives; %s has entered %" PRIu64 ".",
		  stuck_name(stuck, left->process->index, name),
		  unit_format_ns(time, failed->process->end_ns - left->process->end_ns),
		  stuck_calls_begun(stuck, left->process->index),
		  stuck_name(stuck, failed->process->index, others),
		  stuck_calls_begun(stuck, failed->process->index));
}

/* Some ranks, in the order of their processes. */
struct rank_set {
	uint32_t *process; /* indices */
	size_t count;
};

static struct rank_set rank_set_new(const struct stuck *stuck)
{
	return (struct rank_set){ memory_zero(stuck->process_count + 1, sizeof(uint32_t)), 0 };
}

static void rank_set_add(struct rank_set *set, uint32_t process)
{
	set->process[set->count++] = process;
}

/* "rank 2", "ranks 0, 1, 3" */
#define RANK_SET_BYTES (RANKS_BYTES + 16)
static const char *rank_set_text(const struct stuck *stuck, const struct rank_set *set,
				 char text[RANK_SET_BYTES])
{
	uint64_t *rank = memory_zero(set->count + 1, sizeof(*rank));
	char list[RANKS_BYTES], *comma;

	for (size_t i = 0; i < set->count; i++)
		rank[i] = stuck->process[set->process[i]].rank;
	numbers_sort(rank, set->count);
	ranks_write_list(list, rank, set->count);
	free(rank);
	comma = strstr(list, " and ") ? NULL : strrchr(list, ',');
	if (comma)
		*comma = '\0';
	snprintf(text, RANK_SET_BYTES, "rank%s %s%s%s", set->count == 1 ? "" : "s", list,
		 comma ? " and" : "", comma ? comma + 1 : "");
	return text;
}

/* --- one label --- */

struct stuck_label {
	uint32_t name;
	struct rank_set waiting;
	struct rank_set late, left; /* have not entered it; left: of these, have ended */
	struct rank_set out;        /* have come out of it, as by an error */
	uint64_t number;            /* of the call that is open, from 1 */
	uint64_t since_ns;          /* the last of those that wait entered it then */
	bool is_clear; /* all that wait are in that number, all others have ended those before */
	bool is_even;  /* or have ended that one, too */
};

static const struct stuck_call *stuck_label_call(const struct stuck *stuck, uint32_t name,
						 uint32_t process)
{
	const struct stuck_call wanted = { .name = name, .process = process };

	return bsearch(&wanted, stuck->call, stuck->call_count, sizeof(wanted),
		       stuck_calls_compare);
}

static void stuck_label_wait(struct stuck_label *label, const struct stuck_call *call)
{
	if (label->waiting.count && label->number != call->ended + 1)
		label->is_clear = label->is_even = false;
	label->number = call->ended + 1;
	if (call->open_ns > label->since_ns)
		label->since_ns = call->open_ns;
	rank_set_add(&label->waiting, call->process);
}

/* A rank that does not wait in a call of that label. */
static void stuck_label_rest(const struct stuck *stuck, struct stuck_label *label, uint32_t process,
			     const struct stuck_call *call)
{
	uint64_t begun = call ? call->begun : 0;
	bool is_out = call && begun == label->number && call->ended == begun;

	if (begun != label->number - 1)
		label->is_clear = false;
	if (begun != label->number - 1 && !is_out)
		label->is_even = false;
	if (is_out)
		rank_set_add(&label->out, process);
	else
		rank_set_add(stuck->process[process].left ? &label->left : &label->late, process);
}

static void stuck_label_find(const struct stuck *stuck, struct stuck_label *label)
{
	label->waiting = rank_set_new(stuck);
	label->late = rank_set_new(stuck);
	label->left = rank_set_new(stuck);
	label->out = rank_set_new(stuck);
	label->is_clear = label->is_even = true;
	for (uint32_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];
		const struct stuck_call *call = stuck_label_call(stuck, label->name, i);

		if (stuck_is_rank(stuck, state) && call && call->open_ns && state->is_stuck)
			stuck_label_wait(label, call);
	}
	for (uint32_t i = 0; label->waiting.count && i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];
		const struct stuck_call *call = stuck_label_call(stuck, label->name, i);

		if (stuck_is_rank(stuck, state) && !(call && call->open_ns && state->is_stuck))
			stuck_label_rest(stuck, label, i, call);
	}
}

static void stuck_label_release(struct stuck_label *label)
{
	free(label->waiting.process);
	free(label->late.process);
	free(label->left.process);
	free(label->out.process);
}

/* --- sentences --- */

static void stuck_say_late(struct stuck *stuck, const struct stuck_label *label, const char *name)
{
	char late[RANK_SET_BYTES], waiting[RANK_SET_BYTES], ago[UNIT_TEXT_BYTES];
	char place[STUCK_PLACE_BYTES], number[UNIT_TEXT_BYTES], rank[STUCK_NAME_BYTES];
	bool is_one = label->late.count == 1;
	const struct last_look *main = stuck->process[label->late.process[0]].main;

	if (is_one && main)
		stuck_place_text(stuck, main, place);
	stuck_say(stuck, "%s %s not entered %s number %s, which %s entered %s ago%s%s.",
		  rank_set_text(stuck, &label->late, late), is_one ? "has" : "have", name,
		  unit_format_count(number, label->number),
		  rank_set_text(stuck, &label->waiting, waiting),
		  unit_format_ns(ago, stuck->until_ns - label->since_ns),
		  is_one && main ? "; it is at " : "", is_one && main ? place : "");
	if (is_one)
		stuck_say_around(stuck, label->late.process[0]);
	for (size_t i = 0; !is_one && i < label->late.count; i++) {
		main = stuck->process[label->late.process[i]].main;
		if (!main)
			continue;
		stuck_place_text(stuck, main, place);
		stuck_say(stuck, "%s is at %s.", stuck_name(stuck, label->late.process[i], rank),
			  place);
	}
}

static void stuck_say_gone(struct stuck *stuck, const struct stuck_label *label, const char *name)
{
	char waiting[RANK_SET_BYTES], time[UNIT_TEXT_BYTES], rank[STUCK_NAME_BYTES];
	char number[UNIT_TEXT_BYTES], since[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < label->left.count; i++) {
		const struct stuck_process *state = &stuck->process[label->left.process[i]];
		char how[STUCK_NAME_BYTES];

		stuck_say(stuck,
			  "%s %s, %s ago, and had not entered %s number %s, in which %s %s waited "
			  "for %s.",
			  stuck_name(stuck, label->left.process[i], rank),
			  stuck_end_text(state->process, how),
			  unit_format_ns(time, stuck->until_ns - state->process->end_ns), name,
			  unit_format_count(number, label->number),
			  rank_set_text(stuck, &label->waiting, waiting),
			  label->waiting.count == 1 ? "has" : "have",
			  unit_format_ns(since, stuck->until_ns - label->since_ns));
		stuck_say_oom(stuck, state->process);
		stuck_say_around(stuck, label->left.process[i]);
	}
}

static void stuck_say_all_in(struct stuck *stuck, const struct stuck_label *label, const char *name)
{
	char waiting[RANK_SET_BYTES], time[UNIT_TEXT_BYTES], number[UNIT_TEXT_BYTES];
	struct ranks ranks;
	bool is_missing = ranks_describe(stuck->source, &ranks) && ranks.missing[0];

	rank_set_text(stuck, &label->waiting, waiting);
	unit_format_ns(time, stuck->until_ns - label->since_ns);
	unit_format_count(number, label->number);
	if (is_missing)
		stuck_say(stuck,
			  "%s entered %s number %s %s ago, and it has not ended. What ranks %s of "
			  "%" PRIu64 " do is not known: their files are not among those shown.",
			  waiting, name, number, time, ranks.missing, ranks.world_size);
	else
		stuck_say(stuck,
			  "%s have all entered %s number %s, the last one %s ago, and it has not "
			  "ended: "
			  "no rank is missing, the operation itself does not end.",
			  waiting, name, number, time);
}

/* Who is where, and no more. */
static void stuck_say_where(struct stuck *stuck, const struct stuck_label *label, const char *name)
{
	char waiting[RANK_SET_BYTES], time[UNIT_TEXT_BYTES], place[STUCK_PLACE_BYTES];
	const struct last_look *main = stuck->process[label->waiting.process[0]].main;

	if (main)
		stuck_place_text(stuck, main, place);
	stuck_say(stuck, "%s: in %s number %" PRIu64 " for %s%s%s.",
		  rank_set_text(stuck, &label->waiting, waiting), name, label->number,
		  unit_format_ns(time, stuck->until_ns - label->since_ns), main ? ", at " : "",
		  main ? place : "");
}

static void stuck_say_label(struct stuck *stuck, const struct stuck_label *label, const char *name)
{
	char out[RANK_SET_BYTES];

	/* when a rank leaves, others get an error, and one may wait on */
	if (!label->is_clear && !(label->is_even && label->left.count)) {
		stuck_say_where(stuck, label, name);
		stuck_say(stuck,
			  "The ranks have called %s unequally often, so several groups may use it, "
			  "and who is missing is not known.",
			  name);
		return;
	}
	stuck_say_gone(stuck, label, name);
	if (label->out.count)
		stuck_say(stuck, "%s %s come out of it.", rank_set_text(stuck, &label->out, out),
			  label->out.count == 1 ? "has" : "have");
	if (label->late.count)
		stuck_say_late(stuck, label, name);
	else if (!label->left.count)
		stuck_say_all_in(stuck, label, name);
}

static void stuck_label_name(const struct stuck *stuck, uint32_t index, char text[96])
{
	size_t length;
	const char *name = name_text(source_name_at(stuck->source, index), &length);

	text_escape(text, 96, name, length);
}

/* The labels that ranks are in, in `label`, with room for `call_count`; returns how many. */
static size_t stuck_calls_labels(struct stuck *stuck, struct stuck_label *label)
{
	size_t count = 0;

	for (size_t i = 0; i < stuck->call_count; i++) {
		if (i && stuck->call[i].name == stuck->call[i - 1].name)
			continue;
		label[count] = (struct stuck_label){ .name = stuck->call[i].name };
		stuck_label_find(stuck, &label[count]);
		if (label[count].waiting.count)
			count++;
		else
			stuck_label_release(&label[count]);
	}
	return count;
}

void stuck_calls_say(struct stuck *stuck)
{
	struct stuck_label *label = memory_zero(stuck->call_count + 1, sizeof(*label));
	size_t count = stuck_calls_labels(stuck, label);
	char name[96];

	if (count > 1)
		stuck_say(stuck,
			  "The ranks are in %zu different collectives at the same time, and "
			  "none of these goes on:",
			  count);
	for (size_t i = 0; i < count; i++) {
		stuck_label_name(stuck, label[i].name, name);
		if (count > 1)
			stuck_say_where(stuck, &label[i], name);
		else
			stuck_say_label(stuck, &label[i], name);
		stuck_label_release(&label[i]);
	}
	free(label);
}
