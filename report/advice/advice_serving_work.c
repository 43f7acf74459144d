/* SPDX-License-Identifier: MIT */
/*
 * Rules about what the threads of servers do for requests: locks, batchers, serialisation, logs
 * that are written at once, clients made anew, other servers that are waited for. All rest on
 * samples of the time in which the program served.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/calls.h"
#include "report/advice/bottleneck.h"
#include "report/advice/request_lines.h"
#include "report/advice/serving_tally.h"
#include "report/advice/wait_text.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"

/* --- work of a known kind --- */

static bool is_work(const struct bottleneck *bottleneck, size_t row, const char *id)
{
	const struct known_work *work = bottleneck->serving.place[row].work;

	return work && !strcmp(work->id, id);
}

/* Says "WHAT for N % of the serving time (seconds), on thread NAME", and where. */
static void say_serving_work(const struct bottleneck *bottleneck, const struct serving_tally *tally,
			     const char *what, struct advice *advice)
{
	char time[UNIT_TEXT_BYTES], who[SERVING_WHO_BYTES];

	serving_say_who(bottleneck, serving_tally_thread(tally), who);
	advice_say(advice, "%s %s for %.1f %% of the time after start-up (%s).", who, what,
		   advice->value, unit_format_ns(time, advice->gain_ns));
	wait_say_line_of(bottleneck, &tally->lines, tally->ns, tally->looks, advice);
	advice->waits_at[0] = '\0';
}

#define WORKS_MAX 32u

/* Returns the kind of work that most of the time of such rows is. */
static const struct known_work *serving_work_most(const struct bottleneck *bottleneck,
						  serving_kind *is_wanted)
{
	struct {
		const struct known_work *work;
		uint64_t ns;
	} sum[WORKS_MAX] = { { NULL, 0 } };
	size_t most = 0;

	for (size_t i = 0; i < bottleneck->waits->row_count; i++) {
		const struct known_work *work = bottleneck->serving.place[i].work;
		size_t at = 0;

		if (!work || !serving_has(&bottleneck->waits->row[i]) || !is_wanted(bottleneck, i))
			continue;
		while (at < WORKS_MAX - 1 && sum[at].work && sum[at].work != work)
			at++;
		sum[at].work = work;
		sum[at].ns += bottleneck->waits->row[i].ns;
		if (sum[at].ns > sum[most].ns)
			most = at;
	}
	return sum[most].work;
}

/* Writes the endpoint with most of the requests' time; returns false if there is none. */
static bool serving_endpoint_most(const struct bottleneck *bottleneck, char shown[PLACE_NAME_BYTES])
{
	const struct request_lines *lines = bottleneck->request_lines;
	const struct request_group *most = NULL;
	const char *name;
	size_t length;

	for (size_t i = 0; i < lines->group_count; i++)
		if (!most || lines->group[i].total_ns > most->total_ns)
			most = &lines->group[i];
	if (!most)
		return false;
	name = name_text(source_name_at(bottleneck->source, most->endpoint), &length);
	text_escape(shown, PLACE_NAME_BYTES, name, length);
	return true;
}

/* Frameworks work on what a handler has returned: then no line of the user's is on the stack. */
static void say_work_of_framework(const struct bottleneck *bottleneck, serving_kind *is_wanted,
				  struct advice *advice)
{
	const struct known_work *work = serving_work_most(bottleneck, is_wanted);
	char shown[PLACE_NAME_BYTES];

	advice->place = (struct advice_place){ .samples = advice->place.samples };
	advice_add(advice,
		   " Most of it, in %s, was called by no line of yours, but by the framework: for "
		   "what handlers take or return.",
		   work ? work->words : "a library");
	if (work)
		advice->todo = work->todo;
	if (serving_endpoint_most(bottleneck, shown))
		advice_add(advice, " %s has most of the requests' time.", shown);
}

/* `by_framework`: it counts without a line of the user's, too. */
static bool says_work(const struct bottleneck *bottleneck, struct advice *advice,
		      serving_kind *is_wanted, const char *what, bool by_framework)
{
	struct serving_tally tally;
	bool applies;

	serving_tally_make(&tally, bottleneck, is_wanted);
	applies = serving_tally_exceeds(&tally, bottleneck, advice) &&
		  (tally.lines.count || by_framework);
	if (applies)
		say_serving_work(bottleneck, &tally, what, advice);
	if (applies && by_framework && tally.lines.ns * 2 < tally.ns)
		say_work_of_framework(bottleneck, is_wanted, advice);
	serving_tally_release(&tally);
	return applies;
}

static bool serialises(const struct bottleneck *bottleneck, size_t row)
{
	return is_work(bottleneck, row, "SERIALISE") &&
	       !wait_is_one(bottleneck->waits->row[row].look.state);
}

bool advice_serialisation(const struct bottleneck *bottleneck, struct advice *advice)
{
	return says_work(bottleneck, advice, serialises,
			 "turned objects into text or bytes, or back, or validated them,", true);
}

/*
 * Returns whether the process answers requests, of which this thread has none: neither does it
 * receive any, nor is it one that tasks are handed to. Then none waits for what it does; it may be
 * the program's own client.
 */
static bool has_no_request(const struct bottleneck *bottleneck, size_t row)
{
	const struct request_lines *lines = bottleneck->request_lines;
	uint32_t thread = bottleneck->waits->row[row].look.thread;
	const struct source_thread *waits = bottleneck->waits->thread[thread];

	return waits && request_lines_answers(lines, waits->process->index) &&
	       !request_lines_receives(lines, thread) &&
	       !bottleneck->serving.place[row].is_in_pool &&
	       !bottleneck->serving.thread[thread].is_loop;
}

/* What a server makes once, when it starts, is made on a thread without requests. */
static bool makes_client(const struct bottleneck *bottleneck, size_t row)
{
	return is_work(bottleneck, row, "CLIENT") && !has_no_request(bottleneck, row);
}

bool advice_client_per_request(const struct bottleneck *bottleneck, struct advice *advice)
{
	return says_work(bottleneck, advice, makes_client, "made clients, sessions or TLS contexts",
			 false);
}

static bool logs(const struct bottleneck *bottleneck, size_t row)
{
	uint32_t call = bottleneck->waits->row[row].look.call;

	return call == CALL_fsync + 1 || call == CALL_fdatasync + 1 ||
	       is_work(bottleneck, row, "LOGGING");
}

bool advice_sync_logging(const struct bottleneck *bottleneck, struct advice *advice)
{
	return says_work(bottleneck, advice, logs,
			 "wrote a log, or waited until a file was on the disk (fsync),", false);
}

#define DOWNSTREAM_MOST 50.0 /* percent of the serving time, or of the requests' */

static bool waits_downstream(const struct bottleneck *bottleneck, size_t row)
{
	const struct wait_look *look = &bottleneck->waits->row[row].look;

	return bottleneck->serving.place[row].is_downstream && look->state == EVT_PYTHON_IO &&
	       !has_no_request(bottleneck, row);
}

/*
 * Returns whether other threads of the process computed, or were ready to, for half of the wait:
 * the program may be its own client.
 */
static bool may_answer_itself(const struct bottleneck *bottleneck,
			      const struct serving_tally *tally)
{
	const struct serving *serving = &bottleneck->serving;
	size_t waits = serving_tally_thread(tally);
	uint64_t runs_ns = 0;

	for (size_t i = 0; i < serving->thread_count; i++)
		if (serving->chains.of[i].first != waits && bottleneck->waits->thread[i] &&
		    bottleneck->waits->thread[i]->process ==
			    bottleneck->waits->thread[waits]->process)
			runs_ns += serving->thread[i].runs_ns + serving->thread[i].ready_ns;
	return runs_ns >= tally->ns / 2;
}

bool advice_downstream(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct serving_tally tally;
	uint64_t requests_ns = request_lines_total_ns(bottleneck->request_lines);
	bool applies;

	serving_tally_make(&tally, bottleneck, waits_downstream);
	applies = serving_tally_exceeds(&tally, bottleneck, advice) && tally.lines.count &&
		  !may_answer_itself(bottleneck, &tally);
	/* less is what a server that asks another one is for */
	if (applies && tally.looks >= WAIT_LOOKS_MIN &&
	    (advice->value >= DOWNSTREAM_MOST ||
	     (requests_ns && (double)tally.ns >= DOWNSTREAM_MOST / 100 * (double)requests_ns)))
		advice->severity = ADVICE_WARNING;
	if (applies)
		say_serving_work(bottleneck, &tally, "waited for answers of another server",
				 advice);
	serving_tally_release(&tally);
	return applies;
}

/* --- locks --- */

static bool waits_for_lock(const struct bottleneck *bottleneck, size_t row)
{
	return serving_waits_for_lock(&bottleneck->waits->row[row],
				      &bottleneck->serving.place[row]);
}

/* Returns whether the place, or one that it was called from, is another line of that function. */
static bool is_past_line(const struct samples *samples, uint64_t key, const struct step_line *line)
{
	const struct sample_place *place = samples_place(samples, key);

	for (unsigned int depth = 0; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct sample_code *code = samples_code(samples, place->code);

		if (code && code->file == line->file && code->function == line->function)
			return place->line != line->number;
		place = place->from ? samples_place(samples, place->from) : NULL;
	}
	return false;
}

/*
 * A lock of Python has no owner that could be read. Whoever holds one has got past the line where
 * the others wait: it is in another line of the same function, or in what that calls.
 */
static void sum_past_the_line(const struct bottleneck *bottleneck, const struct step_line *line,
			      struct line_sums *ret_lines)
{
	const struct wait_looks *looks = bottleneck->waits;

	line_sums_init(ret_lines);
	for (size_t i = 0; i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];
		const struct wait_place *place = &bottleneck->serving.place[i];
		struct step_line at = place->line;

		if (!serving_has(row) || !place->has_line || !at.is_users ||
		    waits_for_lock(bottleneck, i) ||
		    !is_past_line(looks->samples, row->look.place, line))
			continue;
		at.ns = row->ns;
		at.looks = row->looks;
		line_sums_add(ret_lines, &at);
	}
}

static void say_who_is_past(const struct bottleneck *bottleneck, const struct step_line *waits,
			    struct advice *advice)
{
	char text[STEP_LINE_BYTES];
	struct line_sums lines;
	struct step_line line;

	sum_past_the_line(bottleneck, waits, &lines);
	if (lines.looks >= WAIT_LOOKS_MIN && line_sums_most(&lines, &line)) {
		step_line_text(bottleneck->lines, &line, text);
		step_line_put(bottleneck->lines, &line, &advice->place);
		advice_add(advice,
			   " Threads that had got past that line were in %s for %.0f %% of their "
			   "time (%" PRIu64 " samples): that they held the lock is likely, but was "
			   "not recorded.",
			   text, 100.0 * (double)line.ns / (double)lines.ns, line.looks);
	} else {
		advice_add(advice, " Who held the lock was not recorded.");
	}
	line_sums_release(&lines);
}

/* "4 threads", or "300 threads, up to 4 at a time,": those that waited for a lock at all. */
static void say_lock_threads(const struct serving_tally *tally, struct advice *advice)
{
	unsigned int chains = 0, threads = 0;

	for (size_t i = 0; i < tally->threads; i++) {
		chains += tally->by_thread[i] != 0;
		threads += tally->alone[i] != 0;
	}
	advice_say(advice, "%u thread%s", threads, unit_plural(threads));
	if (chains < threads)
		advice_add(advice, ", up to %u at a time,", chains);
}

bool serving_says_lock(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct serving_tally tally;
	char time[UNIT_TEXT_BYTES];
	struct step_line line;
	size_t most;
	bool applies;

	serving_tally_make(&tally, bottleneck, waits_for_lock);
	applies = serving_tally_exceeds(&tally, bottleneck, advice) &&
		  line_sums_most(&tally.lines, &line);
	if (applies) {
		most = serving_tally_thread(&tally);
		say_lock_threads(&tally, advice);
		advice_add(advice,
			   " waited for a lock for %s in all; %s did so for %.1f %% of the time "
			   "after start-up.",
			   unit_format_ns(time, tally.ns),
			   bottleneck->serving.chains.of[most].count > 1
				   ? "some of them that ran one after another"
				   : "the one that waited most",
			   advice->value);
		wait_say_line_of(bottleneck, &tally.lines, tally.ns, tally.looks, advice);
		say_who_is_past(bottleneck, &line, advice);
	}
	serving_tally_release(&tally);
	return applies;
}

/* --- batchers --- */

#define NOBODY_WORKS 0.5        /* share of the wait in which a batcher waits itself */
#define OTHERS_WORK 0.2         /* share of the wait that others may be at work for */
#define READY_MOST 0.5          /* share of the wait: with more it is the machine that is busy */
#define WAKES_NS_MAX 200000000u /* a thread that waits longer at a time has nothing to do */

/* What went on while threads waited for a result. */
struct batching {
	uint64_t waited_ns, looks; /* looked at; all of it */
	uint64_t all_ns;
	uint64_t work_ns;         /* some other thread was at work */
	struct line_sums waiting; /* the lines of threads that waited for more requests meanwhile */
	struct line_sums results; /* the lines that waited for results */
	uint32_t thread;          /* that waited most */
	/* in the state; `ready`: with work to do, but without a CPU, as on a busy machine */
	struct batching_thread {
		uint64_t waits_ns, ready_ns;
	} * by_thread;
};

/* Returns whether the row is a thread that waits in a queue, again and again. */
static bool is_batcher(const struct bottleneck *bottleneck, const struct wait_pair *pair,
		       const struct wait_place *place)
{
	const struct wait_looks *looks = bottleneck->waits;
	uint64_t ns = 0, samples = 0;

	if (place->kind != WAIT_QUEUE && place->kind != WAIT_EVENT &&
	    pair->state != EVT_PYTHON_SLEEP)
		return false;
	for (size_t i = 0; i < looks->row_count; i++)
		if (serving_has(&looks->row[i]) && looks->row[i].look.thread == pair->thread &&
		    looks->row[i].look.place == pair->place) {
			ns += looks->row[i].ns;
			samples += looks->row[i].samples;
		}
	return samples && ns / samples < WAKES_NS_MAX;
}

static bool waits_for_result(const struct bottleneck *bottleneck, size_t row)
{
	const struct wait_row *at = &bottleneck->waits->row[row];
	const struct wait_place *place = &bottleneck->serving.place[row];

	return serving_has(at) && at->look.state == EVT_PYTHON_LOCK && place->kind == WAIT_FUTURE &&
	       place->has_line && place->line.is_users;
}

static void batching_add_pair(struct batching *batching, const struct bottleneck *bottleneck,
			      const struct wait_pair *pair, const struct wait_place *place)
{
	struct step_line line = place->line;

	if (pair->state == EVT_PYTHON_READY) {
		batching->by_thread[pair->thread].ready_ns += pair->ns;
		return;
	}
	if (!wait_is_one(pair->state)) {
		batching->work_ns += pair->ns;
		return;
	}
	if (!place->has_line || !line.is_users || place->is_in_loop ||
	    !is_batcher(bottleneck, pair, place))
		return;
	line.ns = pair->ns;
	line.looks = pair->looks;
	line_sums_add(&batching->waiting, &line);
	batching->by_thread[pair->thread].waits_ns += pair->ns;
	if (batching->by_thread[pair->thread].waits_ns >
	    batching->by_thread[batching->thread].waits_ns)
		batching->thread = pair->thread;
}

static void batching_look(struct batching *batching, const struct bottleneck *bottleneck)
{
	const struct wait_looks *looks = bottleneck->waits;
	struct own own;

	*batching = (struct batching){ .by_thread = memory_zero(looks->thread_room + 1,
								sizeof(*batching->by_thread)) };
	line_sums_init(&batching->waiting);
	line_sums_init(&batching->results);
	own_places_init(&own, looks->samples, bottleneck->source, run_options(bottleneck->run));
	for (size_t i = 0; bottleneck->serving.is_server && i < looks->row_count; i++)
		if (waits_for_result(bottleneck, i)) {
			struct step_line line = bottleneck->serving.place[i].line;

			batching->waited_ns += looks->row[i].paired_ns;
			batching->looks += looks->row[i].looks;
			batching->all_ns += looks->row[i].ns;
			line.ns = looks->row[i].ns;
			line.looks = looks->row[i].looks;
			line_sums_add(&batching->results, &line);
		}
	for (size_t i = 0; batching->waited_ns && i < looks->pair_count; i++) {
		const struct wait_pair *pair = &looks->pair[i];
		struct wait_place place;

		if (!waits_for_result(bottleneck, pair->row))
			continue;
		wait_place_look(looks->samples, &own, pair->place, &place);
		batching_add_pair(batching, bottleneck, pair, &place);
	}
	own_release(&own);
}

/* Returns whether that thread waits for most of the time in which it has a CPU, or needs none. */
static bool batcher_waits_itself(const struct batching *batching)
{
	const struct batching_thread *at = &batching->by_thread[batching->thread];
	double waited = (double)batching->waited_ns, ready = (double)at->ready_ns;

	return ready < READY_MOST * waited &&
	       (double)at->waits_ns >= NOBODY_WORKS * (waited - ready);
}

static bool says_batcher(const struct bottleneck *bottleneck, const struct batching *batching,
			 struct advice *advice)
{
	char text[STEP_LINE_BYTES], results[STEP_LINE_BYTES], name[PLACE_NAME_BYTES];
	struct step_line line, result;
	double waited = (double)batching->waited_ns;

	if (!batching->waited_ns || batching->looks < WAIT_LOOKS_MIN ||
	    (double)batching->work_ns > OTHERS_WORK * waited ||
	    !line_sums_most(&batching->waiting, &line) ||
	    !line_sums_most(&batching->results, &result) || !batcher_waits_itself(batching))
		return false;
	advice->of = ADVICE_OF_SERVING;
	advice->gain_ns = batching->waited_ns;
	if (!advice_exceeds(advice, 100.0 * waited / (double)bottleneck->serving.ns))
		return false;
	step_line_text(bottleneck->lines, &result, results);
	step_line_put(bottleneck->lines, &result, &advice->place);
	snprintf(advice->waits_at, sizeof(advice->waits_at), "%s", advice->place.line);
	step_line_text(bottleneck->lines, &line, text);
	step_line_put(bottleneck->lines, &line, &advice->place);
	wait_thread_name(bottleneck->waits->thread[batching->thread], name);
	advice_say(advice,
		   "requests waited for a result in %s for %.1f %% of the time after "
		   "start-up, and meanwhile thread %s waited itself, in %s, for %.0f %% of it "
		   "(%" PRIu64 " samples), while hardly any thread was at work. That it waits for "
		   "a fuller batch is likely, but was not recorded.",
		   results, advice->value, name, text, 100.0 * (double)line.ns / waited,
		   line.looks);
	return true;
}

bool advice_batcher_waits(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct batching batching;
	bool applies;

	batching_look(&batching, bottleneck);
	applies = says_batcher(bottleneck, &batching, advice);
	line_sums_release(&batching.waiting);
	line_sums_release(&batching.results);
	free(batching.by_thread);
	return applies;
}
