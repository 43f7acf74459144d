/* SPDX-License-Identifier: MIT */
/* Groups files by session. session_jobs.c decides which of several sessions are one job. */
#include "report/session/sessions.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/talk.h"
#include "report/session/session_files.h"
#include "report/session/session_jobs.h"

struct named {
	char session[FILE_SESSION_BYTES]; /* "": unknown */
	size_t group;
};

/*
 * Groups are in the order of their first files. Files without a session belong to the first group.
 */
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

static void sessions_fill(struct sessions *sessions, const struct named *named, char *const *file,
			  size_t count)
{
	size_t used = 0;

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
}

/* Sessions become runs: builds the groups again. */
static void sessions_join(struct sessions *sessions, struct named *named, char *const *file,
			  size_t count)
{
	struct session_jobs jobs;

	sessions_fill(sessions, named, file, count);
	session_jobs_find(&jobs, sessions->group, sessions->count);
	free(sessions->group);
	free(sessions->file);
	for (size_t i = 0; i < count; i++)
		named[i].group = jobs.run[named[i].group];
	sessions->count = jobs.count;
	sessions->why = jobs.why;
	sessions->why_count = jobs.why_count;
	free(jobs.run);
}

void sessions_split(struct sessions *sessions, char *const *file, size_t count)
{
	struct named *named = memory_zero(count, sizeof(*named));

	*sessions = (struct sessions){ .count = 0 };
	for (size_t i = 0; i < count; i++)
		(void)session_files_id(file[i], named[i].session);
	sessions->count = named_group(named, count);
	if (sessions->count > 1)
		sessions_join(sessions, named, file, count);
	sessions_fill(sessions, named, file, count);
	free(named);
}

void sessions_say_why(const struct sessions *sessions)
{
	for (size_t i = 0; i < sessions->why_count; i++)
		talk_print("%s", sessions->why[i]);
}

void sessions_release(struct sessions *sessions)
{
	for (size_t i = 0; i < sessions->why_count; i++)
		free(sessions->why[i]);
	free(sessions->why);
	free(sessions->group);
	free(sessions->file);
}
