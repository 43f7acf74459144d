/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Any bytes as a recording, through reader and source as a report reads them, and through the checks of
 * `prof-report check`. Must not crash, hang, or take memory without bound.
 */
#include <stdlib.h>

#include "report/check.h"
#include "report/source_open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fault_pass_over(void *context, uint64_t offset, int error, const char *text)
{
	(void)context;
	(void)offset;
	(void)error;
	(void)text;
}

static void fuzz_source(const uint8_t *data, size_t size)
{
	static char path[] = "fuzz.evt";
	struct session_file file = { .path = path, .bytes = bytes_of(data, size) };
	struct source *source;
	struct source_event event;
	volatile uint64_t sum = 0;
	char message[256];

	if (source_open_files(&source, &file, 1, message, sizeof(message)))
		return;
	while (!source_next(source, &event)) {
		for (unsigned int i = 0; i < event.event.words; i++)
			sum += event.event.value[i];
		if (event.process)
			sum += (uintptr_t)source_module_at(event.process, event.event.value[0],
							  event.event.time_ns);
	}
	source_close(source);
}

static void fuzz_check(const uint8_t *data, size_t size)
{
	const struct reader_listener listener = { fault_pass_over, NULL };
	struct bytes bytes = bytes_of(data, size);
	struct reader_frame frame;
	struct reader *reader;
	struct check check;

	if (reader_open(&reader, &bytes, false, &listener))
		return;
	check_init(&check, &listener);
	while (!reader_next(reader, &frame) && !check_frame(&check, reader_facts(reader), &frame))
		;
	check_finish(&check, reader_facts(reader));
	check_release(&check);
	reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_source(data, size);
	fuzz_check(data, size);
	return 0;
}
