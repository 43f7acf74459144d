/* SPDX-License-Identifier: MIT */
/*
 * Names as text that is safe to show: decodes UTF-8, escapes what must not be shown, and shortens
 * by columns.
 */
#include "report/base/text.h"

#include <stdio.h>
#include <string.h>

#define NEAREST_WORD_BYTES 64

size_t text_decode(const char *text, size_t length, uint32_t *ret_character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	size_t bytes = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	uint32_t character = bytes == 1 ? at[0] : at[0] & (0xffu >> (bytes + 1));

	if (bytes > length || (at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (at[i] & 0x3f);
	}
	if (character < least[bytes] || character > 0x10ffff ||
	    (character >= 0xd800 && character < 0xe000))
		return 0;
	*ret_character = character;
	return bytes;
}

struct character_range {
	uint32_t first, last;
};

static bool ranges_hold(const struct character_range *range, size_t count, uint32_t character)
{
	for (size_t i = 0; i < count && character >= range[i].first; i++)
		if (character <= range[i].last)
			return true;
	return false;
}

/*
 * Unicode 15: blocks that terminals draw over the previous character, and blocks that are two
 * columns wide.
 */
static const struct character_range narrow_none[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },     { 0x591, 0x5bd },   { 0x610, 0x61a },
	{ 0x64b, 0x65f },   { 0x6d6, 0x6dc },     { 0x900, 0x902 },   { 0x93c, 0x93c },
	{ 0xe31, 0xe31 },   { 0xe34, 0xe3a },     { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x200b, 0x200d }, { 0x20d0, 0x20ff },   { 0x302a, 0x302d }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

static const struct character_range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
	{ 0x25fd, 0x25fe },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },   { 0x26a1, 0x26a1 },
	{ 0x2705, 0x2705 },   { 0x270a, 0x270b },   { 0x2728, 0x2728 },   { 0x274c, 0x274c },
	{ 0x2753, 0x2757 },   { 0x2b1b, 0x2b1c },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },
	{ 0x3400, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
	{ 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f64f },
	{ 0x1f680, 0x1f6fc }, { 0x1f7e0, 0x1f7eb }, { 0x1f90c, 0x1f9ff }, { 0x1fa70, 0x1faff },
	{ 0x20000, 0x3fffd },
};

unsigned int text_character_width(uint32_t character)
{
	if (character < 0x300)
		return 1;
	if (ranges_hold(narrow_none, sizeof(narrow_none) / sizeof(narrow_none[0]), character))
		return 0;
	return ranges_hold(wide, sizeof(wide) / sizeof(wide[0]), character) ? 2 : 1;
}

/*
 * Unicode 15: controls, format characters (Cf), line and paragraph separators, and default
 * ignorable characters (fillers, variation selectors, tags). Names that differ only in these look
 * the same.
 */
static const struct character_range unseen[] = {
	{ 0x0, 0x1f },        { 0x7f, 0x9f },       { 0xad, 0xad },       { 0x34f, 0x34f },
	{ 0x600, 0x605 },     { 0x61c, 0x61c },     { 0x6dd, 0x6dd },     { 0x70f, 0x70f },
	{ 0x890, 0x891 },     { 0x8e2, 0x8e2 },     { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },
	{ 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

static bool only_ascii;

void text_set_utf8(bool utf8)
{
	only_ascii = !utf8;
}

bool text_is_shown(uint32_t character)
{
	if (only_ascii && character >= 0x80)
		return false;
	return !ranges_hold(unseen, sizeof(unseen) / sizeof(unseen[0]), character);
}

/* Writes one character or byte as it is shown; returns its length. */
static size_t text_escape_one(char shown[16], const char *text, size_t bytes, uint32_t character)
{
	if (!bytes)
		return (size_t)sprintf(shown, "\\x%02x", (unsigned char)*text);
	if (text_is_shown(character)) {
		memcpy(shown, text, bytes);
		return bytes;
	}
	if (character == '\n' || character == '\t' || character == '\r')
		return (size_t)sprintf(shown, "\\%c",
				       character == '\n'   ? 'n'
				       : character == '\t' ? 't'
							   : 'r');
	return (size_t)sprintf(shown, character < 0x80 ? "\\x%02x" : "\\u{%x}", character);
}

/*
 * Returns how many characters at the start are ASCII that needs no escaping. That is nearly the
 * whole of most texts, so they are copied at once.
 */
static size_t plain_start(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] >= ' ' && text[at] < 0x7f)
		at++;
	return at;
}

size_t text_escape_room(size_t length)
{
	return length * 4 + 1; /* \xNN for each byte; \u{NNNN} stands for two bytes or more */
}

size_t text_escape(char *shown, size_t room, const char *text, size_t length)
{
	size_t used = 0;

	while (length && used < room) {
		size_t left = room - 1 - used, plain = plain_start(text, length);
		uint32_t character = 0;
		char one[16];
		size_t bytes, more;

		if (plain > left)
			plain = left;
		memcpy(shown + used, text, plain);
		used += plain;
		text += plain;
		length -= plain;
		if (!length)
			break;
		bytes = text_decode(text, length, &character);
		more = text_escape_one(one, text, bytes, character);
		if (used + more >= room)
			break;
		memcpy(shown + used, one, more);
		used += more;
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	if (room)
		shown[used] = '\0';
	return used;
}

void text_print(FILE *out, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		uint32_t character = 0;
		char one[16];
		size_t bytes = text_decode(text, length, &character);
		size_t shown = text_escape_one(one, text, bytes, character);

		fwrite(one, 1, shown, out);
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
}

size_t text_width(const char *text, size_t length)
{
	size_t width = 0;

	while (length) {
		uint32_t character = 0;
		size_t bytes;

		if ((unsigned char)*text < 0x80) { /* the usual case */
			width++;
			text++;
			length--;
			continue;
		}
		bytes = text_decode(text, length, &character);
		width += bytes ? text_character_width(character) : 1;
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	return width;
}

size_t text_fit(const char *text, size_t length, size_t width)
{
	size_t used = 0, at = 0;

	while (at < length) {
		uint32_t character = 0;
		size_t bytes = text_decode(text + at, length - at, &character);
		size_t columns = bytes ? text_character_width(character) : 1;

		if (used + columns > width)
			break;
		used += columns;
		at += bytes ? bytes : 1;
	}
	return at;
}

static bool text_is_path(const char *text, size_t length)
{
	size_t dots = 0;

	while (dots < length && dots < 2 && text[dots] == '.')
		dots++;
	if (length && text[0] == '~')
		dots = 1;
	return dots < length && text[dots] == '/' &&
	       memchr(text + dots + 1, '/', length - dots - 1);
}

/*
 * Removes as many of a path's first folders as necessary. Returns 0 if even the last part does not
 * fit.
 */
static size_t text_shorten_path(char *shown, const char *text, size_t length, size_t width,
				const char *mark)
{
	/* ".." before a slash would be a folder */
	const char *dots = mark[0] == '.' ? "..." : mark;
	size_t mark_bytes = strlen(dots), mark_width = text_width(dots, mark_bytes);

	for (size_t at = 1; at + 1 < length; at++) {
		if (text[at] != '/' || text_width(text + at, length - at) + mark_width > width)
			continue;
		memcpy(shown, dots, mark_bytes);
		memcpy(shown + mark_bytes, text + at, length - at);
		shown[mark_bytes + length - at] = '\0';
		return mark_bytes + length - at;
	}
	return 0;
}

size_t text_shorten(char *shown, const char *text, size_t length, size_t width, const char *mark)
{
	size_t mark_width = text_width(mark, strlen(mark)), all = text_width(text, length);
	size_t head, tail = 0, keep;

	if (all <= width || width <= mark_width) {
		head = text_fit(text, length, width);
		memcpy(shown, text, head);
		shown[head] = '\0';
		return head;
	}
	keep = text_is_path(text, length) ? text_shorten_path(shown, text, length, width, mark) : 0;
	if (keep)
		return keep;
	keep = width - mark_width;
	head = text_fit(text, length, keep - keep / 2);
	/* The tail begins where no more columns are left than it may have. */
	tail = text_fit(text, length, all - keep / 2);
	while (text_width(text + tail, length - tail) > keep / 2)
		tail += text_fit(text + tail, length - tail, 2);
	memcpy(shown, text, head);
	memcpy(shown + head, mark, strlen(mark));
	memcpy(shown + head + strlen(mark), text + tail, length - tail);
	keep = head + strlen(mark) + length - tail;
	shown[keep] = '\0';
	return keep;
}

const char *text_command_start(const char *command, size_t *length)
{
	const char *blank = memchr(command, ' ', *length);
	const char *slash = memrchr(command, '/', blank ? (size_t)(blank - command) : *length);

	if (!slash || slash + 1 == (blank ? blank : command + *length))
		return command;
	*length -= (size_t)(slash + 1 - command);
	return slash + 1;
}

size_t text_shorten_command(char *shown, const char *command, size_t length, size_t width,
			    const char *mark)
{
	const char *start = command;

	if (text_width(command, length) > width)
		start = text_command_start(command, &length);
	return text_shorten(shown, start, length, width, mark);
}

size_t text_shorten_end(char *shown, const char *text, size_t length, size_t width,
			const char *mark)
{
	size_t mark_bytes = strlen(mark), mark_width = text_width(mark, mark_bytes), head;

	if (text_width(text, length) <= width || width <= mark_width)
		mark_bytes = mark_width = 0;
	head = text_fit(text, length, width - mark_width);
	memcpy(shown, text, head);
	memcpy(shown + head, mark, mark_bytes);
	shown[head + mark_bytes] = '\0';
	return head + mark_bytes;
}

#define STACK_PARTS_MIN 32 /* in a narrower column, only one part of a stack is shown, */
#define STACK_PART_MIN 20  /* and below this width always the same part */

/* Returns the start of the frame that ends at `end`. */
static size_t frame_start(const char *text, size_t end)
{
	while (end && text[end - 1] != ';')
		end--;
	return end;
}

/*
 * Returns the start of the innermost frames up to `end` that fit into `width`, together with a mark
 * for the others; `end`: none fits.
 */
static size_t frames_fit(const char *text, size_t end, size_t width, size_t mark_width)
{
	size_t from = end;

	for (size_t at = end; at; at = at > 1 ? at - 1 : 0) {
		at = frame_start(text, at);
		if (text_width(text + at, end - at) + (at ? mark_width + 1 : 0) > width)
			break;
		from = at;
		if (!at)
			break;
	}
	return from;
}

static size_t text_put_frames(char *shown, const char *text, size_t from, size_t end,
			      const char *mark)
{
	return (size_t)sprintf(shown, "%s%s%.*s", from ? mark : "", from ? ";" : "",
			       (int)(end - from), text + from);
}

/* Writes as many of the frames up to `end` as fit; if not even the innermost fits, a part of it. */
static size_t put_innermost(char *shown, const char *text, size_t end, size_t width,
			    const char *mark)
{
	size_t mark_width = text_width(mark, strlen(mark)), innermost = frame_start(text, end);
	size_t from = frames_fit(text, end, width, mark_width), used;

	if (from < end)
		return text_put_frames(shown, text, from, end, mark);
	used = innermost ? (size_t)sprintf(shown, "%s;", mark) : 0;
	return used + text_shorten(shown + used, text + innermost, end - innermost,
				   width - (innermost ? mark_width + 1 : 0), mark);
}

size_t text_shorten_stack(char *shown, const char *text, size_t length, size_t width,
			  const char *mark, bool beside)
{
	size_t mark_width = text_width(mark, strlen(mark)), leaf = frame_start(text, length), used;

	if (!leaf || text_width(text, length) <= width || width < 2 * (mark_width + 1) + mark_width)
		return text_shorten(shown, text, length, width, mark);
	if (!beside || frames_fit(text, length, width, mark_width) < leaf)
		return put_innermost(shown, text, length, width, mark);
	used = put_innermost(shown, text, leaf - 1, width - mark_width - 1, mark);
	return used + (size_t)sprintf(shown + used, ";%s", mark);
}

#define BETWEEN_MAX 32u

/*
 * Writes what stands for the frames between two parts: their number, because the stacks of a
 * recursion differ in nothing else. If some of them are missing in the text too ("(12 frames)"),
 * only the mark.
 */
static size_t put_between(char between[BETWEEN_MAX], const char *text, size_t from, size_t to,
			  const char *mark)
{
	size_t frames = 0;

	between[0] = 0;
	if (from >= to)
		return 0;
	for (size_t at = from; at < to; at++) {
		if (text[at] == '(' && (!at || text[at - 1] == ';'))
			return (size_t)snprintf(between, BETWEEN_MAX, "%s;", mark);
		frames += text[at] == ';';
	}
	return (size_t)snprintf(between, BETWEEN_MAX, "(%zu);", frames);
}

/*
 * Writes the frame that ends at `end`, and the innermost ones up to `inner_end`. Each part uses the
 * columns that the other leaves.
 */
static size_t put_two_parts(char *shown, const char *text, size_t end, size_t inner_end,
			    size_t width, const char *mark)
{
	size_t begin = frame_start(text, end), innermost = frame_start(text, inner_end);
	size_t mark_width = text_width(mark, strlen(mark)), used = 0, from, room;
	size_t outer_width = text_width(text + begin, end - begin);
	size_t inner_width = text_width(text + innermost, inner_end - innermost);
	char between[BETWEEN_MAX];

	used = put_between(between, text, end + 1, innermost, mark);
	room = width - (begin ? mark_width + 1 : 0) - text_width(between, used) - 1;
	if (outer_width + inner_width > room) {
		outer_width = outer_width < room / 2 ? outer_width : room / 2;
		if (room - outer_width > inner_width)
			outer_width = room - inner_width;
	}
	inner_width = room - outer_width;
	from = frames_fit(text, inner_end, inner_width + mark_width + 1, mark_width);
	from = from == inner_end ? innermost : from;
	from = from <= end ? end + 1 : from;
	put_between(between, text, end + 1, from, mark);
	used = begin ? (size_t)sprintf(shown, "%s;", mark) : 0;
	used += text_shorten(shown + used, text + begin, end - begin, outer_width, mark);
	used += (size_t)sprintf(shown + used, ";%s", between);
	return used + text_shorten(shown + used, text + from, inner_end - from, inner_width, mark);
}

size_t text_shorten_stack_to(char *shown, const char *text, size_t length, size_t end, size_t width,
			     const char *mark, bool beside)
{
	size_t mark_width = text_width(mark, strlen(mark)), leaf = frame_start(text, length);
	size_t inner_end = beside && leaf ? leaf - 1 : length, used;
	char between[BETWEEN_MAX];

	if (end >= inner_end || text_width(text, length) <= width ||
	    width < (beside ? STACK_PART_MIN : STACK_PARTS_MIN))
		return text_shorten_stack(shown, text, length, width, mark, beside);
	if (width < STACK_PARTS_MIN) {
		used = put_between(between, text, end + 1, inner_end + 1, mark);
		used = put_innermost(shown, text, end,
				     width - mark_width - 1 - text_width(between, used), mark);
		return used + (size_t)sprintf(shown + used, ";%s%s", between, mark);
	}
	used = put_two_parts(shown, text, end, inner_end, width - (beside ? mark_width + 1 : 0),
			     mark);
	return beside ? used + (size_t)sprintf(shown + used, ";%s", mark) : used;
}

bool text_begins(const char *text, size_t length, const char *start)
{
	size_t wanted = strlen(start);

	return length >= wanted && !memcmp(text, start, wanted);
}

bool text_begins_any(const char *text, size_t length, const char *const *starts)
{
	for (; *starts; starts++)
		if (text_begins(text, length, *starts))
			return true;
	return false;
}

bool text_matches(const char *text, size_t length, const char *pattern, size_t pattern_length)
{
	size_t at = 0, p = 0, star = SIZE_MAX, star_at = 0;

	while (at < length) {
		if (p < pattern_length && pattern[p] == '*') {
			star = p++;
			star_at = at;
		} else if (p < pattern_length && (pattern[p] == '?' || pattern[p] == text[at])) {
			p++;
			at++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			at = ++star_at;
		} else {
			return false;
		}
	}
	while (p < pattern_length && pattern[p] == '*')
		p++;
	return p == pattern_length;
}

/* Levenshtein distance of short words. */
static size_t word_distance(const char *a, const char *b)
{
	size_t row[NEAREST_WORD_BYTES + 1], n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

void text_nearest_init(struct text_nearest *nearest, const char *word)
{
	*nearest = (struct text_nearest){ word, NULL, (strlen(word) + 2) / 3 + 1 };
}

void text_nearest_try(struct text_nearest *nearest, const char *candidate)
{
	size_t distance, length = strlen(nearest->word);

	if (!length || length > NEAREST_WORD_BYTES || strlen(candidate) > NEAREST_WORD_BYTES)
		return;
	distance = word_distance(nearest->word, candidate);
	if (strstr(candidate, nearest->word) == candidate && distance >= nearest->distance &&
	    !nearest->best)
		distance = nearest->distance - 1;
	if (distance < nearest->distance) {
		nearest->distance = distance;
		nearest->best = candidate;
	}
}
