/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/core/why_empty.c: the reason why there is nothing to show, over recordings in memory. */
#include "report/core/why_empty.h"
#include "tests/unit/recording_source.h"

static const struct file_header plain_header = { .version = FILE_VERSION,
						 .base_mono = 5000,
						 .pid = 100,
						 .session = "session",
						 .host = "host" };

struct wish {
	const char *trace, *capture; /* NULL: not told */
	bool captured, filtered, lossy;
	enum evt_family family;
};

static void put_string(struct recording *r, uint64_t id, const char *text)
{
	FRAME_PUT(r->fw, 0, string, .id = id, .text = { (uintptr_t)text, strlen(text) });
}

static void put_meta(struct recording *r, uint64_t id, const char *key, const char *value)
{
	if (!value)
		return;
	put_string(r, id, key);
	put_string(r, id + 1, value);
	FRAME_PUT(r->fw, 0, meta, .process = 0, .key = id, .value = id + 1);
}

static void record(struct recording *r, const struct wish *wish)
{
	recording_start(r, &plain_header);
	frame_begin_block(r->fw, 0);
	FRAME_PUT(r->fw, 0, process, .process = 1, .pid = 100);
	FRAME_PUT(r->fw, 0, thread, .stream = 1, .process = 1, .tid = 100);
	put_meta(r, 1, "version", "0.1.0");
	put_meta(r, 3, "trace", wish->trace);
	put_meta(r, 5, "capture", wish->capture);
	frame_end_block(r->fw);
	frame_begin_block(r->fw, 1);
	if (wish->captured)
		FRAME_PUT(r->fw, 5, capture_start, .name = 6);
	frame_end_block(r->fw);
	frame_begin_block(r->fw, 0);
	if (wish->lossy)
		FRAME_PUT(r->fw, 6, lost, .stream = 1, .process = 1, .count = 3, .reason = 1);
	frame_end_block(r->fw);
	recording_close_frame(r, 10);
	recording_finish(r, 10);
}

static const char *explain(struct wish wish)
{
	static struct why_empty absence;
	struct filter_settings filter = { .pid = FILTER_NO_ID,
					  .tid = FILTER_NO_ID,
					  .to_ns = UINT64_MAX,
					  .range = wish.filtered ? "range" : NULL };
	struct source *source = NULL;
	struct recording r;
	struct run *run;

	record(&r, &wish);
	source = recording_source(&r);
	run = run_new(source, &filter);
	run_read(run, false);
	why_empty_explain(run, wish.family, &absence);
	run_free(run);
	source_close(source);
	recording_release(&r);
	return absence.text;
}

TEST(the_reason_is_the_true_one)
{
	assert_string_equal(explain((struct wish){ "alloc,nvtx", .family = EVT_FAMILY_alloc }),
			    "nothing was allocated");
	assert_non_null(strstr(explain((struct wish){ "alloc,nvtx", .family = EVT_FAMILY_nvtx }),
			       "torch.cuda.nvtx"));
	assert_string_equal(
		explain((struct wish){ "nvtx", .family = EVT_FAMILY_alloc }),
		"no allocation was recorded: INTERCEPT_TRACE was without alloc; record again "
		"with alloc in it, or without that setting");
	assert_string_equal(explain((struct wish){ "alloc", .family = EVT_FAMILY_modules }),
			    "no module was recorded: INTERCEPT_TRACE was without modules; record "
			    "again with INTERCEPT_TRACE=+modules");
	assert_string_equal(
		explain((struct wish){ NULL, .family = EVT_FAMILY_nvtx }),
		"no NVTX range was recorded: INTERCEPT_TRACE was without nvtx; record again with "
		"nvtx in it, or without that setting");
	assert_string_equal(
		explain((struct wish){ "alloc,nvtx", "nvtx:a\nb", .family = EVT_FAMILY_system }),
		"recording was limited to nvtx:a\\nb, which never opened: check INTERCEPT_CAPTURE");
	assert_string_equal(
		explain((struct wish){ "alloc,nvtx", "steps wait=9,active=3",
				       .family = EVT_FAMILY_alloc }),
		"recording was limited to steps wait=9,active=3 by INTERCEPT_SCHEDULE, and no "
		"such step came: the program made fewer steps, or none; choose earlier steps, or "
		"record without INTERCEPT_SCHEDULE");
	assert_string_equal(explain((struct wish){ "alloc,nvtx", "nvtx:step", true,
						   .family = EVT_FAMILY_alloc }),
			    "no allocation was recorded while nvtx:step was open");
	assert_string_equal(
		explain((struct wish){ "alloc,nvtx", .lossy = true, .family = EVT_FAMILY_alloc }),
		"no allocation was recorded; other events were lost");
	assert_string_equal(explain((struct wish){ "alloc,nvtx", .filtered = true,
						   .family = EVT_FAMILY_alloc }),
			    "no allocation within --range; without such options the report covers "
			    "the whole run");
}
