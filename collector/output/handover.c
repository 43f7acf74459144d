/* SPDX-License-Identifier: MIT */
/* A name is never taken from another file: link() fails where rename() would replace. */
#include "collector/output/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BESIDE_TRIES 100u

#ifndef SYS_renameat2
#define SYS_renameat2 316
#endif
#define RENAME_WITHOUT_REPLACING 1u /* linux/fs.h: RENAME_NOREPLACE */

static struct rotation handover_rotation_of(const struct output_name_request *request)
{
	return (struct rotation){ .output = request->output,
				  .session = request->session,
				  .keep = request->keep,
				  .lives = request->lives,
				  .program = request->program,
				  .began_ns = request->plain ? 0 : request->began_ns,
				  .in_a_hurry = true };
}

struct rotation_standing handover_look(const struct output_name_request *request)
{
	struct rotation rotation = handover_rotation_of(request);

	return rotation_look(&rotation);
}

static bool file_move(const char *from, const char *to)
{
	if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_WITHOUT_REPLACING))
		return true;
	if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
		return false;
	/* for a file system that cannot do it in one step */
	return !link(from, to) && !unlink(from);
}

static bool path_move(char *path, const char *to)
{
	if (!file_move(path, to))
		return false;
	snprintf(path, PATH_MAX, "%s", to);
	return true;
}

static void folder_unlock(int folder)
{
	if (folder >= 0)
		close(folder);
}

bool handover_take(const struct output_name_request *request, char *path)
{
	struct rotation rotation = handover_rotation_of(request);
	int folder = output_name_lock_folder(request->output);
	bool done = rotation_clear(&rotation) && path_move(path, request->output);

	folder_unlock(folder);
	return done;
}

bool handover_leave(const struct output_name_request *request, char *path)
{
	int folder = output_name_lock_folder(request->output);
	bool done = false;
	char beside[PATH_MAX];

	for (unsigned int i = 0; i < BESIDE_TRIES && !done; i++) {
		if (!output_name_beside(request, i, beside))
			break;
		done = path_move(path, beside);
		if (!done && errno != EEXIST)
			break;
	}
	folder_unlock(folder);
	return done;
}

bool handover_number(const struct output_name_request *request, char *path)
{
	struct rotation rotation = handover_rotation_of(request);
	int folder = output_name_lock_folder(request->output);
	bool done = rotation_insert(&rotation, path);

	if (done)
		snprintf(path, PATH_MAX, "%s.1", request->output);
	folder_unlock(folder);
	return done;
}
