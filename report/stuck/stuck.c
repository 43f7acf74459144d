/* SPDX-License-Identifier: MIT */
/*
 * See stuck.h. The state of each process at its end is made from the last looks, steps and calls;
 * the sentences follow from it, the most certain first: ranks in collectives, then single
 * processes.
 */
#include "report/stuck/stuck.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/wait_causes.h"
#include "report/advice/wait_text.h"
#include "report/base/memory.h"
#include "report/base/signal_name.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/options/options.h"
#include "report/stuck/oom_words.h"

#define BESIDE_MAX 4u           /* threads, and children, that are told of */
#define TOGETHER_NS 1000000000u /* ends within that are one: whoever killed them killed all */
#define FULL_NS 60000000000u    /* a program that waits before it tries again */
#define CYCLE_MAX 64u           /* threads that wait for each other */

void stuck_want(struct stuck *stuck, struct run *run)
{
	stuck->source = run_source(run);
	stuck->is_cut = filter_cuts_lives(&run_filters(run)->settings);
	stuck->looks = last_looks_want(run, NULL);
	stuck->samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	stuck->writes = full_writes_want(run, &(struct full_writes_options){ 0 });
	stuck->waits = open_waits_want(run, &(struct open_waits_options){ 0 });
	stuck->collectives = collectives_want(run, &(struct collectives_options){ 0 });
}

void stuck_say(struct stuck *stuck, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text[0] = (char)toupper((unsigned char)text[0]);
	stuck->sentence = memory_room(stuck->sentence, stuck->sentence_count, &stuck->sentence_room,
				      sizeof(*stuck->sentence));
	stuck->sentence[stuck->sentence_count++] = text_store_put(&stuck->texts, text,
								  strlen(text));
}

/* --- the state of each process --- */

/* "stopped by a signal"; NULL: it is not, or that is not known. */
static const char *stuck_stopped(const struct stuck *stuck, const struct source_process *process)
{
	/* only SIGKILL ends what is stopped, and does not let it go on before */
	if (!process->stopped || (process->ended && process->how != EVT_END_KILLED) ||
	    stuck->is_cut)
		return NULL;
	return process->stopped == STUCK_BY_DEBUGGER ? "stopped by a debugger"
						     : "stopped by a signal";
}

/* The thread with that tid that was seen last; NULL: it is not known. */
static const struct last_look *stuck_thread(const struct stuck *stuck,
					    const struct source_process *process, uint32_t tid)
{
	const struct last_look *found = NULL;

	for (const struct source_thread *thread = tid ? process->first_thread : NULL; thread;
	     thread = thread->next) {
		const struct last_look *look = last_look_of(stuck->looks, thread->index);

		if (thread->tid == tid && look && (!found || look->time_ns > found->time_ns))
			found = look;
	}
	return found;
}

/* The thread that marks the steps, else the main thread. */
static const struct last_look *stuck_main_of(const struct stuck *stuck,
					     const struct source_process *process)
{
	const struct last_step *step = last_step_of(stuck->looks, process->index);
	const struct last_look *look = step ? last_look_of(stuck->looks, step->thread) : NULL;

	return look ? look : stuck_thread(stuck, process, process->pid);
}

static uint64_t stuck_later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/*
 * It waits for requests or tasks. A rank, or a process with steps, has always something to do;
 * others that wait in poll() for a DataLoader, a queue or a pipe have it, too.
 */
static bool stuck_is_idle(const struct stuck *stuck, const struct stuck_process *state,
			  const struct wait_place *place)
{
	bool is_plain = place->kind == WAIT_IN_C || place->kind == WAIT_LIBRARY ||
			place->kind == WAIT_SELECT || place->kind == WAIT_IDLE;

	return !stuck_stopped(stuck, state->process) && state->rank == UINT64_MAX &&
	       !last_step_of(stuck->looks, state->process->index) && !place->is_in_callback &&
	       is_plain && wait_is_idle(place->kind, state->main->call);
}

static void stuck_take_process(struct stuck *stuck, const struct source_process *process)
{
	struct stuck_process *state = &stuck->process[process->index];
	const struct last_step *step = last_step_of(stuck->looks, process->index);
	struct wait_place place;

	state->process = process;
	state->rank = source_rank(stuck->source, process);
	state->main = stuck_main_of(stuck, process);
	state->until_ns = process->ended && !stuck->is_cut
				  ? process->end_ns
				  : last_looks_seen_ns(stuck->looks, process->index);
	state->moved_ns = stuck_later(process->start_ns, step ? step->begin_ns : 0);
	if (!state->main)
		return;
	state->moved_ns = stuck_later(state->moved_ns, state->main->still_ns);
	wait_place_look(stuck->samples, &stuck->own, state->main->place, &place);
	state->is_idle = stuck_is_idle(stuck, state, &place);
}

static bool stuck_stands_still(const struct stuck *stuck, const struct stuck_process *state)
{
	const struct last_step *step = last_step_of(stuck->looks, state->process->index);
	uint64_t least_ns = stuck_later(STUCK_NS, step ? step->longest_ns * STUCK_STEPS : 0);

	return state->main && !state->left && state->until_ns >= state->moved_ns &&
	       state->until_ns - state->moved_ns >= least_ns;
}

/* A process that ends by itself left; so did one that was killed while others went on. */
static bool stuck_has_left(const struct stuck *stuck, const struct stuck_process *state)
{
	const struct source_process *process = state->process;

	return process->ended && !stuck->is_cut &&
	       (process->how != EVT_END_KILLED || stuck->until_ns - process->end_ns >= STUCK_NS);
}

/*
 * If nothing stood still, all have ended, and some of them by themselves, then nobody killed all of
 * them at the end: one that was killed left as well.
 */
static void stuck_settle_killed(struct stuck *stuck)
{
	bool has_left = false;

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (state->process && (!state->process->ended || stuck->is_cut || state->is_stuck))
			return;
		has_left |= state->left;
	}
	for (size_t i = 0; has_left && i < stuck->process_count; i++)
		stuck->process[i].left = stuck->process[i].process != NULL;
}

static void stuck_settle(struct stuck *stuck)
{
	for (size_t i = 0; i < stuck->call_count; i++) {
		struct stuck_process *state = &stuck->process[stuck->call[i].process];

		state->moved_ns = stuck_later(state->moved_ns, stuck->call[i].moved_ns);
	}
	for (size_t i = 0; i < stuck->process_count; i++) {
		struct stuck_process *state = &stuck->process[i];

		state->left = stuck_has_left(stuck, state);
		state->is_stuck = !state->is_idle && stuck_stands_still(stuck, state);
	}
	stuck_settle_killed(stuck);
}

/* --- words --- */

/* A process that a rank has started, as a worker of its DataLoader: it has that rank's number. */
static bool stuck_is_of_rank(const struct stuck *stuck, const struct stuck_process *state)
{
	const struct source_process *parent = state->process->parent;

	return parent && state->rank != UINT64_MAX &&
	       source_rank(stuck->source, parent) == state->rank;
}

const char *stuck_name(const struct stuck *stuck, uint32_t process, char text[STUCK_NAME_BYTES])
{
	const struct stuck_process *state = &stuck->process[process];

	if (stuck_is_of_rank(stuck, state))
		snprintf(text, STUCK_NAME_BYTES, "process %u of rank %" PRIu64, state->process->pid,
			 state->rank);
	else if (state->rank != UINT64_MAX)
		snprintf(text, STUCK_NAME_BYTES, "rank %" PRIu64, state->rank);
	else
		snprintf(text, STUCK_NAME_BYTES, "process %u", state->process->pid);
	return text;
}

/* "train.py:15 (load)"; "" if the line is not known. */
static void stuck_line_text(const struct stuck *stuck, uint64_t key, char *text, size_t room)
{
	const struct sample_place *place = own_place_or_innermost(stuck->samples,
								  (struct own *)&stuck->own, key);
	const struct sample_code *code = place ? samples_code(stuck->samples, place->code) : NULL;
	char file[160], function[96];
	const char *name;
	size_t length;

	text[0] = '\0';
	if (!code || code->file == SAMPLE_NONE)
		return;
	name = name_text(source_name_at(stuck->source, code->file), &length);
	for (const char *slash; (slash = memchr(name, '/', length));) {
		length -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	text_escape(file, sizeof(file), name, length);
	name = name_text(source_name_at(stuck->source, code->function), &length);
	text_escape(function, sizeof(function), name, length);
	snprintf(text, room, "%s:%" PRIu32 " (%s)", file, place->line, function);
}

/* The call that the thread was in at its last look; NULL: none, or that is not known. */
static const struct open_wait *stuck_wait_of(const struct stuck *stuck,
					     const struct last_look *look)
{
	const struct open_wait *wait = open_wait_of(stuck->waits, look->thread->index);

	return wait && wait->begin_ns <= look->time_ns ? wait : NULL;
}

/* Of a mutex by the look; of those that are not Python's by the call. */
static uint32_t stuck_owner(const struct stuck *stuck, const struct last_look *look)
{
	const struct open_wait *wait = stuck_wait_of(stuck, look);

	return look->owner ? look->owner : wait ? wait->owner : 0;
}

uint32_t stuck_holder(const struct stuck *stuck, const struct last_look *look)
{
	return look->holder ? look->holder : stuck_owner(stuck, look);
}

static void stuck_holder_text(const struct stuck *stuck, const struct last_look *look,
			      char text[STUCK_PLACE_BYTES], size_t used)
{
	uint32_t tid = stuck_holder(stuck, look);
	const struct last_look *holder = stuck_thread(stuck, look->thread->process,
						      look->other_place ? 0 : tid);
	char line[300] = "";

	if (!tid || used >= STUCK_PLACE_BYTES)
		return;
	stuck_line_text(stuck, holder ? holder->place : look->other_place, line, sizeof(line));
	snprintf(text + used, STUCK_PLACE_BYTES - used, " that thread %u holds%s%s", tid,
		 line[0] ? ", at " : "", line);
}

/*
 * What a futex is for is known by the function around it, and by the collective that the process
 * is in.
 */
static const char *stuck_words(const struct stuck *stuck, const struct last_look *look,
			       enum wait_kind kind, char words[64])
{
	const struct stuck_process *state = &stuck->process[look->thread->process->index];
	bool is_plain = kind == WAIT_IN_C || kind == WAIT_LIBRARY;

	if (look->state == EVT_PYTHON_GIL)
		return "the GIL";
	if (stuck_owner(stuck, look))
		return "a lock";
	if (look->state == EVT_PYTHON_LOCK && is_plain && state->main == look &&
	    stuck_call_of(stuck, state->process->index))
		return "the other ranks";
	if (look->state == EVT_PYTHON_LOCK && is_plain)
		return "a lock, a condition or another thread";
	return wait_words(kind, look->state,
			  is_plain && look->state == EVT_PYTHON_SLEEP ? 0 : look->call, words);
}

const char *stuck_waits_for(const struct stuck *stuck, const struct last_look *look,
			    char text[STUCK_PLACE_BYTES])
{
	const struct open_wait *wait = stuck_wait_of(stuck, look);
	char words[64], call[OPEN_WAIT_BYTES];
	struct wait_place place;

	if (stuck_stopped(stuck, look->thread->process))
		return look->thread->process->stopped == STUCK_BY_DEBUGGER ? "its debugger"
									   : "SIGCONT";
	if (look->state == EVT_PYTHON_RUNS || look->state == EVT_PYTHON_READY ||
	    look->state == EVT_PYTHON_TORN)
		return NULL;
	wait_place_look(stuck->samples, (struct own *)&stuck->own, look->place, &place);
	snprintf(text, STUCK_PLACE_BYTES, "%s%s%s%s", stuck_words(stuck, look, place.kind, words),
		 wait ? " (in " : "", wait ? open_wait_text(stuck->waits, wait, call) : "",
		 wait ? ")" : "");
	return text;
}

void stuck_place_text(const struct stuck *stuck, const struct last_look *look,
		      char text[STUCK_PLACE_BYTES])
{
	static const char asleep[] = "a sleep"; /* of wait_words() */
	char line[300], waits[STUCK_PLACE_BYTES];
	const char *what = stuck_waits_for(stuck, look, waits);
	const char *stopped = stuck_stopped(stuck, look->thread->process);

	stuck_line_text(stuck, look->place, line, sizeof(line));
	if (stopped) {
		snprintf(text, STUCK_PLACE_BYTES, "%s, %s",
			 line[0] ? line : "a line that is not known", stopped);
		return;
	}
	if (what)
		stuck_holder_text(stuck, look, waits, strlen(waits));
	if (what && !strncmp(what, asleep, strlen(asleep)))
		snprintf(text, STUCK_PLACE_BYTES, "%s, sleeping%.280s",
			 line[0] ? line : "a line that is not known", what + strlen(asleep));
	else
		snprintf(text, STUCK_PLACE_BYTES, "%s%s%.280s",
			 line[0] ? line : "a line that is not known",
			 what ? ", waiting for " : ", running", what ? what : "");
}

const char *stuck_end_text(const struct source_process *process, char text[STUCK_NAME_BYTES])
{
	const char *signal = process->how == EVT_END_KILLED
				     ? signal_name_of_status(process->exit_status)
				     : NULL;

	if (signal)
		snprintf(text, STUCK_NAME_BYTES, "was killed by %s", signal);
	else if (process->exit_status > 0)
		snprintf(text, STUCK_NAME_BYTES, "ended with status %" PRId64,
			 process->exit_status);
	else
		snprintf(text, STUCK_NAME_BYTES, "%s",
			 process->exit_status ? "ended in a way that was not recorded" : "ended");
	return text;
}

/* --- sentences on single processes --- */

void stuck_say_oom(struct stuck *stuck, const struct source_process *process)
{
	char **last = &stuck->sentence[stuck->sentence_count - 1], words[OOM_WORDS_BYTES];

	if (oom_words(process, words))
		*last = text_store_format(&stuck->texts, "%s %s", *last, words);
}

/* Threads that wait for each other's locks, from this one on, which comes back to it. */
static bool stuck_is_cycle(const struct stuck *stuck, const struct source_process *process,
			   const struct last_look *first, size_t *ret_length)
{
	const struct last_look *look = first;

	for (*ret_length = 1; *ret_length < CYCLE_MAX; ++*ret_length) {
		look = stuck_thread(stuck, process, stuck_owner(stuck, look));
		if (!look)
			return false;
		if (look == first)
			return *ret_length > 1 || stuck_owner(stuck, first) == first->thread->tid;
	}
	return false;
}

static void stuck_say_cycle(struct stuck *stuck, const struct source_process *process)
{
	char name[STUCK_NAME_BYTES];

	for (const struct source_thread *thread = process->first_thread; thread;
	     thread = thread->next) {
		const struct last_look *first = last_look_of(stuck->looks, thread->index);
		const struct last_look *look = first;
		size_t length;

		if (!first || !stuck_is_cycle(stuck, process, first, &length))
			continue;
		stuck->has_cycle = true;
		stuck_say(stuck,
			  "%s: %zu threads wait for locks of each other, so none of them goes on:",
			  stuck_name(stuck, process->index, name), length);
		for (size_t i = 0; i < length; i++) {
			char place[STUCK_PLACE_BYTES];

			stuck_place_text(stuck, look, place);
			stuck_say(stuck, "thread %u is at %s.", look->thread->tid, place);
			look = stuck_thread(stuck, process, stuck_owner(stuck, look));
		}
		return;
	}
}

/* Not another rank that it started. */
static bool stuck_is_child(const struct stuck_process *state, const struct stuck_process *parent)
{
	const struct source_process *child = state->process, *of = parent->process;

	return child && child != of && (state->rank == UINT64_MAX || state->rank == parent->rank) &&
	       (child->parent == of ||
		(!child->parent && child->parent_pid == of->pid && child->file != of->file));
}

/* In code of the user's, with something to do: not a pool's thread or a worker without work. */
static bool stuck_is_at_work(const struct stuck *stuck, const struct last_look *look)
{
	struct wait_place place;

	wait_place_look(stuck->samples, (struct own *)&stuck->own, look->place, &place);
	return place.has_line && place.kind != WAIT_IDLE && place.kind != WAIT_SELECT &&
	       (!place.is_worker || place.is_in_sample);
}

/* It ended while the process went on, not with it. */
static bool stuck_thread_left(const struct source_thread *thread)
{
	const struct source_process *process = thread->process;

	return thread->ended && !(process->ended && process->how == EVT_END_KILLED &&
				  thread->end_ns + TOGETHER_NS >= process->end_ns);
}

/* What other threads of the process do, if its loop's thread waits for one of them. */
static void stuck_say_threads(struct stuck *stuck, const struct stuck_process *state)
{
	unsigned int said = 0;

	if (state->main->state != EVT_PYTHON_LOCK)
		return;
	for (const struct source_thread *thread = state->process->first_thread;
	     thread && said < BESIDE_MAX; thread = thread->next) {
		const struct last_look *look = last_look_of(stuck->looks, thread->index);
		char name[PLACE_NAME_BYTES], place[STUCK_PLACE_BYTES];

		if (!look || look == state->main || stuck_thread_left(thread) ||
		    !stuck_is_at_work(stuck, look))
			continue;
		wait_thread_name(thread, name);
		stuck_place_text(stuck, look, place);
		stuck_say(stuck, "Thread %s of the same process is at %s.", name, place);
		said++;
	}
}

/* Children that ended badly, and what others are at: a DataLoader waits for its workers. */
static void stuck_say_children(struct stuck *stuck, const struct stuck_process *parent)
{
	char how[STUCK_NAME_BYTES], time[UNIT_TEXT_BYTES], place[STUCK_PLACE_BYTES];
	unsigned int said = 0;

	for (size_t i = 0; i < stuck->process_count && said < BESIDE_MAX; i++) {
		const struct stuck_process *state = &stuck->process[i];
		const struct source_process *child = state->process;

		if (!stuck_is_child(state, parent))
			continue;
		if (child->ended && child->exit_status &&
		    child->end_ns + TOGETHER_NS < parent->until_ns) {
			stuck_say(stuck, "Its child, process %u, %s %s before its parent %s.",
				  child->pid, stuck_end_text(child, how),
				  unit_format_ns(time, parent->until_ns - child->end_ns),
				  parent->process->ended && !stuck->is_cut ? "ended"
									   : "was seen last");
			stuck_say_oom(stuck, child);
			said++;
		} else if (!state->main && stuck_stopped(stuck, child)) {
			stuck_say(stuck, "Its child, process %u, has been %s.", child->pid,
				  stuck_stopped(stuck, child));
			said++;
		} else if (state->main && !state->left &&
			   (stuck_stopped(stuck, child) || stuck_is_at_work(stuck, state->main))) {
			stuck_place_text(stuck, state->main, place);
			stuck_say(
				stuck, "Its child, process %u, has been at %s, for %s.", child->pid,
				place,
				unit_format_ns(time, state->main->time_ns - state->main->place_ns));
			said++;
		}
	}
}

void stuck_say_around(struct stuck *stuck, uint32_t process)
{
	const struct stuck_process *state = &stuck->process[process];

	if (!state->main)
		return;
	if (!state->left)
		stuck_say_threads(stuck, state);
	stuck_say_children(stuck, state);
}

static void stuck_say_process(struct stuck *stuck, const struct stuck_process *state)
{
	const struct source_process *process = state->process;
	char name[STUCK_NAME_BYTES], place[STUCK_PLACE_BYTES], time[UNIT_TEXT_BYTES];

	stuck_place_text(stuck, state->main, place);
	stuck_say(stuck, "%s has stood still for %s: thread %u is at %s.",
		  stuck_name(stuck, process->index, name),
		  unit_format_ns(time, state->until_ns - state->moved_ns), state->main->thread->tid,
		  place);
	stuck_say_cycle(stuck, process);
	stuck_say_around(stuck, process->index);
}

static void stuck_say_left(struct stuck *stuck, const struct stuck_process *state)
{
	char name[STUCK_NAME_BYTES], how[STUCK_NAME_BYTES], ago[UNIT_TEXT_BYTES], pid[24] = "";

	if (!stuck_is_of_rank(stuck, state))
		snprintf(pid, sizeof(pid), " (process %u)", state->process->pid);
	stuck_say(stuck, "%s%s %s, %s before the end of what was recorded.",
		  stuck_name(stuck, state->process->index, name), pid,
		  stuck_end_text(state->process, how),
		  unit_format_ns(ago, stuck->until_ns - state->process->end_ns));
	stuck_say_oom(stuck, state->process);
}

/* Others go on, but the first rank that ended badly is why they may end, too. */
static void stuck_say_first_left(struct stuck *stuck)
{
	const struct stuck_process *first = NULL;

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (state->process && state->left && state->rank != UINT64_MAX &&
		    !stuck_is_of_rank(stuck, state) && state->process->exit_status &&
		    (!first || state->process->end_ns < first->process->end_ns))
			first = state;
	}
	if (first)
		stuck_say_left(stuck, first);
}

static bool stuck_is_root(const struct stuck *stuck, const struct stuck_process *state)
{
	return state->rank != UINT64_MAX || !state->process->parent ||
	       last_step_of(stuck->looks, state->process->index);
}

/* Who left first, of those that ended badly: the others often end because of it. */
static void stuck_say_ended(struct stuck *stuck)
{
	const struct stuck_process *first = NULL;
	char name[STUCK_NAME_BYTES], how[STUCK_NAME_BYTES], time[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (state->process->exit_status &&
		    (!first || state->process->end_ns < first->process->end_ns))
			first = state;
	}
	stuck_say(stuck, "Nothing is stuck: all processes have ended.");
	if (!first)
		return;
	stuck_say(stuck,
		  "%s was the first that did not end with status 0: it %s, %s before the end of "
		  "what was recorded.",
		  stuck_name(stuck, first->process->index, name),
		  stuck_end_text(first->process, how),
		  unit_format_ns(time, stuck->until_ns - first->process->end_ns));
	stuck_say_oom(stuck, first->process);
	stuck_calls_say_left(stuck, first);
}

static void stuck_say_nothing(struct stuck *stuck)
{
	char name[STUCK_NAME_BYTES], still[UNIT_TEXT_BYTES];
	const struct stuck_process *most = NULL;
	uint64_t most_ns = 0;
	bool is_sampled = false, is_running = false;

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		is_sampled |= state->main != NULL;
		is_running |= state->process && !state->left;
		if (!state->main || state->left || !stuck_is_root(stuck, state) ||
		    state->until_ns < state->moved_ns || state->is_idle)
			continue;
		if (!most || state->until_ns - state->moved_ns > most_ns) {
			most = state;
			most_ns = state->until_ns - state->moved_ns;
		}
	}
	if (!is_sampled)
		stuck_say(stuck, "It is not known whether anything is stuck: no thread of Python "
				 "was sampled.");
	else if (!is_running)
		stuck_say_ended(stuck);
	else if (!most)
		stuck_say(stuck, "Nothing is stuck.");
	else
		stuck_say(stuck, "Nothing is stuck: %s stood still for longest, for %s.",
			  stuck_name(stuck, most->process->index, name),
			  unit_format_ns(still, most_ns));
	if (is_sampled && is_running)
		stuck_say_first_left(stuck);
}

/* At its end, or at the end of what was recorded, it could not write. */
static bool stuck_is_full(const struct stuck *stuck, const struct stuck_process *state,
			  const struct full_write *write)
{
	uint64_t end_ns = state->process->ended && !stuck->is_cut ? state->process->end_ns
								  : stuck->until_ns;
	bool failed = state->left ? state->process->exit_status != 0 : true;

	return failed && end_ns >= write->last_ns &&
	       end_ns - write->last_ns <= (state->left ? TOGETHER_NS : FULL_NS);
}

static void stuck_say_full(struct stuck *stuck, const struct stuck_process *state)
{
	const struct full_write *write = full_write_of(stuck->writes, state->process->index);
	char name[STUCK_NAME_BYTES], file[PLACE_NAME_BYTES] = "a file", for_ns[UNIT_TEXT_BYTES];
	char count[UNIT_TEXT_BYTES];
	const char *path;
	size_t length;

	if (!write || !stuck_is_full(stuck, state, write))
		return;
	if (write->file != UINT32_MAX) {
		path = name_text(source_name_at(stuck->source, write->file), &length);
		text_escape(file, sizeof(file), path, length);
	}
	if (write->count == 1)
		stuck_say(stuck, "%s: its last write to %s failed: %s.",
			  stuck_name(stuck, state->process->index, name), file,
			  full_write_words(write->error));
	else
		stuck_say(stuck, "%s: its last %s writes to %s failed, within %s: %s.",
			  stuck_name(stuck, state->process->index, name),
			  unit_format_count(count, write->count), file,
			  unit_format_ns(for_ns, write->last_ns - write->first_ns),
			  full_write_words(write->error));
}

/* Returns how many were killed at the end as this one was. */
static size_t stuck_killed_with(const struct stuck *stuck, const struct stuck_process *one)
{
	size_t count = 0;

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct source_process *process = stuck->process[i].process;

		count += process && process->ended && !stuck->process[i].left &&
			 process->how == EVT_END_KILLED &&
			 process->exit_status == one->process->exit_status;
	}
	return count;
}

/* Of processes that were killed together, at the end: the one whose group lost most. */
static void stuck_say_killed(struct stuck *stuck)
{
	const struct stuck_process *most = NULL;
	char name[STUCK_NAME_BYTES], how[STUCK_NAME_BYTES], words[OOM_WORDS_BYTES];
	size_t count;

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (state->process && !state->left && !stuck->is_cut &&
		    oom_words(state->process, words) &&
		    (!most || state->process->oom_kills > most->process->oom_kills))
			most = state;
	}
	if (!most)
		return;
	stuck_name(stuck, most->process->index, name);
	stuck_end_text(most->process, how);
	count = stuck_killed_with(stuck, most);
	if (count > 1)
		stuck_say(stuck, "%s %s, together with %zu other%s.", name, how, count - 1,
			  count > 2 ? " processes" : " process");
	else
		stuck_say(stuck, "%s %s.", name, how);
	stuck_say_oom(stuck, most->process);
}

/* Of those of which nothing else is said: without Python, or not for long. */
static void stuck_say_stopped(struct stuck *stuck)
{
	char name[STUCK_NAME_BYTES], how[STUCK_NAME_BYTES], time[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];
		const struct source_process *process = state->process;

		if (!process || state->is_stuck || !stuck_is_root(stuck, state) ||
		    !stuck_stopped(stuck, process))
			continue;
		stuck_name(stuck, process->index, name);
		unit_format_ns(time, process->end_ns > process->stopped_ns
					     ? process->end_ns - process->stopped_ns
					     : 0);
		if (process->ended)
			stuck_say(stuck, "%s was %s, and %s later it %s.", name,
				  stuck_stopped(stuck, process), time,
				  stuck_end_text(process, how));
		else
			stuck_say(stuck, "%s has been %s for %s.", name,
				  stuck_stopped(stuck, process), time);
	}
}

static void stuck_say_all(struct stuck *stuck)
{
	size_t told;

	stuck_calls_say(stuck);
	told = stuck->sentence_count;
	for (size_t i = 0; i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (state->is_stuck && stuck_is_root(stuck, state) &&
		    !(told && state->rank != UINT64_MAX))
			stuck_say_process(stuck, state);
	}
	for (size_t i = 0; stuck->sentence_count && !told && i < stuck->process_count; i++) {
		const struct stuck_process *state = &stuck->process[i];

		if (state->process && state->left && state->rank != UINT64_MAX &&
		    (state->process->exit_status || !stuck_is_of_rank(stuck, state)))
			stuck_say_left(stuck, state);
	}
	stuck_open_say_cycles(stuck);
	stuck_say_stopped(stuck);
	if (!stuck->sentence_count) {
		stuck_say_nothing(stuck);
		stuck_open_say_main(stuck);
	}
	stuck_say_killed(stuck);
	for (size_t i = 0; i < stuck->process_count; i++)
		if (stuck->process[i].process)
			stuck_say_full(stuck, &stuck->process[i]);
}

bool stuck_is_training(const struct stuck *stuck)
{
	for (size_t i = 0; i < stuck->process_count; i++)
		if (stuck->process[i].is_stuck && (stuck->process[i].rank != UINT64_MAX ||
						   last_step_of(stuck->looks, (uint32_t)i)))
			return true;
	return false;
}

void stuck_find(struct stuck *stuck, const struct options *options)
{
	struct source_process *const *process;

	stuck->process_count = source_processes(stuck->source, &process);
	stuck->process = memory_zero(stuck->process_count + 1, sizeof(*stuck->process));
	own_places_init(&stuck->own, stuck->samples, stuck->source, options);
	for (size_t i = 0; i < stuck->process_count; i++) {
		stuck_take_process(stuck, process[i]);
		stuck->until_ns = stuck_later(stuck->until_ns,
					      stuck->process[process[i]->index].until_ns);
	}
	stuck_calls_find(stuck);
	stuck_settle(stuck);
	stuck_say_all(stuck);
}

void stuck_release(struct stuck *stuck)
{
	free(stuck->process);
	free(stuck->call);
	free(stuck->sentence);
	text_store_release(&stuck->texts);
	if (stuck->own.source)
		own_release(&stuck->own);
}
