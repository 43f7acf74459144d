/* SPDX-License-Identifier: MIT */
/*
 * Rules about what threads wait for: the loop's thread, or the main thread without steps, and
 * threads that run an event loop. All rest on samples: each sentence has their number, and one with
 * few samples is called a guess.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/machine.h"
#include "report/advice/os_waits.h"
#include "report/advice/place_text.h"
#include "report/advice/process_starter.h"
#include "report/advice/request_lines.h"
#include "report/advice/wait_text.h"
#include "report/io/io_events.h"
#include "report/base/memory.h"
#include "report/base/units.h"

#define LOOKS_MIN 5u      /* with fewer samples nothing is said */
#define COMPUTES_MIN 50.0 /* % of an event loop's time */
#define CHILDREN_MANY 8u  /* starts of one program: one for each item or step */
#define CHILDREN_AT_ONCE 2u

/* --- shares --- */

/*
 * Returns how long the thread was ready to run and had no CPU, if that is much of the time: on a
 * busy machine its work takes longer, and its waits would seem to be few. `all_ns`: the samples'
 * time in steps, else the run's.
 */
static uint64_t lacked_ns(const struct bottleneck *bottleneck, uint64_t all_ns)
{
	const struct wait_causes *causes = bottleneck->wait_causes;
	struct machine_thread thread = { .runnable_ns = 0 };
	uint64_t ready_ns = causes->ready_ns;

	if (!causes->is_of_steps)
		ready_ns = machine_main_thread(bottleneck, &thread) ? thread.runnable_ns : 0;
	return wait_lacks_cpu(ready_ns, all_ns) ? ready_ns : 0;
}

static uint64_t causes_all_ns(const struct bottleneck *bottleneck)
{
	return bottleneck->wait_causes->is_of_steps ? bottleneck->wait_causes->all_ns
						    : bottleneck->wall_ns;
}

/* Returns the share of the time, without what others than the program took. */
static double share_of_own_time(const struct bottleneck *bottleneck, uint64_t ns)
{
	uint64_t all_ns = causes_all_ns(bottleneck);
	uint64_t own_ns = all_ns - lacked_ns(bottleneck, all_ns);

	if (!own_ns)
		return 0;
	return ns < own_ns ? (double)ns / (double)own_ns : 1;
}

/*
 * Sets the share of the steps' or the run's time in %, and the seconds. Returns whether it is large
 * enough.
 */
bool wait_cause_exceeds(const struct bottleneck *bottleneck, struct advice *advice,
			const struct wait_cause *cause)
{
	const struct wait_causes *causes = bottleneck->wait_causes;

	if (!cause || !causes->all_ns || cause->looks < LOOKS_MIN)
		return false;
	advice->of = causes->is_of_steps               ? ADVICE_OF_STEPS
		     : bottleneck->serving.has_clients ? ADVICE_OF_SERVING
						       : ADVICE_OF_RUN;
	advice->gain_ns = causes->is_of_steps
				  ? (uint64_t)((double)cause->ns / (double)causes->all_ns *
					       (double)bottleneck->loop.total_ns)
				  : cause->ns;
	if (cause->looks < WAIT_LOOKS_MIN)
		advice->severity = ADVICE_NOTE;
	return advice_exceeds(advice, 100 * share_of_own_time(bottleneck, cause->ns));
}

static const char *who_waits(const struct bottleneck *bottleneck)
{
	return bottleneck->wait_causes->is_of_steps ? "the loop's thread" : "the main thread";
}

static const char *of_what(const struct bottleneck *bottleneck)
{
	bool lacked = lacked_ns(bottleneck, causes_all_ns(bottleneck));

	if (bottleneck->wait_causes->is_of_steps)
		return lacked ? "steps' time" WAIT_WITHOUT_CPU : "steps' time";
	if (bottleneck->serving.has_clients)
		return lacked ? "serving time" WAIT_WITHOUT_CPU : "serving time";
	return lacked ? "run" WAIT_WITHOUT_CPU : "run";
}

/* --- rules --- */

bool advice_slow_worker(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct worker_waits *waits = &bottleneck->worker_waits;
	uint64_t ns = bottleneck->loop.ns[STEP_dataloader] - bottleneck->restarts.dataloader_ns;
	char text[STEP_LINE_BYTES], cpu[UNIT_TEXT_BYTES], others_cpu[UNIT_TEXT_BYTES];
	double share, others;

	if (!waits->sets || waits->slow_seen_ns * 2 < waits->all_seen_ns)
		return false;
	share = (double)waits->slow_busy_ns / (double)waits->slow_seen_ns;
	others = waits->others_seen_ns
			 ? (double)waits->others_busy_ns / (double)waits->others_seen_ns
			 : 0;
	advice->gain_ns = (uint64_t)(share * (double)ns);
	if (!advice_exceeds(advice, bottleneck_share(bottleneck, advice->gain_ns)))
		return false;
	advice_say(advice,
		   "one DataLoader worker is slower than the others: while the loop waited for a "
		   "batch, it was at work for %.0f %% of that time (%.0f samples), another worker "
		   "for %.0f %%. Its CPU time is %s against %s of another. It is process %u.",
		   100 * share, (double)waits->slow_looks, 100 * others,
		   unit_format_ns(cpu, waits->slow_cpu_ns / waits->sets),
		   unit_format_ns(others_cpu, waits->others_cpu_ns / waits->others),
		   waits->slow_pid);
	if (waits->sets > 1)
		advice_add(advice, " So it was in %u sets of workers.", waits->sets);
	if (!waits->has_slow_line)
		return true;
	step_line_text(bottleneck->lines, &waits->slow_line, text);
	step_line_put(bottleneck->lines, &waits->slow_line, &advice->place);
	advice_add(advice, " %.0f %% of its work was in %s.",
		   100.0 * (double)waits->slow_line.ns / (double)waits->slow_line_of_ns, text);
	return true;
}

/* Names the program that the process started most often. Returns how often; 0: none was seen. */
static uint64_t say_command(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_looks *looks = bottleneck->waits;
	const struct wait_command *most = NULL;
	char name[PLACE_NAME_BYTES], count[UNIT_TEXT_BYTES];
	const struct source_name *program;

	for (size_t i = 0; i < looks->command_count; i++)
		if (bottleneck->process &&
		    looks->command[i].process == bottleneck->process->index &&
		    (!most || looks->command[i].count > most->count))
			most = &looks->command[i];
	program = most ? source_name_at(bottleneck->source, most->name) : NULL;
	if (!program || !program->length)
		return 0;
	place_name(program, name);
	advice_add(advice, " The process started '%s' %s time%s%s.", name,
		   unit_format_count(count, most->count), unit_plural(most->count),
		   most->by_shell ? ", by a shell" : "");
	return most->count;
}

/* Returns whether the process is the parent of processes that serve: it waits until they end. */
static bool starts_workers(const struct bottleneck *bottleneck)
{
	const struct wait_looks *looks = bottleneck->waits;

	for (size_t i = 0; bottleneck->serving.is_server && i < looks->process_room; i++)
		if (looks->process[i] && looks->process[i] != bottleneck->process &&
		    serving_time_since(&looks->serving, (uint32_t)i) &&
		    process_is_started_by(looks->process[i], bottleneck->process))
			return true;
	return false;
}

/*
 * Returns how many processes it started one after another: hardly two lived at the same time. 0:
 * others, as a pool's, stay.
 */
static size_t children_in_turn(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process), children = 0;
	uint64_t life_ns = 0;

	for (size_t i = 0; bottleneck->process && i < count; i++) {
		if (!process_is_started_by(process[i], bottleneck->process))
			continue;
		children++;
		life_ns += process[i]->end_ns - process[i]->start_ns;
	}
	return children >= CHILDREN_MANY && life_ns < CHILDREN_AT_ONCE * bottleneck->wall_ns
		       ? children
		       : 0;
}

/*
 * What the loop or the main thread waits for children for: until they end, and, where each lives
 * for one piece of work, also for what they send. The lines are those of the larger part.
 */
static bool sum_children(const struct bottleneck *bottleneck, struct wait_cause *ret_sum)
{
	static const enum wait_kind kinds[] = { WAIT_CHILD, WAIT_PROCESS_QUEUE, WAIT_PIPE };
	size_t used = children_in_turn(bottleneck) ? sizeof(kinds) / sizeof(kinds[0]) : 1;
	const struct wait_cause *most = NULL;
	uint64_t ns = 0, looks = 0;

	for (size_t i = 0; i < used; i++) {
		const struct wait_cause *cause = wait_causes_of(bottleneck->wait_causes, kinds[i]);

		if (!cause)
			continue;
		ns += cause->ns;
		looks += cause->looks;
		if (!most || cause->ns > most->ns)
			most = cause;
	}
	if (!most)
		return false;
	*ret_sum = *most;
	ret_sum->ns = ns;
	ret_sum->looks = looks;
	return true;
}

bool advice_child_process(const struct bottleneck *bottleneck, struct advice *advice)
{
	size_t in_turn = children_in_turn(bottleneck);
	struct wait_cause cause;

	if (!sum_children(bottleneck, &cause) || !wait_cause_exceeds(bottleneck, advice, &cause) ||
	    starts_workers(bottleneck))
		return false;
	advice_say(advice, "%s waits for child processes for %.1f %% of the %s.",
		   who_waits(bottleneck), advice->value, of_what(bottleneck));
	wait_say_line(bottleneck, &cause, advice);
	if (in_turn)
		advice_add(advice, " It started %zu of them, one after another.", in_turn);
	if (say_command(bottleneck, advice) < CHILDREN_MANY && !in_turn)
		advice->todo = "Look at what the child does, and whether the program can go on "
			       "meanwhile.";
	return true;
}

/* Says who had the lock, if the lock itself records that. */
static bool say_owner(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		      struct advice *advice)
{
	struct step_line line;
	char text[STEP_LINE_BYTES];

	if (!cause->owner)
		return false;
	if (!line_sums_most(&cause->owners, &line)) {
		advice_add(advice, " Thread %u had the mutex; it was in no line of Python.",
			   cause->owner);
		return true;
	}
	step_line_text(bottleneck->lines, &line, text);
	step_line_put(bottleneck->lines, &line, &advice->place);
	advice_add(advice, " Thread %u had the mutex, and was in %s for %.0f %% of that time.",
		   cause->owner, text, 100.0 * (double)line.ns / (double)cause->ns);
	return true;
}

/* Samples of Python say more than that, where there are some. */
static bool is_native(const struct bottleneck *bottleneck)
{
	return !bottleneck_is_python(bottleneck) && !bottleneck->steps->time.count &&
	       bottleneck->wall_ns;
}

#define OS_LINES                                                                              \
	" INTERCEPT_STACKS=osrt:native records the lines (prof-report waits --by line), and " \
	"+native-samples what the threads compute."

#define IO_LINES " INTERCEPT_STACKS=io:native records the lines (prof-report io --by line)."

/* Of threads that waited for the lock at all. */
static bool says_os_lock(const struct bottleneck *bottleneck, struct advice *advice)
{
	char all[UNIT_TEXT_BYTES], calls[UNIT_TEXT_BYTES];
	struct os_waits_lock lock;

	if (!is_native(bottleneck) || !os_waits_find_lock(bottleneck->os_waits, &lock))
		return false;
	advice->of = ADVICE_OF_RUN;
	advice->gain_ns = lock.ns / lock.threads;
	if (!advice_exceeds(advice, 100.0 * (double)advice->gain_ns / (double)bottleneck->wall_ns))
		return false;
	advice_say(
		advice,
		"%u thread%s waited for one %s, for %.0f %% of the run on average: %s in all, in "
		"%s wait%s of 10 us and more.",
		lock.threads, unit_plural(lock.threads), lock.word, advice->value,
		unit_format_ns(all, lock.ns), unit_format_count(calls, lock.calls),
		unit_plural(lock.calls));
	advice->todo = "Hold the lock for less: compute before, and take it only to store the "
		       "result." OS_LINES;
	advice_hot_function_add(bottleneck, advice);
	snprintf(advice->command, sizeof(advice->command), "waits --by object");
	return true;
}

bool advice_lock_wait(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_cause *cause = wait_causes_of(bottleneck->wait_causes, WAIT_LOCK);

	if (says_os_lock(bottleneck, advice))
		return true;
	if (bottleneck->serving.is_server)
		return serving_says_lock(bottleneck, advice);
	if (!wait_cause_exceeds(bottleneck, advice, cause))
		return false;
	advice_say(advice, "%s waits for %s for %.1f %% of the %s.", who_waits(bottleneck),
		   cause->owner ? "a lock" : "a lock, or for what another thread brings,",
		   advice->value, of_what(bottleneck));
	wait_say_line(bottleneck, cause, advice);
	if (!say_owner(bottleneck, cause, advice)) {
		wait_say_beside(bottleneck, cause, advice);
		advice->todo = "If it is a lock, hold it for less: do the work before, and take it "
			       "only to store the result. If another thread brings something, make "
			       "that thread faster, or ask it earlier.";
	}
	return true;
}

/* --- without steps --- */

/*
 * Returns whether the wait is for work, for threads whose own lines matter, or for a GPU that works
 * meanwhile.
 */
static bool is_idle(const struct wait_cause *cause)
{
	return wait_cause_is_idle(cause) || cause->kind == WAIT_GPU || cause->kind == WAIT_CHILD ||
	       cause->kind == WAIT_LOCK || cause->kind == WAIT_LOADER;
}

/* Returns whether the wait is said to be for children (sum_children()). */
static bool is_of_children(const struct wait_cause *cause, size_t in_turn)
{
	return in_turn && (cause->kind == WAIT_PROCESS_QUEUE || cause->kind == WAIT_PIPE);
}

static bool says_os_wait(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct group *most = is_native(bottleneck) ? os_waits_main(bottleneck->os_waits)
							 : NULL;
	char name[PLACE_NAME_BYTES], calls[UNIT_TEXT_BYTES], average[UNIT_TEXT_BYTES];
	bool is_child;

	if (!most)
		return false;
	advice->of = ADVICE_OF_RUN;
	advice->gain_ns = most->time.total_ns;
	if (!advice_exceeds(advice, 100.0 * (double)advice->gain_ns / (double)bottleneck->wall_ns))
		return false;
	place_name(source_name_at(bottleneck->source, (uint32_t)most->key[OS_WAITS_FUNCTION]),
		   name);
	advice_say(advice,
		   "the main thread waits in %s() for %.0f %% of the run: %s call%s, %s each on "
		   "average.",
		   name, advice->value, unit_format_count(calls, most->time.count),
		   unit_plural(most->time.count),
		   unit_format_ns(average, most->time.total_ns / most->time.count));
	is_child = most->key[OS_WAITS_KIND] == WAIT_OBJECT_child;
	snprintf(advice->waits_for, sizeof(advice->waits_for), "%s%.40s()",
		 is_child ? "a child process in " : "", name);
	advice->todo = is_child ? "The time is that of a program that it started. With "
				  "INTERCEPT_CHILDREN=all such programs are recorded, too."
				: "Look at what it waits for there, and whether it can go on "
				  "meanwhile." OS_LINES;
	snprintf(advice->command, sizeof(advice->command), "waits");
	return true;
}

static bool has_one_thread(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;

	return source_processes(bottleneck->source, &process) == 1 && process[0]->thread_count == 1;
}

/*
 * Calls on descriptors wait, too. Their time includes work and the time without a CPU, and what
 * else the thread waits for may not be recorded: at least so much is a wait in these calls as would
 * be left if all of the other time were waits. Calls of other threads are not told apart from those
 * of the main one, so there must be none.
 */
static bool says_io_wait(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct io *io = &bottleneck->io_by_function->io;
	const struct io_row *most = NULL;
	struct machine_thread thread;
	char name[PLACE_NAME_BYTES], calls[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];
	uint64_t waited_ns, beside_ns;

	if (!is_native(bottleneck) || !has_one_thread(bottleneck) ||
	    !machine_main_thread(bottleneck, &thread) || !thread.running_ns ||
	    thread.running_ns + thread.runnable_ns >= thread.life_ns)
		return false;
	for (size_t i = 0; i < io->row_count; i++)
		if (!os_waits_is_for_any(bottleneck->os_waits, (uint32_t)io->row[i].key) &&
		    (!most || io->row[i].total_ns > most->total_ns))
			most = &io->row[i];
	waited_ns = thread.life_ns - thread.running_ns - thread.runnable_ns;
	if (!most || most->total_ns > thread.life_ns)
		return false;
	beside_ns = thread.life_ns - most->total_ns;
	advice->of = ADVICE_OF_RUN;
	advice->gain_ns = waited_ns > beside_ns ? waited_ns - beside_ns : 0;
	if (!advice_exceeds(advice, 100.0 * (double)advice->gain_ns / (double)bottleneck->wall_ns))
		return false;
	place_name(source_name_at(bottleneck->source, (uint32_t)most->key), name);
	advice_say(advice,
		   "the main thread waits in %s() for at least %.0f %% of the run: %s call%s took "
		   "%s.",
		   name, advice->value, unit_format_count(calls, most->calls),
		   unit_plural(most->calls), unit_format_ns(time, most->total_ns));
	snprintf(advice->waits_for, sizeof(advice->waits_for), "%s%.40s()%s",
		 most->kind == IO_KIND_PIPE ? "a pipe (" : "", name,
		 most->kind == IO_KIND_PIPE ? ")" : "");
	advice->todo =
		"Look at what it waits for there, and whether it can go on meanwhile." IO_LINES;
	if (most->kind == IO_KIND_PIPE)
		advice->todo =
			"Another process is at the other end of a pipe. If the program starts "
			"one for each item, do its work in the program itself, or let one "
			"child do many items." IO_LINES;
	if (strstr(name, "sync"))
		advice->todo = WAIT_SYNC_TODO IO_LINES;
	snprintf(advice->command, sizeof(advice->command), "io --by function");
	return true;
}

/*
 * Returns whether the main thread has started a server and waits until it ends: other threads have
 * all requests.
 */
static bool others_serve(const struct bottleneck *bottleneck)
{
	const struct source_process *process = bottleneck->process;
	const struct request_lines *lines = bottleneck->request_lines;
	const struct source_thread *thread = process ? process->first_thread : NULL;

	if (!bottleneck->serving.is_server || !process ||
	    !request_lines_answers(lines, process->index))
		return false;
	while (thread && thread->tid != process->pid)
		thread = thread->next;
	return thread && !request_lines_receives(lines, thread->index);
}

bool advice_waits(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_causes *causes = bottleneck->wait_causes;
	size_t in_turn = children_in_turn(bottleneck);
	const struct wait_cause *most = NULL;
	char text[64];

	/* the main thread of a server that starts others does not serve */
	for (size_t i = 0; i < causes->count && !causes->is_of_steps; i++)
		if (!is_idle(&causes->cause[i]) && !is_of_children(&causes->cause[i], in_turn) &&
		    (!most || causes->cause[i].ns > most->ns))
			most = &causes->cause[i];
	if (says_os_wait(bottleneck, advice) || says_io_wait(bottleneck, advice))
		return true;
	if (!most || !most->lines.count || !wait_cause_exceeds(bottleneck, advice, most) ||
	    (bottleneck->serving.is_server && most->kind == WAIT_THREAD) ||
	    others_serve(bottleneck))
		return false;
	advice_say(advice, "%s waits for %s for %.1f %% of the %s.", who_waits(bottleneck),
		   wait_cause_text(most, text), advice->value, of_what(bottleneck));
	snprintf(advice->waits_for, sizeof(advice->waits_for), "%s", wait_cause_text(most, text));
	if (wait_cause_is_sync(most))
		advice->todo = WAIT_SYNC_TODO;
	wait_say_line(bottleneck, most, advice);
	wait_say_beside(bottleneck, most, advice);
	return true;
}

/* --- event loops --- */

enum callback { CALLBACK_WAITS, CALLBACK_COMPUTES, CALLBACKS };

/* A thread that runs an event loop, and what its callbacks did. */
struct event_loop {
	uint64_t all_ns;
	struct callback_time {
		uint64_t ns, looks;
		uint64_t longest_ns; /* in looks in a row at one place */
		struct line_sums lines;
	} callback[CALLBACKS];
};

static void loop_add(struct event_loop *loop, const struct wait_row *row,
		     const struct wait_place *place)
{
	struct callback_time *time;
	struct step_line line = place->line;

	loop->all_ns += row->ns;
	if (!place->is_in_callback)
		return;
	if (wait_is_one(row->look.state))
		time = &loop->callback[CALLBACK_WAITS];
	else if (row->look.state == EVT_PYTHON_RUNS || row->look.state == EVT_PYTHON_READY)
		time = &loop->callback[CALLBACK_COMPUTES];
	else
		return;
	time->ns += row->ns;
	time->looks += row->looks;
	if (row->longest_ns > time->longest_ns)
		time->longest_ns = row->longest_ns;
	line.ns = row->ns;
	line.looks = row->looks;
	if (place->has_line && line.is_users)
		line_sums_add(&time->lines, &line);
}

/* Returns the loops by index of the thread. The caller releases them. */
static struct event_loop *loops_of(const struct bottleneck *bottleneck)
{
	const struct wait_looks *looks = bottleneck->waits;
	struct event_loop *loop = memory_zero(looks->thread_room + 1, sizeof(*loop));
	struct own own;

	for (size_t i = 0; i < looks->thread_room; i++)
		for (unsigned int c = 0; c < CALLBACKS; c++)
			line_sums_init(&loop[i].callback[c].lines);
	own_places_init(&own, looks->samples, bottleneck->source, run_options(bottleneck->run));
	for (size_t i = 0; i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];
		struct wait_place place;

		if (row->look.of != WAIT_OF_THREAD || serving_leaves_out(&bottleneck->serving, row))
			continue;
		wait_place_look(looks->samples, &own, row->look.place, &place);
		if (place.is_in_loop)
			loop_add(&loop[row->look.thread], row, &place);
	}
	own_release(&own);
	return loop;
}

static void loops_release(const struct bottleneck *bottleneck, struct event_loop *loop)
{
	for (size_t i = 0; i < bottleneck->waits->thread_room; i++)
		for (unsigned int c = 0; c < CALLBACKS; c++)
			line_sums_release(&loop[i].callback[c].lines);
	free(loop);
}

/*
 * A package's loop on a thread of its own, with none of the user's code in it, may have nothing
 * else to do than what it waits for. In a server it may have.
 */
static bool loop_counts(const struct bottleneck *bottleneck, const struct callback_time *time,
			size_t number)
{
	const struct source_thread *thread = bottleneck->waits->thread[number];

	return time->looks && (time->lines.count || bottleneck->serving.is_server ||
			       thread->tid == thread->process->pid);
}

/*
 * Finds the thread with the most; its samples and its share of the loop's time must suffice for the
 * advice.
 */
static bool find_loop(const struct bottleneck *bottleneck, const struct event_loop *loop,
		      enum callback what, struct advice *advice, size_t *ret_thread)
{
	const struct callback_time *time, *longest = NULL;
	size_t most = 0;

	for (size_t i = 0; i < bottleneck->waits->thread_room; i++) {
		time = &loop[i].callback[what];
		if (!loop_counts(bottleneck, time, i) || (longest && time->ns <= longest->ns))
			continue;
		longest = time;
		most = i;
	}
	if (!longest)
		return false;
	time = longest;
	*ret_thread = most;
	advice->gain_ns = time->ns;
	return time->looks >= LOOKS_MIN &&
	       advice_exceeds(advice, 100.0 * (double)time->ns / (double)loop[most].all_ns);
}

static bool says_waits(const struct bottleneck *bottleneck, const struct event_loop *loop,
		       struct advice *advice)
{
	char text[UNIT_TEXT_BYTES], name[PLACE_NAME_BYTES];
	const struct callback_time *time;
	size_t thread;

	if (!find_loop(bottleneck, loop, CALLBACK_WAITS, advice, &thread))
		return false;
	time = &loop[thread].callback[CALLBACK_WAITS];
	if (time->looks < WAIT_LOOKS_MIN || !time->lines.count)
		advice->severity = ADVICE_NOTE; /* a package's own callbacks */
	wait_thread_name(bottleneck->waits->thread[thread], name);
	advice_say(advice,
		   "callbacks of the event loop on thread %s waited for %.1f %% of its time (%s), "
		   "and no other task could run meanwhile.",
		   name, advice->value, unit_format_ns(text, time->ns));
	wait_say_line_of(bottleneck, &time->lines, time->ns, time->looks, advice);
	return true;
}

#define NAMED_MIN 0.2         /* share of what they compute; a line with less is not the cause */
#define CALLBACK_WORK_MIN 0.4 /* share of what the callbacks compute */

/* Says which work of Python's library with a known remedy the callbacks do. */
static void say_callback_work(const struct bottleneck *bottleneck, size_t thread,
			      struct advice *advice)
{
	const struct wait_works *works = &bottleneck->wait_causes->works;
	const struct wait_work *work = wait_works_most(works);
	const struct source_thread *of = bottleneck->waits->thread[thread];

	advice->todo = "If a callback takes milliseconds, hand its work to another process "
		       "(loop.run_in_executor() with a ProcessPoolExecutor), or let it await in "
		       "between.";
	if (!work || work->looks < WAIT_LOOKS_MIN || of->process != bottleneck->process ||
	    of->tid != of->process->pid ||
	    (double)work->ns < CALLBACK_WORK_MIN * (double)advice->gain_ns)
		return;
	advice_add(advice, " It was in %s for %.0f %% of that.", work->work->words,
		   100.0 * (double)work->ns / (double)advice->gain_ns);
	advice->todo = work->work->todo;
}

/* Returns the sum of all lines of the line's function. */
static uint64_t function_ns(const struct line_sums *lines, const struct step_line *line)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < lines->count; i++)
		if (lines->line[i].file == line->file && lines->line[i].function == line->function)
			ns += lines->line[i].ns;
	return ns;
}

/*
 * Many short callbacks look like one long one. So this is a note, unless one function of the user's
 * own has half of the time in a server.
 */
static bool says_computes(const struct bottleneck *bottleneck, const struct event_loop *loop,
			  struct advice *advice)
{
	char text[UNIT_TEXT_BYTES], longest[UNIT_TEXT_BYTES], name[PLACE_NAME_BYTES];
	const struct callback_time *time;
	struct step_line line;
	size_t thread;

	if (!find_loop(bottleneck, loop, CALLBACK_COMPUTES, advice, &thread) ||
	    advice->value < COMPUTES_MIN)
		return false;
	time = &loop[thread].callback[CALLBACK_COMPUTES];
	if (time->looks < WAIT_LOOKS_MIN || !line_sums_most(&time->lines, &line))
		return false;
	if (!bottleneck->serving.is_server || function_ns(&time->lines, &line) * 2 < time->ns)
		advice->severity = ADVICE_NOTE;
	wait_thread_name(bottleneck->waits->thread[thread], name);
	advice_say(advice,
		   "callbacks of the event loop on thread %s computed, or were ready to, for %.1f "
		   "%% of its time (%s); while one computes no other task of the loop runs. The "
		   "longest time that it was seen at one place, in one callback or several, is %s.",
		   name, advice->value, unit_format_ns(text, time->ns),
		   unit_format_ns(longest, time->longest_ns));
	if ((double)line.ns >= NAMED_MIN * (double)time->ns)
		wait_say_line_of(bottleneck, &time->lines, time->ns, time->looks, advice);
	else
		advice_add(advice,
			   " No line of yours has a fifth of that (%" PRIu64
			   " samples): --frames all shows whose code it is.",
			   time->looks);
	say_callback_work(bottleneck, thread, advice);
	snprintf(advice->command, sizeof(advice->command), "lines");
	return true;
}

bool advice_blocked_event_loop(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct event_loop *loop = loops_of(bottleneck);
	bool applies;

	advice->of = bottleneck->serving.has_clients ? ADVICE_OF_SERVING : ADVICE_OF_RUN;
	applies = says_waits(bottleneck, loop, advice) || says_computes(bottleneck, loop, advice);
	loops_release(bottleneck, loop);
	return applies;
}
