/* SPDX-License-Identifier: MIT */
/*
 * prof-report: reads recordings of intercept and prints tables. This file handles the command line,
 * the terminal, the files, and everything that is printed on stderr.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/app/pager.h"
#include "report/app/recipe.h"
#include "report/options/opening.h"
#include "report/core/report_kind.h"
#include "report/session/session_files.h"
#include "report/session/sessions.h"
#include "report/session/source_say.h"
#include "collector/format/error.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/raw/copies.h"
#include "report/raw/redact_words.h"

#ifndef INTERCEPT_VERSION
#define INTERCEPT_VERSION "unknown"
#endif

#define WIDTH_DEFAULT 80

/*
 * This program is never recorded, whatever LD_PRELOAD says: preload/life/own_program.c looks for
 * this note.
 */
__asm__(".pushsection .note.intercept, \"a\", @note\n"
	".balign 4\n"
	".long 10, 0, 1\n"
	".asciz \"intercept\"\n"
	".balign 4\n"
	".popsection\n");

/* One per process: the final target of stdout must be known while output is held back. */
static struct pager pager = { -1, -1 };

static char *default_files[] = { (char[]){ "run.evt" } };

/* The width given by --width, COLUMNS or else the terminal; 0: no limit. */
static size_t screen_limit(const struct options *options)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = columns ? strtol(columns, NULL, 10) : 0;

	if (options->width)
		return options->width;
	if (width <= 0 && !options->output && !ioctl(pager_terminal(&pager), TIOCGWINSZ, &size))
		width = size.ws_col ? size.ws_col : WIDTH_DEFAULT;
	if (width <= 0)
		return 0;
	return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : (size_t)width;
}

static bool locale_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static struct screen screen_of_stdout(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
	size_t limit = screen_limit(options);

	return (struct screen){
		.out = stdout,
		.width = limit ? limit : WIDTH_DEFAULT,
		.uncut = !limit,
		.color = isatty(pager_terminal(&pager)) && !options->no_color &&
			 !(no_color && *no_color) && !(terminal && !strcmp(terminal, "dumb")),
		.utf8 = locale_is_utf8(),
		.is_terminal = !options->output && isatty(pager_terminal(&pager)),
	};
}

static int run_on_files(struct report_request *request, const struct source_options *source_options)
{
	const struct options *options = request->options;
	char message[1024] = "";
	int status;

	if (source_open(&request->source, options->file, options->file_count, source_options,
			message, sizeof(message))) {
		talk_print("%s", message);
		return STATUS_INPUT;
	}
	status = report_run(report_kind_of(options->report), request);
	if (!status) {
		fflush(stdout);
		status = source_say_faults(request->source) ? STATUS_INPUT : STATUS_OK;
		source_say_missing(request->source);
	}
	source_close(request->source);
	return status;
}

/* Beside the output file; for stdout among the temporary files. */
static const char *place_of_copies(const struct options *options, char ret_path[PATH_MAX])
{
	const char *folder = getenv("TMPDIR");

	if (options->output)
		return options->output;
	snprintf(ret_path, PATH_MAX, "%s/prof-report", folder && *folder ? folder : "/tmp");
	return ret_path;
}

static int run_on_copies(struct report_request *request, const struct session_files *files,
			 unsigned int what)
{
	const struct source_options opening = { .only_named = true, .base_names = true };
	const struct options *options = request->options;
	struct options own = *options;
	struct copies copies;
	char place[PATH_MAX];
	int status = STATUS_INPUT;

	if (copies_open(&copies, place_of_copies(options, place)) ||
	    copies_make(&copies, files, what)) {
		talk_print("%s", copies.message);
	} else {
		own.file = copies.path;
		own.file_count = copies.count;
		request->options = &own;
		status = run_on_files(request, &opening);
		request->options = options;
	}
	copies_close(&copies);
	return status;
}

/* With --redact, a copy is read that lacks what is to be left out. */
static int run_on_source(struct report_request *request)
{
	const struct options *options = request->options;
	const struct source_options opening = opening_of(options);
	struct session_files files = { .options = &opening };
	unsigned int what = redact_words_take(request, 0);
	int error = 0, status = STATUS_INPUT;

	if (!what)
		return request->message[0] ? STATUS_USAGE : run_on_files(request, &opening);
	for (size_t i = 0; i < options->file_count && !error; i++)
		error = session_files_add(&files, options->file[i]);
	if (error)
		talk_print("%s", evt_error_text(error));
	else
		status = run_on_copies(request, &files, what);
	session_files_release(&files);
	return status;
}

static int run_request(const struct options *options, const struct screen_session *session)
{
	struct report_request request = { .options = options, .screen = screen_of_stdout(options) };
	int status;

	request.screen.session = *session;
	if (report_infos[options->report].takes & TAKES_FILES)
		status = report_run(report_kind_of(options->report), &request);
	else
		status = run_on_source(&request);
	if (request.message[0])
		talk_print("%s", request.message);
	request_release(&request);
	return status;
}

/* Each session separately: their figures are never added up. */
static int run_sessions(const struct options *options, const struct sessions *sessions)
{
	char id[FILE_SESSION_BYTES];
	int status = STATUS_OK;

	if (options->output && session_files_id(options->output, id)) {
		talk_print("--output '%s' is a recording; choose another name", options->output);
		return STATUS_INPUT;
	}
	talk_print("%zu sessions: each is shown for itself", sessions->count);
	sessions_say_why(sessions);
	for (size_t i = 0; i < sessions->count && status != STATUS_USAGE; i++) {
		const struct session_group *group = &sessions->group[i];
		const struct screen_session session = { group->file[0], i == 0,
							i + 1 == sessions->count };
		struct options own = *options;
		int result;

		own.file = group->file;
		own.file_count = group->count;
		result = run_request(&own, &session);
		status = result > status ? result : status;
	}
	return status;
}

static int run(struct options *options)
{
	static const struct screen_session only;
	struct sessions sessions;
	int status;

	if (!options->file_count &&
	    !(report_infos[options->report].takes & (TAKES_COMPARE | TAKES_NOTHING))) {
		if (recipe_is_needed(default_files[0])) {
			recipe_print(default_files[0]);
			return STATUS_INPUT;
		}
		options->file = memory_grow(options->file, 1, sizeof(*options->file));
		options->file[options->file_count++] = default_files[0];
	}
	if (report_infos[options->report].takes & TAKES_FILES)
		return run_request(options, &only);
	sessions_split(&sessions, options->file, options->file_count);
	status = sessions.count == 1 ? run_request(options, &only)
				     : run_sessions(options, &sessions);
	sessions_release(&sessions);
	return status;
}

/* The reader of a pipe (| head) has closed it: ends quietly. */
static void end_quietly(int signal_number)
{
	(void)signal_number;
	_exit(STATUS_OK);
}

/* stdout may be a full disk, or closed. stdio loses the reason if the error occurred earlier. */
static int finish_stdout(int status)
{
	bool failed = ferror(stdout) != 0;

	if (!fflush(stdout) && !failed)
		return status;
	talk_print("cannot write to stdout: %s",
		   failed ? "no space left, or it is closed" : strerror(errno));
	return STATUS_INPUT;
}

static int print_texts(const struct options *options)
{
	if (options->version)
		printf("prof-report %s\n", INTERCEPT_VERSION);
	else if (options->help && options->report_named)
		options_print_report_help(stdout, options->report);
	else if (options->help)
		options_print_help(stdout);
	else
		options_print_list(stdout);
	return STATUS_OK;
}

/* For output that people read, and that ends. */
static bool is_paged(const struct options *options)
{
	if (options->help || options->list)
		return true;
	return report_infos[options->report].takes & TAKES_FORMAT && !options->output &&
	       (options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN);
}

static int main_show(struct options *options)
{
	int status;

	if (is_paged(options))
		pager_begin(&pager);
	status = options->help || options->list || options->version ? print_texts(options)
								    : run(options);
	pager_end(&pager);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	char message[1024];
	int status = STATUS_USAGE;

	setlocale(LC_CTYPE, "");
	text_set_utf8(locale_is_utf8());
	signal(SIGPIPE, end_quietly);
	if (options_parse(&options, argc, argv, message, sizeof(message)))
		talk_print("%s", message);
	else
		status = main_show(&options);
	options_release(&options);
	return finish_stdout(status);
}
