/* SPDX-License-Identifier: MIT */
/*
 * Time is divided into equal windows, of each of which the highest value counts: a cache that is
 * full does not grow, nor does memory that is freed and taken again.
 */
#include "report/advice/run_growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/growth_place.h"
#include "report/advice/machine.h"
#include "report/advice/request_lines.h"
#include "report/base/units.h"
#include "report/core/known.h"
#include "report/heap/growth.h"
#include "report/heap/resident.h"

struct run_growth {
	/* bytes of the heap and of Python's arenas in the first window and in the last one */
	uint64_t heap_first, heap_last, arenas_first, arenas_last;
	const struct source_process *process; /* of several, the one that has most; NULL: one */
	uint64_t growing;                     /* processes */
};

#define PARTS 12u
#define START 3u               /* the window to compare with; those before it are the start */
#define RISES_MIN 7u           /* windows that are above the one before, of eight */
#define SHARE_MIN 0.25         /* of the growth, in the last half of the windows; of the memory */
#define GROWN_MIN (16u << 20)  /* bytes */
#define FINE 240u              /* parts of the time until the end of a process */
#define FINE_MIN 5u            /* of them in a window: it lives for a quarter of that time */
#define OWN_NS_MIN 2000000000u /* a program that ends sooner builds its result */
#define REQUESTS_MIN 50u       /* of a server: what grows within a few is theirs */
#define KEEPS                                                                                     \
	"Look at who keeps what is made: lists and dicts that are only added to, caches without " \
	"a limit. "

static bool can_judge(const struct bottleneck *bottleneck)
{
	return !bottleneck->limited && !run_detail(bottleneck->run)->until_ns &&
	       !run_filters(bottleneck->run)->any &&
	       !detail_is_of_captures(run_detail(bottleneck->run)) &&
	       !heap_is_sample(bottleneck->heap) &&
	       bottleneck->lines->samples->all.looks; /* it is a program of Python */
}

/*
 * Imports need memory, too. Where they take longer than the start of the run, which is not judged,
 * the growth is theirs.
 */
static bool is_of_imports(const struct bottleneck *bottleneck, uint64_t start_ns)
{
	uint32_t process = import_evidence_process(bottleneck->imports);
	uint64_t ns = 0;
	size_t count;

	if (process != IMPORT_NONE)
		free(import_packages(bottleneck->imports, process, UINT64_MAX, &count, &ns));
	return ns + bottleneck->imported_ns > start_ns;
}

/* What Python frees when it ends is no part of the run. */
static uint64_t run_growth_end_ns(const struct bottleneck *bottleneck)
{
	uint64_t done_ns = bottleneck->arena_growth->done_ns;

	return done_ns ? done_ns : known_until_ns(bottleneck->run);
}

struct growth_time {
	uint64_t from_ns, end_ns;
};

/* Of a server it is the time in which it served. */
static struct growth_time run_growth_time(const struct bottleneck *bottleneck)
{
	const struct serving *serving = &bottleneck->serving;
	uint64_t end_ns = run_growth_end_ns(bottleneck);

	if (serving->is_server && serving->end_ns < end_ns)
		end_ns = serving->end_ns;
	return (struct growth_time){ serving->is_server ? serving->since_ns : 0, end_ns };
}

static bool has_few_requests(const struct bottleneck *bottleneck)
{
	uint64_t count = request_lines_count(bottleneck->request_lines);

	return bottleneck->serving.is_server && count && count < REQUESTS_MIN;
}

/* Returns whether the run is over too soon to tell, not counting when it had no CPU. */
static bool is_short(const struct bottleneck *bottleneck, const struct growth_time *time)
{
	uint64_t ns = time->end_ns - time->from_ns;
	struct machine_thread thread;

	if (bottleneck->serving.is_server)
		return false;
	if (machine_main_thread(bottleneck, &thread))
		ns -= thread.runnable_ns < ns ? thread.runnable_ns : ns;
	return ns < OWN_NS_MIN;
}

static bool rises(const uint64_t *bytes)
{
	uint64_t grown = bytes[PARTS - 1] > bytes[START] ? bytes[PARTS - 1] - bytes[START] : 0;
	size_t half = START + (PARTS - START) / 2;
	unsigned int count = 0;

	for (size_t i = START + 1; i < PARTS; i++)
		count += bytes[i] > bytes[i - 1];
	return count >= RISES_MIN && grown >= GROWN_MIN &&
	       (double)grown >= SHARE_MIN * (double)bytes[PARTS - 1] &&
	       (double)(bytes[PARTS - 1] - bytes[half]) >= SHARE_MIN * (double)grown;
}

/* A run of one process: from its start to its end. */
static bool look_at_run(const struct bottleneck *bottleneck, struct run_growth *ret_growth)
{
	struct growth_time time = run_growth_time(bottleneck);
	uint64_t heap[PARTS], arenas[PARTS], all[PARTS];

	if (bottleneck->steps->time.count || time.end_ns <= time.from_ns ||
	    has_few_requests(bottleneck) || is_short(bottleneck, &time) ||
	    is_of_imports(bottleneck, time.from_ns + (time.end_ns - time.from_ns) / PARTS * START))
		return false;
	curve_sample_from(&bottleneck->heap->curve, time.from_ns, time.end_ns, heap, PARTS);
	curve_sample_from(&bottleneck->arena_growth->heap->curve, time.from_ns, time.end_ns, arenas,
			  PARTS);
	for (size_t i = 0; i < PARTS; i++)
		all[i] = heap[i] + arenas[i];
	*ret_growth = (struct run_growth){ .heap_first = heap[START],
					   .heap_last = heap[PARTS - 1],
					   .arenas_first = arenas[START],
					   .arenas_last = arenas[PARTS - 1] };
	return rises(all);
}

/* The windows are of that time of a process. Returns false if that is too short. */
static bool sample_life(const struct curve *curve, uint64_t from_ns, uint64_t to_ns,
			uint64_t ret_values[PARTS])
{
	uint64_t fine[FINE];
	size_t first = to_ns ? (size_t)((double)from_ns / (double)to_ns * FINE) + 1 : FINE;
	size_t width = first < FINE ? (FINE - first) / PARTS : 0;

	if (width < FINE_MIN)
		return false;
	curve_sample(curve, to_ns, fine, FINE);
	first = FINE - width * PARTS;
	for (size_t i = 0; i < PARTS; i++) {
		ret_values[i] = 0;
		for (size_t j = first + i * width; j < first + (i + 1) * width; j++)
			ret_values[i] = fine[j] > ret_values[i] ? fine[j] : ret_values[i];
	}
	return true;
}

/*
 * From when on the growth of a process counts: that of a server's worker since it served, which
 * comes after its imports. Returns false if it answered too few requests.
 */
static bool growth_counts_from(const struct bottleneck *bottleneck,
			       const struct source_process *process, uint64_t *ret_from_ns)
{
	const struct request_lines *lines = bottleneck->request_lines;
	uint64_t since_ns = serving_time_since(&bottleneck->waits->serving, process->index);

	*ret_from_ns = process->start_ns;
	if (!bottleneck->serving.is_server || !since_ns)
		return true;
	*ret_from_ns = since_ns;
	return !request_lines_answers(lines, process->index) ||
	       lines->answered[process->index] >= REQUESTS_MIN;
}

static bool look_at_process(const struct bottleneck *bottleneck,
			    const struct source_process *process, struct run_growth *ret_growth)
{
	const struct resident_process *seen = resident_of(bottleneck->resident, process->index);
	uint64_t heap[PARTS], arenas[PARTS], all[PARTS], from_ns;

	if (!seen || !seen->curves || !growth_counts_from(bottleneck, process, &from_ns) ||
	    !sample_life(&seen->curves->heap, from_ns, seen->end.time_ns, heap) ||
	    !sample_life(&seen->curves->arenas, from_ns, seen->end.time_ns, arenas))
		return false;
	for (size_t i = 0; i < PARTS; i++)
		all[i] = heap[i] + arenas[i];
	*ret_growth = (struct run_growth){ .heap_first = heap[START],
					   .heap_last = heap[PARTS - 1],
					   .arenas_first = arenas[START],
					   .arenas_last = arenas[PARTS - 1],
					   .process = process };
	return rises(all);
}

static uint64_t last_bytes(const struct run_growth *growth)
{
	return growth->heap_last + growth->arenas_last;
}

/*
 * Each process by itself: those that come and go look like growth if they are added up. A process
 * with steps has advice of its own.
 */
static bool look_at_processes(const struct bottleneck *bottleneck, struct run_growth *ret_growth)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);
	struct run_growth growth, most = { .process = NULL };
	uint64_t growing = 0;

	for (size_t i = 0; i < count; i++) {
		if ((bottleneck->steps->time.count && process[i] == bottleneck->process) ||
		    !look_at_process(bottleneck, process[i], &growth))
			continue;
		growing++;
		if (!most.process || last_bytes(&growth) > last_bytes(&most))
			most = growth;
	}
	if (!growing)
		return false;
	most.growing = growing;
	*ret_growth = most;
	return true;
}

/* Returns whether it grows. */
static bool run_growth_look(const struct bottleneck *bottleneck, struct run_growth *ret_growth)
{
	struct source_process *const *process;

	if (!can_judge(bottleneck))
		return false;
	if (source_processes(bottleneck->source, &process) == 1)
		return look_at_run(bottleneck, ret_growth);
	return look_at_processes(bottleneck, ret_growth);
}

static int64_t grown_of(uint64_t first, uint64_t last)
{
	return (int64_t)(last - first);
}

static void say_part(struct advice *advice, const char *what, const char *when, uint64_t first,
		     uint64_t last)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];
	bool is_first = !advice->text[0];

	advice_add(advice, "%s%s %s%s%sfrom %s to %s", is_first ? "" : ", ", what,
		   is_first ? "grow throughout the " : "", is_first ? when : "",
		   is_first ? ", " : "", unit_format_bytes(from, first),
		   unit_format_bytes(to, last));
}

/* A part that has less than an eighth of the growth is left out. */
static void say_parts(const struct run_growth *growth, int64_t heap, int64_t arenas, bool is_server,
		      struct advice *advice)
{
	const char *when = is_server ? "time after start-up" : "run";

	if (arenas >= (heap + arenas) / 8)
		say_part(advice, "small objects of Python (arenas)", when, growth->arenas_first,
			 growth->arenas_last);
	if (heap >= (heap + arenas) / 8)
		say_part(advice, "blocks of the heap", when, growth->heap_first, growth->heap_last);
	if (growth->process)
		advice_add(advice, ", in process %u", growth->process->pid);
	advice_add(advice, ".");
	if (growth->growing > 1)
		advice_add(advice, " %u other process%s as well.",
			   (unsigned int)growth->growing - 1,
			   growth->growing == 2 ? " grows" : "es grow");
}

bool run_growth_say(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct run_growth growth;
	int64_t heap, arenas;

	if (!run_growth_look(bottleneck, &growth))
		return false;
	heap = grown_of(growth.heap_first, growth.heap_last);
	arenas = grown_of(growth.arenas_first, growth.arenas_last);
	if (!advice_exceeds(advice, (double)(heap + arenas)))
		return false;
	if (!bottleneck->serving.is_server)
		advice->severity = ADVICE_NOTE;
	say_parts(&growth, heap, arenas, bottleneck->serving.is_server, advice);
	snprintf(advice->command, sizeof(advice->command), "memory");
	advice->todo = KEEPS
		"With INTERCEPT_TRACE=+pymem INTERCEPT_STACKS=python, prof-report leaks "
		"--allocator python has the lines that make small objects.";
	if (arenas > heap)
		growth_place_say_arenas(bottleneck, bottleneck->arena_growth, advice);
	else
		advice->todo = KEEPS
			"With INTERCEPT_STACKS=python, prof-report leaks --by line has "
			"the lines that ask for these blocks.";
	return true;
}
