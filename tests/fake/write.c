/* SPDX-License-Identifier: MIT */
/*
 * The counters as JSON, written to FAKE_CUDA_COUNTS when the process ends and by fake_cuda_write().
 *
 * {"pid": 1, "calls": {NAME: n}, "errors": {NAME: n}, "others": {NAME: n}, "libraries": {SONAME:
 * {NAME: n}},
 *  "launches": {KERNEL: n}, "copies": {KIND: {"calls": n, "bytes": n}}, "memory": [{...}],
 *  "device": {...}, "stubs": n}
 * `calls` and `errors` are of the functions in hooks.def, `others` are calls of those that are not.
 */
#include "tests/fake/device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;

struct list {
	FILE *file;
	const char *separator;
};

static void text_write(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		if ((unsigned char)*text < 0x20)
			fprintf(file, "\\u%04x", *text);
		else
			fputc(*text, file);
	}
	fputc('"', file);
}

static void number_write(struct list *list, const char *name, uint64_t number)
{
	fputs(list->separator, list->file);
	list->separator = ", ";
	text_write(list->file, name);
	fprintf(list->file, ": %llu", (unsigned long long)number);
}

enum column { CALLS, ERRORS, OTHERS };

static uint64_t function_number(const struct fake_library *library, unsigned int i,
				enum column column)
{
	const struct fake_function *function = &library->functions[i];

	if ((column == OTHERS) != (i >= library->hooked))
		return 0;
	return column == ERRORS ? function->errors : function->calls;
}

/* A name that two libraries have, as with two runtimes, is told once, with the sum. */
static uint64_t function_sum(const char *name, unsigned int from, enum column column)
{
	uint64_t sum = 0;
	unsigned int i, j;

	for (i = 0; i < FAKE_LIBRARIES; i++) {
		for (j = 0; j < fake_libraries[i].count; j++) {
			if (strcmp(fake_libraries[i].functions[j].name, name))
				continue;
			if (i < from)
				return 0;
			sum += function_number(&fake_libraries[i], j, column);
		}
	}
	return sum;
}

static void functions_write(FILE *file, const char *title, enum column column)
{
	struct list list = { file, "" };
	unsigned int i, j;

	fprintf(file, "\"%s\": {", title);
	for (i = 0; i < FAKE_LIBRARIES; i++) {
		for (j = 0; j < fake_libraries[i].count; j++) {
			const char *name = fake_libraries[i].functions[j].name;
			uint64_t sum = function_sum(name, i, column);

			if (sum)
				number_write(&list, name, sum);
		}
	}
	fputs("},\n", file);
}

static void libraries_write(FILE *file)
{
	unsigned int i, j;

	fputs("\"libraries\": {", file);
	for (i = 0; i < FAKE_LIBRARIES && fake_libraries[i].count; i++) {
		struct list list = { file, "" };

		fprintf(file, "%s\"%s\": {", i ? ",\n" : "", fake_libraries[i].soname);
		for (j = 0; j < fake_libraries[i].count; j++) {
			if (fake_libraries[i].functions[j].calls)
				number_write(&list, fake_libraries[i].functions[j].name,
					     fake_libraries[i].functions[j].calls);
		}
		fputs("}", file);
	}
	fputs("},\n", file);
}

static void name_write(struct fake_name *name, void *context)
{
	if (name->launches)
		number_write(context, name->text, name->launches);
}

static const char *const kinds[EVT_CUDA_COPY_LIMIT] = { "HtoH", "HtoD",    "DtoH",
							"DtoD", "default", "memset" };

static void copies_write(FILE *file)
{
	const char *separator = "";
	unsigned int i;

	fputs("\"copies\": {", file);
	for (i = 0; i < EVT_CUDA_COPY_LIMIT; i++) {
		if (!fake_copy_calls[i])
			continue;
		fprintf(file, "%s\"%s\": {\"calls\": %llu, \"bytes\": %llu}", separator, kinds[i],
			(unsigned long long)fake_copy_calls[i],
			(unsigned long long)fake_copy_bytes[i]);
		separator = ", ";
	}
	fputs("},\n", file);
}

static void device_name_write(struct fake_name *name, void *context)
{
	struct list *list = context;

	if (!name->device_calls)
		return;
	fputs(list->separator, list->file);
	list->separator = ",\n";
	text_write(list->file, name->text);
	fprintf(list->file, ": {\"calls\": %llu, \"total_ns\": %llu}",
		(unsigned long long)name->device_calls, (unsigned long long)name->device_ns);
}

/* What the device did while a tool wanted to know. */
static void device_write(FILE *file)
{
	struct list names = { file, "" };
	const char *separator = "";

	fputs("\"device\": {\"kernels\": {", file);
	fake_names_each(device_name_write, &names);
	fputs("},\n\"copies\": {", file);
	for (unsigned int i = 0; i < EVT_CUDA_COPY_LIMIT; i++) {
		const struct fake_device_sum *sum = &fake_device_copies[i];

		if (!sum->calls)
			continue;
		fprintf(file, "%s\"%s\": {\"calls\": %llu, \"bytes\": %llu, \"total_ns\": %llu}",
			separator, kinds[i], (unsigned long long)sum->calls,
			(unsigned long long)sum->bytes, (unsigned long long)sum->total_ns);
		separator = ", ";
	}
	fprintf(file, "}, \"graphs\": {\"calls\": %llu, \"total_ns\": %llu}",
		(unsigned long long)fake_device_graphs.calls,
		(unsigned long long)fake_device_graphs.total_ns);
	fprintf(file, ", \"given\": {\"calls\": %llu, \"bytes\": %llu}",
		(unsigned long long)fake_device_given.calls,
		(unsigned long long)fake_device_given.bytes);
	fprintf(file, ", \"taken\": {\"calls\": %llu, \"bytes\": %llu",
		(unsigned long long)fake_device_taken.calls,
		(unsigned long long)fake_device_taken.bytes);
	fprintf(file,
		"}, \"waits\": %llu, \"dropped\": %llu, "
		"\"overheads\": {\"calls\": %llu, \"total_ns\": %llu}},\n",
		(unsigned long long)fake_device_waits, (unsigned long long)fake_device_dropped,
		(unsigned long long)fake_device_overheads.calls,
		(unsigned long long)fake_device_overheads.total_ns);
}

static void memory_write(FILE *file)
{
	static const char *const memory_kinds[EVT_CUDA_MEMORY_LIMIT] = {
		"any", "device", "pool", "managed", "pinned", "registered", "array", "virtual",
	};
	const char *separator = "";
	unsigned int device, kind;

	fputs("\"memory\": [", file);
	for (device = 0; device < FAKE_DEVICES; device++) {
		for (kind = 0; kind < EVT_CUDA_MEMORY_LIMIT; kind++) {
			const struct fake_memory *memory = &fake_memory[device][kind];
			struct list list = { file, ", " };

			if (!memory->allocations && !memory->frees)
				continue;
			fprintf(file, "%s{\"device\": %u, \"kind\": \"%s\"", separator, device,
				memory_kinds[kind]);
			number_write(&list, "allocations", memory->allocations);
			number_write(&list, "frees", memory->frees);
			number_write(&list, "bytes_allocated", memory->bytes_allocated);
			number_write(&list, "live_bytes", memory->live_bytes);
			number_write(&list, "peak_bytes", memory->peak_bytes);
			fputs("}", file);
			separator = ",\n";
		}
	}
	fputs("],\n", file);
}

static void all_write(FILE *file)
{
	struct list launches = { file, "" };

	fprintf(file, "{\"pid\": %d,\n", getpid());
	functions_write(file, "calls", CALLS);
	functions_write(file, "errors", ERRORS);
	functions_write(file, "others", OTHERS);
	libraries_write(file);
	fputs("\"launches\": {", file);
	fake_names_each(name_write, &launches);
	fputs("},\n", file);
	copies_write(file);
	memory_write(file);
	device_write(file);
	fprintf(file, "\"stubs\": %llu}\n", (unsigned long long)fake_stub_calls);
}

void fake_cuda_write(void)
{
	const char *pattern = getenv("FAKE_CUDA_COUNTS");
	const char *percent = pattern ? strstr(pattern, "%p") : NULL;
	char path[4096];
	FILE *file;

	if (!pattern || !*pattern)
		return;
	if (percent)
		snprintf(path, sizeof(path), "%.*s%d%s", (int)(percent - pattern), pattern,
			 getpid(), percent + 2);
	else
		snprintf(path, sizeof(path), "%s", pattern);
	pthread_mutex_lock(&write_lock);
	file = fopen(path, "we");
	if (file) {
		all_write(file);
		fclose(file);
	}
	pthread_mutex_unlock(&write_lock);
}
