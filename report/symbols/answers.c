/* SPDX-License-Identifier: MIT */
/*
 * What is known of addresses of one file of code. In memory it is found by maps; as bytes it is a
 * list of texts and a list of addresses.
 */
#include "report/symbols/answers.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "collector/format/codec.h"

#define VERSION 1u
#define TEXT_BYTES_MAX (64u << 10) /* limit for one text */
#define HASH_BYTES 8u

struct answer {
	uint64_t address, offset; /* offset: in the last frame's function */
	size_t first;             /* index in `frame` */
	uint32_t frames;
};

void answers_init(struct answers *answers)
{
	*answers = (struct answers){
		.subject = { .path = "", .build_id = "", .link = "", .basis = "" }
	};
	map_init(&answers->addresses);
	map_init(&answers->texts);
}

void answers_release(struct answers *answers)
{
	map_release(&answers->addresses);
	map_release(&answers->texts);
	text_store_release(&answers->store);
	free(answers->answer);
	free(answers->frame);
	free(answers->text);
}

/* Stores the text once. If two texts have one hash, they are stored each time. */
static const char *keep_text(struct answers *answers, const char *text, size_t length)
{
	struct map_entry *entry;
	bool added;

	entry = map_put(&answers->texts, map_hash_bytes(text, length, 0), &added);
	if (!added && !strncmp(answers->text[entry->value], text, length) &&
	    !answers->text[entry->value][length])
		return answers->text[entry->value];
	entry->value = answers->text_count;
	answers->text = memory_room(answers->text, answers->text_count, &answers->text_room,
				    sizeof(*answers->text));
	return answers->text[answers->text_count++] = text_store_put(&answers->store, text, length);
}

static const char *answers_keep(struct answers *answers, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	return text && length <= TEXT_BYTES_MAX ? keep_text(answers, text, length) : NULL;
}

bool answers_find(const struct answers *answers, uint64_t address, struct object_place *ret_place)
{
	const struct map_entry *entry = map_find(&answers->addresses, address + 1);
	const struct answer *answer;

	if (!entry)
		return false;
	answer = &answers->answer[entry->value];
	ret_place->frames = answer->frames;
	ret_place->offset = answer->offset;
	if (answer->frames)
		memcpy(ret_place->frame, &answers->frame[answer->first],
		       answer->frames * sizeof(*ret_place->frame));
	return true;
}

/* Returns the entry of the address; NULL if it cannot be kept. */
static struct answer *answers_put_answer(struct answers *answers, uint64_t address)
{
	struct map_entry *entry;
	bool added;

	if (address == UINT64_MAX || answers->count >= ANSWERS_ADDRESSES_MAX)
		return NULL;
	entry = map_put(&answers->addresses, address + 1, &added);
	if (added) {
		entry->value = answers->count;
		answers->answer = memory_room(answers->answer, answers->count, &answers->room,
					      sizeof(*answers->answer));
		answers->count++;
	}
	return &answers->answer[entry->value];
}

static void answers_add_frame(struct answers *answers, const struct object_frame *frame)
{
	answers->frame = memory_room(answers->frame, answers->frames, &answers->frame_room,
				     sizeof(*answers->frame));
	answers->frame[answers->frames++] = *frame;
}

void answers_add(struct answers *answers, uint64_t address, const struct object_place *place)
{
	struct answer *answer = answers_put_answer(answers, address);

	if (!answer)
		return;
	*answer = (struct answer){ address, place->offset, answers->frames,
				   (uint32_t)place->frames };
	for (size_t i = 0; i < place->frames; i++)
		answers_add_frame(answers, &(struct object_frame){
						   answers_keep(answers, place->frame[i].function),
						   answers_keep(answers, place->frame[i].file),
						   place->frame[i].line });
}

/* --- writing --- */

struct writing {
	struct map numbers; /* from the address of a stored text to its number, from 1 */
	uint8_t *bytes, *at;
};

static uint8_t *answers_put_text(uint8_t *at, const char *text)
{
	size_t length = strlen(text);

	at = put_varint(at, length);
	memcpy(at, text, length);
	return at + length;
}

static size_t text_room(const char *text)
{
	return CODEC_VARINT_MAX + strlen(text);
}

static size_t bytes_at_most(const struct answers *answers, const struct answers_subject *subject)
{
	size_t bytes = 64 + text_room(subject->path) + text_room(subject->build_id) +
		       text_room(subject->link) + text_room(subject->basis);

	for (size_t i = 0; i < answers->text_count; i++)
		bytes += text_room(answers->text[i]);
	return bytes + answers->count * 3 * CODEC_VARINT_MAX +
	       answers->frames * 3 * CODEC_VARINT_MAX;
}

static uint64_t answers_number_of(const struct writing *writing, const char *text)
{
	return text ? map_find(&writing->numbers, (uintptr_t)text)->value : 0;
}

static void write_texts(struct writing *writing, const struct answers *answers)
{
	bool added;

	writing->at = put_varint(writing->at, answers->text_count);
	for (size_t i = 0; i < answers->text_count; i++) {
		writing->at = answers_put_text(writing->at, answers->text[i]);
		map_put(&writing->numbers, (uintptr_t)answers->text[i], &added)->value = i + 1;
	}
}

static int compare_answers(const void *a, const void *b)
{
	const struct answer *left = *(const struct answer *const *)a;
	const struct answer *right = *(const struct answer *const *)b;

	return left->address < right->address ? -1 : left->address > right->address;
}

static void write_answer(struct writing *writing, const struct answers *answers,
			 const struct answer *answer, uint64_t before)
{
	uint8_t *at = put_varint(writing->at, answer->address - before);

	at = put_varint(at, answer->frames);
	at = put_varint(at, answer->offset + 1);
	for (uint32_t i = 0; i < answer->frames; i++) {
		const struct object_frame *frame = &answers->frame[answer->first + i];

		at = put_varint(at, answers_number_of(writing, frame->function));
		at = put_varint(at, answers_number_of(writing, frame->file));
		at = put_varint(at, frame->line);
	}
	writing->at = at;
}

/* In the order of addresses, so that equal answers have equal bytes. */
static void write_answers(struct writing *writing, const struct answers *answers)
{
	const struct answer **sorted = memory_zero(answers->count, sizeof(*sorted));
	uint64_t before = 0;

	for (size_t i = 0; i < answers->count; i++)
		sorted[i] = &answers->answer[i];
	if (answers->count)
		qsort(sorted, answers->count, sizeof(*sorted), compare_answers);
	writing->at = put_varint(writing->at, answers->count);
	for (size_t i = 0; i < answers->count; i++) {
		write_answer(writing, answers, sorted[i], before);
		before = sorted[i]->address;
	}
	free(sorted);
}

uint8_t *answers_write(const struct answers *answers, const struct answers_subject *subject,
		       size_t *ret_length)
{
	struct writing writing;

	writing.bytes = writing.at = memory_zero(bytes_at_most(answers, subject), 1);
	map_init(&writing.numbers);
	writing.at = put_u32(writing.at, ANSWERS_TAG);
	writing.at = put_varint(writing.at, VERSION);
	writing.at = put_varint(writing.at, subject->process);
	writing.at = answers_put_text(writing.at, subject->path);
	writing.at = answers_put_text(writing.at, subject->build_id);
	writing.at = answers_put_text(writing.at, subject->link);
	writing.at = answers_put_text(writing.at, subject->basis);
	write_texts(&writing, answers);
	write_answers(&writing, answers);
	writing.at = put_u64(writing.at,
			     XXH64(writing.bytes, (size_t)(writing.at - writing.bytes), 0));
	map_release(&writing.numbers);
	*ret_length = (size_t)(writing.at - writing.bytes);
	if (*ret_length <= ANSWERS_BYTES_MAX)
		return writing.bytes;
	free(writing.bytes);
	return NULL;
}

/* --- reading --- */

/* A text must not contain a zero: it would not be the text that was written. */
static const char *get_text(struct answers *answers, struct cursor *c)
{
	uint64_t length = get_varint(c);
	const uint8_t *text = get_bytes(c, length);

	if (c->failed || length > TEXT_BYTES_MAX || (length && memchr(text, '\0', length))) {
		c->failed = true;
		return "";
	}
	return text_store_put(&answers->store, length ? (const char *)text : "", length);
}

#define TEXT_BYTES_MEAN 8u /* minimum for most files */
#define ADDRESS_BYTES 6u   /* minimum for an address with a frame */

/*
 * Returns for how many entries memory is reserved at once; for further ones it grows, because a
 * hostile file may claim as many as it has bytes.
 */
static size_t likely(uint64_t count, const struct cursor *c, size_t bytes)
{
	return count < cursor_left(c) / bytes ? count : cursor_left(c) / bytes;
}

/* Reserves memory, because arrays that grow would be copied repeatedly. */
static void reserve_texts(struct answers *answers, size_t count)
{
	answers->text = memory_zero(count, sizeof(*answers->text));
	answers->text_room = count;
	map_reserve(&answers->texts, count);
}

/* Most addresses have one frame. */
static void reserve_addresses(struct answers *answers, size_t count)
{
	answers->answer = memory_zero(count, sizeof(*answers->answer));
	answers->frame = memory_zero(count, sizeof(*answers->frame));
	answers->room = answers->frame_room = count;
	map_reserve(&answers->addresses, count);
}

static void read_texts(struct answers *answers, struct cursor *c)
{
	uint64_t count = get_varint(c);

	c->failed |= count > cursor_left(c);
	if (!c->failed)
		reserve_texts(answers, likely(count, c, TEXT_BYTES_MEAN));
	for (uint64_t i = 0; i < count && !c->failed; i++) {
		const char *text = get_text(answers, c);
		bool added;

		answers->text = memory_room(answers->text, answers->text_count, &answers->text_room,
					    sizeof(*answers->text));
		answers->text[answers->text_count] = text;
		map_put(&answers->texts, map_hash_bytes(text, strlen(text), 0), &added)
			->value = answers->text_count++;
	}
}

static const char *get_kept(const struct answers *answers, struct cursor *c)
{
	uint64_t number = get_varint(c);

	if (number > answers->text_count) {
		c->failed = true;
		return NULL;
	}
	return number ? answers->text[number - 1] : NULL;
}

static void read_answer(struct answers *answers, struct cursor *c, uint64_t *address)
{
	uint64_t frames, offset;
	struct answer *answer;

	*address += get_varint(c);
	frames = get_varint(c);
	offset = get_varint(c) - 1;
	answer = c->failed || frames > OBJECT_INLINED_MAX ? NULL
							  : answers_put_answer(answers, *address);
	if (!answer) {
		c->failed = true;
		return;
	}
	*answer = (struct answer){ *address, offset, answers->frames, (uint32_t)frames };
	for (uint64_t i = 0; i < frames; i++) {
		struct object_frame frame = { .function = get_kept(answers, c) };
		uint64_t line;

		frame.file = get_kept(answers, c);
		line = get_varint(c);
		frame.line = line <= UINT32_MAX ? (uint32_t)line : 0;
		answers_add_frame(answers, &frame);
	}
}

static bool read_content(struct answers *answers, struct cursor *c)
{
	uint64_t count, address = 0;

	answers->subject.process = get_varint(c);
	answers->subject.path = get_text(answers, c);
	answers->subject.build_id = get_text(answers, c);
	answers->subject.link = get_text(answers, c);
	answers->subject.basis = get_text(answers, c);
	read_texts(answers, c);
	count = get_varint(c);
	c->failed |= count > cursor_left(c);
	if (!c->failed)
		reserve_addresses(answers, likely(count, c, ADDRESS_BYTES));
	for (uint64_t i = 0; i < count && !c->failed; i++)
		read_answer(answers, c, &address);
	return !c->failed && !cursor_left(c);
}

bool answers_read(struct answers *answers, const uint8_t *bytes, size_t length)
{
	struct cursor c = cursor_of(bytes, length > HASH_BYTES ? length - HASH_BYTES : 0);
	uint64_t hash;

	if (!cursor_left(&c) || length > ANSWERS_BYTES_MAX)
		return false;
	memcpy(&hash, bytes + length - HASH_BYTES, sizeof(hash));
	if (get_u32(&c) != ANSWERS_TAG || get_varint(&c) != VERSION ||
	    hash != XXH64(bytes, length - HASH_BYTES, 0))
		return false;
	if (read_content(answers, &c))
		return true;
	answers_release(answers);
	answers_init(answers);
	return false;
}
