/* SPDX-License-Identifier: MIT */
/*
 * Finds the files by reading headers in the folder of the named file. waiting.c waits for writers.
 */
#include "report/session/session_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/format/error.h"
#include "collector/format/file.h"
#include "report/base/store.h"
#include "report/base/talk.h"

#define WAIT_STEP_MS 20
#define YOUNG_S 5     /* same value as in collector/output/output_name.c */
#define CREATE_MS 500 /* an empty file that stays empty for longer is just an empty file */
/* the other files are opened for each read: a session may have thousands */
#define FILES_OPEN_MAX 32u
#define OTHERS_MAX 10000u
#define NOTE_BYTES (PATH_MAX + 128)

void note_print(void *context, const char *line)
{
	(void)context;
	talk_print("%s", line);
}

static void note_put(const struct source_options *options, const char *format, const char *path)
{
	char line[NOTE_BYTES];

	if (!options->note)
		return;
	snprintf(line, sizeof(line), format, path);
	options->note(options->note_context, line);
}

/* True for a file that was created a moment ago: its writer has not locked or written it yet. */
static bool file_is_being_created(const struct session_file *file)
{
	struct stat info;

	return !file->bytes.size && fstat(file->bytes.fd, &info) == 0 && info.st_nlink &&
	       time(NULL) - info.st_mtime < YOUNG_S;
}

static int file_open_again(struct session_file *file)
{
	if (file->bytes.fd >= 0)
		bytes_close(&file->bytes);
	file->error = bytes_open(&file->bytes, file->path);
	file->error_number = errno;
	return file->error;
}

/* Returns whether what was created a moment ago is worth another look. */
static bool creation_goes_on(const struct session_file *file, unsigned int waited_ms)
{
	struct writer writer = { 0 };

	if (waited_ms < CREATE_MS)
		return true;
	writer_look(&writer, file->bytes.fd);
	return writer.pid && waited_ms < WAITING_START_MS;
}

/*
 * Opened again after each wait, because the file has its full size only when nobody holds it any
 * more.
 */
static void session_files_file_open(struct waiting *waiting, struct session_file *file)
{
	unsigned int created_ms = 0;

	file->bytes.fd = -1;
	if (!waiting->options->live)
		(void)waiting_for_start(file->path);
	if (file_open_again(file))
		return;
	do {
		for (; file_is_being_created(file) && creation_goes_on(file, created_ms);
		     created_ms += WAIT_STEP_MS) {
			poll(NULL, 0, WAIT_STEP_MS);
			if (file_open_again(file))
				return;
		}
		file->live = !waiting_for(waiting, file->bytes.fd, file->path, file->unfinished);
		if (file_open_again(file))
			return;
	} while (!file->live && waiting_is_held(file->bytes.fd));
}

/* Two recordings that began for the same process of a host at the same moment are copies. */
static bool header_is_same(const struct file_header *a, const struct file_header *b)
{
	return a->session[0] && a->pid == b->pid && a->base_mono == b->base_mono &&
	       a->base_real == b->base_real && !strcmp(a->session, b->session) &&
	       !strcmp(a->host, b->host);
}

/* True if the file, or a copy of it, is in the list. */
static bool file_is_listed(const struct session_files *files, const struct session_file *file)
{
	for (size_t i = 0; i < files->count && !file->error; i++) {
		const struct session_file *listed = &files->file[i];

		if (listed->error)
			continue;
		if ((listed->bytes.device == file->bytes.device &&
		     listed->bytes.inode == file->bytes.inode) ||
		    (!files->options->copies && header_is_same(&listed->header, &file->header)))
			return true;
	}
	return false;
}

/* Returns false if the file has no readable header or no session id. */
static bool bytes_read_header(struct bytes *bytes, struct file_header *ret_header)
{
	uint8_t head[FILE_HEADER_BYTES_MAX];
	size_t length;
	int64_t n = bytes_read(bytes, 0, head, sizeof(head));

	return n > 0 && file_header_read(head, (size_t)n, ret_header, &length) == EVT_OK &&
	       ret_header->session[0];
}

/* Also returns the owner of the file; ret_owner may be NULL. */
static bool path_read_header(const char *path, struct file_header *ret_header, uid_t *ret_owner)
{
	struct bytes bytes;
	struct stat info;
	bool done;

	if (bytes_open(&bytes, path))
		return false;
	done = bytes_read_header(&bytes, ret_header) && fstat(bytes.fd, &info) == 0;
	bytes_close(&bytes);
	if (done && ret_owner)
		*ret_owner = info.st_uid;
	return done;
}

bool session_files_id(const char *path, char *ret_id)
{
	struct file_header header;

	if (!path_read_header(path, &header, NULL))
		return false;
	memcpy(ret_id, header.session, FILE_SESSION_BYTES);
	return true;
}

static int files_put(struct session_files *files, const char *path)
{
	struct session_file file = { .path = strdup(path) };

	if (!file.path || array_reserve(&files->file, files->count, &files->room, sizeof(file))) {
		free(file.path);
		return EVT_NO_MEMORY;
	}
	files->waiting.options = files->options;
	session_files_file_open(&files->waiting, &file);
	if (!file.error && !bytes_read_header(&file.bytes, &file.header))
		file.header.session[0] = 0;
	if (file_is_listed(files, &file)) {
		bytes_close(&file.bytes);
		free(file.path);
		return EVT_OK;
	}
	if (!file.error && files->count >= FILES_OPEN_MAX)
		bytes_rest(&file.bytes, file.path);
	files->file[files->count++] = file;
	return EVT_OK;
}

/* `dir/run.evt` and `dir/run.evt.3` have the stem `run` in `dir`; other names have none. */
struct place {
	char directory[PATH_MAX]; /* with its slash, or empty */
	char stem[NAME_MAX + 1];
};

/* Length of a recording's name without its number (run.evt.3); 0: it is no recording's name. */
static size_t session_files_name_stem(const char *name)
{
	const char *end = name + strlen(name), *digits = end;

	while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (*digits && digits > name && digits[-1] == '.')
		end = digits - 1;
	return end - name > 4 && !strncmp(end - 4, ".evt", 4) ? (size_t)(end - name) - 4 : 0;
}

static bool session_files_place_of(const char *path, struct place *ret_place)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t stem = session_files_name_stem(name);

	if (stem > NAME_MAX || (size_t)(name - path) >= sizeof(ret_place->directory))
		return false;
	snprintf(ret_place->directory, sizeof(ret_place->directory), "%.*s", (int)(name - path),
		 path);
	snprintf(ret_place->stem, sizeof(ret_place->stem), "%.*s", (int)stem, name);
	return true;
}

static bool session_files_name_is_beside(const char *name, const char *stem)
{
	size_t length = strlen(name), stem_length = strlen(stem);

	return stem_length && length > stem_length + 5 && strncmp(name, stem, stem_length) == 0 &&
	       name[stem_length] == '.' && strcmp(name + length - 4, ".evt") == 0;
}

/*
 * Members of a session may have any names that INTERCEPT_OUTPUT gives them: rank.0.evt, rank.1.evt.
 */
enum beside {
	BESIDE_OF_STEM, /* <stem>.*.evt */
	BESIDE_OTHERS,  /* any other recording's name, for the first OTHERS_MAX files */
};

/* Calls `take` for each neighbouring file of that kind; stops at its first result that is not 0. */
static int place_each(const struct place *place, enum beside kind,
		      int (*take)(void *context, const char *path), void *context)
{
	DIR *directory = opendir(place->directory[0] ? place->directory : ".");
	unsigned int others = 0;
	struct dirent *entry;
	char path[PATH_MAX];
	int result = 0;

	while (directory && !result && others < OTHERS_MAX && (entry = readdir(directory))) {
		const char *name = entry->d_name;
		bool of_stem = session_files_name_is_beside(name, place->stem);

		if (of_stem != (kind == BESIDE_OF_STEM) || !session_files_name_stem(name))
			continue;
		others += kind == BESIDE_OTHERS;
		if (snprintf(path, sizeof(path), "%s%s", place->directory, name) <
		    (int)sizeof(path))
			result = take(context, path);
	}
	if (directory)
		closedir(directory);
	return result;
}

struct same_session {
	struct session_files *files;
	const char *session;
	/* owner of the named file, because another user may give a file any session's id */
	uid_t owner;
};

static int take_same_session(void *context, const char *path)
{
	struct same_session *same = context;
	struct file_header header;
	uid_t owner;

	if (!path_read_header(path, &header, &owner) || owner != same->owner ||
	    strcmp(header.session, same->session) != 0)
		return EVT_OK;
	for (size_t i = 0; i < same->files->count; i++) { /* they must not be waited for again */
		if (!same->files->file[i].error &&
		    header_is_same(&same->files->file[i].header, &header))
			return EVT_OK;
	}
	return files_put(same->files, path);
}

struct newest {
	char path[PATH_MAX];
	uint64_t base_real;
	bool interest;
};

/* A program that uses Python, CUDA or NVTX goes before one that may be a short `head`. */
static bool newest_is_before(const struct newest *newest, const struct file_header *header)
{
	bool interest = header->flags & FILE_OF_INTEREST || !header->program[0];

	if (!newest->path[0] || interest != newest->interest)
		return newest->path[0] && newest->interest;
	return newest->base_real >= header->base_real;
}

static int take_newest(void *context, const char *path)
{
	struct newest *newest = context;
	struct file_header header;

	if (path_read_header(path, &header, NULL) && !newest_is_before(newest, &header)) {
		snprintf(newest->path, sizeof(newest->path), "%s", path);
		newest->base_real = header.base_real;
		newest->interest = header.flags & FILE_OF_INTEREST || !header.program[0];
	}
	return EVT_OK;
}

static int files_add_session(struct session_files *files, const struct place *place,
			     const char *path)
{
	struct file_header header;
	struct same_session same = { files, header.session, 0 };
	size_t before;
	int error;

	if (!path_read_header(path, &header, &same.owner))
		return EVT_OK;
	do { /* while one file was waited for, others may have appeared */
		before = files->count;
		error = place_each(place, BESIDE_OF_STEM, take_same_session, &same);
		if (!error)
			error = place_each(place, BESIDE_OTHERS, take_same_session, &same);
	} while (!error && files->count != before);
	return error;
}

static int name_order(const void *a, const void *b)
{
	const struct session_file *left = a, *right = b;

	return strcmp(left->path, right->path);
}

/*
 * A link is replaced by its target: that is what is read, and the session's other files are beside
 * it.
 */
static const char *path_follow(const char *path, char real[PATH_MAX])
{
	struct stat info;

	return !lstat(path, &info) && S_ISLNK(info.st_mode) && realpath(path, real) ? real : path;
}

static int files_add(struct session_files *files, const char *named)
{
	struct newest newest = { .path = "" };
	size_t first = files->count;
	char real[PATH_MAX];
	const char *path = path_follow(named, real);
	struct place place;
	int error;

	if (files->options->only_named || !session_files_place_of(path, &place))
		return files_put(files, path);
	error = files_put(files, path);
	if (error || files->count == first)
		return error;
	if (files->file[first].error == EVT_IO && files->file[first].error_number == ENOENT) {
		place_each(&place, BESIDE_OF_STEM, take_newest, &newest);
		if (!newest.path[0])
			return EVT_OK;
		note_put(files->options, "no such file; taking the newest session beside it, '%s'",
			 newest.path);
		free(files->file[first].path);
		files->count = first;
		error = files_put(files, newest.path);
		path = newest.path;
	}
	if (!error)
		error = files_add_session(files, &place, path);
	/* the links themselves may be beside each other */
	if (!error && path == real && session_files_place_of(named, &place))
		error = files_add_session(files, &place, path);
	if (files->count > first + 1)
		qsort(files->file + first + 1, files->count - first - 1, sizeof(*files->file),
		      name_order);
	return error;
}

int session_files_add(struct session_files *files, const char *named)
{
	int error = files_add(files, named);

	waiting_say_running(&files->waiting);
	return error;
}

void session_files_release(struct session_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		if (!files->file[i].error)
			bytes_close(&files->file[i].bytes);
		free(files->file[i].path);
	}
	free(files->file);
}
