/* SPDX-License-Identifier: MIT */
/*
 * Report `pack`: one .zip file of a session, to give to somebody else. It appears under its name
 * when it is complete. Prints one line:
 *
 *   <file>: <n> recordings, page.html, <n> sources, <bytes>[: without args,paths]
 */
#include "report/options/opening.h"
#include "report/core/report_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/error.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/pack/sources.h"
#include "report/raw/copies.h"
#include "report/raw/redact_texts.h"
#include "report/raw/redact_words.h"
#include "report/session/sessions.h"

#define ENDING ".evt"
#define ENDING_OF_PACK ".zip"
#define NAME_OF_PAGE "page.html"
#define NAME_OF_README "README.txt"

struct pack {
	struct report_request *request;
	const char *output;
	struct copies copies;
	struct zip zip;
	unsigned int what; /* REDACT_... */
	bool has_page;
	struct sources_count sources;
};

static const char readme[] =
	"A recording of intercept, a profiler for PyTorch and CUDA programs.\n"
	"\n"
	"  page.html   all of it to look at: open it with a browser\n"
	"  *.evt       the recording, a file a process; functions have their names\n"
	"  source/     the source files that it names (only with --sources)\n"
	"\n"
	"With intercept installed, in the folder where this file is:\n"
	"\n"
	"  prof-report summary %s\n"
	"  prof-report bottleneck %s\n"
	"  prof-report --list\n"
	"\n"
	"Left out: %s%s%s%s\n";

static int pack_fail(struct pack *pack)
{
	snprintf(pack->request->message, sizeof(pack->request->message),
		 "cannot write '%.300s': %s; name another file with -o", pack->output,
		 errno == EFBIG ? "a file grew while it was read" : strerror(errno));
	return -1;
}

static int pack_refuse(struct pack *pack)
{
	talk_print("%s", pack->copies.message);
	return -1;
}

/* --- the parts --- */

static int add_recordings(struct pack *pack)
{
	for (size_t i = 0; i < pack->copies.count; i++)
		if (zip_add(&pack->zip, pack->copies.name[i], pack->copies.path[i], false))
			return pack_fail(pack);
	return 0;
}

/*
 * Makes the page from the copies, so it lacks what is left out of them. If it fails, a message is
 * printed and the rest goes on.
 */
static bool write_page(struct pack *pack, char *path)
{
	const struct source_options opening = { .only_named = true, .base_names = true };
	struct options own = *pack->request->options;
	struct report_request request = { .options = &own, .screen = pack->request->screen };
	int status = STATUS_INPUT;

	own.output = path;
	own.file = pack->copies.path;
	own.file_count = pack->copies.count;
	if (!source_open(&request.source, own.file, own.file_count, &opening, request.message,
			 sizeof(request.message))) {
		status = report_run(report_kind_of(REPORT_page), &request);
		source_close(request.source);
	}
	if (status)
		talk_print("no page goes in: %s", request.message);
	request_release(&request);
	return !status;
}

static int add_page(struct pack *pack)
{
	char path[PATH_MAX];

	if (copies_place(&pack->copies, NAME_OF_PAGE, path))
		return pack_refuse(pack);
	pack->has_page = write_page(pack, path);
	if (pack->has_page && zip_add(&pack->zip, NAME_OF_PAGE, path, true))
		return pack_fail(pack);
	return 0;
}

static int add_readme(struct pack *pack)
{
	const char *first = pack->copies.name[0];
	char path[PATH_MAX];
	FILE *out;

	if (copies_place(&pack->copies, NAME_OF_README, path))
		return pack_refuse(pack);
	out = fopen(path, "we");
	if (!out)
		return pack_fail(pack);
	fprintf(out, readme, first, first, pack->what ? "" : "nothing",
		pack->what & REDACT_ARGS ? "arguments " : "",
		pack->what & REDACT_PATHS ? "paths " : "", pack->what & REDACT_HOST ? "host" : "");
	if (fclose(out) || zip_add(&pack->zip, NAME_OF_README, path, true))
		return pack_fail(pack);
	return 0;
}

static int add_sources(struct pack *pack)
{
	const struct source_options opening = { .only_named = true };
	const struct frame_wants wants = { .sum = 0 };
	struct report_request *request = pack->request;
	struct source_event event;
	struct source *source;
	int error;

	if (!(request->options->given & TAKES_sources))
		return 0;
	if (source_open(&source, pack->copies.path, pack->copies.count, &opening, request->message,
			sizeof(request->message)))
		return -1;
	source_want(source, &wants);
	while (!source_next(source, &event))
		;
	error = sources_add(&pack->zip, source, &pack->sources) ? pack_fail(pack) : 0;
	source_close(source);
	return error;
}

/* --- the file --- */

static int write_parts(struct pack *pack)
{
	if (add_recordings(pack) || add_page(pack) || add_sources(pack) || add_readme(pack))
		return -1;
	return zip_finish(&pack->zip) || fsync(pack->zip.to) ? pack_fail(pack) : 0;
}

/*
 * Writes into the folder of the copies, which is on the same file system. Only the owner may read
 * it, as with recordings.
 */
static int write_zip(struct pack *pack)
{
	char temporary[PATH_MAX];
	int to, error;

	if (copies_place(&pack->copies, "pack", temporary))
		return pack_refuse(pack);
	to = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return pack_fail(pack);
	zip_init(&pack->zip, to);
	error = write_parts(pack);
	if (!error && rename(temporary, pack->output))
		error = pack_fail(pack);
	zip_release(&pack->zip);
	close(to);
	return error;
}

static void report_pack_print_result(const struct pack *pack)
{
	char size[UNIT_TEXT_BYTES];

	text_print(stdout, pack->output);
	printf(": %zu recording%s", pack->copies.count, pack->copies.count == 1 ? "" : "s");
	if (pack->has_page)
		printf(", " NAME_OF_PAGE);
	if (pack->request->options->given & TAKES_sources)
		printf(", %llu source%s", (unsigned long long)pack->sources.taken,
		       pack->sources.taken == 1 ? "" : "s");
	printf(", %s", unit_format(size, UNIT_BYTES, pack->zip.offset));
	if (pack->what)
		redact_words_print(pack->what);
	else
		putchar('\n');
	if (pack->sources.missing)
		talk_print("%llu source files are not there, or larger than 4 MiB: left out",
			   (unsigned long long)pack->sources.missing);
}

static int pack_files(struct pack *pack, const struct session_files *files)
{
	int error;

	if (copies_open(&pack->copies, pack->output) ||
	    copies_make(&pack->copies, files, pack->what))
		error = pack_refuse(pack);
	else
		error = write_zip(pack);
	if (!error)
		report_pack_print_result(pack);
	copies_close(&pack->copies);
	return error ? STATUS_INPUT : STATUS_OK;
}

/* --- the command line --- */

/* run.evt -> run.zip */
static void name_pack(char name[PATH_MAX], const char *path)
{
	size_t length = strlen(path), ending = strlen(ENDING);

	if (length > ending && !strcmp(path + length - ending, ENDING))
		length -= ending;
	snprintf(name, PATH_MAX, "%.*s" ENDING_OF_PACK, (int)length, path);
}

/* Refuses what cannot be right for any recording. */
static int report_pack_check(struct report_request *request, const char *output, unsigned int what)
{
	const struct options *options = request->options;
	struct sessions sessions;
	struct stat status;
	size_t count;

	if (what && options->given & TAKES_sources) {
		snprintf(request->message, sizeof(request->message),
			 "--sources passes on files as they are, --redact changes only the "
			 "recording; leave one of them out");
		return STATUS_USAGE;
	}
	sessions_split(&sessions, options->file, options->file_count);
	count = sessions.count;
	if (count > 1)
		sessions_say_why(&sessions);
	sessions_release(&sessions);
	if (count > 1) {
		snprintf(request->message, sizeof(request->message),
			 "pack takes one session at a time: name the files of one only");
		return STATUS_USAGE;
	}
	if (lstat(output, &status) || (S_ISREG(status.st_mode) && !status.st_size))
		return STATUS_OK;
	snprintf(request->message, sizeof(request->message),
		 "'%.300s' is there; remove it, or name another with -o", output);
	return STATUS_INPUT;
}

static int pack_session(struct report_request *request)
{
	const struct options *options = request->options;
	const struct source_options opening = opening_of(options);
	struct session_files files = { .options = &opening };
	struct pack pack = { .request = request, .what = redact_words_take(request, 0) };
	char name[PATH_MAX];
	int error = EVT_OK, status;

	name_pack(name, options->file[0]);
	pack.output = options->output ? options->output : name;
	status = request->message[0] ? STATUS_USAGE
				     : report_pack_check(request, pack.output, pack.what);
	for (size_t i = 0; i < options->file_count && !status && !error; i++)
		error = session_files_add(&files, options->file[i]);
	if (error) {
		snprintf(request->message, sizeof(request->message), "%s", evt_error_text(error));
		status = STATUS_INPUT;
	}
	if (!status)
		status = pack_files(&pack, &files);
	session_files_release(&files);
	return status;
}

const struct report_kind report_kind_pack = { .read_files = pack_session };
