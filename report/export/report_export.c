/* SPDX-License-Identifier: MIT */
/* Report `export`: chooses the format, and prints on stderr what belongs beside the file. */
#include "report/export/exporter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/session/limitations.h"

static const struct exporter {
	const char *name;
	unsigned int takes;
	int (*run)(struct report_request *request);
} all[] = {
#define EXPORTER_ENTRY(name, function, takes, doc) { #name, takes, export_##function },
	EXPORTERS(EXPORTER_ENTRY)
};

#define LINE_WIDTH 4096u /* for sentences that become a line on stderr */
#define FORMATS (sizeof(all) / sizeof(all[0]))

/* The output of `print`, uncut, to be freed. */
static char *report_export_text_of(const struct report_request *request,
				   void (*print)(void *context, const struct screen *screen),
				   void *context)
{
	struct screen screen = request->screen;
	char *text = NULL;
	size_t length;

	screen.out = open_memstream(&text, &length);
	screen.color = false;
	screen.uncut = true;
	screen.width = LINE_WIDTH;
	if (!screen.out)
		memory_give_up(LINE_WIDTH, 1);
	print(context, &screen);
	if (fclose(screen.out))
		memory_give_up(LINE_WIDTH, 1);
	return text;
}

void export_say(const struct report_request *request,
		void (*print)(void *context, const struct screen *screen), void *context)
{
	char *text = report_export_text_of(request, print, context), *at = text, *line;

	while ((line = strsep(&at, "\n")))
		if (*line)
			talk_print("%s", line);
	free(text);
}

/* Text behind the last of these is for other readers of the recording: core/whole_heap.c. */
static const char export_heap_said[] = ", the sample of the heap goes on";

/* What INTERCEPT_BUDGET, or captures over `light`, have left out. Exports are not read for that. */
static void export_detail(const struct source *source, const struct screen *screen)
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);

	for (size_t i = 0; i < count; i++) {
		const char *key = meta[i].key->text, *value = meta[i].value->text, *heap;
		bool is_budget = key && !strcmp(key, "budget");

		if (!value || (!is_budget && (!key || strcmp(key, "capture") != 0 ||
					      strcmp(value, "trigger,light") != 0)))
			continue;
		heap = strstr(value, export_heap_said);
		fprintf(screen->out,
			"Not recorded: operators%s outside of the %s with detail "
			"(INTERCEPT_%s=%.*s); prof-report summary says how many those are.\n",
			heap ? "" : " and allocations", is_budget ? "steps and times" : "captures",
			is_budget ? "BUDGET" : "CAPTURE",
			heap ? (int)(heap - value) : (int)strlen(value), value);
		return;
	}
}

static void report_export_print_losses(void *source, const struct screen *screen)
{
	export_detail(source, screen);
	export_losses(source, screen);
	export_limitations(source, LIMITATION_ALL_FAMILIES, screen);
}

char *export_losses_line(const struct report_request *request, const char *before)
{
	char *text = report_export_text_of(request, report_export_print_losses, request->source),
	     *at = text, *line, *joined;
	size_t length, lines = 0;
	FILE *out = open_memstream(&joined, &length);

	if (!out)
		memory_give_up(LINE_WIDTH, 1);
	while ((line = strsep(&at, "\n")))
		if (*line)
			fprintf(out, "%s%s", lines++ ? "; " : before, line);
	if (fclose(out))
		memory_give_up(LINE_WIDTH, 1);
	free(text);
	return joined;
}

void export_say_losses(const struct report_request *request)
{
	export_say(request, report_export_print_losses, request->source);
}

void export_say_written(const char *path, uint64_t count, const char *what, uint64_t bytes)
{
	char number[UNIT_TEXT_BYTES], size[UNIT_TEXT_BYTES];
	struct stat file;

	if (path && !stat(path, &file) && S_ISREG(file.st_mode))
		bytes = (uint64_t)file.st_size; /* compressed */
	if (path)
		talk_print("'%s': %s %s%s, %s", path, unit_format_count(number, count), what,
			   count == 1 ? "" : "s", unit_format(size, UNIT_BYTES, bytes));
}

static int no_such_format(struct report_request *request, const char *word)
{
	struct text_nearest nearest;
	char names[400] = "";

	text_nearest_init(&nearest, word ? word : "");
	for (size_t i = 0; i < FORMATS; i++) {
		size_t used = strlen(names);

		text_nearest_try(&nearest, all[i].name);
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", all[i].name);
	}
	if (!word)
		snprintf(request->message, sizeof(request->message),
			 "export needs a format, as in: prof-report export chrome RUN.evt -o "
			 "trace.json; there are %s",
			 names);
	else
		snprintf(request->message, sizeof(request->message),
			 "export '%.100s' is not one of %s%s%s%s", word, names,
			 nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
			 nearest.best ? "'?" : "");
	return STATUS_USAGE;
}

/* Checks for errors that do not depend on the recording. */
static int report_export_check(struct report_request *request, const struct exporter *exporter)
{
	unsigned int given = request->options->given & OF_STACKS & ~exporter->takes;

	if (given) {
		snprintf(request->message, sizeof(request->message),
			 "export %s takes no --%s: other formats do", exporter->name,
			 request->options->given_name[__builtin_ctz(given)]);
		return STATUS_USAGE;
	}
	if (request->screen.session.name) {
		snprintf(request->message, sizeof(request->message),
			 "export writes one session at a time: name the files of one only");
		return STATUS_USAGE;
	}
	if (!request->options->output && isatty(STDOUT_FILENO)) {
		snprintf(request->message, sizeof(request->message),
			 "export needs a file to write to: add -o FILE, or send stdout somewhere");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int export_source(struct report_request *request)
{
	const char *word = request->options->word;
	size_t at = 0;
	int status;

	while (at < FORMATS && (!word || strcmp(all[at].name, word) != 0))
		at++;
	if (at == FORMATS)
		return no_such_format(request, word);
	status = report_export_check(request, &all[at]);
	if (!status)
		status = all[at].run(request);
	if (!status)
		export_say_losses(request);
	return status;
}

const struct report_kind report_kind_export = { .read_source = export_source };
