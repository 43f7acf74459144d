/* SPDX-License-Identifier: MIT */
/*
 * Quotes for sh, bash and zsh. Bytes in $'...' are octal, because an octal number ends after three
 * digits; \x would continue in some shells.
 */
#include "report/base/shell_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/base/text.h"

/* Plain besides letters, digits and non-ASCII characters. Not = and ~, which some shells expand. */
#define PLAIN "_@%+:,./-"

enum quoting {
	QUOTE_NONE,
	QUOTE_SINGLE, /* '...' */
	QUOTE_ANSI,   /* $'...' */
};

static bool character_is_plain(uint32_t character)
{
	return character >= 0x80 || (character >= 'a' && character <= 'z') ||
	       (character >= 'A' && character <= 'Z') || (character >= '0' && character <= '9') ||
	       (character && strchr(PLAIN, (int)character));
}

static enum quoting quoting_of(const char *name)
{
	enum quoting quoting = *name ? QUOTE_NONE : QUOTE_SINGLE;
	size_t length = strlen(name);

	while (length) {
		uint32_t character = 0;
		size_t bytes = text_decode(name, length, &character);

		if (!bytes || !text_is_shown(character))
			return QUOTE_ANSI;
		if (!character_is_plain(character))
			quoting = QUOTE_SINGLE;
		name += bytes;
		length -= bytes;
	}
	return quoting;
}

static size_t quote_bytes(char *out, const char *name, size_t bytes)
{
	size_t used = 0;

	for (size_t i = 0; i < bytes; i++)
		used += (size_t)sprintf(out + used, "\\%03o", (unsigned char)name[i]);
	return used;
}

/* Writes one character as it must be between the quotes; returns its length. */
static size_t quote_character(char *out, const char *name, size_t bytes, enum quoting quoting)
{
	if (quoting == QUOTE_SINGLE && *name == '\'')
		return (size_t)sprintf(out, "'\\''");
	/* otherwise it could refer to an earlier command */
	if (quoting == QUOTE_ANSI && *name == '!')
		return quote_bytes(out, name, bytes);
	if (quoting == QUOTE_ANSI && (*name == '\'' || *name == '\\'))
		return (size_t)sprintf(out, "\\%c", *name);
	memcpy(out, name, bytes);
	return bytes;
}

size_t shell_word_room(const char *name)
{
	return strlen(name) * 4 + sizeof("./$''");
}

size_t shell_word(char *word, size_t room, const char *name)
{
	enum quoting quoting = quoting_of(name);
	size_t used = 0, length = strlen(name);

	if (room < shell_word_room(name))
		return 0;
	used += (size_t)sprintf(word, "%s%s%s", quoting == QUOTE_ANSI ? "$" : "",
				quoting == QUOTE_NONE ? "" : "'", *name == '-' ? "./" : "");
	while (length) {
		uint32_t character = 0;
		size_t bytes = text_decode(name, length, &character);

		if (bytes && text_is_shown(character))
			used += quote_character(word + used, name, bytes, quoting);
		else
			used += quote_bytes(word + used, name, bytes ? bytes : 1);
		name += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	used += (size_t)sprintf(word + used, "%s", quoting == QUOTE_NONE ? "" : "'");
	return used;
}
