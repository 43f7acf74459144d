/* SPDX-License-Identifier: MIT */
/*
 * A sample in an open step is pending until the step has ended. If evidence then counts the step,
 * the sample is added to the row of its kind and place; otherwise it is dropped.
 */
#include "report/advice/step_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/evidence_events.h"
#include "report/advice/line_sums.h"
#include "report/base/text.h"
#include "report/helpers/helpers.h"
#include "report/options/keys.h"
#include "report/samples/line_links.h"
#include "report/samples/own_places.h"

#define PERCENT_MIN 30.0   /* a line with a smaller share does not stand out */
#define GUESS_LOOKS_MIN 5u /* with fewer samples there is not even a guess */
#define GUESS_PERCENT_MIN 60.0

#define STEP_NONE UINT64_MAX /* instead of a step's number: between steps, or after the last */

/* A sample in a step that may turn out not to be whole. */
struct step_lines_pending {
	uint32_t process;
	enum step_lines_of of;
	bool is_gil, sleeps, rests;
	bool is_told; /* a GPU was recorded, if there is one */
	uint64_t step, place, holder_place, ns, time_ns;
};

/* --- looks --- */

static void step_lines_row_add(struct step_lines *lines, enum step_lines_of of, uint32_t process,
			       uint64_t place, uint64_t ns)
{
	const uint64_t words[] = { of, process, place };
	struct map_entry *entry;
	bool added;

	lines->ns[of] += ns;
	lines->looks[of]++;
	entry = map_put(&lines->rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (added) {
		lines->row = memory_room(lines->row, lines->row_count, &lines->row_room,
					 sizeof(*lines->row));
		lines->row[lines->row_count] = (struct step_lines_row){ of, place, 0, 0, process };
		entry->value = lines->row_count++;
	}
	lines->row[entry->value].ns += ns;
	lines->row[entry->value].looks++;
}

static void step_lines_pending_count(struct step_lines *lines,
				     const struct step_lines_pending *look)
{
	lines->all_ns += look->ns;
	lines->all_looks++;
	step_lines_row_add(lines, look->of, 0, look->place, look->ns);
	lines->look = memory_room(lines->look, lines->look_count, &lines->look_room,
				  sizeof(*lines->look));
	lines->look[lines->look_count++] = (struct step_look){ look->process, look->step,
							       look->place, look->ns };
	lines->told_ns += look->is_told ? look->ns : 0;
	if (look->is_told && look->rests && look->of <= STEP_LINES_GAPS) {
		step_lines_row_add(lines, STEP_LINES_RESTS, 0, look->place, look->ns);
		lines->sleep_ns += look->sleeps ? look->ns : 0;
	}
	if (!look->is_gil)
		return;
	lines->gil_ns += look->ns;
	step_lines_row_add(lines, STEP_LINES_STARVED, 0, look->place, look->ns);
	if (look->holder_place)
		step_lines_row_add(lines, STEP_LINES_HOLDERS, 0, look->holder_place, look->ns);
}

/* Settles samples of the process's steps that have ended: those of whole steps count. */
static void pending_settle(struct step_lines *lines, uint32_t process, uint64_t step)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->pending_count; i++) {
		const struct step_lines_pending *look = &lines->pending[i];

		if (look->process != process || look->step == step)
			lines->pending[kept++] = *look;
		else if (evidence_sample_of(lines->evidence, process, look->step))
			step_lines_pending_count(lines, look);
	}
	lines->pending_count = kept;
}

/* --- events --- */

static enum step_lines_of of_kind(uint64_t kind)
{
	switch (kind) {
	case EVIDENCE_DATALOADER:
		return STEP_LINES_DATALOADER;
	case EVIDENCE_OPTIMIZER:
	case EVIDENCE_OPTIMIZER_PLAIN:
		return STEP_LINES_OPTIMIZER;
	case EVIDENCE_ZERO_GRAD:
		return STEP_LINES_ZERO_GRAD;
	case EVIDENCE_COPY:
		return STEP_LINES_CLONES;
	case EVIDENCE_BACKWARD:
		return STEP_LINES_BACKWARD;
	case EVIDENCE_ITEM:
	case EVIDENCE_WAITS:
		return STEP_LINES_WAITS;
	case EVIDENCE_LABEL:
	case EVIDENCE_RANGE:
	case EVIDENCE_ACTION:
		return STEP_LINES_OUTSIDE;
	default:
		return STEP_LINES_OPERATORS;
	}
}

/* Returns whether what is found so far is a copy that the operator around it asks for. */
static bool is_of_outer(enum step_lines_of found, enum step_lines_of around)
{
	return found == STEP_LINES_CLONES && around == STEP_LINES_OPERATORS;
}

enum step_lines_of step_lines_open_on(const struct evidence *evidence,
				      const struct helpers *helpers, uint32_t thread,
				      uint64_t time_ns)
{
	enum step_lines_of most = helpers_are_at_work(helpers, thread, time_ns)
					  ? STEP_LINES_HELPED
					  : STEP_LINES_OUTSIDE;

	for (uint32_t scope = nest_top(&evidence->nest, thread); scope != NEST_NONE;
	     scope = evidence->nest.scope[scope].below) {
		enum step_lines_of of = of_kind(evidence->nest.scope[scope].key);

		most = of > most || is_of_outer(most, of) ? of : most;
	}
	return most;
}

static uint64_t passed_of(struct step_lines *lines, const struct source_event *event)
{
	uint64_t time_ns = event->event.time_ns, before_ns;
	uint32_t index = event->thread->index;

	lines->last_ns = memory_room(lines->last_ns, index, &lines->last_room,
				     sizeof(*lines->last_ns));
	before_ns = lines->last_ns[index];
	lines->last_ns[index] = time_ns;
	return before_ns && time_ns > before_ns && time_ns - before_ns <= SAMPLE_WAIT_MAX_NS
		       ? time_ns - before_ns
		       : 0;
}

static void step_lines_take_sample(void *state, const struct source_event *event, bool counts)
{
	struct step_lines *lines = state;
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	uint32_t process = event->process->index;
	const struct evidence_process *at = process < lines->evidence->process_room
						    ? &lines->evidence->process[process]
						    : NULL;
	uint64_t passed_ns = passed_of(lines, event), step;

	if (!at || !at->from.time_ns) {
		bool is_before = !at || (!at->under_way && !at->sample_count);

		if (counts && sample->looks && event->thread->tid == event->process->pid)
			step_lines_row_add(lines, is_before ? STEP_LINES_BEFORE : STEP_LINES_WARM,
					   process, sample_place_key(event, sample->place),
					   passed_ns);
		return;
	}
	step = at->under_way ? at->number : STEP_NONE;
	pending_settle(lines, process, step);
	if (!counts || !sample->looks || at->thread != event->thread->index)
		return;
	lines->pending = memory_room(lines->pending, lines->pending_count, &lines->pending_room,
				     sizeof(*lines->pending));
	lines->pending[lines->pending_count++] = (struct step_lines_pending){
		.process = process,
		.of = step_lines_open_on(lines->evidence, lines->helpers, event->thread->index,
					 event->event.time_ns),
		.is_gil = sample->state == EVT_PYTHON_GIL,
		.is_told = detail_covers(run_gpu_windows(lines->run), process,
					 event->event.time_ns),
		.sleeps = sample->state == EVT_PYTHON_SLEEP,
		.rests = sample->state == EVT_PYTHON_SLEEP || sample->state == EVT_PYTHON_IO,
		.step = step,
		.place = sample_place_key(event, sample->place),
		.holder_place = sample_place_key(event, sample->holder_place),
		.ns = passed_ns,
		.time_ns = event->event.time_ns,
	};
}

/*
 * A call is recorded at its end, so looks into it came before. Only the loop's thread has pending
 * looks in its process.
 */
static void step_lines_take_hold(void *state, struct nest_place place, uint64_t duration_ns,
				 enum evidence_hold_kind kind)
{
	struct step_lines *lines = state;
	const struct evidence *evidence = lines->evidence;
	static const enum step_lines_of ofs[] = {
		[EVIDENCE_HOLD_WAIT] = STEP_LINES_WAITS,
		[EVIDENCE_HOLD_COPY] = STEP_LINES_COPIES,
		[EVIDENCE_HOLD_MALLOC] = STEP_LINES_MALLOCS,
		[EVIDENCE_HOLD_FREE] = STEP_LINES_FREES,
		[EVIDENCE_HOLD_GAP] = STEP_LINES_GAPS,
		[EVIDENCE_HOLD_HOST] = STEP_LINES_HOST,
	};
	enum step_lines_of of = ofs[kind];

	if (evidence->process[place.process].thread != place.thread)
		return;
	for (size_t i = lines->pending_count; i-- > 0;) {
		struct step_lines_pending *look = &lines->pending[i];

		if (look->time_ns + duration_ns < place.time_ns)
			return;
		if (look->process == place.process && look->of < of)
			look->of = of;
		look->rests &= kind != EVIDENCE_HOLD_CALL;
	}
}

static void step_lines_start(void *state, struct run *run, const void *options)
{
	struct step_lines *lines = state;
	struct evidence *evidence;

	(void)options;
	map_init(&lines->rows);
	lines->run = run;
	lines->source = run_source(run);
	lines->helpers = helpers_want(run, NULL); /* before the analyses that use it */
	evidence = evidence_want(run, NULL);
	evidence_listen(evidence, step_lines_take_hold, lines);
	lines->evidence = evidence;
	lines->samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	run_reads(run, EVT_python_sample, FIELDS_ALL, step_lines_take_sample, lines);
	run_seeks(run, state);
}

static void step_lines_release(void *state)
{
	struct step_lines *lines = state;

	map_release(&lines->rows);
	free(lines->row);
	free(lines->look);
	free(lines->pending);
	free(lines->last_ns);
}

const struct analysis_kind analysis_step_lines = {
	.name = "lines of steps",
	.state_bytes = sizeof(struct step_lines),
	.options_bytes = sizeof(struct step_lines_options),
	.start = step_lines_start,
	.release = step_lines_release,
};

/* --- lines --- */

/*
 * Returns the row's line: the user's innermost one, else the innermost; file SAMPLE_NONE: not
 * known.
 */
static struct step_line line_of_row(const struct step_lines *lines, struct own *own,
				    const struct step_lines_row *row)
{
	const struct sample_place *place = own_place_or_innermost(lines->samples, own, row->place);
	const struct sample_code *code = place ? samples_code(lines->samples, place->code) : NULL;

	if (!code)
		return (struct step_line){ .file = SAMPLE_NONE };
	return (struct step_line){ .file = code->file,
				   .function = code->function,
				   .number = place->line,
				   .is_users = own_place_is_users(lines->samples, own, place),
				   .ns = row->ns,
				   .looks = row->looks };
}

static void note_caller(const struct step_lines *lines, struct own *own, size_t line,
			const struct step_lines_row *row, struct line_links *links)
{
	const struct sample_place *place = own_place_of(lines->samples, own, row->place);
	const struct sample_place *caller = place ? own_place_caller(lines->samples, own, place)
						  : NULL;
	const struct sample_code *code = caller ? samples_code(lines->samples, caller->code) : NULL;

	if (code)
		line_links_add(links, &(struct line_link){ .line = line,
							   .kind = LINE_LINK_CALLER,
							   .file = code->file,
							   .function = code->function,
							   .number = caller->line,
							   .weight = row->ns });
}

static bool row_is_of(const struct step_lines_row *row, unsigned int of)
{
	return of & 1u << row->of;
}

/* Returns the lines with their times; rows of one line are added up. The caller frees it. */
static struct step_line *add_up(const struct step_lines *lines, unsigned int of, struct own *own,
				struct line_links *links, size_t *ret_count)
{
	struct step_line *line = memory_zero(lines->row_count + 1, sizeof(*line));
	struct map known;

	*ret_count = 0;
	map_init(&known);
	for (size_t i = 0; i < lines->row_count; i++) {
		struct step_line at = line_of_row(lines, own, &lines->row[i]);
		const uint32_t words[] = { at.file, at.function, at.number };
		struct map_entry *entry;
		bool added;

		if (!row_is_of(&lines->row[i], of) || at.file == SAMPLE_NONE)
			continue;
		entry = map_put(&known, map_hash_bytes(words, sizeof(words), 0), &added);
		if (added) {
			line[*ret_count] = at;
			entry->value = (*ret_count)++;
		} else {
			line[entry->value].ns += at.ns;
			line[entry->value].looks += at.looks;
		}
		note_caller(lines, own, entry->value, &lines->row[i], links);
	}
	map_release(&known);
	return line;
}

/* The user's lines with their times, and the links to their callers. */
struct found_lines {
	struct step_line *line;
	size_t count;
	struct line_links links;
	struct own own;
};

static void found_make(struct found_lines *found, const struct step_lines *lines, unsigned int of)
{
	own_places_init(&found->own, lines->samples, lines->source, run_options(lines->run));
	line_links_init(&found->links);
	found->line = add_up(lines, of, &found->own, &found->links, &found->count);
}

static void found_release(struct found_lines *found)
{
	free(found->line);
	line_links_release(&found->links);
	own_release(&found->own);
}

static struct step_line found_take(const struct found_lines *found, size_t number)
{
	const struct line_link *caller = line_links_most(&found->links, number, LINE_LINK_CALLER);
	struct step_line line = found->line[number];

	line.caller_file = caller ? caller->file : SAMPLE_NONE;
	line.caller_number = caller ? caller->number : 0;
	return line;
}

/* The rows of the set as samples, and all of the others. The caller frees them. */
static struct library_sample *step_lines_samples(const struct step_lines *lines, unsigned int of,
						 const struct step_lines *others, size_t *ret_count)
{
	size_t room = lines->row_count + (others ? others->row_count : 0);
	struct library_sample *sample = memory_zero(room + 1, sizeof(*sample));

	*ret_count = 0;
	for (size_t i = 0; i < room; i++) {
		bool is_other = i >= lines->row_count;
		const struct step_lines_row *row = is_other ? &others->row[i - lines->row_count]
							    : &lines->row[i];
		uint64_t weight = row->ns + row->looks;

		if (row_is_of(row, of))
			sample[(*ret_count)++] = (struct library_sample){
				row->place, weight,
				(double)weight * (double)weight / (double)row->looks, is_other
			};
	}
	return sample;
}

/*
 * Looks for the package's function behind the line in these rows only: a line that runs the whole
 * training, as fit() does, has other functions for the rest.
 */
static bool step_lines_note_library(const struct step_lines *lines, struct own *own,
				    unsigned int of, const struct step_lines *others,
				    struct step_line *line, double *ret_share)
{
	const struct library_caller caller = { .file = line->file, .number = line->number };
	size_t count;
	struct library_sample *sample = step_lines_samples(lines, of, others, &count);
	bool is_found;

	line->library = (struct library_place){ .number = 0 };
	line->has_library = true;
	is_found = line->is_users && library_place_find_in(lines->samples, own, &caller, sample,
							   count, &line->library, ret_share);
	free(sample);
	return is_found;
}

/* Finds the line with the most time. Returns false if there is none. */
static bool step_lines_find_most(const struct step_lines *lines, unsigned int of,
				 struct step_line *ret_line)
{
	struct found_lines found;
	size_t most = 0;

	found_make(&found, lines, of);
	for (size_t i = 1; i < found.count; i++)
		if (found.line[i].ns > found.line[most].ns)
			most = i;
	if (found.count) {
		*ret_line = found_take(&found, most);
		(void)step_lines_note_library(lines, &found.own, of, NULL, ret_line, NULL);
	}
	found_release(&found);
	return found.count;
}

uint64_t step_lines_line_ns(const struct step_lines *lines, unsigned int of,
			    const struct step_line *line)
{
	struct found_lines found;
	uint64_t ns = 0;

	found_make(&found, lines, of);
	for (size_t i = 0; i < found.count; i++)
		if (found.line[i].file == line->file && found.line[i].function == line->function &&
		    found.line[i].number == line->number)
			ns += found.line[i].ns;
	found_release(&found);
	return ns;
}

bool step_lines_find(const struct step_lines *lines, unsigned int of, struct step_line *ret_line,
		     double *ret_percent)
{
	uint64_t looks = 0, ns = 0;

	for (unsigned int i = 0; i < STEP_LINES_LIMIT; i++) {
		looks += of & 1u << i ? lines->looks[i] : 0;
		ns += of & 1u << i ? lines->ns[i] : 0;
	}
	if (looks < GUESS_LOOKS_MIN || !ns || !step_lines_find_most(lines, of, ret_line))
		return false;
	*ret_percent = 100.0 * (double)ret_line->ns / (double)ns;
	return *ret_percent >= (looks < STEP_LINES_SURE_LOOKS ? GUESS_PERCENT_MIN : PERCENT_MIN);
}

bool step_lines_largest(const struct step_lines *lines, struct step_line *ret_line)
{
	return lines->all_ns && step_lines_find_most(lines, STEP_LINES_OF_LOOP, ret_line) &&
	       ret_line->ns;
}

/* --- lines of some steps --- */

#define CHOSEN_PERCENT 50.0 /* of the time of the chosen steps: a line that stands out */
#define OTHERS_NONE 0.05    /* of that share: the other steps hardly have the line */
#define OTHERS_MOST 0.5
#define CHOSEN_LOOKS_MIN 10u /* with fewer samples there is not even a guess, as there are others */

static double part_percent_min(const struct step_lines *part)
{
	return part->all_looks < STEP_LINES_SURE_LOOKS ? GUESS_PERCENT_MIN : CHOSEN_PERCENT;
}

/* The samples of the chosen steps, or of the others, as rows of lines. To be released. */
static void step_lines_part_make(struct step_lines *part, const struct step_lines *lines,
				 step_lines_choose *choose, const void *state, bool chosen)
{
	*part = (struct step_lines){ .samples = lines->samples,
				     .source = lines->source,
				     .run = lines->run };
	map_init(&part->rows);
	for (size_t i = 0; i < lines->look_count; i++) {
		const struct step_look *look = &lines->look[i];

		if (choose(state, look->process, look->step) == chosen)
			step_lines_row_add(part, STEP_LINES_OPERATORS, 0, look->place, look->ns);
	}
	part->all_ns = part->ns[STEP_LINES_OPERATORS];
	part->all_looks = part->looks[STEP_LINES_OPERATORS];
}

static double part_percent(const struct step_lines *part, uint64_t ns)
{
	return part->all_ns ? 100.0 * (double)ns / (double)part->all_ns : 0;
}

/*
 * Returns whether these steps have most of their time at the line, and the others at most `most`
 * of that.
 */
static bool part_stands_out(const struct step_lines *part, const struct step_lines *others,
			    const struct step_line *line, double most, double *ret_percent)
{
	*ret_percent = part_percent(part, line->ns);
	return line->is_users && *ret_percent >= CHOSEN_PERCENT &&
	       part_percent(others, step_lines_line_ns(others, STEP_LINES_OF_LOOP, line)) <
		       *ret_percent * most;
}

/* Finds a function in whole stacks of the set; with others: one that sets these steps apart. */
static bool part_find_function(const struct step_lines *part, const struct step_lines *others,
			       unsigned int of, struct own *own,
			       const struct library_caller *caller, struct library_place *ret_place,
			       double *ret_share)
{
	size_t count;
	struct library_sample *sample = step_lines_samples(part, of, others, &count);
	bool is_found;

	*ret_place = (struct library_place){ .number = 0 };
	*ret_share = 0;
	is_found = library_place_find_in(part->samples, own, caller, sample, count, ret_place,
					 ret_share);
	free(sample);
	return is_found;
}

/* Finds a function of the user's in whole stacks of the set. */
static bool part_find_users(const struct step_lines *part, const struct step_lines *others,
			    unsigned int of, struct step_line *ret_line, double *ret_percent)
{
	const struct library_caller caller = { .is_users = true };
	struct library_place place;
	uint64_t ns = 0, looks = 0;
	struct own own;
	double share;
	bool is_found;

	own_places_init(&own, part->samples, part->source, run_options(part->run));
	is_found = part_find_function(part, others, of, &own, &caller, &place, &share);
	own_release(&own);
	for (unsigned int i = 0; i < STEP_LINES_LIMIT; i++) {
		ns += of & 1u << i ? part->ns[i] : 0;
		looks += of & 1u << i ? part->looks[i] : 0;
	}
	*ret_percent = 100.0 * share;
	*ret_line = (struct step_line){ .file = is_found ? place.file : SAMPLE_NONE,
					.function = place.function,
					.number = place.number,
					.caller_file = SAMPLE_NONE,
					.is_users = true,
					.of_function = true,
					.ns = (uint64_t)(share * (double)ns),
					.looks = (uint64_t)(share * (double)looks + 0.5) };
	return is_found;
}

bool step_lines_find_function(const struct step_lines *lines, unsigned int of,
			      struct step_line *ret_line, double *ret_percent)
{
	return part_find_users(lines, NULL, of, ret_line, ret_percent) &&
	       ret_line->looks >= STEP_LINES_SURE_LOOKS / 2;
}

/* Returns whether a package's function stands out that the line calls then, and not otherwise. */
static bool part_library_stands_out(const struct step_lines *part, const struct step_lines *others,
				    struct step_line *line, double *ret_percent)
{
	double share, percent = part_percent(part, line->ns);
	struct own own;
	bool is_found;

	own_places_init(&own, part->samples, part->source, run_options(part->run));
	is_found = percent >= CHOSEN_PERCENT &&
		   step_lines_note_library(part, &own, STEP_LINES_OF_LOOP, others, line, &share);
	own_release(&own);
	*ret_percent = is_found ? percent * share : 0;
	return is_found && *ret_percent >= CHOSEN_PERCENT;
}

/* Returns the user's line that called the function in that sample; NULL: none did. */
static const struct sample_place *part_caller_of(const struct step_lines *part, struct own *own,
						 uint64_t key, const struct library_place *library)
{
	const struct sample_place *place = samples_place(part->samples, key);

	for (unsigned int depth = 0; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct sample_code *code = samples_code(part->samples, place->code);

		if (code && code->file == library->file && code->function == library->function)
			return own_place_caller(part->samples, own, place);
		place = place->from ? samples_place(part->samples, place->from) : NULL;
	}
	return NULL;
}

/* Finds the user's line from which the package's function is called most. */
static bool part_find_caller(const struct step_lines *part, struct own *own,
			     const struct library_place *library, struct step_line *ret_line)
{
	struct line_sums sums;
	bool is_found;

	line_sums_init(&sums);
	for (size_t i = 0; i < part->row_count; i++) {
		const struct step_lines_row *row = &part->row[i];
		const struct sample_place *place = part_caller_of(part, own, row->place, library);
		const struct sample_code *code = place ? samples_code(part->samples, place->code)
						       : NULL;

		if (code)
			line_sums_add(&sums, &(struct step_line){ .file = code->file,
								  .function = code->function,
								  .number = place->line,
								  .caller_file = SAMPLE_NONE,
								  .is_users = true,
								  .ns = row->ns,
								  .looks = row->looks });
	}
	is_found = line_sums_most(&sums, ret_line);
	line_sums_release(&sums);
	return is_found;
}

/* Returns whether a package's function does that several lines of the user's call, or are in. */
static bool part_package_stands_out(const struct step_lines *part, const struct step_lines *others,
				    struct step_line *line, double *ret_percent)
{
	const struct library_caller caller = { .is_whole = true };
	struct library_place place;
	struct own own;
	double share;
	bool is_found;

	own_places_init(&own, part->samples, part->source, run_options(part->run));
	is_found = part_find_function(part, others, STEP_LINES_OF_LOOP, &own, &caller, &place,
				      &share) &&
		   part_find_caller(part, &own, &place, line);
	own_release(&own);
	line->library = place;
	line->has_library = true;
	*ret_percent = 100.0 * share;
	return is_found;
}

bool step_lines_of_steps(const struct step_lines *lines, step_lines_choose *choose,
			 const void *state, struct step_line *ret_line, double *ret_percent)
{
	struct step_lines part, others;
	struct step_line line;
	bool stands_out;

	step_lines_part_make(&part, lines, choose, state, true);
	step_lines_part_make(&others, lines, choose, state, false);
	stands_out = part.all_looks >= CHOSEN_LOOKS_MIN && part.all_ns &&
		     step_lines_find_most(&part, STEP_LINES_OF_LOOP, &line);
	if (stands_out) {
		*ret_line = line;
		stands_out = part_stands_out(&part, &others, ret_line, OTHERS_NONE, ret_percent) ||
			     part_find_users(&part, &others, STEP_LINES_OF_LOOP, ret_line,
					     ret_percent);
		if (!stands_out)
			*ret_line = line;
		stands_out = stands_out ||
			     part_stands_out(&part, &others, ret_line, OTHERS_MOST, ret_percent) ||
			     part_library_stands_out(&part, &others, ret_line, ret_percent) ||
			     part_package_stands_out(&part, &others, ret_line, ret_percent);
		stands_out = stands_out && *ret_percent >= part_percent_min(&part);
	}
	step_lines_release(&part);
	step_lines_release(&others);
	return stands_out;
}

/* --- before the first step, and after the last --- */

/* Keeps the process's rows of that kind that are imports, or those that are none. */
static void step_lines_outside_make(struct step_lines *part, const struct step_lines *lines,
				    enum step_lines_of of, uint32_t process, bool imports)
{
	struct own own;

	*part = (struct step_lines){ .samples = lines->samples,
				     .source = lines->source,
				     .run = lines->run };
	map_init(&part->rows);
	own_places_init(&own, lines->samples, lines->source, run_options(lines->run));
	for (size_t i = 0; i < lines->row_count; i++) {
		const struct step_lines_row *row = &lines->row[i];
		const struct sample_place *innermost = samples_place(lines->samples, row->place);

		if (row->of != of || row->process != process)
			continue;
		part->all_ns += row->ns;
		if (own_place_is_import(lines->samples, &own, innermost,
					own_place_of(lines->samples, &own, row->place)) != imports)
			continue;
		part->row = memory_room(part->row, part->row_count, &part->row_room,
					sizeof(*part->row));
		part->row[part->row_count++] = *row;
	}
	own_release(&own);
}

/* Returns the process's line with the most time in such rows. */
static bool step_lines_outside(const struct step_lines *lines, enum step_lines_of of,
			       uint32_t process, bool imports, struct step_line *ret_line,
			       double *ret_percent)
{
	struct step_lines part;
	bool is_found;

	step_lines_outside_make(&part, lines, of, process, imports);
	is_found = step_lines_find_most(&part, 1u << of, ret_line) && ret_line->is_users &&
		   ret_line->looks >= STEP_LINES_SURE_LOOKS;
	*ret_percent = is_found ? part_percent(&part, ret_line->ns) : 0;
	step_lines_release(&part);
	return is_found;
}

bool step_lines_before(const struct step_lines *lines, uint32_t process, struct step_line *ret_line,
		       double *ret_percent)
{
	return step_lines_outside(lines, STEP_LINES_BEFORE, process, false, ret_line, ret_percent);
}

bool step_lines_warm(const struct step_lines *lines, uint32_t process, struct step_line *ret_line,
		     double *ret_percent)
{
	return step_lines_outside(lines, STEP_LINES_WARM, process, false, ret_line, ret_percent) &&
	       *ret_percent >= CHOSEN_PERCENT;
}

bool step_lines_warm_imports(const struct step_lines *lines, uint32_t process,
			     struct step_line *ret_line, double *ret_percent)
{
	return step_lines_outside(lines, STEP_LINES_WARM, process, true, ret_line, ret_percent) &&
	       *ret_percent >= CHOSEN_PERCENT;
}

bool step_lines_after(const struct step_lines *lines, uint32_t process, struct step_line *ret_line,
		      double *ret_percent)
{
	struct step_lines part = { .samples = lines->samples,
				   .source = lines->source,
				   .run = lines->run };
	bool is_found;

	map_init(&part.rows);
	for (size_t i = 0; i < lines->pending_count; i++) {
		const struct step_lines_pending *look = &lines->pending[i];

		if (look->process == process &&
		    !evidence_sample_of(lines->evidence, process, look->step))
			step_lines_row_add(&part, STEP_LINES_AFTER, process, look->place, look->ns);
	}
	is_found = step_lines_outside(&part, STEP_LINES_AFTER, process, false, ret_line,
				      ret_percent);
	step_lines_release(&part);
	return is_found;
}

/* --- a line by its place --- */

bool step_lines_at(const struct step_lines *lines, const char *place, struct step_line *ret_line)
{
	struct found_lines found;
	char text[ADVICE_LINE_BYTES];
	bool is_there = false;

	if (!lines->all_ns)
		return false;
	found_make(&found, lines, STEP_LINES_OF_LOOP);
	for (size_t i = 0; i < found.count && !is_there; i++) {
		step_line_put_name(lines->source, found.line[i].file, found.line[i].number, text);
		is_there = !strcmp(text, place);
		if (is_there)
			*ret_line = found_take(&found, i);
	}
	found_release(&found);
	return is_there;
}
