/* SPDX-License-Identifier: MIT */
/*
 * Notes all uses of a text in one reading of the file, then changes it by its strictest use: a text
 * that is a path in one event is treated as a path in all events.
 */
#include "report/raw/redact_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/format/error.h"
#include "collector/format/paths.h"
#include "report/base/memory.h"
#include "report/file/file_error.h"
#include "report/file/reader.h"
#include "report/session/job.h"

enum redact_role {
	ROLE_COMMAND,
	ROLE_PATH,
	ROLE_FUNCTION,
	ROLE_HOST,    /* the name of this recording's host */
	ROLE_ADDRESS, /* the name or address of any host */
	ROLE_PLACE,   /* a host name or address with a port */
	ROLE_OUTPUT,
	ROLE_SESSION,
	ROLE_WISH, /* a word from a user's command line */
	ROLES,
};

/* Facts of a job, and the role of the value of each. */
#define ROLE_OF_HOST ROLE_ADDRESS
#define ROLE_OF_PLACE ROLE_PLACE
#define ROLE_OF_FILE ROLE_PATH
#define ROLE_OF_WORD ROLES
#define ROLE_OF_WISH ROLE_WISH
static const struct {
	const char *key;
	enum redact_role role;
} job_facts[] = {
#define JOB_FACT(name, kind) { #name, ROLE_OF_##kind },
#include "collector/format/jobs.def"
};
#define JOB_FACTS (sizeof(job_facts) / sizeof(job_facts[0]))

/* A key and a value from one event. */
struct pair {
	uint64_t key, value;
	bool is_fact; /* of a `fact` event; false: of a `meta` event */
};

/*
 * State while a file is read: the ids of the keys of `meta` and `fact`, and the pairs that were
 * found.
 */
struct reading {
	struct redact_texts *texts;
	uint64_t host, output, session; /* ids; 0: not seen yet */
	uint64_t job[JOB_FACTS];
	struct pair *pair;
	size_t count, room;
};
#define ID_LIMIT (1ull << 62) /* keys of the map are id + 1 */

/* Event fields that have a role. `field` is the index of its word in the event. */
static const struct redacted {
	unsigned int event, field;
	enum redact_role role;
} fields[] = {
#define REDACTED(event, field, role) \
	{ EVT_##event, offsetof(struct evt_##event, field) / sizeof(uint64_t), ROLE_##role },
#include "report/raw/redact_fields.def"
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

void redact_texts_init(struct redact_texts *texts, unsigned int what)
{
	*texts = (struct redact_texts){ .what = what };
	map_init(&texts->roles);
}

void redact_texts_release(struct redact_texts *texts)
{
	map_release(&texts->roles);
}

static uint64_t redact_texts_hash_of(const char *text, uint64_t secret)
{
	return XXH64(text, strlen(text), secret);
}

static size_t host_write(char to[REDACT_HOST_BYTES], const char *name, size_t length,
			 uint64_t secret)
{
	return (size_t)snprintf(to, REDACT_HOST_BYTES, "redacted-%08x",
				(unsigned int)(XXH64(name, length, secret) >> 32));
}

void redact_texts_name(struct redact_texts *texts, const struct file_header *header,
		       uint64_t secret)
{
	texts->secret = secret;
	host_write(texts->host, header->host, strlen(header->host), secret);
	snprintf(texts->session, sizeof(texts->session), "%016llx",
		 (unsigned long long)redact_texts_hash_of(header->session, secret));
}

/* --- what texts are used for --- */

static void texts_note(struct redact_texts *texts, uint64_t id, enum redact_role role)
{
	struct map_entry *entry;
	bool added;

	if (!id || id >= ID_LIMIT)
		return;
	entry = map_put(&texts->roles, id + 1, &added);
	if (added)
		entry->value = 0;
	entry->value |= 1u << role;
}

static void texts_take_string(struct reading *reading, const struct evt_string *string)
{
	const char *text = evt_text_bytes(string->text);
	size_t length = string->text.length;

	if (length == 4 && !memcmp(text, "host", 4))
		reading->host = string->id;
	if (length == 6 && !memcmp(text, "output", 6))
		reading->output = string->id;
	if (length == 7 && !memcmp(text, "session", 7))
		reading->session = string->id;
	for (size_t i = 0; i < JOB_FACTS; i++)
		if (length == strlen(job_facts[i].key) && !memcmp(text, job_facts[i].key, length))
			reading->job[i] = string->id;
}

static void pair_put(struct reading *reading, struct pair pair)
{
	reading->pair = memory_room(reading->pair, reading->count, &reading->room,
				    sizeof(*reading->pair));
	reading->pair[reading->count++] = pair;
}

static void texts_take(struct reading *reading, const struct event *event)
{
	if (event->id == EVT_string)
		texts_take_string(reading, EVENT_AS(string, event));
	if (event->id == EVT_meta)
		pair_put(reading, (struct pair){ EVENT_AS(meta, event)->key,
						 EVENT_AS(meta, event)->value, false });
	if (event->id == EVT_fact)
		pair_put(reading, (struct pair){ EVENT_AS(fact, event)->key,
						 EVENT_AS(fact, event)->value, true });
	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].event == event->id)
			texts_note(reading->texts, event->value[fields[i].field], fields[i].role);
}

static enum redact_role role_of_meta(const struct reading *reading, uint64_t key)
{
	return key == reading->host      ? ROLE_HOST
	       : key == reading->output  ? ROLE_OUTPUT
	       : key == reading->session ? ROLE_SESSION
					 : ROLE_PATH;
}

static enum redact_role role_of_fact(const struct reading *reading, uint64_t key)
{
	for (size_t i = 0; i < JOB_FACTS; i++)
		if (reading->job[i] && reading->job[i] == key)
			return job_facts[i].role;
	return ROLES;
}

/* Called once all is read: a key is defined in the frame of its first use, or later. */
static void texts_take_pairs(struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		const struct pair *pair = &reading->pair[i];
		enum redact_role role = pair->is_fact ? role_of_fact(reading, pair->key)
						      : role_of_meta(reading, pair->key);

		if (role != ROLES)
			texts_note(reading->texts, pair->value, role);
	}
}

static void texts_fault(void *context, uint64_t offset, int error, const char *text)
{
	struct redact_texts *texts = context;

	(void)error;
	if (!texts->error[0])
		snprintf(texts->error, sizeof(texts->error), ": offset %llu: %s",
			 (unsigned long long)offset, text);
}

/* Fields that this program does not know could contain anything. */
static bool schema_is_known(const struct schema *schema)
{
	for (unsigned int id = 0; schema && id < EVT_ID_LIMIT; id++) {
		const struct schema_event *event = &schema->event[id];
		unsigned int known = evt_descriptors[id].name ? evt_descriptors[id].field_count : 0;

		for (unsigned int i = known; event->name && i < event->field_count; i++)
			if (event->field[i].codec == EVT_CODEC_name ||
			    event->field[i].codec == EVT_CODEC_text)
				return false;
	}
	return true;
}

int redact_texts_read(struct redact_texts *texts, const struct session_file *file)
{
	const struct reader_listener listener = { texts_fault, texts, NULL };
	struct reading reading = { .texts = texts };
	struct reader_frame frame;
	struct reader *reader;
	char text[FILE_ERROR_BYTES];
	int error = reader_open(&reader, &file->bytes, true, &listener);

	if (error) {
		file_error_describe(error, 0, text, sizeof(text));
		snprintf(texts->error, sizeof(texts->error), " %s", text);
		return -1;
	}
	while (!(error = reader_next(reader, &frame)))
		for (size_t i = 0; i < frame.block_count; i++)
			for (uint32_t j = 0; j < frame.block[i].count; j++)
				texts_take(&reading, &frame.block[i].event[j]);
	texts_take_pairs(&reading);
	if (!schema_is_known(reader_schema(reader)))
		snprintf(texts->error, sizeof(texts->error),
			 ": it has names that this version does not know; use a newer prof-report");
	else if (error != EVT_END)
		snprintf(texts->error, sizeof(texts->error), ": %s", evt_error_text(error));
	free(reading.pair);
	reader_close(reader);
	return texts->error[0] ? -1 : 0;
}

/* --- what is left of them --- */

static size_t take_base_name(char *text, size_t length)
{
	const char *base = path_base_name(text, &length);

	memmove(text, base, length);
	return length;
}

/* The file is the part behind the last tab. */
static size_t take_base_of_file(char *text, size_t length)
{
	char *tab = memrchr(text, '\t', length);
	size_t before = tab ? (size_t)(tab + 1 - text) : 0;

	return before + take_base_name(text + before, length - before);
}

#define PORT_BYTES 6u /* with the colon */
#define HOST_HEAD "redacted-"
#define HOST_BYTES (sizeof(HOST_HEAD) - 1 + 8) /* the length of what host_write() writes */

/*
 * Keeps a host that is a hash already, so that redacted copies of one job's files can still be
 * joined when they are copied again.
 */
static bool host_is_written(const char *host, size_t length)
{
	size_t head = strlen(HOST_HEAD);

	if (length != HOST_BYTES || memcmp(host, HOST_HEAD, head) != 0)
		return false;
	for (size_t i = head; i < length; i++)
		if (!memchr("0123456789abcdef", host[i], 16))
			return false;
	return true;
}

/*
 * Replaces a host by its hash, also one that is not this host. Names that mean the local host
 * everywhere, and ports, are kept.
 */
static size_t take_address(const struct redact_texts *texts, char *text, size_t length,
			   bool has_port)
{
	char host[REDACT_HOST_BYTES], port[PORT_BYTES];
	const char *colon = has_port ? memrchr(text, ':', length) : NULL;
	size_t host_length = colon ? (size_t)(colon - text) : length;
	size_t port_length = length - host_length, written;

	if (!host_length || port_length > PORT_BYTES || host_is_written(text, host_length) ||
	    job_host_is_loopback(text, host_length))
		return port_length > PORT_BYTES ? 0 : length;
	memcpy(port, text + host_length, port_length);
	written = host_write(host, text, host_length, texts->secret);
	memcpy(text, host, written);
	memcpy(text + written, port, port_length);
	return written + port_length;
}

size_t redact_text(const struct redact_texts *texts, uint64_t id, char *text, size_t length)
{
	const struct map_entry *entry = id < ID_LIMIT ? map_find(&texts->roles, id + 1) : NULL;
	uint64_t roles = entry ? entry->value : 0;

	if (texts->what & REDACT_HOST && roles & 1u << ROLE_OUTPUT)
		return 0; /* the host may be contained in it */
	if (roles & 1u << ROLE_SESSION) {
		length = strlen(texts->session);
		memcpy(text, texts->session, length);
	}
	if (texts->what & REDACT_HOST && roles & 1u << ROLE_HOST) {
		length = strlen(texts->host);
		memcpy(text, texts->host, length);
	} else if (texts->what & REDACT_HOST && roles & (1u << ROLE_ADDRESS | 1u << ROLE_PLACE))
		length = take_address(texts, text, length, roles & 1u << ROLE_PLACE);
	if (texts->what & REDACT_ARGS && roles & 1u << ROLE_WISH)
		return 0;
	if (texts->what & REDACT_ARGS && roles & 1u << ROLE_COMMAND)
		length = command_first_word(text, length);
	if (!(texts->what & REDACT_PATHS))
		return length;
	if (roles & (1u << ROLE_COMMAND))
		length = command_base_names(text, length);
	if (roles & (1u << ROLE_FUNCTION))
		length = take_base_of_file(text, length);
	if (roles & (1u << ROLE_PATH | 1u << ROLE_OUTPUT))
		length = take_base_name(text, length);
	return length;
}

size_t redact_symbol_text(const struct redact_texts *texts, char *text, size_t length)
{
	return texts->what & REDACT_PATHS ? take_base_name(text, length) : length;
}
