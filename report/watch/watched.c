/* SPDX-License-Identifier: MIT */
/* Looks for new files of the session. A folder that has not changed has no new file. */
#include "report/watch/watched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/format/error.h"
#include "report/core/report.h"
#include "report/session/writer.h"

static bool is_pid(const char *what)
{
	struct stat info;
	size_t digits = strspn(what, "0123456789");

	return digits && !what[digits] && stat(what, &info);
}

/* Returns 0, which is no process, for a number that no process can have. */
static uint32_t watched_pid_of(const char *what)
{
	unsigned long long pid = strtoull(what, NULL, 10); /* too large: becomes the maximum */

	return pid <= INT32_MAX ? (uint32_t)pid : 0;
}

static int path_of_pid(struct watched *watched, const char *what, char *message,
		       size_t message_bytes)
{
	char path[PATH_MAX], folder[64];
	uint32_t pid = watched_pid_of(what);
	struct stat info;

	if (pid && writer_find_file(pid, path)) {
		watched->path = strdup(path);
		return STATUS_OK;
	}
	snprintf(folder, sizeof(folder), "/proc/%" PRIu32, pid);
	if (stat(folder, &info))
		snprintf(message, message_bytes,
			 "there is no process %s; name the pid of a program that is being "
			 "recorded, or its file",
			 what);
	else
		snprintf(message, message_bytes,
			 "process %s is not being recorded, as far as this user can see; name its "
			 "file",
			 what);
	return STATUS_INPUT;
}

int watched_open(struct watched *watched, const char *what, unsigned int window_s, char *message,
		 size_t message_bytes)
{
	*watched = (struct watched){ .window_s = window_s };
	if (is_pid(what))
		return path_of_pid(watched, what, message, message_bytes);
	watched->path = strdup(what);
	return STATUS_OK;
}

static bool watched_has(const struct watched *watched, const struct session_file *file)
{
	for (size_t i = 0; i < watched->count; i++)
		if (watched->follower[i]->device == file->bytes.device &&
		    watched->follower[i]->inode == file->bytes.inode)
			return true;
	return false;
}

/* True if a file may have been added since the last look. */
static bool folder_has_changed(struct watched *watched)
{
	const char *slash = strrchr(watched->path, '/');
	char *folder = slash ? strndup(watched->path, (size_t)(slash - watched->path) + 1)
			     : strdup(".");
	struct stat info;
	bool has_changed = !folder || stat(folder, &info) || !watched->has_looked ||
			   info.st_mtim.tv_sec != watched->folder_ns.tv_sec ||
			   info.st_mtim.tv_nsec != watched->folder_ns.tv_nsec;

	if (has_changed && folder && !stat(folder, &info))
		watched->folder_ns = info.st_mtim;
	watched->has_looked = watched->count != 0;
	free(folder);
	return has_changed;
}

/* A file that exists and cannot be read is an error only if there is no other. */
static int watched_add(struct watched *watched, struct session_file *found, char *message,
		       size_t message_bytes)
{
	struct follower *follower;

	if (found->error == EVT_IO && found->error_number == ENOENT)
		return STATUS_OK; /* not yet */
	if (!found->error && (watched_has(watched, found) || !found->bytes.size))
		return STATUS_OK;
	follower = follower_new(found, watched->window_s, message, message_bytes);
	if (!follower)
		return watched->count ? STATUS_OK : STATUS_INPUT;
	watched->follower = memory_room(watched->follower, watched->count, &watched->room,
					sizeof(struct follower *));
	watched->follower[watched->count++] = follower;
	return STATUS_OK;
}

static int watched_find(struct watched *watched, char *message, size_t message_bytes)
{
	const struct source_options opening = { .live = true };
	struct session_files files = { .options = &opening };
	int status = STATUS_OK;

	if (!folder_has_changed(watched))
		return STATUS_OK;
	if (session_files_add(&files, watched->path)) {
		snprintf(message, message_bytes, "%s", evt_error_text(EVT_NO_MEMORY));
		status = STATUS_INPUT;
	}
	for (size_t i = 0; i < files.count && !status; i++)
		status = watched_add(watched, &files.file[i], message, message_bytes);
	session_files_release(&files);
	return status;
}

int watched_look(struct watched *watched, char *message, size_t message_bytes)
{
	int status = watched_find(watched, message, message_bytes);

	for (size_t i = 0; i < watched->count && !status; i++) {
		int error = follower_look(watched->follower[i]);

		if (!error)
			continue;
		snprintf(message, message_bytes, "'%s': %s", watched->follower[i]->path,
			 evt_error_text(error));
		status = STATUS_INPUT;
	}
	return status;
}

bool watched_has_ended(const struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++)
		if (!watched->follower[i]->ended)
			return false;
	return watched->count != 0;
}

void watched_release(struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++)
		follower_free(watched->follower[i]);
	free(watched->follower);
	free(watched->path);
}
