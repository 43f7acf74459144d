/* SPDX-License-Identifier: MIT */
/*
 * Creates a folder with mkdtemp() beside the output. A redacted copy is made from a symbolized
 * copy, which is removed at once. A file that cannot be symbolized is copied without symbols, but
 * never without the redaction.
 */
#include "report/raw/copies.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "collector/format/error.h"
#include "report/base/memory.h"
#include "report/base/talk.h"
#include "report/file/file_error.h"
#include "report/raw/redact_copy.h"
#include "report/raw/symbol_copy.h"

#define ENDING ".evt"
#define STEM_NEUTRAL "run" /* used when the file's name would reveal the host's name */
#define HOST_BYTES_MIN 3u  /* shorter host names occur in other names by chance */

/* Sets the message and returns -1. */
__attribute__((format(printf, 2, 3))) static int copies_fail(struct copies *copies,
							     const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(copies->message, sizeof(copies->message), format, arguments);
	va_end(arguments);
	return -1;
}

int copies_open(struct copies *copies, const char *beside)
{
	int length = snprintf(copies->folder, PATH_MAX, "%s.XXXXXX", beside);

	copies->path = copies->name = NULL;
	copies->count = 0;
	copies->message[0] = 0;
	if (length < PATH_MAX && mkdtemp(copies->folder))
		return 0;
	copies->folder[0] = 0;
	return copies_fail(copies, "cannot write beside '%s': %s; name another file with -o",
			   beside, strerror(length < PATH_MAX ? errno : ENAMETOOLONG));
}

int copies_place(struct copies *copies, const char *name, char ret_path[PATH_MAX])
{
	if (snprintf(ret_path, PATH_MAX, "%s/%s", copies->folder, name) < PATH_MAX)
		return 0;
	return copies_fail(copies, "'%s/%s': %s; name a shorter file with -o", copies->folder, name,
			   strerror(ENAMETOOLONG));
}

/* --- names --- */

static bool name_is_taken(const struct copies *copies, const char *name)
{
	for (size_t i = 0; i < copies->count; i++)
		if (!strcmp(copies->name[i], name))
			return true;
	return false;
}

/*
 * For redacted copies, all names come from the first file: the names of further files contain the
 * host.
 */
static void copies_name_copy(const struct copies *copies, const struct session_files *files,
			     size_t number, unsigned int what, char ret_name[NAME_MAX])
{
	const struct session_file *file = &files->file[what ? 0 : number];
	const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path;
	size_t length = strlen(base), ending = strlen(ENDING);
	char stem[NAME_MAX - 32];

	if (length > ending && !strcmp(base + length - ending, ENDING))
		length -= ending;
	snprintf(stem, sizeof(stem), "%.*s", (int)length, base);
	for (char *at = stem; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '\\')
			*at = '_';
	if (what & REDACT_HOST && strlen(file->header.host) >= HOST_BYTES_MIN &&
	    strstr(stem, file->header.host))
		snprintf(stem, sizeof(stem), STEM_NEUTRAL);
	snprintf(ret_name, NAME_MAX, "%s" ENDING, stem);
	for (; name_is_taken(copies, ret_name); number++)
		snprintf(ret_name, NAME_MAX, "%s.%zu" ENDING, stem, number);
}

/* --- files --- */

static int symbolize_to(struct copies *copies, const struct session_file *file, const char *copy)
{
	const struct source_options opening = { .only_named = true };
	struct symbolized symbolized = { .frame = NULL };
	char *paths[] = { file->path };
	struct source *source;
	int error;

	if (source_open(&source, paths, 1, &opening, copies->message, sizeof(copies->message)))
		return -1;
	error = symbolize(&symbolized, source);
	source_close(source);
	if (error)
		copies_fail(copies, "'%s': %s", file->path, evt_error_text(error));
	else
		error = symbol_copy_write(file->path, copy, &symbolized, copies->message,
					  sizeof(copies->message));
	symbolized_release(&symbolized);
	return error;
}

static int redact_opened(struct copies *copies, const struct session_file *file,
			 const struct file_header *header, const char *copy, unsigned int what,
			 uint64_t secret)
{
	struct redact_texts texts;
	int error = -1;

	redact_texts_init(&texts, what);
	redact_texts_name(&texts, header, secret);
	if (redact_texts_read(&texts, file))
		copies_fail(copies,
			    "'%s': %s; only a whole recording can be passed on without its "
			    "secrets",
			    file->path, texts.error);
	else
		error = redact_copy_write(&texts, file, copy, copies->message,
					  sizeof(copies->message));
	redact_texts_release(&texts);
	return error;
}

/* Makes a copy with symbols first, and removes it at once. */
static int redact_to(struct copies *copies, const struct session_file *file, const char *copy,
		     unsigned int what, uint64_t secret)
{
	const struct source_options opening = { .only_named = true };
	struct session_files whole = { .options = &opening };
	char path[PATH_MAX];
	int error = copies_place(copies, "whole", path);

	if (!error)
		error = symbolize_to(copies, file, path);
	if (!error && session_files_add(&whole, path))
		error = copies_fail(copies, "%s", evt_error_text(EVT_NO_MEMORY));
	if (!error)
		error = redact_opened(copies, &whole.file[0], &file->header, copy, what, secret);
	session_files_release(&whole);
	unlink(path);
	return error;
}

static int copies_check(struct copies *copies, const struct session_file *file)
{
	char text[FILE_ERROR_BYTES];

	if (file->error) {
		file_error_describe(file->error, file->error_number, text, sizeof(text));
		return copies_fail(copies, "'%s' %s", file->path, text);
	}
	if (file->live)
		return copies_fail(copies,
				   "'%s' is still being written; pass it on when the program has "
				   "ended, or add --wait",
				   file->path);
	return 0;
}

static char *text_kept(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(memory_grow(NULL, bytes, 1), text, bytes);
}

static int copy_file(struct copies *copies, const struct session_file *file, const char *name,
		     unsigned int what, uint64_t secret)
{
	char path[PATH_MAX];

	if (copies_check(copies, file) || copies_place(copies, name, path))
		return -1;
	if (what ? redact_to(copies, file, path, what, secret) : symbolize_to(copies, file, path)) {
		if (what || !file->header.session[0])
			return -1;
		talk_print("%s; it goes in without symbols", copies->message);
		copies->message[0] = 0;
		snprintf(path, sizeof(path), "%s", file->path);
	}
	copies->path[copies->count] = text_kept(path);
	copies->name[copies->count++] = text_kept(name);
	return 0;
}

int copies_make(struct copies *copies, const struct session_files *files, unsigned int what)
{
	char name[NAME_MAX];
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), 0) != (ssize_t)sizeof(secret))
		return copies_fail(copies,
				   "the system gives no random number, without which a host's "
				   "name can be guessed; try again");
	copies->path = memory_zero(files->count + 1, sizeof(*copies->path));
	copies->name = memory_zero(files->count + 1, sizeof(*copies->name));
	for (size_t i = 0; i < files->count; i++) {
		copies_name_copy(copies, files, i, what, name);
		if (copy_file(copies, &files->file[i], name, what, secret))
			return -1;
	}
	return 0;
}

/* --- the end --- */

static void folder_remove(const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(folder);
}

void copies_close(struct copies *copies)
{
	if (copies->folder[0])
		folder_remove(copies->folder);
	for (size_t i = 0; i < copies->count; i++) {
		free(copies->path[i]);
		free(copies->name[i]);
	}
	free(copies->path);
	free(copies->name);
}
