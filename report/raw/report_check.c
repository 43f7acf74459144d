/* SPDX-License-Identifier: MIT */
/*
 * Report `check`: verifies every frame, checksum and invariant. Prints one line for each fault and
 * one for each file:
 *
 *   <path>: offset <bytes>: <what is wrong>
 *   <path>: <ok | N faults>: <frames> frames, <records> records, <bytes> bytes
 *   [, <events> events lost][, <n> samples torn][, <stacks> stacks of <n> frames]
 *
 * It changes nothing. The checks themselves are in reader.c (bytes) and check.c (meaning).
 */
#include "report/options/opening.h"
#include "report/base/units.h"
#include "report/core/report_kind.h"

#include <errno.h>

#include "collector/format/error.h"
#include "report/raw/check.h"
#include "report/file/file_error.h"
#include "report/session/session_files.h"
#include "report/base/talk.h"
#include "report/base/text.h"

#define LINES_MAX 1000u /* lines for one file: further lines would tell nothing new */

struct checking {
	FILE *out;
	const char *path;
	uint64_t faults; /* of the file */
};

static void checking_fault(void *context, uint64_t offset, int error, const char *text)
{
	struct checking *checking = context;

	(void)error;
	if (checking->faults++ >= LINES_MAX)
		return;
	text_print(checking->out, checking->path);
	fprintf(checking->out, ": offset %llu: %s\n", (unsigned long long)offset, text);
}

static void checking_close(const struct checking *checking, const struct reader_facts *facts,
			   const struct check *check, uint64_t bytes)
{
	if (checking->faults > LINES_MAX) {
		text_print(checking->out, checking->path);
		fprintf(checking->out, ": and %llu more faults\n",
			(unsigned long long)(checking->faults - LINES_MAX));
	}
	text_print(checking->out, checking->path);
	fputs(": ", checking->out);
	if (checking->faults)
		fprintf(checking->out, "%llu fault%s", (unsigned long long)checking->faults,
			checking->faults == 1 ? "" : "s");
	else
		fprintf(checking->out, "%s",
			facts->complete ? "ok" : "ok so far, still being written");
	fprintf(checking->out, ": %llu frame%s, %llu record%s, %llu bytes",
		(unsigned long long)facts->frames, unit_plural(facts->frames),
		(unsigned long long)facts->records, unit_plural(facts->records),
		(unsigned long long)bytes);
	if (facts->end.lost)
		fprintf(checking->out, ", %llu event%s lost", (unsigned long long)facts->end.lost,
			unit_plural(facts->end.lost));
	if (check->torn)
		fprintf(checking->out, ", %llu sample%s torn", (unsigned long long)check->torn,
			unit_plural(check->torn));
	if (check->named)
		fprintf(checking->out, ", %llu stack%s of %zu frame%s",
			(unsigned long long)check->named, unit_plural(check->named),
			check->stacks.count - 1, unit_plural(check->stacks.count - 1));
	putc('\n', checking->out);
}

static int checking_read(struct checking *checking, const struct session_file *file)
{
	const struct reader_listener listener = { checking_fault, checking, NULL };
	struct reader_frame frame;
	struct reader *reader;
	struct check check;
	int error = reader_open(&reader, &file->bytes, file->live, &listener);

	if (error)
		return error;
	if (file->unfinished[0])
		checking_fault(checking, file->bytes.size, EVT_TRUNCATED, file->unfinished);
	check_init(&check, &listener);
	while (!error) {
		error = reader_next(reader, &frame);
		if (!error)
			error = check_frame(&check, reader_facts(reader), &frame);
	}
	if (error == EVT_END) {
		check_finish(&check, reader_facts(reader));
		checking_close(checking, reader_facts(reader), &check, file->bytes.size);
		error = EVT_OK;
	}
	check_release(&check);
	reader_close(reader);
	return error;
}

/* Returns true if the file has no fault. */
static bool checking_file(struct checking *checking, const struct session_file *file)
{
	char text[FILE_ERROR_BYTES];
	int error = file->error;
	int error_number = file->error_number;

	checking->path = file->path;
	checking->faults = 0;
	if (!error) {
		error = checking_read(checking, file);
		error_number = errno;
	}
	if (error) {
		fflush(checking->out);
		file_error_describe(error, error_number, text, sizeof(text));
		talk_print("'%s' %s", file->path, text);
	}
	return !error && !checking->faults;
}

static int check_files(struct report_request *request)
{
	const struct options *options = request->options;
	struct source_options opening = opening_of(options);
	struct session_files files = { .options = &opening };
	struct checking checking = { .out = stdout };
	int error = EVT_OK;
	bool good = true;

	opening.copies = true;
	for (size_t i = 0; i < options->file_count && !error; i++)
		error = session_files_add(&files, options->file[i]);
	if (error)
		snprintf(request->message, sizeof(request->message), "%s", evt_error_text(error));
	for (size_t i = 0; i < files.count && !error; i++)
		good &= checking_file(&checking, &files.file[i]);
	session_files_release(&files);
	return good && !error ? STATUS_OK : STATUS_INPUT;
}

const struct report_kind report_kind_check = { .read_files = check_files };
