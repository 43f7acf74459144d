/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc and keeps only two numbers. A process's name proves nothing, so the collector must
 * also have the file open.
 */
#include "report/session/writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/control/control.h"
#include "report/base/text.h"

#define NAME "intercept-coll\n"           /* as in /proc/PID/comm */
#define NAME_AT_FIRST "intercept-colle\n" /* before it has closed the program's descriptors */
#define PATH_ROOM 64

/* Reads /proc/PID/WHAT, terminated; returns 0 if it cannot be read. */
static size_t proc_read(uint32_t pid, const char *what, char *text, size_t room)
{
	char path[PATH_ROOM];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* Returns the first process of /proc that `is` accepts; 0: none. */
static uint32_t proc_find(bool (*is)(uint32_t pid, void *context), void *context)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint32_t found = 0;

	while (proc && !found && (entry = readdir(proc))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid && is(pid, context))
			found = pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

static bool process_writes(uint32_t pid, void *context)
{
	const struct stat *file = context;
	char text[PATH_ROOM];
	struct dirent *entry;
	struct stat st;
	bool found = false;
	DIR *open_files;

	if (!proc_read(pid, "comm", text, sizeof(text)) || strcmp(text, NAME) != 0)
		return false;
	snprintf(text, sizeof(text), "/proc/%u/fd", pid);
	open_files = opendir(text);
	while (open_files && !found && (entry = readdir(open_files)))
		found = !fstatat(dirfd(open_files), entry->d_name, &st, 0) &&
			st.st_dev == file->st_dev && st.st_ino == file->st_ino;
	if (open_files)
		closedir(open_files);
	return found;
}

/* Parses a line of /proc/PID/maps: true if it is writable shared memory. */
static bool line_is_shared(const char *line, uint64_t *ret_device, uint64_t *ret_inode)
{
	unsigned int major, minor;
	unsigned long long inode;
	char perms[5];

	if (sscanf(line, "%*x-%*x %4s %*x %x:%x %llu", perms, &major, &minor, &inode) != 4)
		return false;
	*ret_device = (uint64_t)major << 32 | minor;
	*ret_inode = inode;
	/* the collector's other shared memory */
	return inode && perms[1] == 'w' && perms[3] == 's' && !strstr(line, CONTROL_NAME);
}

/*
 * True if it maps the shared memory of that device and inode. If inode is 0, any will do, and its
 * identity is returned.
 */
static bool writer_process_maps(uint32_t pid, uint64_t *device, uint64_t *inode)
{
	char path[PATH_ROOM], *line = NULL;
	uint64_t line_device, line_inode;
	size_t room = 0;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &room, maps) > 0)
		found = line_is_shared(line, &line_device, &line_inode) &&
			(!*inode || (line_device == *device && line_inode == *inode));
	free(line);
	if (maps)
		fclose(maps);
	if (found) {
		*device = line_device;
		*inode = line_inode;
	}
	return found;
}

static bool process_is_recorded(uint32_t pid, void *context)
{
	struct writer *writer = context;
	uint64_t device = writer->device, inode = writer->inode;

	return pid != writer->pid && writer_process_maps(pid, &device, &inode);
}

static void writer_take_command(struct writer *writer)
{
	char command[WRITER_COMMAND_BYTES];
	size_t length = proc_read(writer->program_pid, "cmdline", command, sizeof(command));

	while (length && !command[length - 1])
		length--;
	for (size_t i = 0; i < length; i++)
		if (!command[i])
			command[i] = ' ';
	text_escape(writer->command, sizeof(writer->command), command, length);
}

void writer_look(struct writer *writer, int fd)
{
	struct stat file;

	if (fstat(fd, &file))
		return;
	if (!writer->pid || !process_writes(writer->pid, &file)) {
		*writer = (struct writer){ .pid = proc_find(process_writes, &file) };
		if (!writer->pid ||
		    !writer_process_maps(writer->pid, &writer->device, &writer->inode))
			return;
	}
	if (!writer->inode ||
	    (writer->program_pid && process_is_recorded(writer->program_pid, writer)))
		return;
	writer->program_pid = proc_find(process_is_recorded, writer);
	writer_take_command(writer);
}

/* --- a file that is not there yet --- */

/* /dev/null, and memory that it shares, are all that a collector has open before its file. */
static bool link_is_file(const char *link)
{
	return *link == '/' && strncmp(link, "/dev/", 5) != 0 && strncmp(link, "/memfd:", 7) != 0;
}

/* False also if its descriptors are not visible from here, or if it has ended and has none. */
static bool process_has_no_file(uint32_t pid)
{
	char text[PATH_ROOM], link[PATH_MAX];
	struct dirent *entry;
	bool has_file = false, has_any = false;
	DIR *open_files;

	snprintf(text, sizeof(text), "/proc/%u/fd", pid);
	open_files = opendir(text);
	if (!open_files)
		return false;
	while (!has_file && (entry = readdir(open_files))) {
		ssize_t length = readlinkat(dirfd(open_files), entry->d_name, link,
					    sizeof(link) - 1);

		link[length > 0 ? length : 0] = 0;
		has_file = link_is_file(link);
		has_any = has_any || *link;
	}
	closedir(open_files);
	return has_any && !has_file;
}

static bool writer_process_stat(uint32_t pid, char *ret_state, unsigned int *ret_parent)
{
	char text[512];
	const char *name_end;

	if (!proc_read(pid, "stat", text, sizeof(text)))
		return false;
	name_end = strrchr(text, ')'); /* the name may contain any character */
	return name_end && sscanf(name_end, ") %c %u", ret_state, ret_parent) == 2;
}

/* Also one whose parent has not asked for its status. */
static bool process_has_ended(uint32_t pid)
{
	unsigned int parent;
	char state;

	return !writer_process_stat(pid, &state, &parent) || state == 'Z' || state == 'X';
}

static bool process_starts_to_write(uint32_t pid, void *unused)
{
	char name[PATH_ROOM];

	(void)unused;
	if (!proc_read(pid, "comm", name, sizeof(name)) || process_has_ended(pid))
		return false;
	return !strcmp(name, NAME_AT_FIRST) || (!strcmp(name, NAME) && process_has_no_file(pid));
}

bool writer_is_starting(void)
{
	return proc_find(process_starts_to_write, NULL) != 0;
}

/* --- from a process to its file --- */

#define PARENTS_MAX 64u
#define RECORDING ".evt"

/* The state of a walk through /proc. */
struct finding {
	uint32_t pid;           /* the pid that was given */
	uint64_t device, inode; /* of the memory of the collector that is being examined */
	char *path;             /* path of its file */
};

static uint32_t parent_of(uint32_t pid)
{
	unsigned int parent;
	char state;

	return writer_process_stat(pid, &state, &parent) ? parent : 0;
}

static bool process_descends(uint32_t pid, uint32_t from)
{
	for (unsigned int i = 0; pid && i < PARENTS_MAX; i++) {
		if (pid == from)
			return true;
		pid = parent_of(pid);
	}
	return false;
}

static bool process_is_wanted(uint32_t pid, void *context)
{
	const struct finding *finding = context;
	uint64_t device = finding->device, inode = finding->inode;

	return process_descends(pid, finding->pid) && writer_process_maps(pid, &device, &inode);
}

/* Returns the recording that a process has open. */
static bool process_recording(uint32_t pid, char *ret_path)
{
	char folder[PATH_ROOM];
	struct dirent *entry;
	bool found = false;
	DIR *open_files;

	snprintf(folder, sizeof(folder), "/proc/%u/fd", pid);
	open_files = opendir(folder);
	while (open_files && !found && (entry = readdir(open_files))) {
		ssize_t length = readlinkat(dirfd(open_files), entry->d_name, ret_path,
					    PATH_MAX - 1);

		ret_path[length > 0 ? length : 0] = 0;
		found = length > 0 && *ret_path == '/' && strstr(ret_path, RECORDING);
	}
	if (open_files)
		closedir(open_files);
	return found;
}

static bool collector_is_wanted(uint32_t pid, void *context)
{
	struct finding *finding = context;
	char name[PATH_ROOM];

	finding->inode = 0;
	if (!proc_read(pid, "comm", name, sizeof(name)) || strcmp(name, NAME) != 0 ||
	    !writer_process_maps(pid, &finding->device, &finding->inode))
		return false;
	if (pid != finding->pid && !proc_find(process_is_wanted, finding))
		return false;
	return process_recording(pid, finding->path);
}

bool writer_find_file(uint32_t pid, char *ret_path)
{
	struct finding finding = { .pid = pid, .path = ret_path };

	return proc_find(collector_is_wanted, &finding) != 0;
}
