/* SPDX-License-Identifier: MIT */
/* The depth is bounded, because a damaged file may have places in any order. */
#include "report/advice/wait_places.h"

#include <string.h>

#include "report/base/text.h"

struct known_place {
	const char *file, *function;
	enum wait_kind kind;
};
static const struct known_place known_places[] = {
#define WAIT_PLACE(file, function, kind) { file, function, WAIT_##kind },
#include "report/advice/wait_places.def"
};

static const struct known_work known_works[] = {
#define WORK_PLACE(file, function, id, words, todo) { file, function, #id, words, todo },
#include "report/advice/work_places.def"
};

enum wait_role {
	ROLE_NONE,
	ROLE_SERVES,
	ROLE_HELPER,
	ROLE_POOL,
	ROLE_DOWNSTREAM,
	ROLE_TURN,
	ROLE_RUNNER,
	ROLE_CALLBACK,
	ROLE_CELL,
	ROLE_WORKER,
	ROLE_SAMPLE,
};

static const struct {
	const char *file, *function;
	enum wait_role role;
} place_roles[] = {
#define PLACE_ROLE(file, function, role, wait_role) { file, function, ROLE_##wait_role },
#include "report/samples/place_roles.def"
};

/* A frame, as texts. */
struct frame {
	const char *file, *function;
	size_t file_length, function_length;
};

static bool frame_of(const struct samples *samples, const struct source *source,
		     const struct sample_place *place, struct frame *ret_frame)
{
	const struct sample_code *code = samples_code(samples, place->code);

	if (!code)
		return false;
	ret_frame->file = name_text(source_name_at(source, code->file), &ret_frame->file_length);
	ret_frame->function = name_text(source_name_at(source, code->function),
					&ret_frame->function_length);
	return true;
}

/* `function` "": any of that file. Most differ in the first letter, which spares two calls. */
static bool is_at(const struct frame *frame, const char *file, const char *function)
{
	if (*function && (!frame->function_length || *frame->function != *function ||
			  !text_is(frame->function, frame->function_length, function)))
		return false;
	return place_file_is(frame->file, frame->file_length, file);
}

static const struct known_place *wait_places_known_of(const struct frame *frame)
{
	for (size_t i = 0; i < sizeof(known_places) / sizeof(known_places[0]); i++) {
		if (is_at(frame, known_places[i].file, known_places[i].function))
			return &known_places[i];
	}
	return NULL;
}

static const struct known_work *work_of(const struct frame *frame)
{
	for (size_t i = 0; i < sizeof(known_works) / sizeof(known_works[0]); i++) {
		if (is_at(frame, known_works[i].file, known_works[i].function))
			return &known_works[i];
	}
	return NULL;
}

static enum wait_role wait_role_of(const struct frame *frame)
{
	for (size_t i = 0; i < sizeof(place_roles) / sizeof(place_roles[0]); i++)
		if (place_roles[i].role &&
		    is_at(frame, place_roles[i].file, place_roles[i].function))
			return place_roles[i].role;
	return ROLE_NONE;
}

/* `depth` counts the frames of the process itself, from the innermost one on. */
static void take_role(const struct frame *frame, unsigned int depth, struct wait_place *found)
{
	switch (wait_role_of(frame)) {
	case ROLE_SERVES:
		found->is_server = true;
		break;
	case ROLE_HELPER:
		found->is_helper = true;
		break;
	case ROLE_POOL:
		found->is_in_pool = true;
		found->is_in_task = depth > 0 && found->kind != WAIT_QUEUE;
		break;
	case ROLE_DOWNSTREAM:
		found->is_downstream |= !found->has_line || !found->line.is_users;
		break;
	case ROLE_TURN:
		found->is_in_loop = true;
		break;
	case ROLE_RUNNER:
		found->is_in_callback |= !found->is_in_loop && !found->is_in_cell && depth > 0;
		found->is_in_loop = true;
		break;
	case ROLE_CALLBACK:
		found->is_in_callback |= !found->is_in_cell;
		break;
	case ROLE_CELL:
		found->is_in_cell = true;
		break;
	case ROLE_WORKER:
		found->is_worker = true;
		break;
	case ROLE_SAMPLE:
		found->is_in_sample = true;
		break;
	default:
		break;
	}
}

static void wait_places_put_line(const struct samples *samples, const struct sample_place *place,
				 bool is_users, struct wait_place *found)
{
	const struct sample_code *code = samples_code(samples, place->code);

	found->has_line = true;
	found->code = place->code;
	found->line = (struct step_line){ .file = code->file,
					  .function = code->function,
					  .number = place->line,
					  .caller_file = SAMPLE_NONE,
					  .is_users = is_users };
}

/* Adds the user's next line outwards, within what the process itself does. */
static void put_caller(const struct samples *samples, const struct sample_place *place,
		       bool is_next, struct wait_place *found)
{
	const struct sample_code *code = samples_code(samples, place->code);

	/* a function that calls itself is called by what began with that */
	if (found->line.caller_file != SAMPLE_NONE || found->code == place->code)
		return;
	/*
	 * a comprehension is a function of its own, called on the same line by the one that is
	 * meant
	 */
	if (code->file == found->line.file && place->line == found->line.number) {
		if (is_next)
			found->line.function = code->function;
		return;
	}
	found->line.caller_file = code->file;
	found->line.caller_number = place->line;
}

static void take_kind(const struct frame *frame, struct wait_place *found)
{
	const struct known_place *known = wait_places_known_of(frame);
	const struct known_work *work = work_of(frame);

	if (work && (!found->work || strcmp(work->id, "MATCH") != 0))
		found->work = work;
	if (known)
		found->kind = known->kind;
	else if (found->kind == WAIT_IN_C)
		found->kind = WAIT_LIBRARY;
}

void wait_place_look(const struct samples *samples, struct own *own, uint64_t key,
		     struct wait_place *ret_place)
{
	const struct sample_place *place = samples_place(samples, key);

	bool was_users = false;

	*ret_place = (struct wait_place){ .kind = WAIT_IN_C };
	for (unsigned int depth = 0; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		bool is_users = own_place_is_users(samples, own, place);
		struct frame frame;

		if (!frame_of(samples, own->source, place, &frame))
			break;
		take_role(&frame, depth, ret_place);
		if (own_place_begins_process(samples, own, place))
			break;
		/* the code that runs the loop is not in it */
		if (ret_place->is_worker || (ret_place->is_in_loop && ret_place->is_in_callback))
			break;
		if (is_users && (!ret_place->has_line || !ret_place->line.is_users))
			wait_places_put_line(samples, place, true, ret_place);
		else if (is_users)
			put_caller(samples, place, was_users, ret_place);
		else if (!ret_place->has_line || !ret_place->line.is_users) {
			take_kind(&frame, ret_place);
			/*
			 * if the sample's own code is a library's, what fetch() calls stands for it
			 */
			if (!ret_place->is_in_sample)
				wait_places_put_line(samples, place, false, ret_place);
		}
		was_users = is_users;
		place = place->from ? samples_place(samples, place->from) : NULL;
	}
	if (ret_place->has_line && !ret_place->line.is_users && !ret_place->is_in_sample)
		ret_place->has_line = false;
}
