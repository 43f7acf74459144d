/* SPDX-License-Identifier: MIT */
/* See sessions.h. */
#include "report/session/sessions.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/session/session_files.h"

struct named {
	char session[FILE_SESSION_BYTES]; /* "" unknown */
	size_t group;
};

/* The groups by the order of their first files; those without a session are of the first. */
static size_t named_group(struct named *named, size_t count)
{
	size_t groups = 0;

	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		if (!named[i].session[0])
			continue;
		while (same < i && strcmp(named[same].session, named[i].session) != 0)
			same++;
		named[i].group = same < i ? named[same].group : groups++;
	}
	return groups ? groups : 1;
}

void sessions_split(struct sessions *sessions, char *const *file, size_t count)
{
	struct named *named = memory_zero(count, sizeof(*named));
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		(void)session_files_id(file[i], named[i].session);
	sessions->count = named_group(named, count);
	sessions->group = memory_zero(sessions->count, sizeof(*sessions->group));
	sessions->file = memory_zero(count, sizeof(*sessions->file));
	for (size_t group = 0; group < sessions->count; group++) {
		sessions->group[group].file = &sessions->file[used];
		for (size_t i = 0; i < count; i++)
			if (named[i].group == group && named[i].session[0])
				sessions->file[used++] = file[i];
		for (size_t i = 0; i < count && !group; i++)
			if (!named[i].session[0])
				sessions->file[used++] = file[i];
		sessions->group[group].count = (size_t)(&sessions->file[used] -
							sessions->group[group].file);
	}
	free(named);
}

void sessions_release(struct sessions *sessions)
{
	free(sessions->group);
	free(sessions->file);
}
