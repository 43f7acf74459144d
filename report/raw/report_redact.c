/* SPDX-License-Identifier: MIT */
/*
 * Report `redact`: copies recordings without private texts. Prints one line for each file:
 *
 *   <copy>: without args,paths,host
 */
#include "report/options/opening.h"
#include "report/core/report_kind.h"

#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "collector/format/error.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/file/file_error.h"
#include "report/raw/redact_copy.h"
#include "report/raw/redact_words.h"
#include "report/session/session_files.h"

#define ENDING ".evt"
#define ENDING_OF_COPY ".redacted.evt"

/*
 * run.evt -> run.redacted.evt. The name of a further file contains the host and the pid: its copy
 * has a number instead, and the ending by which the session's files are found.
 */
static void report_redact_name_copy(char copy[PATH_MAX], const char *first, size_t number)
{
	size_t length = strlen(first), ending = strlen(ENDING);

	if (length > ending && !strcmp(first + length - ending, ENDING))
		length -= ending;
	if (number)
		snprintf(copy, PATH_MAX, "%.*s.redacted.%zu" ENDING, (int)length, first, number);
	else
		snprintf(copy, PATH_MAX, "%.*s" ENDING_OF_COPY, (int)length, first);
}

static bool is_free(const char *copy)
{
	struct stat status;

	return lstat(copy, &status) || (S_ISREG(status.st_mode) && !status.st_size);
}

static bool report_redact_is_same(const char *a, const char *b)
{
	struct stat first, second;

	return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/*
 * Returns false with one line in `message` if the file cannot be read, or if the copy cannot be
 * made.
 */
static bool is_possible(const struct session_file *file, const char *copy, char *message,
			size_t message_bytes)
{
	char text[FILE_ERROR_BYTES];

	if (file->error) {
		file_error_describe(file->error, file->error_number, text, sizeof(text));
		snprintf(message, message_bytes, "'%s' %s", file->path, text);
		return false;
	}
	if (file->live) {
		snprintf(message, message_bytes,
			 "'%s' is still being written; redact it when the program has ended",
			 file->path);
		return false;
	}
	if (report_redact_is_same(file->path, copy)) {
		snprintf(message, message_bytes,
			 "'%s' is the recording itself; name another with -o", copy);
		return false;
	}
	if (!is_free(copy)) {
		snprintf(message, message_bytes,
			 "'%s' is there; remove it, or name another with -o", copy);
		return false;
	}
	return true;
}

/* Returns 0, or -1 with one line in `message`. */
static int redact_file(const struct session_file *file, const char *copy, unsigned int what,
		       uint64_t secret, char *message, size_t message_bytes)
{
	struct redact_texts texts;
	int error = -1;

	if (!is_possible(file, copy, message, message_bytes))
		return -1;
	redact_texts_init(&texts, what);
	redact_texts_name(&texts, &file->header, secret);
	if (redact_texts_read(&texts, file))
		snprintf(message, message_bytes, "'%s'%s", file->path, texts.error);
	else
		error = redact_copy_write(&texts, file, copy, message, message_bytes);
	if (!error) {
		text_print(stdout, copy);
		redact_words_print(what);
	}
	redact_texts_release(&texts);
	return error;
}

static int redact_session(struct report_request *request, const struct session_files *files,
			  unsigned int what)
{
	const struct options *options = request->options;
	char copy[PATH_MAX], message[2 * PATH_MAX + 256];
	int status = STATUS_OK;
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), 0) != (ssize_t)sizeof(secret)) {
		snprintf(request->message, sizeof(request->message),
			 "the system gives no random number, without which a host's name can be "
			 "guessed");
		return STATUS_INPUT;
	}
	for (size_t i = 0; i < files->count; i++) {
		report_redact_name_copy(copy, files->file[0].path, i);
		if (redact_file(&files->file[i], options->output ? options->output : copy, what,
				secret, message, sizeof(message))) {
			talk_print("%s", message);
			status = STATUS_INPUT;
		}
	}
	return status;
}

static int redact_files(struct report_request *request)
{
	const struct options *options = request->options;
	struct source_options opening = opening_of(options);
	struct session_files files = { .options = &opening };
	unsigned int what = redact_words_take(request, REDACT_ARGS | REDACT_PATHS | REDACT_HOST);
	int error = EVT_OK, status = STATUS_USAGE;

	opening.only_named = options->output != NULL;
	for (size_t i = 0; what && i < options->file_count && !error; i++)
		error = session_files_add(&files, options->file[i]);
	if (error) {
		snprintf(request->message, sizeof(request->message), "%s", evt_error_text(error));
		status = STATUS_INPUT;
	} else if (what && options->output && files.count > 1) {
		snprintf(request->message, sizeof(request->message),
			 "-o names one file and there are %zu to copy; leave it out", files.count);
	} else if (what) {
		status = redact_session(request, &files, what);
	}
	session_files_release(&files);
	return status;
}

const struct report_kind report_kind_redact = { .read_files = redact_files };
