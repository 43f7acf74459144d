/* SPDX-License-Identifier: MIT */
/*
 * Header, end marker and seek table as bytes. No I/O, and no zstd except the shape of its skippable
 * frames.
 */
#include "collector/format/file.h"

#include <stdbool.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/format/codec.h"
#include "collector/format/error.h"

#define HASH_BYTES 8u
#define HEADER_FIXED_BYTES 48u  /* from signature to pid, before the two texts */
#define HEADER_FIXED_NUMBERS 8u /* signature and version, whose place no version may change */
#define END_PAYLOAD (FILE_END_BYTES - FILE_SKIPPABLE_HEAD)

#define SEEK_FOOTER_MAGIC 0x8F92EAB1u
#define SEEK_ENTRY_BYTES 8u
#define SEEK_FOOTER_BYTES 9u /* number of entries, descriptor 0 (no checksums), magic */

_Static_assert(FILE_SKIPPABLE_HEAD + HEADER_FIXED_BYTES + 3 * (1 + FILE_SESSION_BYTES) +
			       3 * HASH_BYTES <=
		       FILE_HEADER_BYTES_MAX,
	       "the longest header fits");

static uint8_t *file_put_head(uint8_t *at, uint32_t magic, size_t payload)
{
	at = put_u32(at, magic);
	return put_u32(at, (uint32_t)payload);
}

/* A text of at most FILE_SESSION_BYTES - 1 bytes: its length in one byte, then the bytes. */
static uint8_t *file_put_text(uint8_t *at, const char *text)
{
	size_t length = strnlen(text, FILE_SESSION_BYTES - 1);

	*at++ = (uint8_t)length;
	memcpy(at, text, length);
	return at + length;
}

static void file_get_text(struct cursor *c, char *text)
{
	const uint8_t *length = get_bytes(c, 1);
	const uint8_t *bytes = length ? get_bytes(c, *length) : NULL;

	if (!bytes || *length >= FILE_SESSION_BYTES || memchr(bytes, 0, *length)) {
		c->failed = true;
		return;
	}
	memset(text, 0, FILE_SESSION_BYTES);
	memcpy(text, bytes, *length);
}

uint64_t file_name_hash(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *end = name + strlen(name), *digits = end;
	uint64_t hash;

	while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits < end && digits > name + 1 && digits[-1] == '.')
		end = digits - 1;
	hash = XXH64(name, (size_t)(end - name), 0);
	return hash ? hash : 1;
}

size_t file_header_write(uint8_t *bytes, const struct file_header *header)
{
	uint8_t *payload = bytes + FILE_SKIPPABLE_HEAD;
	uint8_t *at = payload;

	at = put_u64(at, FILE_SIGNATURE);
	at = put_u32(at, header->version);
	at = put_u32(at, header->clock);
	at = put_u64(at, header->base_mono);
	at = put_u64(at, header->base_real);
	at = put_u64(at, header->tsc_hz);
	at = put_u32(at, header->pid);
	at = put_u32(at, header->flags);
	at = file_put_text(at, header->session);
	at = file_put_text(at, header->host);
	at = file_put_text(at, header->program);
	at = put_u64(at, header->name);
	at = put_u64(at, header->segment);
	at = put_u64(at, XXH64(payload, (size_t)(at - payload), 0));
	file_put_head(bytes, FILE_MAGIC_HEADER, (size_t)(at - payload));
	return (size_t)(at - bytes);
}

/* Checks the first bytes, which identify the file. Wrong bytes are reported before missing ones. */
static int file_check_start(const uint8_t *bytes, size_t length)
{
	uint8_t start[FILE_SKIPPABLE_HEAD + 8];

	put_u64(put_u64(start, FILE_MAGIC_HEADER), FILE_SIGNATURE);
	if (length == 0)
		return EVT_EMPTY;
	if (memcmp(bytes, start, length < 4 ? length : 4) != 0)
		return EVT_FOREIGN;
	if (length > FILE_SKIPPABLE_HEAD &&
	    memcmp(bytes + 8, start + 8, length < 16 ? length - 8 : 8) != 0)
		return EVT_FOREIGN;
	return length < FILE_SKIPPABLE_HEAD + HEADER_FIXED_NUMBERS + 4 ? EVT_TRUNCATED : 0;
}

static int file_parse_header(struct cursor c, struct file_header *ret_header)
{
	struct file_header h = { 0 };

	get_u64(&c);
	h.version = get_u32(&c);
	h.clock = get_u32(&c);
	h.base_mono = get_u64(&c);
	h.base_real = get_u64(&c);
	h.tsc_hz = get_u64(&c);
	h.pid = get_u32(&c);
	h.flags = get_u32(&c);
	file_get_text(&c, h.session);
	file_get_text(&c, h.host);
	if (!c.failed && c.at < c.end) {
		file_get_text(&c, h.program);
		h.name = get_u64(&c);
		if (!c.failed && c.at < c.end)
			h.segment = get_u64(&c);
	}
	if (c.failed)
		return EVT_CORRUPT;
	*ret_header = h;
	return 0;
}

int file_header_read(const uint8_t *bytes, size_t length, struct file_header *ret_header,
		     size_t *ret_length)
{
	int error = file_check_start(bytes, length);
	struct cursor c = cursor_of(bytes, length);
	const uint8_t *payload;
	uint32_t payload_length, version;
	uint64_t hash;

	if (error)
		return error;
	get_u32(&c);
	payload_length = get_u32(&c);
	payload = c.at;
	memcpy(&version, payload + HEADER_FIXED_NUMBERS, sizeof(version));
	if (version > FILE_VERSION_KEEP_LAST)
		return EVT_NEWER;
	if (payload_length > FILE_HEADER_BYTES_MAX - FILE_SKIPPABLE_HEAD)
		return EVT_TOO_LARGE;
	if (payload_length < HEADER_FIXED_BYTES + HASH_BYTES)
		return EVT_CORRUPT;
	if (!get_bytes(&c, payload_length))
		return EVT_TRUNCATED;
	memcpy(&hash, payload + payload_length - HASH_BYTES, sizeof(hash));
	if (hash != XXH64(payload, payload_length - HASH_BYTES, 0))
		return EVT_CHECKSUM;
	error = file_parse_header(cursor_of(payload, payload_length - HASH_BYTES), ret_header);
	if (!error)
		*ret_length = FILE_SKIPPABLE_HEAD + payload_length;
	return error;
}

size_t file_end_write(uint8_t *bytes, const struct file_end *end)
{
	uint8_t *payload = file_put_head(bytes, FILE_MAGIC_END, END_PAYLOAD);
	uint8_t *at = payload;

	at = put_u64(at, end->frames);
	at = put_u64(at, end->records);
	at = put_u64(at, end->lost);
	at = put_u64(at, end->end_ns);
	at = put_u64(at, XXH64(payload, END_PAYLOAD - HASH_BYTES, 0));
	return (size_t)(at - bytes);
}

int file_end_read(const uint8_t *bytes, size_t length, struct file_end *ret_end)
{
	struct cursor c = cursor_of(bytes, length);
	uint32_t magic = get_u32(&c);
	uint32_t payload_length = get_u32(&c);
	const uint8_t *payload = c.at;
	struct file_end end;
	uint64_t hash;

	if (c.failed)
		return EVT_TRUNCATED;
	if (magic != FILE_MAGIC_END)
		return EVT_FOREIGN;
	if (payload_length < END_PAYLOAD)
		return EVT_CORRUPT;
	if (!get_bytes(&c, payload_length))
		return EVT_TRUNCATED;
	c = cursor_of(payload, payload_length);
	end.frames = get_u64(&c);
	end.records = get_u64(&c);
	end.lost = get_u64(&c);
	end.end_ns = get_u64(&c);
	memcpy(&hash, payload + payload_length - HASH_BYTES, sizeof(hash));
	if (hash != XXH64(payload, payload_length - HASH_BYTES, 0))
		return EVT_CHECKSUM;
	*ret_end = end;
	return 0;
}

size_t file_seek_length(size_t count)
{
	return FILE_SKIPPABLE_HEAD + count * SEEK_ENTRY_BYTES + SEEK_FOOTER_BYTES;
}

size_t file_seek_write(uint8_t *bytes, const struct seek_entry *entry, size_t count)
{
	uint8_t *at = file_put_head(bytes, FILE_MAGIC_SEEK,
				    file_seek_length(count) - FILE_SKIPPABLE_HEAD);

	for (size_t i = 0; i < count; i++) {
		at = put_u32(at, entry[i].compressed);
		at = put_u32(at, entry[i].uncompressed);
	}
	at = put_u32(at, (uint32_t)count);
	*at++ = 0;
	at = put_u32(at, SEEK_FOOTER_MAGIC);
	return (size_t)(at - bytes);
}
