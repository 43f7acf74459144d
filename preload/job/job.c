/* SPDX-License-Identifier: MIT */
/*
 * What identifies the distributed job that a process is a rank of. The sources are environment
 * variables when recording begins (collector/format/jobs.def), and the arguments of PyTorch's first
 * store and first process group. The rank and size of that group become those of the process. Each
 * is an event `fact`, once per process.
 *
 * PyTorch's constructors are called with the arguments that they came with. Their options are read
 * at offset 0, where the port has been since PyTorch 1.9.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "collector/region/region.h"
#include "preload/hook/hook.h"
#include "preload/hook/torch_origin.h"
#include "preload/record/entry.h"
#include "preload/record/event.h"
#include "preload/record/family.h"
#include "preload/record/names.h"
#include "preload/settings/settings.h"

#define VALUE_BYTES 128u /* prof-report compares this many bytes */
#define PORT_BYTES 8u

enum job_fact {
#define JOB_FACT(name, kind) JOB_##name,
#include "collector/format/jobs.def"
	JOB_FACTS,
};

enum job_kind { KIND_HOST, KIND_PLACE, KIND_FILE, KIND_WORD, KIND_WISH };

static const struct job_key {
	const char *name;
	enum job_kind kind;
	bool is_variable;
} keys[] = {
#define JOB_FACT(name, kind) { #name, KIND_##kind, false },
#define JOB_VARIABLE(name, kind) { #name, KIND_##kind, true },
#include "collector/format/jobs.def"
};

static struct {
	_Atomic(const struct name *) value; /* NULL: unknown */
	_Atomic bool is_told;
} facts[JOB_FACTS];

static _Atomic bool has_group;

static void fact_tell(enum job_fact fact)
{
	const struct name *value = atomic_load(&facts[fact].value);
	struct string key = string_of(keys[fact].name), text = name_string(value);
	const struct recorder_field field[] = { { .text = &key }, { .text = &text }, { 0, NULL } };

	if (!value || atomic_exchange(&facts[fact].is_told, true))
		return;
	if (!recorder_record(RECORDER_ANY, EVT_fact, field, 3))
		atomic_store(&facts[fact].is_told, false);
}

/* The first value is kept. If nothing is recorded yet, it waits. */
static void fact_put(enum job_fact fact, const char *bytes, size_t length)
{
	const struct name *none = NULL;
	struct string text;

	if (!length)
		return;
	text = string_of_bytes(bytes, length < VALUE_BYTES ? length : VALUE_BYTES - 1);
	atomic_compare_exchange_strong(&facts[fact].value, &none, name_make(&text));
	if (recorder_is_open())
		fact_tell(fact);
}

static bool is_redacted(enum region_redact what)
{
	return settings.redact & 1u << what;
}

/* --- the environment --- */

static const char *environment_value(const char *name)
{
	size_t length = strlen(name);

	for (char **entry = environ; entry && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

static bool key_is_wanted(const struct job_key *key)
{
	return key->is_variable && !(key->kind == KIND_HOST && is_redacted(REGION_REDACT_host)) &&
	       !(key->kind == KIND_WISH && is_redacted(REGION_REDACT_args));
}

static void job_start(void)
{
	for (unsigned int i = 0; i < JOB_FACTS; i++) {
		const char *value = key_is_wanted(&keys[i]) ? environment_value(keys[i].name)
							    : NULL;

		atomic_store(&facts[i].is_told, false);
		if (value)
			fact_put((enum job_fact)i, value, strlen(value));
	}
}

static void job_opened(void)
{
	for (unsigned int i = 0; i < JOB_FACTS; i++)
		fact_tell((enum job_fact)i);
}

const struct family family_job = { .start = job_start, .opened = job_opened };

/* --- PyTorch --- */

struct bytes {
	const char *bytes;
	size_t length;
};

/* std::string of libstdc++'s new ABI begins with a pointer and the length. */
static struct bytes string_of_cxx11(const void *string)
{
	struct bytes text;

	memcpy(&text.bytes, string, sizeof(text.bytes));
	memcpy(&text.length, (const char *)string + sizeof(text.bytes), sizeof(text.length));
	return text;
}

/* std::string of the old ABI is a pointer to the bytes, with the length three words before them. */
static struct bytes string_of_cow(const void *string)
{
	struct bytes text;

	memcpy(&text.bytes, string, sizeof(text.bytes));
	memcpy(&text.length, text.bytes - 3 * sizeof(size_t), sizeof(text.length));
	return text;
}

/* Writes ":29500" without a terminating 0 and returns its length. */
static size_t port_write(char text[PORT_BYTES], uint16_t port)
{
	char digit[PORT_BYTES];
	size_t digits = 0, length = 0;

	for (unsigned int rest = port; rest; rest /= 10)
		digit[digits++] = (char)('0' + rest % 10);
	text[length++] = ':';
	while (digits)
		text[length++] = digit[--digits];
	return length;
}

static void take_store(struct bytes host, uint16_t port)
{
	char text[VALUE_BYTES];

	if (!port || host.length + PORT_BYTES > sizeof(text))
		return;
	if (is_redacted(REGION_REDACT_host))
		host.length = 0;
	memcpy(text, host.bytes, host.length);
	fact_put(JOB_store, text, host.length + port_write(text + host.length, port));
}

static void take_store_file(struct bytes path)
{
	const char *slash = memrchr(path.bytes, '/', path.length);

	if (slash && is_redacted(REGION_REDACT_paths)) {
		path.length -= (size_t)(slash + 1 - path.bytes);
		path.bytes = slash + 1;
	}
	fact_put(JOB_store_file, path.bytes, path.length);
}

/*
 * The first group is the default group, and its ranks are the job's. The environment's rank and
 * size are kept if they agree.
 */
static void take_group(int rank, int size)
{
	uint64_t known = settings.rank;
	uint32_t variable = REGION_RANK_OF_GROUP;

	if (rank < 0 || size <= rank || (uint32_t)size > REGION_RANK_MAX ||
	    atomic_exchange(&has_group, true))
		return;
	if (known && region_rank_number(known) == (uint32_t)rank &&
	    region_rank_variable(known) == REGION_RANK_OF_TORCH)
		variable = REGION_RANK_OF_TORCH;
	entry_take_rank(region_rank((uint32_t)rank, (uint32_t)size, variable));
}

#define GROUP(rank, size) take_group(rank, size)
#define STORE(host, port) take_store(host, port)
#define STORE_FILE(path) take_store_file(path)

#define DISTRIBUTED(name, parameters, arguments, record) void name parameters;
#include "preload/job/hooks.def"

#define DISTRIBUTED(name_, parameters, arguments, record)                                     \
	HOOK_EXPORT void name_ parameters                                                     \
	{                                                                                     \
		static struct torch_origin origin = { .name = #name_ };                       \
		void(*original)                                                               \
			parameters = torch_origin_find(&origin, __builtin_return_address(0)); \
                                                                                              \
		record;                                                                       \
		if (__builtin_expect(original != NULL, 1))                                    \
			original arguments;                                                   \
	}
#include "preload/job/hooks.def"
