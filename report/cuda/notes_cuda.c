/* SPDX-License-Identifier: MIT */
/*
 * Counts graph launches, calls outside of ranges and failures, and prints a line for each of these
 * that is worth one.
 */
#include "report/cuda/notes_cuda.h"

#include <string.h>

#include "report/cuda/rows_cuda.h"
#include "report/base/text.h"

#define NAME_BYTES 64
#define FAILURES_SHOWN 5
#define OUTSIDE_SHARE 10 /* one part in so many: fewer calls outside get no line */

void notes_print_graphs(const struct notes *notes, const struct screen *screen, const char *what)
{
	uint64_t launches = api_count_graph_launches(notes->cuda, run_source(notes->run));
	char number[UNIT_TEXT_BYTES];

	if (launches)
		fprintf(screen->out,
			"%s graph launch%s: the %s that a graph replays are not here\n",
			unit_format_count(number, launches), launches == 1 ? "" : "es", what);
}

/* Writes the thread's name or number, escaped. */
static void thread_describe(const struct source_thread *thread, char text[NAME_BYTES])
{
	const char *name;
	size_t length;

	thread_name(thread, &name, &length);
	text_escape(text, NAME_BYTES, name, length);
	if (!length)
		snprintf(text, NAME_BYTES, "%u", thread->tid);
}

void notes_print_outside(const struct notes *notes, const struct screen *screen, const char *what,
			 uint64_t total)
{
	const struct cuda *cuda = notes->cuda;
	struct source_thread *const *thread;
	size_t count = source_threads(run_source(notes->run), &thread), most = SIZE_MAX;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], name[NAME_BYTES];
	uint64_t ranges = 0;

	for (size_t i = 0; i < count && notes->works; i++) {
		ranges += works_counted_of_thread(notes->works, thread[i]).nvtx_ranges;
		if (i < cuda->outside_room &&
		    !works_of_thread(notes->works, thread[i]).nvtx_ranges &&
		    (most == SIZE_MAX || cuda->outside[i] > cuda->outside[most]))
			most = i;
	}
	if (most == SIZE_MAX || !ranges || cuda->outside[most] <= total / OUTSIDE_SHARE)
		return;
	thread_describe(thread[most], name);
	screen_print_prose(screen, "%s of %s %s are of thread %s, which opened no range%s",
			   unit_format_count(a, cuda->outside[most]), unit_format_count(b, total),
			   what, name,
			   !strncmp(name, "pt_autograd", 11)
				   ? ": PyTorch's backward on GPU, whose caller had none open"
				   : "");
}

/* Texts of the frequent codes, which are the same in runtime and driver. */
static const char *result_text(uint64_t result)
{
	static const struct {
		uint64_t code;
		const char *text;
	} results[] = {
		{ 1, "invalid value" },
		{ 2, "out of memory" },
		{ 3, "not initialized" },
		{ 4, "CUDA is being unloaded" },
		{ 21, "invalid direction of a copy" },
		{ 35, "insufficient driver" },
		{ 98, "invalid device function" },
		{ 100, "no device" },
		{ 101, "invalid device" },
		{ 201, "invalid context" },
		{ 209, "no kernel image for the device" },
		{ 302, "shared object symbol not found" },
		{ 400, "invalid handle" },
		{ 500, "symbol not found" },
		{ 700, "illegal address" },
		{ 701, "too many resources for launch" },
		{ 702, "launch timeout" },
		{ 704, "peer access already enabled" },
		{ 719, "launch failure" },
		{ 801, "not supported" },
		{ 900, "not permitted in stream capture" },
		{ 901, "stream capture invalidated" },
	};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].code == result)
			return results[i].text;
	return NULL;
}

void notes_print_unfinished(const struct notes *notes, const struct screen *screen)
{
	uint64_t unfinished = notes->cuda->unfinished;
	char number[UNIT_TEXT_BYTES];

	if (unfinished)
		screen_print_prose(screen,
				   "%s call%s had not returned when the process ended (end not "
				   "recorded): the time is until then",
				   unit_format_count(number, unfinished), unit_plural(unfinished));
}

void notes_print_failures(const struct notes *notes, const struct screen *screen)
{
	const struct groups *failures = &notes->cuda->failures;
	char number[UNIT_TEXT_BYTES], name[NAME_BYTES];

	for (size_t i = 0; i < failures->count && i < FAILURES_SHOWN; i++) {
		const struct group *group = &failures->group[i];
		const char *function = source_name_text(
			source_name_at(run_source(notes->run), group->key[API_FUNCTION]));
		const char *text = result_text(group->key[FAILURE_RESULT]);

		text_escape(name, sizeof(name), function, strlen(function));
		fprintf(screen->out, "%s failed %s time%s with %llu%s%s%s\n", name,
			unit_format_count(number, group->time.count),
			group->time.count == 1 ? "" : "s",
			(unsigned long long)group->key[FAILURE_RESULT], text ? " (" : "",
			text ? text : "", text ? ")" : "");
	}
	if (failures->count > FAILURES_SHOWN)
		fprintf(screen->out, "and %zu more kinds of failures (prof-report dump)\n",
			failures->count - FAILURES_SHOWN);
}
