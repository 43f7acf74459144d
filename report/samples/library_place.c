/* SPDX-License-Identifier: MIT */
/*
 * Each stack of the line is walked twice. First its functions get its weight, once each, and their
 * depth. Then the lines of the chosen function are weighed.
 */
#include "report/samples/library_place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/samples/own_places.h"

#define PATH_SHOWN 60u       /* characters of a path that are shown */
#define OTHERS_SHARE_MAX 0.5 /* of its share of the chosen samples */
#define OTHERS_SHARE_NONE 0.05
#define FUNCTION_SHOWN 40u /* characters of a function's name that are shown */

/* A function of a package, in stacks of the line. */
struct function {
	uint64_t code;   /* its key */
	uint64_t weight; /* of the stacks that contain it */
	uint64_t others; /* the same, of the other samples */
	double depth;    /* frames behind the user's line, multiplied by the weight */
	size_t stack;    /* the last stack in which it was counted, plus 1 */
};

struct search {
	const struct samples *samples;
	struct own *own;
	const struct library_caller *caller;
	const struct library_sample *sample;
	size_t samples_count;
	uint64_t weight; /* of all stacks of the line */
	uint64_t others; /* the same, of the other samples */
	double squares;  /* of the weights of its samples */
	struct function *function;
	size_t count, room;
	struct map map;
};

/* --- names --- */

static const char *package_path(const struct source *source, uint32_t name, size_t *ret_length)
{
	size_t length;
	const char *file = name_text(source_name_at(source, name), &length);

	return own_path_in_packages(source, file, length, ret_length);
}

static bool library_place_is_trampoline(const struct source *source, const char *path,
					size_t length, uint32_t function)
{
	static const struct {
		const char *file, *function;
	} trampolines[] = {
#define TRAMPOLINE(file, function, why) { file, function },
#include "report/samples/trampolines.def"
	};
	size_t name_length;
	const char *name = name_text(source_name_at(source, function), &name_length);

	for (size_t i = 0; i < sizeof(trampolines) / sizeof(trampolines[0]); i++)
		if (text_matches(path, length, trampolines[i].file, strlen(trampolines[i].file)) &&
		    text_matches(name, name_length, trampolines[i].function,
				 strlen(trampolines[i].function)))
			return true;
	return false;
}

/* A comprehension or generator expression counts for the function that contains it. */
static bool is_part_of_function(const struct source *source, uint32_t function)
{
	static const char *const names[] = { "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>",
					     NULL };
	size_t length;
	const char *name = name_text(source_name_at(source, function), &length);

	return text_begins_any(name, length, names);
}

static bool library_place_is_wanted(const struct search *search, const struct sample_code *code)
{
	const struct source *source = search->own->source;
	size_t length;
	const char *path;

	if (search->caller->is_users)
		return own_has_name(search->own, code->file) &&
		       !is_part_of_function(source, code->function);
	path = package_path(source, code->file, &length);
	return path && !is_part_of_function(source, code->function) &&
	       !library_place_is_trampoline(source, path, length, code->function);
}

/* --- stacks --- */

/* Waits are taken to be of one length. */
static struct library_sample library_place_sample_of(const struct library_caller *caller,
						     const struct sample_row *row)
{
	const struct sample_counts *counts = &row->counts;
	struct library_sample sample = { .place = row->place, .weight = counts->cpu_ns };

	sample.squares = counts->cpu_squares;
	if (caller->of_cpu)
		return sample;
	sample.weight += counts->wait_ns + counts->looks;
	sample.squares = counts->looks ? (double)sample.weight * (double)sample.weight /
						 (double)counts->looks
				       : 0.0;
	return sample;
}

static bool library_place_has_line(const struct library_caller *caller)
{
	return !caller->is_users && !caller->is_whole;
}

/* Returns the user's place of that sample if it is the line; otherwise NULL. */
static const struct sample_place *library_place_line_of(const struct search *search,
							const struct library_sample *sample)
{
	const struct sample_place *users = library_place_has_line(search->caller)
						   ? own_place_of(search->samples, search->own,
								  sample->place)
						   : NULL;
	const struct sample_code *code = users ? samples_code(search->samples, users->code) : NULL;

	return code && code->file == search->caller->file && users->line == search->caller->number
		       ? users
		       : NULL;
}

/* `users`: see library_place_line_of(); where no line is given, all stacks count, to their end. */
static bool library_place_counts(const struct search *search, const struct sample_place *users)
{
	return users || !library_place_has_line(search->caller);
}

static const struct sample_place *library_place_outwards(const struct search *search,
							 const struct sample_place *place)
{
	return place->from ? samples_place(search->samples, place->from) : NULL;
}

static unsigned int library_place_depth_of(const struct search *search,
					   const struct sample_place *place,
					   const struct sample_place *users)
{
	unsigned int depth = 0;

	for (; place && place != users && depth < SAMPLE_DEPTH_MAX; depth++)
		place = library_place_outwards(search, place);
	return depth;
}

static struct function *library_place_function_at(struct search *search, uint64_t code)
{
	bool added;
	struct map_entry *entry = map_put(&search->map, code + 1, &added);

	if (added) {
		search->function = memory_room(search->function, search->count, &search->room,
					       sizeof(*search->function));
		search->function[search->count] = (struct function){ .code = code };
		entry->value = search->count++;
	}
	return &search->function[entry->value];
}

/* A recursive function counts once, where it is deepest. */
static void library_place_stack_add(struct search *search, size_t number,
				    const struct sample_place *users)
{
	const struct library_sample *sample = &search->sample[number];
	const struct sample_place *place = samples_place(search->samples, sample->place);
	unsigned int depth = library_place_depth_of(search, place, users);

	if (sample->is_other)
		search->others += sample->weight;
	else
		search->weight += sample->weight;
	search->squares += sample->is_other ? 0.0 : sample->squares;
	for (; place && place != users && depth;
	     place = library_place_outwards(search, place), depth--) {
		struct function *function = library_place_function_at(search, place->code);

		if (function->stack == number + 1)
			continue;
		function->stack = number + 1;
		if (sample->is_other) {
			function->others += sample->weight;
			continue;
		}
		function->weight += sample->weight;
		function->depth += (double)sample->weight * depth;
	}
}

static bool is_deeper(const struct function *one, const struct function *other)
{
	return one->depth / (double)one->weight > other->depth / (double)other->weight;
}

/* Returns by how much a share of a half may be off by chance, by one standard error. */
static double library_place_doubt(const struct search *search)
{
	double weight = (double)search->weight;

	return weight > 0.0 ? 0.5 * sqrt(search->squares) / weight : 0.0;
}

/* What the function does in the other samples, too, sets the chosen ones not apart. */
static bool sets_apart(const struct search *search, const struct function *function, double most)
{
	double share = (double)function->weight / (double)search->weight;

	return !search->others || (double)function->others / (double)search->others < share * most;
}

/* The deepest function with that share of the line's time, and at most so much of it in others. */
static const struct function *library_place_deepest(const struct search *search, double share,
						    double others)
{
	const struct function *deepest = NULL;

	for (size_t i = 0; i < search->count; i++) {
		const struct function *function = &search->function[i];
		const struct sample_code *code = samples_code(search->samples, function->code);

		if (code && function->weight &&
		    (double)function->weight >= share * (double)search->weight &&
		    (!deepest || is_deeper(function, deepest)) &&
		    sets_apart(search, function, others) && library_place_is_wanted(search, code))
			deepest = function;
	}
	return deepest;
}

/*
 * A function with about a half has it in one run and not in the next one. So a caller of it whose
 * share is beyond chance is preferred, if there is one. And one that the other samples do not have
 * at all says more than one that they only have less of: evaluate() more than the forward() that
 * it calls.
 */
static const struct function *library_place_choose(const struct search *search)
{
	double sure = fmin(0.5 + library_place_doubt(search), 1.0);
	const struct function *function = NULL;

	if (search->others)
		function = library_place_deepest(search, sure, OTHERS_SHARE_NONE);
	if (!function)
		function = library_place_deepest(search, sure, OTHERS_SHARE_MAX);
	return function ? function : library_place_deepest(search, 0.5, OTHERS_SHARE_MAX);
}

/* --- the function's line --- */

/* Returns the line at which that function is deepest in the stack; 0: it is not in the stack. */
static uint32_t number_in_stack(const struct search *search, const struct library_sample *sample,
				const struct sample_place *users, uint64_t code)
{
	const struct sample_place *place = samples_place(search->samples, sample->place);

	for (unsigned int depth = 0; place && place != users && depth < SAMPLE_DEPTH_MAX; depth++) {
		if (place->code == code)
			return place->line;
		place = library_place_outwards(search, place);
	}
	return 0;
}

static uint32_t number_with_most(const struct search *search, uint64_t code)
{
	uint64_t most = 0;
	uint32_t number = 0;
	struct map weights;

	map_init(&weights);
	for (size_t i = 0; i < search->samples_count; i++) {
		const struct library_sample *sample = &search->sample[i];
		const struct sample_place *users = library_place_line_of(search, sample);
		uint32_t at = !sample->is_other && library_place_counts(search, users)
				      ? number_in_stack(search, sample, users, code)
				      : 0;
		struct map_entry *entry;
		bool added;

		if (!at)
			continue;
		entry = map_put(&weights, at, &added);
		entry->value = (added ? 0 : entry->value) + sample->weight;
		if (entry->value > most) {
			most = entry->value;
			number = at;
		}
	}
	map_release(&weights);
	return number;
}

bool library_place_find_in(const struct samples *samples, struct own *own,
			   const struct library_caller *caller, const struct library_sample *sample,
			   size_t count, struct library_place *ret_place, double *ret_share)
{
	struct search search = { .samples = samples,
				 .own = own,
				 .caller = caller,
				 .sample = sample,
				 .samples_count = count };
	const struct function *function;

	if (own->is_off)
		return false;
	map_init(&search.map);
	for (size_t i = 0; i < count; i++) {
		const struct sample_place *users = library_place_line_of(&search, &sample[i]);

		if (library_place_counts(&search, users))
			library_place_stack_add(&search, i, users);
	}
	function = library_place_choose(&search);
	if (function) {
		const struct sample_code *code = samples_code(samples, function->code);

		*ret_place = (struct library_place){ code->file, code->function,
						     number_with_most(&search, function->code) };
		if (ret_share)
			*ret_share = (double)function->weight / (double)search.weight;
	}
	free(search.function);
	map_release(&search.map);
	return function;
}

bool library_place_find(const struct samples *samples, struct own *own,
			const struct library_caller *caller, struct library_place *ret_place)
{
	struct library_sample *sample = memory_zero(samples->row_count + 1, sizeof(*sample));
	bool is_found;

	for (size_t i = 0; i < samples->row_count; i++)
		sample[i] = library_place_sample_of(caller, &samples->row[i]);
	is_found = library_place_find_in(samples, own, caller, sample, samples->row_count,
					 ret_place, NULL);
	free(sample);
	return is_found;
}

/* --- as text --- */

static void library_place_show(const char *text, size_t length, unsigned int width, char *shown,
			       size_t room)
{
	char escaped[512], shorter[512 + 8];

	text_escape(escaped, sizeof(escaped), text, length);
	text_shorten(shorter, escaped, strlen(escaped), width, "..");
	text_escape(shown, room, shorter, strlen(shorter));
}

void library_place_text(const struct source *source, const struct library_place *place,
			char text[LIBRARY_PLACE_BYTES])
{
	char path[PATH_SHOWN + 16], function[FUNCTION_SHOWN + 16];
	size_t length, name_length;
	const char *file = package_path(source, place->file, &length);
	const char *name = name_text(source_name_at(source, place->function), &name_length);

	library_place_show(file ? file : "", file ? length : 0, PATH_SHOWN, path, sizeof(path));
	library_place_show(name, name_length, FUNCTION_SHOWN, function, sizeof(function));
	snprintf(text, LIBRARY_PLACE_BYTES, "%s:%u (%s)", path, place->number, function);
}
