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

enum server_role { ROLE_NONE, ROLE_SERVES, ROLE_POOL, ROLE_DOWNSTREAM };

static const struct {
	const char *file, *function;
	enum server_role role;
} place_roles[] = {
#define PLACE_ROLE(file, function, role, server_role) { file, function, ROLE_##server_role },
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

static bool is_file(const struct frame *frame, const char *end)
{
	return place_file_is(frame->file, frame->file_length, end);
}

static bool is_function(const struct frame *frame, const char *name)
{
	size_t bytes = strlen(name);

	return frame->function_length == bytes && !memcmp(frame->function, name, bytes);
}

static bool is_at(const struct frame *frame, const char *file, const char *function)
{
	return is_function(frame, function) && is_file(frame, file);
}

static const struct known_place *wait_places_known_of(const struct frame *frame)
{
	for (size_t i = 0; i < sizeof(known_places) / sizeof(known_places[0]); i++) {
		const struct known_place *known = &known_places[i];

		if ((!*known->function || is_function(frame, known->function)) &&
		    is_file(frame, known->file))
			return known;
	}
	return NULL;
}

static const struct known_work *work_of(const struct frame *frame)
{
	for (size_t i = 0; i < sizeof(known_works) / sizeof(known_works[0]); i++) {
		const struct known_work *work = &known_works[i];

		if ((!*work->function || is_function(frame, work->function)) &&
		    is_file(frame, work->file))
			return work;
	}
	return NULL;
}

static enum server_role server_role_of(const struct frame *frame)
{
	for (size_t i = 0; i < sizeof(place_roles) / sizeof(place_roles[0]); i++)
		if (place_roles[i].role &&
		    (!*place_roles[i].function || is_function(frame, place_roles[i].function)) &&
		    is_file(frame, place_roles[i].file))
			return place_roles[i].role;
	return ROLE_NONE;
}

/* `depth` counts the frames of the process itself, from the innermost one on. */
static void take_role(const struct frame *frame, unsigned int depth, struct wait_place *found)
{
	switch (server_role_of(frame)) {
	case ROLE_SERVES:
		found->is_server = true;
		break;
	case ROLE_POOL:
		found->is_in_pool = true;
		found->is_in_task = depth > 0 && found->kind != WAIT_QUEUE;
		break;
	case ROLE_DOWNSTREAM:
		found->is_downstream |= !found->has_line || !found->line.is_users;
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

/* Returns true if from here outwards the stack only leads to a library's loop. */
static bool wait_places_take_frame(const struct frame *frame, unsigned int depth,
				   struct wait_place *found)
{
	if (is_at(frame, "torch/utils/data/_utils/worker.py", "_worker_loop")) {
		found->is_worker = true;
		return true;
	}
	if (is_at(frame, "torch/utils/data/_utils/fetch.py", "fetch"))
		found->is_in_sample = true;
	if (is_at(frame, "asyncio/events.py", "_run"))
		found->is_in_callback = true;
	if (is_at(frame, "asyncio/base_events.py", "_run_once"))
		found->is_in_loop = true;
	/* a loop written in C has no frames of its own between this and its callbacks */
	if (is_at(frame, "asyncio/runners.py", "run") && !found->is_in_loop) {
		found->is_in_loop = true;
		found->is_in_callback = depth > 0;
	}
	/* the code that runs the loop is not in it */
	return found->is_in_loop && found->is_in_callback;
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
		if (wait_places_take_frame(&frame, depth, ret_place))
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
