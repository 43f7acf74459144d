/* SPDX-License-Identifier: MIT */
/*
 * Rules about the time of requests: one line in which the threads that answer them wait, and what
 * the slowest of them do that the others do not. Both rest on samples of those threads while they
 * had a request.
 */
#include <inttypes.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/request_lines.h"
#include "report/advice/serving_tally.h"
#include "report/advice/wait_text.h"
#include "report/base/text.h"
#include "report/base/units.h"

#define REQUESTS_MIN 20u         /* with fewer requests nothing is said */
#define LONG_NS 20000000u        /* of each request; a shorter wait is a note */
#define SLOW_BUCKETS 7u          /* three times as long, as buckets are a quarter of 2 wide */
#define SLOW_SHARE_MAX 0.2       /* of the requests; if more are so slow, they are none apart */
#define SLOW_MIN 3u              /* requests */
#define SLOW_LONGER_NS 10000000u /* than the others, on average */
#define PART_MIN 0.5             /* of what they take longer */

/* Looks at user's lines, and what they are of. */
static struct step_line request_line_of(const struct bottleneck *bottleneck, struct own *own,
					const struct request_place *at,
					struct wait_place *ret_place)
{
	struct step_line line;

	wait_place_look(bottleneck->request_lines->samples, own, at->place, ret_place);
	line = ret_place->line;
	line.looks = at->looks;
	line.ns = at->looks;
	return line;
}

static void requests_own_init(const struct bottleneck *bottleneck, struct own *own)
{
	own_places_init(own, bottleneck->request_lines->samples, bottleneck->source,
			run_options(bottleneck->run));
}

/* How many requests were open at a time, at least 1. */
static double requests_at_once(const struct bottleneck *bottleneck)
{
	uint64_t all_ns = bottleneck->serving.is_server ? bottleneck->serving.ns
							: bottleneck->wall_ns;
	double open = all_ns ? (double)request_lines_total_ns(bottleneck->request_lines) /
				       (double)all_ns
			     : 1;

	return open > 1 ? open : 1;
}

/* Requests of a program that has steps, too, are of its run. */
static void requests_set_gain(const struct bottleneck *bottleneck, double ns, struct advice *advice)
{
	advice->of = bottleneck->serving.is_server ? ADVICE_OF_SERVING : ADVICE_OF_RUN;
	advice->gain_ns = (uint64_t)(ns / requests_at_once(bottleneck));
}

/* --- one line has the time --- */

/* Waits that no other rule speaks of: not for locks, results, other servers or the disk. */
static bool is_plain_wait(const struct request_place *at, const struct wait_place *place)
{
	return (at->of == LOOK_SLEEP || at->of == LOOK_IO) && !place->is_in_loop &&
	       !place->is_downstream && !place->work && place->kind != WAIT_LOCK &&
	       place->kind != WAIT_FUTURE && place->kind != WAIT_QUEUE &&
	       place->kind != WAIT_EVENT && place->kind != WAIT_IDLE && place->has_line &&
	       place->line.is_users;
}

static void sum_plain_waits(const struct bottleneck *bottleneck, struct line_sums *ret_lines)
{
	const struct request_lines *lines = bottleneck->request_lines;
	struct own own;

	line_sums_init(ret_lines);
	requests_own_init(bottleneck, &own);
	for (size_t i = 0; i < lines->place_count; i++) {
		struct wait_place place;
		struct step_line line = request_line_of(bottleneck, &own, &lines->place[i], &place);

		if (is_plain_wait(&lines->place[i], &place))
			line_sums_add(ret_lines, &line);
	}
	own_release(&own);
}

static void say_request_line(const struct bottleneck *bottleneck, const struct step_line *line,
			     uint64_t ns, struct advice *advice)
{
	const struct request_lines *lines = bottleneck->request_lines;
	uint64_t count = request_lines_count(lines), each_ns = ns / count;
	char text[STEP_LINE_BYTES], each[UNIT_TEXT_BYTES];

	if (each_ns < LONG_NS || line->looks < WAIT_LOOKS_MIN)
		advice->severity = ADVICE_NOTE;
	step_line_text(bottleneck->lines, line, text);
	step_line_put(bottleneck->lines, line, &advice->place);
	snprintf(advice->waits_at, sizeof(advice->waits_at), "%s", advice->place.line);
	advice_say(advice,
		   "%.0f %% of the requests' time passed in waiting at one line, %s (%" PRIu64
		   " samples%s): %s of each request on average (%" PRIu64 " requests).",
		   advice->value, text, line->looks,
		   line->looks < WAIT_LOOKS_MIN ? ", so this is a guess" : "",
		   unit_format_ns(each, each_ns), count);
}

/* --- handlers await something, and the event loop has nothing to do --- */

#define OTHERS_WORK 0.5 /* of that time, at most, other threads may have had tasks */

struct awaited {
	uint64_t idle;          /* looks: the loop waited for something to do */
	struct line_sums lines; /* the user's lines that it was in otherwise */
};

static void awaited_sum(const struct bottleneck *bottleneck, struct awaited *awaited)
{
	const struct request_lines *lines = bottleneck->request_lines;
	struct own own;

	awaited->idle = 0;
	line_sums_init(&awaited->lines);
	requests_own_init(bottleneck, &own);
	for (size_t i = 0; i < lines->place_count; i++) {
		const struct request_place *at = &lines->place[i];
		struct wait_place place;
		struct step_line line = request_line_of(bottleneck, &own, at, &place);

		if (at->of == LOOK_AWAITS && place.is_in_loop && !place.is_in_callback)
			awaited->idle += at->looks;
		else if (place.is_in_callback && place.has_line && line.is_users)
			line_sums_add(&awaited->lines, &line);
	}
	own_release(&own);
}

/* Time in which threads that run no event loop computed, or had a task of a pool. */
static uint64_t others_work_ns(const struct serving *serving)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < serving->thread_count; i++) {
		const struct serving_thread *thread = &serving->thread[i];
		uint64_t runs_ns = thread->runs_ns + thread->ready_ns;

		if (!thread->is_loop)
			ns += thread->task_ns > runs_ns ? thread->task_ns : runs_ns;
	}
	return ns;
}

static void say_awaited(const struct bottleneck *bottleneck, const struct awaited *awaited,
			uint64_t ns, struct advice *advice)
{
	uint64_t count = request_lines_count(bottleneck->request_lines), each_ns = ns / count;
	char text[STEP_LINE_BYTES], each[UNIT_TEXT_BYTES];
	struct step_line line;

	/* a server that awaits all of it at once, which is well, looks the same */
	advice->severity = ADVICE_NOTE;
	advice->todo = "Await what does not depend on each other at once (asyncio.gather(), "
		       "TaskGroup), and instead of a fixed time an event. What is slow may be in "
		       "the other server.";
	advice_say(advice,
		   "%.0f %% of the requests' time passed while their event loop had nothing to do: "
		   "handlers awaited another server, a timer, a queue or another process. That is "
		   "%s of each request on average (%" PRIu64 " requests).",
		   advice->value, unit_format_ns(each, each_ns), count);
	if (awaited->lines.looks < SERVING_LOOKS_MIN || !line_sums_most(&awaited->lines, &line))
		return;
	step_line_text(bottleneck->lines, &line, text);
	step_line_put(bottleneck->lines, &line, &advice->place);
	advice_add(advice,
		   " Which line awaited was not recorded. A coroutine goes on at the line that "
		   "awaited: when the loop ran lines of yours, it was in %s for %.0f %% of that "
		   "time (%" PRIu64 " samples%s).",
		   text, 100.0 * (double)line.looks / (double)awaited->lines.looks, line.looks,
		   line.looks < WAIT_LOOKS_MIN ? ", so this is a guess" : "");
}

static bool says_awaits(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct request_lines *lines = bottleneck->request_lines;
	double ns, all = (double)request_lines_looks(lines);
	struct awaited awaited;
	bool applies;

	awaited_sum(bottleneck, &awaited);
	ns = (double)request_lines_total_ns(lines) * (double)awaited.idle / all;
	applies = awaited.idle >= SERVING_LOOKS_MIN &&
		  (double)others_work_ns(&bottleneck->serving) <
			  OTHERS_WORK * ns / requests_at_once(bottleneck) &&
		  advice_exceeds(advice, 100.0 * (double)awaited.idle / all);
	if (applies) {
		requests_set_gain(bottleneck, ns, advice);
		say_awaited(bottleneck, &awaited, (uint64_t)ns, advice);
	}
	line_sums_release(&awaited.lines);
	return applies;
}

bool advice_request_waits(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct request_lines *lines = bottleneck->request_lines;
	uint64_t all = request_lines_looks(lines), ns;
	struct line_sums sums;
	struct step_line line;
	bool applies;

	if (bottleneck->steps->time.count || !all || request_lines_count(lines) < REQUESTS_MIN)
		return false;
	sum_plain_waits(bottleneck, &sums);
	applies = line_sums_most(&sums, &line) && line.looks >= SERVING_LOOKS_MIN &&
		  advice_exceeds(advice, 100.0 * (double)line.looks / (double)all);
	if (applies) {
		ns = (uint64_t)((double)request_lines_total_ns(lines) * (double)line.looks /
				(double)all);
		requests_set_gain(bottleneck, (double)ns, advice);
		say_request_line(bottleneck, &line, ns, advice);
	}
	line_sums_release(&sums);
	return applies || says_awaits(bottleneck, advice);
}

/* --- the slowest --- */

/* The requests of an endpoint, those from a bucket on apart. */
struct slow {
	uint32_t group, from; /* bucket */
	uint64_t count, total_ns, looks;
	uint64_t others, others_ns, others_looks;
	uint64_t median_ns;                   /* lower edge of its bucket */
	uint64_t times;                       /* as long as the median, at least */
	double longer_ns;                     /* each slow one, than the others on average */
	enum look_of part;                    /* which grew most */
	double part_ns;                       /* by how much, of each slow one */
	struct line_sums lines, others_lines; /* of that part */
};

static uint32_t median_bucket(const struct request_group *group)
{
	uint64_t seen = 0;
	uint32_t bucket = 0;

	while (bucket < REQUEST_BUCKETS - 1 &&
	       (seen += group->bucket[bucket].count) * 2 < group->count)
		bucket++;
	return bucket;
}

/*
 * Returns from where on requests are slow ones: three times the median, or more where more requests
 * than may be apart take as long, as on a machine that has no CPU for some of them.
 */
static uint32_t slow_from(const struct request_group *group, uint32_t median)
{
	uint32_t from = REQUEST_BUCKETS;
	uint64_t count = 0;

	while (from > median + SLOW_BUCKETS && (double)(count + group->bucket[from - 1].count) <=
						       SLOW_SHARE_MAX * (double)group->count)
		count += group->bucket[--from].count;
	return from;
}

/* Returns false if no requests of the endpoint are slow ones apart. */
static bool slow_of_group(const struct request_group *group, uint32_t number, struct slow *slow)
{
	uint32_t median = median_bucket(group);

	*slow = (struct slow){ .group = number,
			       .from = slow_from(group, median),
			       .median_ns = request_bucket_ns(median) };
	slow->times = slow->from == median + SLOW_BUCKETS
			      ? 3
			      : request_bucket_ns(slow->from) / request_bucket_ns(median + 1);
	for (uint32_t i = 0; i < REQUEST_BUCKETS; i++) {
		const struct request_bucket *bucket = &group->bucket[i];
		bool is_slow = i >= slow->from;

		*(is_slow ? &slow->count : &slow->others) += bucket->count;
		*(is_slow ? &slow->total_ns : &slow->others_ns) += bucket->total_ns;
		*(is_slow ? &slow->looks : &slow->others_looks) += bucket->looks;
	}
	if (group->count < REQUESTS_MIN || slow->count < SLOW_MIN || !slow->others)
		return false;
	slow->longer_ns = (double)slow->total_ns / (double)slow->count -
			  (double)slow->others_ns / (double)slow->others;
	return slow->longer_ns >= SLOW_LONGER_NS;
}

/* What a part with that share of the looks takes of each request. */
static double part_ns_of(uint64_t looks, uint64_t all, uint64_t total_ns, uint64_t count)
{
	return all && count ? (double)looks / (double)all * (double)total_ns / (double)count : 0;
}

static void slow_find_part(const struct request_lines *lines, struct slow *slow)
{
	uint64_t slow_looks[LOOK_LIMIT] = { 0 }, others_looks[LOOK_LIMIT] = { 0 };

	for (size_t i = 0; i < lines->place_count; i++)
		if (lines->place[i].group == slow->group)
			(lines->place[i].bucket >= slow->from
				 ? slow_looks
				 : others_looks)[lines->place[i].of] += lines->place[i].looks;
	for (int i = 0; i < LOOK_LIMIT; i++) {
		double grown = part_ns_of(slow_looks[i], slow->looks, slow->total_ns, slow->count) -
			       part_ns_of(others_looks[i], slow->others_looks, slow->others_ns,
					  slow->others);

		if (grown > slow->part_ns) {
			slow->part_ns = grown;
			slow->part = (enum look_of)i;
		}
	}
}

static void slow_sum_lines(const struct bottleneck *bottleneck, struct slow *slow)
{
	const struct request_lines *lines = bottleneck->request_lines;
	struct own own;

	line_sums_init(&slow->lines);
	line_sums_init(&slow->others_lines);
	requests_own_init(bottleneck, &own);
	for (size_t i = 0; i < lines->place_count; i++) {
		const struct request_place *at = &lines->place[i];
		struct wait_place place;
		struct step_line line;

		if (at->group != slow->group || at->of != slow->part)
			continue;
		line = request_line_of(bottleneck, &own, at, &place);
		if (place.has_line && line.is_users)
			line_sums_add(at->bucket >= slow->from ? &slow->lines : &slow->others_lines,
				      &line);
	}
	own_release(&own);
}

static const char *part_text(enum look_of part)
{
	static const char *const text[LOOK_LIMIT] = {
		[LOOK_RUNS] = "time on a CPU",
		[LOOK_GIL] = "waiting for the GIL",
		[LOOK_LOCK] = "waiting for a lock",
		[LOOK_IO] = "waiting for files or sockets",
		[LOOK_SLEEP] = "sleeping",
		[LOOK_AWAITS] = "waiting in the event loop",
		[LOOK_OTHER] = "waiting for something else",
	};

	return text[part];
}

static void say_slow(const struct bottleneck *bottleneck, const struct slow *slow,
		     const struct step_line *line, struct advice *advice)
{
	const struct request_group *group = &bottleneck->request_lines->group[slow->group];
	uint64_t before = line_sums_ns_of(&slow->others_lines, line), length_ns;
	char text[STEP_LINE_BYTES], a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	char shown[PLACE_NAME_BYTES], times[UNIT_TEXT_BYTES] = "three";
	const char *name;
	size_t length;

	if (slow->times > 3)
		snprintf(times, sizeof(times), "%" PRIu64, slow->times);
	name = name_text(source_name_at(bottleneck->source, group->endpoint), &length);
	text_escape(shown, sizeof(shown), name, length);
	length_ns = slow->total_ns / slow->count;
	step_line_text(bottleneck->lines, line, text);
	step_line_put(bottleneck->lines, line, &advice->place);
	advice_say(advice,
		   "%" PRIu64 " of %" PRIu64 " requests of %s (%.1f %%) took %s on average, %s "
		   "times the median (about %s) or more. %.0f %% of what they took longer is %s. "
		   "They were in %s for %.0f %% of their time (%" PRIu64
		   " samples%s), the others for %.0f %% of theirs.",
		   slow->count, group->count, shown,
		   100.0 * (double)slow->count / (double)group->count, unit_format_ns(a, length_ns),
		   times, unit_format_ns(b, slow->median_ns),
		   slow->part_ns < slow->longer_ns ? 100 * slow->part_ns / slow->longer_ns : 100.0,
		   part_text(slow->part), text, 100.0 * (double)line->looks / (double)slow->looks,
		   line->looks, line->looks < WAIT_LOOKS_MIN ? ", so this is a guess" : "",
		   slow->others_looks ? 100.0 * (double)before / (double)slow->others_looks : 0);
	if (line->looks < WAIT_LOOKS_MIN)
		advice->severity = ADVICE_NOTE;
}

/* Of the endpoint whose slow requests take most beyond the others. */
static bool slow_find(const struct request_lines *lines, struct slow *ret_slow)
{
	bool is_found = false;

	for (uint32_t i = 0; i < lines->group_count; i++) {
		struct slow slow;

		if (!slow_of_group(&lines->group[i], i, &slow) ||
		    (is_found && slow.longer_ns * (double)slow.count <=
					 ret_slow->longer_ns * (double)ret_slow->count))
			continue;
		*ret_slow = slow;
		is_found = true;
	}
	return is_found;
}

bool advice_slow_requests(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct request_lines *lines = bottleneck->request_lines;
	double longer_ns, total_ns = (double)request_lines_total_ns(lines);
	struct step_line line;
	struct slow slow;
	bool applies;

	if (bottleneck->steps->time.count || total_ns <= 0 || !slow_find(lines, &slow))
		return false;
	longer_ns = slow.longer_ns * (double)slow.count;
	slow_find_part(lines, &slow);
	if (slow.part == LOOK_OTHER || slow.part_ns < PART_MIN * slow.longer_ns ||
	    !advice_exceeds(advice, 100.0 * longer_ns / total_ns))
		return false;
	slow_sum_lines(bottleneck, &slow);
	applies = line_sums_most(&slow.lines, &line) && line.looks >= SERVING_LOOKS_MIN;
	if (applies) {
		requests_set_gain(bottleneck, longer_ns, advice);
		say_slow(bottleneck, &slow, &line, advice);
	}
	line_sums_release(&slow.lines);
	line_sums_release(&slow.others_lines);
	return applies;
}
