/* SPDX-License-Identifier: MIT */
/* Functions are looked for in a list (place_roles.def). */
#include "report/samples/place_roles.h"

#include <string.h>

#include "report/base/text.h"

enum role { ROLE_NONE, ROLE_IDLE, ROLE_VIA, ROLE_RUNS, ROLE_STEP, ROLE_LOOP };

static const struct {
	const char *file, *function;
	enum role role;
} roles[] = {
#define PLACE_ROLE(file, function, role, wait_role) { file, function, ROLE_##role },
#include "report/samples/place_roles.def"
};

bool place_file_is(const char *file, size_t length, const char *end)
{
	size_t bytes;

	if (!memchr(file, '/', length)) {
		const char *slash = strrchr(end, '/');

		end = slash ? slash + 1 : end;
		return strcmp(end, "__init__.py") != 0 && text_is(file, length, end);
	}
	bytes = strlen(end);
	return length >= bytes && !memcmp(file + length - bytes, end, bytes) &&
	       (length == bytes || file[length - bytes - 1] == '/');
}

static bool place_is_in(const struct place_text *text, const char *end)
{
	return place_file_is(text->file, text->file_length, end);
}

static enum role role_of(const struct place_text *text)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (roles[i].role && strlen(roles[i].function) == text->function_length &&
		    !memcmp(text->function, roles[i].function, text->function_length) &&
		    place_is_in(text, roles[i].file))
			return roles[i].role;
	return ROLE_NONE;
}

/* A file of asyncio that the loop itself consists of, or whatever runs it. */
static bool place_is_of_loop(const struct place_text *text)
{
	return place_is_in(text, "asyncio/base_events.py") ||
	       place_is_in(text, "asyncio/runners.py") ||
	       place_is_in(text, "asyncio/unix_events.py");
}

static uint64_t place_task(const struct place_text *text, const struct place_role *around,
			   enum role role)
{
	bool begins = around && (around->is_runner ||
				 (around->is_loop && role != ROLE_LOOP && !place_is_of_loop(text)));

	if (begins && role != ROLE_STEP)
		return place_task_of(text->file_name, text->function_name);
	if (role == ROLE_LOOP)
		return PLACE_TASK_LOOP;
	return around ? around->task : PLACE_TASK_NONE;
}

struct place_role place_role_of(const struct place_text *text, const struct place_role *around)
{
	enum role role = role_of(text);
	struct place_role place = {
		.is_idle = role == ROLE_IDLE || role == ROLE_LOOP ||
			   (role == ROLE_VIA && around && around->is_idle && !around->is_loop),
		.is_runner = role == ROLE_RUNS || (role == ROLE_STEP && around &&
						   (around->is_runner || around->is_loop)),
		.is_loop = role == ROLE_LOOP,
	};

	place.task = place_task(text, around, role);
	return place;
}
