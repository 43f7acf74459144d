/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_METRICS as a source (core/source.h): writes the file every METRICS_NS and once more at
 * the end. Records nothing. The first file comes at once, so that a name that cannot be written is
 * noticed early.
 */
#include "collector/core/source.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/metrics/metrics.h"
#include "collector/metrics/metrics_file.h"
#include "collector/metrics/tally.h"

#define METRICS_NS 15000000000ull
/* CUPTI hands work out at least once a second; what is later than that counts in part */
#define GPU_LATE_NS 3000000000ull

struct metrics_source {
	struct source_context context;
	struct metrics_file file;
	uint64_t next_ns; /* steady time */
	struct tally_owner first;
	uint64_t errors;
	bool has_name, has_said;
};

/* The program prints the first failure at its end. */
static void metrics_complain(struct metrics_source *source, const char *why)
{
	const char *path = source->file.path;
	const size_t most = REGION_TEXT_BYTES / 3;
	size_t length = strlen(path);
	char text[REGION_TEXT_BYTES];

	source->errors++;
	if (source->has_said)
		return;
	source->has_said = true;
	snprintf(text, sizeof(text),
		 "cannot write metrics to '%s%s': %.100s; set INTERCEPT_METRICS",
		 length > most ? "..." : "", path + (length > most ? length - most : 0), why);
	view_say(source->context.common->view.header, text);
}

static void metrics_source_init(void *state, const struct source_context *context)
{
	struct metrics_source *source = state;
	struct common *common = context->common;
	const struct region_header *header = common->view.header;
	char path[REGION_PATH_BYTES];

	source->context = *context;
	snprintf(path, sizeof(path), "%.*s", (int)sizeof(path) - 1, header->metrics);
	if (!*path)
		return;
	source->first.pid = view_load32(&common->view.process[0].pid);
	metrics_file_init(&source->file, path, source->first.pid);
	common->tallies = tallies_new(&common->names, common->view.shape.ring_count);
	if (!common->tallies)
		metrics_complain(source, "out of memory");
}

/* The program whose recording has the plain name has that of the metrics, too. */
static void metrics_source_choose_name(struct metrics_source *source)
{
	const struct region_header *header = source->context.common->view.header;

	if (source->has_name)
		return;
	source->has_name = true;
	if (!(header->place & 1u << REGION_PLACE_METRICS_OWN) &&
	    strncmp(header->file, header->output, sizeof(header->output)) != 0)
		metrics_file_move_beside(&source->file);
}

static void metrics_source_write(struct metrics_source *source, bool has_ended)
{
	struct exposition e = { 0 };
	const struct metrics_request request = { .common = source->context.common,
						 .processes = source->context.processes,
						 .first = source->first,
						 .write_errors = source->errors,
						 .has_ended = has_ended };
	char why[METRICS_FILE_WHY_BYTES] = "out of memory";

	metrics_source_choose_name(source);
	metrics_write(&e, &request);
	if (e.failed || metrics_file_replace(&source->file, e.text, e.length, why))
		metrics_complain(source, why);
	exposition_release(&e);
}

/*
 * Ranks are known late. Tallies of processes that are gone make room for others, once their last
 * figures could be seen.
 */
static void owners_renew(struct metrics_source *source, bool forgets)
{
	struct tallies *tallies = source->context.common->tallies;
	const struct processes *processes = source->context.processes;

	for (unsigned int i = 0; i < TALLY_PROCESSES; i++) {
		struct tally *tally = &tallies->tally[i];
		const struct process *process = NULL;

		for (uint32_t j = 0; tally->owner.process && j < processes->limit && !process;
		     j++) {
			if (processes->slot[j].number == tally->owner.process)
				process = &processes->slot[j];
		}
		if (process)
			tally->owner.rank = process->rank;
		else if (tally->owner.process && forgets)
			tally_forget(tallies, tally);
	}
	if (processes->slot[0].number == 1)
		source->first.rank = processes->slot[0].rank;
}

static void metrics_source_look(void *state, uint64_t steady_ns)
{
	struct metrics_source *source = state;
	struct common *common = source->context.common;
	uint64_t now_ns;

	if (!common->tallies || steady_ns < source->next_ns || !source->context.processes->numbers)
		return;
	now_ns = clockmap_ns(&common->clock, clockmap_now(&common->clock));
	source->next_ns = steady_ns + METRICS_NS;
	tallies_settle(common->tallies, now_ns > GPU_LATE_NS ? now_ns - GPU_LATE_NS : 0);
	owners_renew(source, false);
	metrics_source_write(source, false);
	owners_renew(source, true);
}

static void metrics_source_finish(void *state)
{
	struct metrics_source *source = state;
	struct common *common = source->context.common;

	if (!common->tallies)
		return;
	tallies_settle(common->tallies, UINT64_MAX);
	owners_renew(source, false);
	metrics_source_write(source, true);
}

static void metrics_source_release(void *state)
{
	struct metrics_source *source = state;

	if (!source->context.common)
		return;
	tallies_free(source->context.common->tallies);
	source->context.common->tallies = NULL;
}

const struct collector_source source_metrics = {
	.state_bytes = sizeof(struct metrics_source),
	.init = metrics_source_init,
	.release = metrics_source_release,
	.look = metrics_source_look,
	.finish = metrics_source_finish,
};
