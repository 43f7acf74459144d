/* SPDX-License-Identifier: MIT */
/* cases: capture_now */
/*
 * Steps are counted by the programs themselves, because only they know where one begins. So a
 * capture of steps is asked for a moment before its first step, and is over when a process says
 * that it has made it and none is making it.
 */
#include "collector/captures/captures.h"

#include <stdio.h>
#include <string.h>

#include "collector/processes/memory_group.h"
#include "collector/processes/processes.h"

#define NS_PER_S 1000000000ull
/* a capture of steps is asked for this long before its first step, so that it is noticed in time */
#define AHEAD_NS (2 * NS_PER_S)
#define AHEAD_STEPS 2u
/* without the end of a step for this long, a capture of steps is given up */
#define IDLE_NS (60 * NS_PER_S)
/* a rule rests for this many times the length of the capture that it started */
#define REST_TIMES 10u

static uint64_t file_now_ns(const struct captures *captures)
{
	const struct common *common = captures->context.common;

	return clockmap_ns(&common->clock, clockmap_now(&common->clock));
}

static uint64_t text_name(struct captures *captures, const char *text, size_t length)
{
	return names_id_text(&captures->context.common->names, text, length);
}

static bool rank_of(const struct captures *captures, uint32_t *ret_rank)
{
	const struct view *view = &captures->context.common->view;
	uint64_t word = view_load64(&view->process[0].rank);

	*ret_rank = region_rank_number(word);
	return word != 0;
}

static bool is_for_us(const struct captures *captures, const struct trigger *trigger)
{
	uint32_t rank;
	bool has_rank = rank_of(captures, &rank);

	return trigger_is_for_rank(trigger, has_rank, rank);
}

/* --- begin and end --- */

/* The programs read `word` first; see struct region_asked. */
static void region_ask(const struct captures *captures, uint64_t steps, uint64_t from)
{
	struct region_asked *asked = &captures->context.common->view.header->asked;

	/* whoever sees one of these sees that the word before is over; pairs with asked_read() */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&asked->steps, steps, memory_order_relaxed);
	atomic_store_explicit(&asked->from, from, memory_order_relaxed);
	atomic_store_explicit(&asked->word, (uint64_t)captures->numbers * 2 - 1,
			      memory_order_release);
}

static void region_ask_nothing(const struct captures *captures)
{
	atomic_store_explicit(&captures->context.common->view.header->asked.word,
			      (uint64_t)captures->numbers * 2, memory_order_release);
}

static void news_tell(struct captures *captures, enum control_phase phase)
{
	captures->news.phase = phase;
	door_tell(&captures->door, &captures->news);
}

static void capture_tell_begin(struct captures *captures)
{
	struct capture *now = &captures->now;

	now->is_told = true;
	now->begin_ns = file_now_ns(captures);
	JOURNAL_ADD(&captures->context.common->journal, now->begin_ns, capture_begin,
		    .number = now->number, .from = now->from, .request = now->request);
	captures->news.begin_ns = now->begin_ns;
	news_tell(captures, CONTROL_RUNS);
}

/* `text`: the request, for the recording. */
static void capture_begin(struct captures *captures, const struct trigger *trigger,
			  enum evt_capture_from from, uint64_t text, uint64_t steady_ns)
{
	bool by_steps = trigger->for_ns == 0;

	captures->now = (struct capture){ .trigger = *trigger,
					  .from = from,
					  .request = text,
					  .number = ++captures->numbers,
					  .asked_ns = steady_ns,
					  .until_ns = by_steps ? 0 : steady_ns + trigger->for_ns };
	captures->news = (struct door_news){ .number = captures->numbers };
	captures->is_settled = false;
	region_ask(captures, by_steps ? trigger->steps : 0,
		   trigger->kind == TRIGGER_STEPS ? trigger->from : REGION_FROM_NEXT);
	if (by_steps)
		news_tell(captures, CONTROL_ARMED);
	else
		capture_tell_begin(captures);
}

static void capture_end(struct captures *captures, enum evt_capture_how how, uint64_t now_ns)
{
	struct capture *now = &captures->now;

	if (!now->is_told)
		capture_tell_begin(captures);
	if (now_ns < now->begin_ns)
		now_ns = now->begin_ns; /* the clocks' relation is measured again now and then */
	region_ask_nothing(captures);
	JOURNAL_ADD(&captures->context.common->journal, now_ns, capture_end, .number = now->number,
		    .how = how);
	captures->is_settled = false;
	captures->news.how = how;
	captures->news.end_ns = now_ns;
	news_tell(captures, CONTROL_WRITES);
	now->number = 0;
}

static void capture_refuse(struct captures *captures, enum evt_capture_refusal why, uint64_t text)
{
	JOURNAL_ADD(&captures->context.common->journal, file_now_ns(captures), capture_refused,
		    .why = why, .request = text);
}

/* --- the capture that is under way --- */

struct progress {
	bool is_open, is_done, is_past; /* of some process; is_past: its last step is over */
	/* when the first process began it, and the last one ended it */
	uint64_t begin_ns, end_ns;
};

static void progress_take(struct progress *progress, const struct captures *captures,
			  const struct region_process *shared)
{
	const struct common *common = captures->context.common;
	uint32_t number = captures->now.number;
	bool is_open = view_acquire32(&shared->capture_open) == number;
	bool is_done = view_acquire32(&shared->capture_done) == number;
	uint64_t begin_ns = common_ns(common, view_load64(&shared->capture_begin_tsc));
	uint64_t end_ns = common_ns(common, view_load64(&shared->capture_end_tsc));

	progress->is_open |= is_open;
	progress->is_done |= is_done;
	if ((is_open || is_done) && (!progress->begin_ns || begin_ns < progress->begin_ns))
		progress->begin_ns = begin_ns;
	if (is_done && end_ns > progress->end_ns)
		progress->end_ns = end_ns;
}

static struct progress capture_progress(const struct captures *captures)
{
	const struct processes *processes = captures->context.processes;
	const struct view *view = &captures->context.common->view;
	const struct capture *now = &captures->now;
	struct progress progress = { 0 };

	for (uint32_t i = 0; i < processes->limit; i++) {
		const struct process *process = &processes->slot[i];
		const struct region_process *shared = &view->process[process->entry];
		uint64_t steps;

		if (!process->number || process->gone || process->exiting)
			continue;
		steps = view_load64(&shared->steps);
		progress_take(&progress, captures, shared);
		progress.is_past |= now->trigger.kind == TRIGGER_STEPS &&
				    steps >= now->trigger.from + now->trigger.steps;
	}
	return progress;
}

static uint64_t captures_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void capture_look_at_steps(struct captures *captures, uint64_t steady_ns)
{
	struct progress progress = capture_progress(captures);
	struct capture *now = &captures->now;
	uint64_t now_ns, moved_ns;

	if (!now->is_told && (progress.is_open || progress.is_done))
		capture_tell_begin(captures);
	captures->news.begin_ns = progress.begin_ns;
	now_ns = file_now_ns(captures);
	if (progress.is_done && !progress.is_open) {
		capture_end(captures, EVT_CAPTURE_OVER, now_ns);
		captures->news.end_ns = progress.end_ns;
		news_tell(captures, CONTROL_WRITES);
	} else if (progress.is_past && !progress.is_open) {
		capture_end(captures, EVT_CAPTURE_PASSED, now_ns);
	} else {
		/* the steady clock and the file's run alike */
		moved_ns = now_ns - captures->steps.ended_ns;
		if (steady_ns - now->asked_ns < moved_ns)
			moved_ns = steady_ns - now->asked_ns;
		if (moved_ns > IDLE_NS)
			capture_end(captures, EVT_CAPTURE_IDLE, now_ns);
	}
}

static void capture_look(struct captures *captures, uint64_t steady_ns)
{
	if (!captures->now.until_ns)
		capture_look_at_steps(captures, steady_ns);
	else if (steady_ns >= captures->now.until_ns)
		capture_end(captures, EVT_CAPTURE_OVER, file_now_ns(captures));
}

/* --- requests from the door --- */

static void request_take(struct captures *captures, const char *request, uint64_t steady_ns)
{
	size_t length = strlen(request);
	char why[TRIGGER_WHY_BYTES];
	struct trigger trigger;

	if (trigger_parse(request, length, &trigger, why)) {
		door_answer(&captures->door, CONTROL_INVALID, 0, why);
	} else if (trigger_is_rule(&trigger)) {
		door_answer(&captures->door, CONTROL_INVALID, 0,
			    "a rule belongs into INTERCEPT_TRIGGER");
	} else if (!is_for_us(captures, &trigger)) {
		door_answer(&captures->door, CONTROL_OTHER_RANK, 0, "");
	} else if (captures->now.number) {
		capture_refuse(captures, EVT_CAPTURE_BUSY, text_name(captures, request, length));
		door_answer(&captures->door, CONTROL_BUSY, captures->now.number, "");
	} else {
		capture_begin(captures, &trigger, EVT_CAPTURE_ASKED,
			      text_name(captures, request, length), steady_ns);
		door_answer(&captures->door, CONTROL_TAKEN, captures->numbers, "");
	}
}

/* --- INTERCEPT_TRIGGER --- */

static uint64_t trigger_name(struct captures *captures, const struct trigger *trigger)
{
	return text_name(captures, captures->file.text + trigger->at, trigger->length);
}

/*
 * What the file has is copied. Requests that come before the copy has begun share it, and its text
 * names them all; what comes later has a copy of its own, since the first one ends before it.
 */
static void window_keep(struct captures *captures, const struct trigger *trigger)
{
	struct common *common = captures->context.common;
	uint32_t length = common->keep_is_wanted ? captures->keep_length : 0;
	int added = snprintf(captures->keep_text + length, sizeof(captures->keep_text) - length,
			     "%s%.*s", length ? "; " : "", (int)trigger->length,
			     captures->file.text + trigger->at);

	if (added > 0 && length + (uint32_t)added < sizeof(captures->keep_text))
		length += (uint32_t)added;
	captures->keep_length = length;
	common->keep_is_wanted = true;
	common->keep_request = text_name(captures, captures->keep_text, length);
}

/* Begins it, or records that another one is under way. */
static void trigger_begin(struct captures *captures, const struct trigger *trigger,
			  uint64_t steady_ns)
{
	uint64_t text = trigger_name(captures, trigger);

	if (captures->keeps && (captures->only_keeps || trigger_is_rule(trigger)))
		window_keep(captures, trigger);
	if (captures->only_keeps)
		return;
	if (captures->now.number)
		capture_refuse(captures, EVT_CAPTURE_BUSY, text);
	else
		capture_begin(captures, trigger,
			      trigger_is_rule(trigger) ? EVT_CAPTURE_RULE : EVT_CAPTURE_FILE, text,
			      steady_ns);
}

/*
 * The file or the setting has new requests. `now` in a file from before the program is not meant.
 */
static void list_take(struct captures *captures, bool is_first, uint64_t steady_ns)
{
	char why[TRIGGER_WHY_BYTES];

	memset(captures->rest_ns, 0, sizeof(captures->rest_ns));
	memset(captures->paused, 0, sizeof(captures->paused));
	if (trigger_parse_list(captures->file.text, captures->file.length, &captures->list, why))
		capture_refuse(captures, EVT_CAPTURE_INVALID,
			       text_name(captures, why, strlen(why)));
	for (uint32_t i = 0; i < captures->list.count; i++) {
		const struct trigger *trigger = &captures->list.trigger[i];

		if (!is_for_us(captures, trigger))
			captures->rest_ns[i] = UINT64_MAX;
		if (trigger->kind != TRIGGER_NOW || captures->rest_ns[i])
			continue;
		captures->rest_ns[i] = UINT64_MAX;
		if (!is_first)
			trigger_begin(captures, trigger, steady_ns);
	}
}

static void trigger_look(struct captures *captures, uint64_t steady_ns)
{
	char why[TRIGGER_WHY_BYTES];

	switch (trigger_file_look(&captures->file, steady_ns, why)) {
	case TRIGGER_FILE_FIRST:
		list_take(captures, true, steady_ns);
		break;
	case TRIGGER_FILE_CHANGED:
		list_take(captures, false, steady_ns);
		break;
	case TRIGGER_FILE_REFUSED:
		captures->list.count = 0;
		capture_refuse(captures, EVT_CAPTURE_INVALID,
			       text_name(captures, why, strlen(why)));
		break;
	case TRIGGER_FILE_SAME:
		break;
	}
}

/* --- steps and rules that are waited for --- */

/* Its first step begins within AHEAD_NS, as far as the last steps tell. */
static bool steps_are_near(const struct captures *captures, const struct trigger *trigger)
{
	const struct steps_seen *steps = &captures->steps;
	uint64_t last_ns, left;

	if (trigger->from <= steps->count + AHEAD_STEPS)
		return true;
	if (!steps->lengths)
		return false;
	last_ns = steps->length_ns[(steps->lengths - 1) % STEPS_SEEN_LENGTHS];
	left = trigger->from - steps->count;
	return left <= AHEAD_NS / last_ns;
}

/* How long the step that runs has taken, or the longest that ended since the last look. */
static uint64_t longest_step_ns(const struct captures *captures)
{
	uint64_t now_ns = file_now_ns(captures);
	uint64_t running_ns = captures->steps.ended_ns && now_ns > captures->steps.ended_ns
				      ? now_ns - captures->steps.ended_ns
				      : 0;

	return captures_later(running_ns, captures->steps.longest_ns);
}

static uint64_t resident_bytes(const struct captures *captures)
{
	const struct processes *processes = captures->context.processes;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < processes->limit; i++)
		if (processes->slot[i].number && !processes->slot[i].gone)
			bytes += processes->slot[i].memory.resident_bytes;
	return bytes;
}

static uint64_t limit_bytes(const struct captures *captures)
{
	const struct processes *processes = captures->context.processes;

	for (uint32_t i = 0; i < processes->limit; i++)
		if (processes->slot[i].number && processes->slot[i].pid && !processes->slot[i].gone)
			return memory_limit_bytes(processes->slot[i].pid);
	return 0;
}

/*
 * No step has ended for that long; once for each such pause. The time before the first step is one:
 * a program may hang before it, or have no steps.
 */
static bool pause_holds(struct captures *captures, uint32_t index)
{
	const struct steps_seen *steps = &captures->steps;
	uint64_t since_ns = steps->count ? steps->ended_ns : 0;
	uint64_t now_ns = file_now_ns(captures);

	if (captures->paused[index] == steps->count + 1 || now_ns < since_ns ||
	    now_ns - since_ns <= captures->list.trigger[index].idle_ns)
		return false;
	captures->paused[index] = steps->count + 1;
	return true;
}

/* True if what the rule waits for is so. */
static bool rule_holds(struct captures *captures, uint32_t index)
{
	const struct trigger *rule = &captures->list.trigger[index];
	const struct steps_seen *steps = &captures->steps;
	uint64_t median_ns, bytes;

	switch (rule->kind) {
	case TRIGGER_SLOW_STEP:
		median_ns = steps_seen_median_ns(steps);
		return median_ns &&
		       (double)longest_step_ns(captures) > rule->factor * (double)median_ns;
	case TRIGGER_RSS:
		return resident_bytes(captures) > rule->bytes;
	case TRIGGER_RSS_SHARE:
		bytes = resident_bytes(captures);
		return bytes && (double)bytes > rule->factor * (double)limit_bytes(captures) &&
		       limit_bytes(captures);
	case TRIGGER_NO_STEP:
		return pause_holds(captures, index);
	default:
		return false;
	}
}

static void rule_look(struct captures *captures, uint32_t index, uint64_t steady_ns)
{
	const struct trigger *rule = &captures->list.trigger[index];
	uint64_t length_ns = rule->for_ns;

	if (captures->now.number || !rule_holds(captures, index))
		return;
	if (!length_ns)
		length_ns = rule->steps * steps_seen_median_ns(&captures->steps);
	captures->rest_ns[index] = steady_ns +
				   (REST_TIMES + 1) * captures_later(length_ns, NS_PER_S);
	trigger_begin(captures, rule, steady_ns);
}

static void list_look(struct captures *captures, uint64_t steady_ns)
{
	for (uint32_t i = 0; i < captures->list.count; i++) {
		const struct trigger *trigger = &captures->list.trigger[i];

		if (captures->rest_ns[i] > steady_ns)
			continue;
		if (trigger_is_rule(trigger)) {
			rule_look(captures, i, steady_ns);
		} else if (trigger->kind == TRIGGER_STEPS && steps_are_near(captures, trigger)) {
			captures->rest_ns[i] = UINT64_MAX;
			trigger_begin(captures, trigger, steady_ns);
		}
	}
}

/* --- the source --- */

static void setting_take(struct captures *captures)
{
	const struct region_header *header = captures->context.common->view.header;

	snprintf(captures->setting, sizeof(captures->setting), "%.*s",
		 (int)sizeof(captures->setting) - 1, header->trigger);
	if (strchr(captures->setting, '/')) {
		captures->file.path = captures->setting;
		return;
	}
	captures->file.length = (uint32_t)strnlen(captures->setting, TRIGGER_BYTES);
	memcpy(captures->file.text, captures->setting, captures->file.length);
}

static void captures_open(struct captures *captures, const struct source_context *context)
{
	const struct region_header *header = context->common->view.header;
	char session[CONTROL_SESSION_BYTES];

	captures->context = *context;
	captures->is_on = strncmp(header->capture, "trigger", strlen("trigger")) == 0;
	captures->keeps = header->keep_last_ns || header->keep_last_bytes ||
			  header->keep_last_steps;
	if (!captures->is_on && captures->keeps && !header->capture[0] && header->trigger[0])
		captures->is_on = captures->only_keeps = true;
	snprintf(session, sizeof(session), "%.*s", (int)sizeof(session) - 1, header->session);
	if (!captures->is_on)
		return;
	if (header->is_memfd && !captures->only_keeps)
		door_open(&captures->door, session);
	setting_take(captures);
	/* what stands in the setting was meant for this program */
	if (captures->file.length)
		list_take(captures, false, 0);
}

static void captures_look(struct captures *captures, uint64_t steady_ns)
{
	char request[CONTROL_TEXT_BYTES];

	if (!captures->is_on)
		return;
	if (captures->is_settled && captures->news.phase == CONTROL_WRITES)
		news_tell(captures, CONTROL_DONE);
	steps_seen_look(&captures->steps, captures->context.common, captures->context.processes);
	if (captures->now.number)
		capture_look(captures, steady_ns);
	trigger_look(captures, steady_ns);
	list_look(captures, steady_ns);
	if (door_take(&captures->door, request))
		request_take(captures, request, steady_ns);
}

static void captures_source_init(void *state, const struct source_context *context)
{
	captures_open(state, context);
}

static void captures_source_release(void *state)
{
	door_close(&((struct captures *)state)->door);
}

static void captures_source_look(void *state, uint64_t steady_ns)
{
	captures_look(state, steady_ns);
}

/*
 * What is in the journal now is in this frame; a capture that nobody makes any more ends with it.
 */
static void captures_source_settle(void *state, uint64_t watermark_ns)
{
	struct captures *captures = state;
	const struct processes *processes = captures->context.processes;

	if (captures->now.number && processes->numbers && !processes->alive && !processes->waiting)
		capture_end(captures, EVT_CAPTURE_LEFT, watermark_ns);
	captures->is_settled = true;
}

const struct collector_source source_captures = {
	.state_bytes = sizeof(struct captures),
	.init = captures_source_init,
	.release = captures_source_release,
	.look = captures_source_look,
	.settle = captures_source_settle,
};
