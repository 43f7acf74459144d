/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * All reports by all of their keys, in every format, over recordings that are whole and mean
 * nothing: events of every type in any order, on threads of three processes, with values that are
 * zero, huge, negative, or those of others. What is proved is that each ends and says something;
 * sanitizers see the rest.
 */
#include <stdio.h>

#include "report/core/report_kind.h"
#include "report/core/windows.h"
#include "tests/unit/recording_source.h"

#define PROCESSES 3u
#define STREAMS 6u
#define FRAMES 3u
#define RECORDINGS 40u
#define RECORDINGS_QUICK 12u /* in `make check` */

static const char *const texts[] = {
	"aten::add",
	"aten::conv2d",
	"aten::empty",
	"aten::mm",
	"aten::_local_scalar_dense",
	"ProfilerStep#3",
	"Optimizer.step#SGD.step",
	"Optimizer.zero_grad#SGD.zero_grad",
	"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
	"gloo:all_reduce",
	"profiler::_record_function_enter_new",
	"[[16, 1, 8, 8], [4, 1, 3, 3], []]",
	"[[",
	"[2, 2, 0, 0, 1, 1, 1]",
	"[-9223372036854775808]",
	"Net",
	"Linear: fc.0",
	": ",
	"[LightningModule]Net.training_step",
	"cudaMalloc",
	"cudaGraphLaunch",
	"_ZN2at3addIfEEvPT_",
	"((((",
	"",
	"\xff\xfe",
	"a\nb\tc\x1b[31m",
	"torch_version",
	"torch_threads",
};

#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static const struct report_kind *const report_kinds[REPORT_LIMIT] = {
#define REPORT(id, name, takes, sort, doc, more) [REPORT_##id] = &report_kind_##id,
#include "report/families.def"
};

static uint64_t state;

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

static uint64_t strange_number(void)
{
	switch (random_number() % 10) {
	case 0:
		return UINT64_MAX;
	case 1:
		return INT64_MAX;
	case 2:
		return (uint64_t)INT64_MIN;
	case 3:
		return random_number();
	case 4:
		return 1ull << random_number() % 64;
	case 5:
		return UINT32_MAX - random_number() % 3 + 1;
	default:
		return random_number() % 9;
	}
}

static uint64_t strange_value(enum evt_codec codec)
{
	if (codec == EVT_CODEC_name)
		return random_number() % 8 ? 1 + random_number() % TEXTS : strange_number();
	if (codec == EVT_CODEC_addr || codec == EVT_CODEC_block)
		return random_number() % 4 ? 0x1000 * (random_number() % 20) : strange_number();
	return strange_number();
}

/* Those of threads, but for the heap's, whose codecs know of each other (test_codec.c). */
static bool event_is_free(uint32_t id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];

	if (!event->name || event->family == EVT_FAMILY_system)
		return false;
	for (unsigned int i = 0; i < event->field_count; i++)
		if (event->field[i].codec > EVT_CODEC_name &&
		    event->field[i].codec < EVT_CODEC_delta)
			return false;
	return true;
}

static void put_event(struct frame_writer *fw, uint64_t time_ns)
{
	uint64_t words[EVT_FIELDS_MAX + 1] = { 0 };
	uint32_t id;

	do
		id = (uint32_t)(random_number() % EVT_ID_LIMIT);
	while (!event_is_free(id));
	for (unsigned int i = 0; i < evt_descriptors[id].field_count; i++)
		words[i] = strange_value(evt_descriptors[id].field[i].codec);
	(void)frame_put(fw, id, time_ns, words);
}

static void put_stream(struct frame_writer *fw, uint32_t stream, unsigned int events)
{
	uint64_t time_ns = 0;

	frame_begin_block(fw, stream);
	for (unsigned int i = 0; i < events; i++) {
		if (!frame_block_room(fw)) {
			frame_end_block(fw);
			frame_begin_block(fw, stream);
		}
		time_ns += random_number() % (random_number() % 50 ? 50 : 100000);
		put_event(fw, time_ns);
	}
	frame_end_block(fw);
}

static void put_places(struct frame_writer *fw)
{
	frame_begin_block(fw, 0);
	for (unsigned int i = 0; i < PROCESSES; i++)
		FRAME_PUT(fw, 0, process, .process = i + 1, .pid = 100 + i, .parent = i);
	for (unsigned int i = 0; i < STREAMS; i++)
		FRAME_PUT(fw, 0, thread, .stream = i + 1, .process = 1 + i / 2, .tid = 100 + i);
	for (unsigned int i = 0; i < TEXTS; i++)
		FRAME_PUT(fw, 0, string, .id = i + 1,
			  .text = { (uintptr_t)texts[i], strlen(texts[i]) });
	frame_end_block(fw);
}

static void record(struct recording *r, unsigned int events)
{
	static const struct file_header header = { .version = FILE_VERSION,
						   .base_mono = 5000,
						   .pid = 100,
						   .session = "session",
						   .host = "host" };

	recording_start(r, &header);
	for (unsigned int frame = 0; frame < FRAMES; frame++) {
		if (!frame)
			put_places(r->fw);
		for (uint32_t stream = 1; stream <= STREAMS; stream++)
			put_stream(r->fw, stream, events);
		recording_close_frame(r, 1u << 30);
	}
	recording_finish(r, 1u << 30);
}

static void show(const struct recording *r, const struct options *options)
{
	struct report_request request = { .options = options };
	char *text = NULL;
	size_t length = 0;
	int status;

	request.source = recording_source(r);
	request.screen = (struct screen){ .out = open_memstream(&text, &length),
					  .width = 40 + random_number() % 160,
					  .utf8 = random_number() % 2 };
	status = report_run(report_kinds[options->report], &request);
	fclose(request.screen.out);
	assert_int_equal(status, STATUS_OK);
	/* no row, no line */
	if (!length && options->format != FORMAT_FOLDED)
		fail_msg("report %d, format %d, prints nothing", options->report, options->format);
	free(text);
	request_release(&request);
	source_close(request.source);
}

/* One of a few filters, or none. */
static void choose_filters(struct filter_settings *scope)
{
	static struct window window = { .process = 1, .from_ns = 2000, .to_ns = 50000 };
	static const struct windows windows = { .window = &window, .count = 1 };

	switch (random_number() % 8) {
	case 0:
		scope->pid = 101;
		break;
	case 1:
		scope->tid = 100;
		break;
	case 2:
		scope->from_ns = 1000;
		scope->to_ns = 100000;
		break;
	case 3:
		scope->range = "Net";
		scope->during = random_number() % 2;
		break;
	case 4:
		scope->windows = &windows;
		scope->from_ns = window.from_ns;
		scope->to_ns = window.to_ns;
		break;
	}
}

static void show_by(const struct recording *r, enum report_id report, const char *key)
{
	struct options options;
	char message[512];
	char *argument[] = { (char[]){ "prof-report" }, (char *)report_infos[report].name,
			     (char[]){ "--by" }, (char *)key, NULL };

	assert_int_equal(options_parse(&options, key ? 4 : 2, argument, message, sizeof(message)),
			 0);
	options.format = (enum export_format)(
		random_number() % (options.report == REPORT_flame ? FORMAT_PSTATS : FORMAT_FOLDED));
	options.tree = report_infos[report].takes & TAKES_TREE && random_number() % 2;
	if (report_infos[report].takes & TAKES_FILTER)
		choose_filters(&options.scope);
	show(r, &options);
	options_release(&options);
}

static void show_all(const struct recording *r)
{
	for (unsigned int i = 0; i < REPORT_LIMIT; i++) {
		const struct report_info *info = &report_infos[i];

		/* exports and the page have cases of their own */
		if (info->takes & (TAKES_FILES | TAKES_WORD) || i == REPORT_page)
			continue;
		show_by(r, (enum report_id)i, NULL);
		for (unsigned int k = 0; k < KEY_ID_LIMIT; k++)
			if (!strcmp(key_list[k].report, info->id))
				show_by(r, (enum report_id)i, key_list[k].name);
	}
}

TEST(every_report_reads_anything)
{
	for (unsigned int i = 0; i < (unit_is_quick() ? RECORDINGS_QUICK : RECORDINGS); i++) {
		struct recording r;

		state = (i + 1) * 0x9e3779b97f4a7c15u + 1;
		record(&r, 20 + i * 37 % 400);
		show_all(&r);
		recording_release(&r);
	}
}
