/* SPDX-License-Identifier: MIT */
/*
 * Report `symbolize`: copies recordings and adds the functions and lines of their addresses, so
 * that reports name functions on machines that do not have the program. Prints one line for each
 * file:
 *
 *   <copy>: <n> of <n> addresses named, <bytes> bytes added
 */
#include "report/options/opening.h"
#include "report/core/report_kind.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/format/error.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/raw/symbol_copy.h"
#include "report/session/session_files.h"

#define ENDING ".evt"
#define ENDING_OF_COPY ".symbols.evt"

/* run.evt -> run.symbols.evt, unless the file is called so already; other names get the ending. */
static void report_symbolize_name_copy(char copy[PATH_MAX], const char *path)
{
	size_t length = strlen(path), ending = strlen(ENDING), whole = strlen(ENDING_OF_COPY);

	if (length > whole && !strcmp(path + length - whole, ENDING_OF_COPY))
		snprintf(copy, PATH_MAX, "%s", path);
	else if (length > ending && !strcmp(path + length - ending, ENDING))
		snprintf(copy, PATH_MAX, "%.*s" ENDING_OF_COPY, (int)(length - ending), path);
	else
		snprintf(copy, PATH_MAX, "%s" ENDING_OF_COPY, path);
}

/*
 * An existing file with the copy's name may be overwritten if it is such a copy, but not if it is
 * another recording or another file.
 */
static bool may_be_written(const struct session_file *file, const char *copy)
{
	char id[FILE_SESSION_BYTES];
	struct stat status;

	if (lstat(copy, &status))
		return true;
	return S_ISREG(status.st_mode) && (!status.st_size || (session_files_id(copy, id) &&
							       !strcmp(id, file->header.session)));
}

static int read_symbols(struct symbolized *symbolized, const struct session_file *file,
			const struct source_options *opening, char *message, size_t message_bytes)
{
	struct source_options own = *opening;
	char *paths[] = { file->path };
	struct source *source;
	int error;

	own.only_named = true;
	if (source_open(&source, paths, 1, &own, message, message_bytes))
		return -1;
	error = symbolize(symbolized, source);
	source_close(source);
	if (error)
		snprintf(message, message_bytes, "'%s': %s", file->path, evt_error_text(error));
	return error;
}

static void report_symbolize_print_result(const struct symbolized *symbolized, const char *copy)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < symbolized->count; i++)
		bytes += symbolized->frame[i].length;
	text_print(stdout, copy);
	printf(": %llu of %llu addresses named, %llu bytes added\n",
	       (unsigned long long)symbolized->named, (unsigned long long)symbolized->addresses,
	       (unsigned long long)bytes);
	if (symbolized->missing[0])
		talk_print("no functions of files that are not those recorded: %s",
			   symbolized->missing);
	if (symbolized->split)
		talk_print("no lines of %llu address%s: .dwo files are not there; symbolize again "
			   "where they are",
			   (unsigned long long)symbolized->split,
			   symbolized->split == 1 ? "" : "es");
	if (symbolized->left_out)
		talk_print("'%s': %llu addresses left out: their names are too long", copy,
			   (unsigned long long)symbolized->left_out);
}

/* Returns 0, or -1 with one line in `message`. */
static int symbolize_file(const struct session_file *file, const char *copy,
			  const struct source_options *opening, char *message, size_t message_bytes)
{
	struct symbolized symbolized = { .frame = NULL };
	int error = -1;

	if (file->live)
		snprintf(message, message_bytes,
			 "'%s' is still being written; symbolize it when the program has ended",
			 file->path);
	else if (!may_be_written(file, copy))
		snprintf(message, message_bytes,
			 "'%s' is there and no copy of '%s'; name another with -o", copy,
			 file->path);
	else
		error = read_symbols(&symbolized, file, opening, message, message_bytes);
	if (!error)
		error = symbol_copy_write(file->path, copy, &symbolized, message, message_bytes);
	if (!error)
		report_symbolize_print_result(&symbolized, copy);
	symbolized_release(&symbolized);
	return error;
}

static int symbolize_files(struct report_request *request)
{
	const struct options *options = request->options;
	struct source_options opening = opening_of(options);
	struct session_files files = { .options = &opening };
	char copy[PATH_MAX], message[2 * PATH_MAX + 128];
	int error = EVT_OK, status = STATUS_OK;

	opening.only_named = options->output != NULL;
	for (size_t i = 0; i < options->file_count && !error; i++)
		error = session_files_add(&files, options->file[i]);
	if (error)
		snprintf(request->message, sizeof(request->message), "%s", evt_error_text(error));
	if (options->output && files.count > 1) {
		snprintf(request->message, sizeof(request->message),
			 "-o names one file and there are %zu to copy; leave it out", files.count);
		error = STATUS_USAGE;
	}
	for (size_t i = 0; i < files.count && !error; i++) {
		report_symbolize_name_copy(copy, files.file[i].path);
		if (symbolize_file(&files.file[i], options->output ? options->output : copy,
				   &opening, message, sizeof(message))) {
			talk_print("%s", message);
			status = STATUS_INPUT;
		}
	}
	session_files_release(&files);
	return error == STATUS_USAGE ? STATUS_USAGE : error ? STATUS_INPUT : status;
}

const struct report_kind report_kind_symbolize = { .read_files = symbolize_files };
