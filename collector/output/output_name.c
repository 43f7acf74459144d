/* SPDX-License-Identifier: MIT */
/* Tries names until one is free, or was made free (rotation.h). */
#include "collector/output/output_name.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/output/earlier.h"
#include "collector/output/link.h"
#include "collector/output/rotation.h"
#define PLACE_TRIES 16
#define LOCK_MS 1000
#define BESIDE_TRIES 1000u
#define CREATE_FLAGS (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

static int file_create(const char *path)
{
	int fd = open(path, CREATE_FLAGS, 0600);

	if (fd >= 0)
		rotation_lock(fd);
	return fd;
}

static struct rotation output_name_rotation_of(const struct output_name_request *request)
{
	return (struct rotation){ .output = request->output,
				  .session = request->session,
				  .keep = request->keep,
				  .lives = request->lives,
				  .program = request->program,
				  .plain = request->plain };
}

/*
 * Two collectors that rotate at the same time would move each other's files. A lock on the folder
 * makes them take turns. It is waited for at most LOCK_MS; if the folder cannot be locked, the work
 * is done without the lock.
 */
int output_name_lock_folder(const char *path)
{
	char folder[PATH_MAX];
	int fd;

	link_folder(path, folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int waited = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && waited < LOCK_MS; waited++)
		poll(NULL, 0, 1);
	return fd;
}

static int output_name_take_locked(const struct output_name_request *request)
{
	struct rotation rotation = output_name_rotation_of(request);

	for (int i = 0; i < PLACE_TRIES; i++) {
		int fd = file_create(request->output);

		if (fd >= 0 || errno != EEXIST)
			return fd;
		if (!rotation_clear(&rotation))
			break;
	}
	errno = EEXIST;
	return -1;
}

static int output_name_take(const struct output_name_request *request)
{
	int folder = output_name_lock_folder(request->output);
	int fd = output_name_take_locked(request);
	int saved = errno;

	if (folder >= 0)
		close(folder);
	errno = saved;
	return fd;
}

bool output_name_beside(const struct output_name_request *request, unsigned int number,
			char *ret_path)
{
	size_t stem = strlen(request->output);
	char again[16] = "";
	int n;

	if (stem > 4 && !strcmp(request->output + stem - 4, ".evt"))
		stem -= 4;
	if (number)
		snprintf(again, sizeof(again), ".%u", number);
	n = snprintf(ret_path, PATH_MAX, "%.*s.%s.%u.%llu%s.evt", (int)stem, request->output,
		     request->host, request->pid, (unsigned long long)request->start_s, again);
	return n >= 0 && n < PATH_MAX;
}

static int output_name_take_beside(const struct output_name_request *request, char *ret_path)
{
	for (unsigned int i = 0; i < BESIDE_TRIES; i++) {
		int fd;

		if (!output_name_beside(request, i, ret_path)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = file_create(ret_path);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/*
 * Everything below /proc belongs to the kernel, and so does /dev, except for shared memory that is
 * used like a disk.
 */
static bool folder_is_of_system(const char *path)
{
	char folder[PATH_MAX], real[PATH_MAX];

	link_folder(path, folder);
	if (!realpath(folder, real))
		return false;
	strcat(real, real[strlen(real) - 1] == '/' || strlen(real) + 2 > sizeof(real) ? "" : "/");
	return !strncmp(real, "/proc/", 6) ||
	       (!strncmp(real, "/dev/", 5) && strncmp(real, "/dev/shm/", 9) != 0);
}

/*
 * Resolves `path`. Returns NULL, or why nothing may be written there. A directory keeps the name
 * that was given.
 */
static const char *output_name_resolve(char *path)
{
	char named[PATH_MAX];
	enum link_end end;
	struct stat st;

	snprintf(named, sizeof(named), "%s", path);
	if (folder_is_of_system(path))
		return "/dev and /proc are no place for it; name a file";
	end = link_follow(path);
	if (end == LINK_END_STRANGER)
		return "it is a link that another user may have made; name the file itself";
	if (end == LINK_END_NOWHERE)
		return "it is a link that leads nowhere; name a file";
	if (folder_is_of_system(path))
		return "it is a link into /dev or /proc; name a file";
	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return NULL;
	if (!S_ISDIR(st.st_mode))
		return "it is a terminal, a pipe or a device; name a file";
	snprintf(path, PATH_MAX, "%s", named);
	return NULL;
}

int output_name_open(const struct output_name_request *request, char *ret_path,
		     const char **ret_why)
{
	char output[PATH_MAX];
	struct output_name_request resolved = *request;
	int fd;

	snprintf(ret_path, PATH_MAX, "%s", request->output);
	*ret_why = output_name_resolve(ret_path);
	if (*ret_why)
		return -1;
	snprintf(output, sizeof(output), "%s", ret_path);
	resolved.output = output;
	if (request->ret_output)
		snprintf(request->ret_output, PATH_MAX, "%s", output);
	if (!request->beside) {
		fd = output_name_take(&resolved);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	fd = output_name_take_beside(&resolved, ret_path);
	if (fd >= 0 && request->ret_guard) {
		struct rotation rotation = output_name_rotation_of(&resolved);

		*request->ret_guard = rotation_guard(&rotation);
	}
	return fd;
}

void output_name_settle(const struct output_name_request *request, uint64_t bytes)
{
	char output[PATH_MAX];
	struct rotation rotation = output_name_rotation_of(request);
	int folder;

	snprintf(output, sizeof(output), "%s", request->output);
	if (output_name_resolve(output))
		return;
	rotation.output = output;
	rotation.plain = false; /* the file has its name now */
	folder = output_name_lock_folder(output);
	earlier_prune(&rotation, bytes);
	if (folder >= 0)
		close(folder);
}
