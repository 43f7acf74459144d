/* SPDX-License-Identifier: MIT */
/*
 * The state of GPUs as a source (core/source.h): decides which cards are wanted (gpus.h), and takes
 * into the journal what the thread of device_watch.h has seen. Nothing is opened and no thread is
 * started before a process uses a GPU.
 */
#include "collector/core/source.h"

#include <string.h>

#include "collector/core/clock.h"
#include "collector/device/device_watch.h"
#include "collector/device/gpus.h"
#include "collector/processes/maps.h"
#include "collector/processes/processes.h"

#define WISH_NS 1000000000u
#define HANG_NS 5000000000u

struct devices_source {
	struct source_context context;
	struct gpus *gpus;
	struct device_watch *watch;
	struct device_wish wish;
	uint64_t wished_ns;     /* steady time of the last look */
	bool has_failed;        /* there is no thread */
	bool has_told_many;     /* that there are more processes and GPUs than gpus.h takes */
	const char *hangs;      /* the function that was told to hang */
	uint64_t hangs_from_ns; /* steady time */
};

static void devices_source_init(void *state, const struct source_context *context)
{
	struct devices_source *source = state;

	source->context = *context;
	if (view_family_word(&context->common->view, EVT_FAMILY_device))
		source->gpus = context->common->gpus = gpus_new();
}

static void devices_source_release(void *state)
{
	struct devices_source *source = state;

	device_watch_free(source->watch);
	gpus_free(source->gpus);
	if (source->context.common)
		source->context.common->gpus = NULL;
}

static uint64_t devices_now_ns(const struct common *common)
{
	return clockmap_ns(&common->clock, clockmap_now(&common->clock));
}

/* --- which cards --- */

static const struct process *devices_process(const struct devices_source *source, uint32_t number)
{
	const struct processes *processes = source->context.processes;

	for (uint32_t i = 0; i < processes->limit; i++) {
		const struct process *process = &processes->slot[i];

		if (process->number == number && !process->gone && !process->exiting)
			return process;
	}
	return NULL;
}

static void wish_add(struct device_wish *wish, const struct gpu_used *used)
{
	struct device_wish_card *card = &wish->card[wish->count];

	for (uint32_t i = 0; i < wish->count; i++) {
		if (!strcmp(wish->card[i].uuid, used->uuid))
			return;
	}
	if (wish->count == DEVICE_CARDS || !*used->uuid)
		return;
	memcpy(card->uuid, used->uuid, sizeof(card->uuid));
	memcpy(card->part, used->part, sizeof(card->part));
	wish->count++;
}

/* Forgetting a process moves entries, so the search begins again. */
static void devices_forget_ended(struct devices_source *source)
{
	struct gpus *gpus = source->gpus;
	uint32_t i = 0;

	while (i < gpus->count + gpus->callers) {
		uint32_t process = i < gpus->count ? gpus->used[i].process
						   : gpus->caller[i - gpus->count].process;

		i++;
		if (devices_process(source, process))
			continue;
		gpus_forget(gpus, process);
		i = 0;
	}
}

static struct device_wish devices_wish(struct devices_source *source)
{
	struct gpus *gpus = source->gpus;
	struct device_wish wish = { 0 };

	devices_forget_ended(source);
	for (uint32_t i = 0; i < gpus->count; i++) {
		if (gpus_is_used(gpus, &gpus->used[i]))
			wish_add(&wish, &gpus->used[i]);
	}
	wish.unnamed = gpus_find_unnamed(gpus, devices_now_ns(source->context.common));
	return wish;
}

/* Returns the path of a library of the driver that the process has mapped, or "". */
static void devices_find_driver(uint32_t pid, char path[DEVICE_PATH_BYTES])
{
	struct maps maps;
	struct maps_line line;

	*path = 0;
	if (!maps_init(&maps, pid))
		return;
	while (!*path && maps_next(&maps, &line)) {
		size_t length = strlen(line.path);

		if (strstr(line.path, "/libcuda.so.") && length < DEVICE_PATH_BYTES)
			memcpy(path, line.path, length + 1);
	}
	maps_release(&maps);
}

/* The driver of a process that uses a GPU; "" if none can be read. */
static void devices_look_for_driver(const struct devices_source *source,
				    char path[DEVICE_PATH_BYTES])
{
	const struct processes *processes = source->context.processes;

	*path = 0;
	if (!processes->inspect)
		return;
	for (uint32_t i = 0; i < processes->limit && !*path; i++) {
		const struct process *process = &processes->slot[i];

		if (process->number && process->pid && !process->gone && !process->moved)
			devices_find_driver(process->pid, path);
	}
}

static void devices_start(struct devices_source *source)
{
	struct common *common = source->context.common;
	char beside[DEVICE_PATH_BYTES];

	devices_look_for_driver(source, beside);
	source->watch = device_watch_new(&common->clock, beside);
	if (source->watch)
		return;
	source->has_failed = true;
	JOURNAL_ADD(&common->journal, devices_now_ns(common), device_trouble,
		    .trouble = EVT_DEVICE_NO_THREAD);
}

static void devices_renew_wish(struct devices_source *source, uint64_t steady_ns)
{
	struct device_wish wish;

	if (steady_ns - source->wished_ns < WISH_NS ||
	    (!source->gpus->count && !source->gpus->callers && !source->watch))
		return;
	source->wished_ns = steady_ns;
	if (source->gpus->refused && !source->has_told_many) {
		source->has_told_many = true;
		JOURNAL_ADD(&source->context.common->journal,
			    devices_now_ns(source->context.common), device_trouble,
			    .trouble = EVT_DEVICE_TOO_MANY);
	}
	wish = devices_wish(source);
	if (!source->watch && (wish.count || wish.unnamed))
		devices_start(source);
	if (source->watch && memcmp(&wish, &source->wish, sizeof(wish)) != 0) {
		source->wish = wish;
		device_watch_set(source->watch, &wish);
	}
}

/* --- what was seen --- */

/* For INTERCEPT_METRICS. */
static void devices_note_sample(struct gpus *gpus, const struct device_note *note, uint64_t ns)
{
	struct evt_device_card card;
	struct evt_device_sample sample;

	if (note->event == EVT_device_card) {
		memcpy(&card, note->word, sizeof(card));
		if (card.card < GPUS_CARDS)
			memcpy(gpus->card[card.card].uuid, note->text[0].text, GPUS_UUID_BYTES - 1);
	} else if (note->event == EVT_device_sample) {
		memcpy(&sample, note->word, sizeof(sample));
		if (sample.card >= GPUS_CARDS)
			return;
		gpus->card[sample.card].is_known = true;
		gpus->card[sample.card].sample = sample;
		gpus->card[sample.card].time_ns = ns;
	}
}

/*
 * A note is made while frames are written: it may be older than the last frame, or newer than the
 * one that is being closed.
 */
static uint64_t devices_note_ns(const struct common *common, const struct device_note *note,
				uint64_t latest_ns)
{
	uint64_t ns = clockmap_ns(&common->clock, note->ticks);

	if (ns > latest_ns)
		ns = latest_ns;
	return ns > common->journal.string_ns ? ns : common->journal.string_ns;
}

static void devices_take(struct devices_source *source, struct device_note *note,
			 uint64_t latest_ns)
{
	struct common *common = source->context.common;
	uint64_t ns = devices_note_ns(common, note, latest_ns);

	for (uint32_t i = 0; i < note->texts; i++) {
		const struct device_note_text *text = &note->text[i];

		note->word[text->word] = names_id_text(&common->names, text->text,
						       strlen(text->text));
		names_use(&common->names, note->word[text->word]);
	}
	journal_add(&common->journal, note->event, ns, note->word, note->words);
	devices_note_sample(source->gpus, note, ns);
}

static void devices_tell_hang(struct devices_source *source, enum evt_device_trouble_kind trouble,
			      const char *function, uint64_t ns)
{
	struct common *common = source->context.common;

	JOURNAL_ADD(&common->journal, devices_now_ns(common), device_trouble, .trouble = trouble,
		    .what = names_id_text(&common->names, function, strlen(function)), .ns = ns);
}

static void devices_look_for_hang(struct devices_source *source, uint64_t steady_ns)
{
	uint64_t since_ns = 0;
	const char *function = device_watch_now(source->watch, &since_ns);

	if (source->hangs && (function != source->hangs || since_ns != source->hangs_from_ns)) {
		devices_tell_hang(source, EVT_DEVICE_RETURNED, source->hangs,
				  steady_ns - source->hangs_from_ns);
		source->hangs = NULL;
	}
	if (source->hangs || !function || steady_ns < since_ns + HANG_NS)
		return;
	source->hangs = function;
	source->hangs_from_ns = since_ns;
	devices_tell_hang(source, EVT_DEVICE_HANGS, function, steady_ns - since_ns);
}

static void devices_take_all(struct devices_source *source, uint64_t latest_ns)
{
	struct common *common = source->context.common;
	struct device_note note;
	uint64_t lost;

	while (device_watch_take(source->watch, &note))
		devices_take(source, &note, latest_ns);
	lost = device_watch_take_dropped(source->watch);
	if (!lost)
		return;
	JOURNAL_ADD(&common->journal, latest_ns, lost, .count = lost, .reason = EVT_LOST_REFUSED);
	common->lost += lost;
}

static void devices_source_settle(void *state, uint64_t watermark_ns)
{
	struct devices_source *source = state;

	if (source->watch && device_watch_has_note(source->watch))
		devices_take_all(source, watermark_ns);
}

static void devices_source_look(void *state, uint64_t steady_ns)
{
	struct devices_source *source = state;

	if (!source->gpus || source->has_failed)
		return;
	devices_renew_wish(source, steady_ns);
	if (!source->watch)
		return;
	if (device_watch_has_note(source->watch))
		devices_take_all(source, devices_now_ns(source->context.common));
	devices_look_for_hang(source, steady_ns);
}

const struct collector_source source_devices = {
	.state_bytes = sizeof(struct devices_source),
	.init = devices_source_init,
	.release = devices_source_release,
	.look = devices_source_look,
	.settle = devices_source_settle,
};
