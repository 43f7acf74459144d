/* SPDX-License-Identifier: MIT */
/*
 * Walks outwards along places. The depth is limited, because a damaged file may link places in a
 * circle.
 */
#include "report/samples/own_places.h"

#include <string.h>

#include "report/base/text.h"

bool own_place_is_users(const struct samples *samples, struct own *own,
			const struct sample_place *place)
{
	const struct sample_code *code = samples_code(samples, place->code);

	if (!own || own->is_off)
		return true;
	return code && own_has_name(own, code->file);
}

static const struct sample_place *own_places_outwards(const struct samples *samples,
						      const struct sample_place *place)
{
	return place->from ? samples_place(samples, place->from) : NULL;
}

static bool own_places_has_name(const struct own *own, uint32_t name, const char *wanted)
{
	size_t length;
	const char *text = name_text(source_name_at(own->source, name), &length);

	return text_is(text, length, wanted);
}

void own_places_note_scripts(const struct samples *samples, struct own *own)
{
	for (size_t i = 0; i < samples->place_count; i++) {
		const struct sample_code *code = samples->place[i].from
							 ? NULL
							 : samples_code(samples,
									samples->place[i].code);

		if (code && code->file != SAMPLE_NONE &&
		    own_places_has_name(own, code->function, "<module>"))
			own_note_script(own, code->file);
	}
}

void own_places_init(struct own *own, const struct samples *samples, const struct source *source,
		     const struct options *options)
{
	own_init(own, source, options);
	own_places_note_scripts(samples, own);
}

bool own_place_begins_process(const struct samples *samples, const struct own *own,
			      const struct sample_place *place)
{
	const struct sample_code *code = samples_code(samples, place->code);
	const char *function, *file;
	size_t length;

	if (!own || own->is_off || !code)
		return false;
	function = name_text(source_name_at(own->source, code->function), &length);
	file = name_text(source_name_at(own->source, code->file), &length);
	return own_begins_process(own, function, file, length);
}

/* From `place` outwards, within what the process does itself. */
static const struct sample_place *own_places_find_users(const struct samples *samples,
							struct own *own,
							const struct sample_place *place)
{
	for (unsigned int depth = 0; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		if (own_place_is_users(samples, own, place))
			return place;
		if (own_place_begins_process(samples, own, place))
			return NULL;
		place = own_places_outwards(samples, place);
	}
	return NULL;
}

const struct sample_place *own_place_of(const struct samples *samples, struct own *own,
					uint64_t key)
{
	return own_places_find_users(samples, own, samples_place(samples, key));
}

const struct sample_place *own_place_or_innermost(const struct samples *samples, struct own *own,
						  uint64_t key)
{
	const struct sample_place *users = own_place_of(samples, own, key);

	return users ? users : samples_place(samples, key);
}

/* A comprehension is a function of its own, on the line that contains it. */
static bool own_places_is_same_line(const struct samples *samples, const struct sample_place *one,
				    const struct sample_place *other)
{
	const struct sample_code *a = samples_code(samples, one->code),
				 *b = samples_code(samples, other->code);

	return a && b && a->file == b->file && one->line == other->line;
}

const struct sample_place *own_place_caller(const struct samples *samples, struct own *own,
					    const struct sample_place *place)
{
	const struct sample_place *at = own_places_outwards(samples, place);

	for (unsigned int depth = 0; at && depth < SAMPLE_DEPTH_MAX; depth++) {
		if (own_place_begins_process(samples, own, at))
			return NULL;
		/* a function that calls itself is called by what began with that */
		if (own_place_is_users(samples, own, at) && at->code != place->code &&
		    !own_places_is_same_line(samples, place, at))
			return at;
		at = own_places_outwards(samples, at);
	}
	return NULL;
}

bool own_place_is_import(const struct samples *samples, const struct own *own,
			 const struct sample_place *place, const struct sample_place *until)
{
	for (unsigned int depth = 0; place && place != until && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct sample_code *code = samples_code(samples, place->code);
		size_t length = 0;
		const char *text = code ? name_text(source_name_at(own->source, code->file),
						    &length)
					: "";

		if (own_is_import(text, length))
			return true;
		place = own_places_outwards(samples, place);
	}
	return false;
}
