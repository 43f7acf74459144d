/* SPDX-License-Identifier: MIT */
/* A line is cut into words; each clause takes the words that it knows. */
#include "collector/control/trigger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 48u
#define DIGITS_MAX 15u

struct trigger_words {
	const char *at, *end;
	char word[WORD_BYTES]; /* the current one; "" at the end */
	bool is_too_long;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_sign(char c)
{
	return c == '>' || c == '*' || c == ',';
}

static void words_next(struct trigger_words *words)
{
	size_t length = 0;

	while (words->at < words->end && is_space(*words->at))
		words->at++;
	while (words->at < words->end && !is_space(*words->at)) {
		if (is_sign(*words->at) && length)
			break;
		if (length + 1 < sizeof(words->word))
			words->word[length++] = *words->at;
		else
			words->is_too_long = true;
		if (is_sign(*words->at++))
			break;
	}
	words->word[length] = 0;
}

static bool words_take(struct trigger_words *words, const char *word)
{
	if (strcmp(words->word, word) != 0)
		return false;
	words_next(words);
	return true;
}

/* --- numbers --- */

static bool digits_take(const char **text, uint64_t *ret_number)
{
	uint64_t number = 0;
	unsigned int digits = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		if (++digits > DIGITS_MAX)
			return false;
		number = number * 10 + (uint64_t)(**text - '0');
	}
	*ret_number = number;
	return digits > 0;
}

/* A number, A..B or A..; false if it is none of them. */
static bool trigger_span_of(const char *text, uint64_t *ret_from, uint64_t *ret_to)
{
	if (!digits_take(&text, ret_from))
		return false;
	*ret_to = *ret_from;
	if (strncmp(text, "..", 2) == 0) {
		text += 2;
		if (!digits_take(&text, ret_to))
			return false;
	}
	return !*text && *ret_to >= *ret_from;
}

/* Digits with at most one point: no exponent, no sign, no locale. */
static bool decimal_take(const char **text, double *ret_number)
{
	uint64_t whole = 0, part = 0;
	double scale = 1;

	if (!digits_take(text, &whole))
		return false;
	if (**text == '.') {
		const char *from = ++*text;

		if (!digits_take(text, &part))
			return false;
		for (; from < *text; from++)
			scale *= 10;
	}
	*ret_number = (double)whole + (double)part / scale;
	return true;
}

static bool trigger_duration_of(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };
	double number, ns;

	if (!decimal_take(&text, &number))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].unit) != 0)
			continue;
		ns = number * units[i].ns;
		if (!(ns >= 1e6) || !(ns <= (double)TRIGGER_NS_MAX))
			return false;
		*ret_ns = (uint64_t)ns;
		return true;
	}
	return false;
}

static bool trigger_size_of(const char *text, uint64_t *ret_bytes)
{
	static const char letters[] = "KMGT";
	const char *letter;
	double number;

	if (!decimal_take(&text, &number) || !*text || text[1])
		return false;
	letter = strchr(letters, *text);
	if (!letter)
		return false;
	for (const char *i = letters; i <= letter; i++)
		number *= 1024;
	if (!(number >= 1) || !(number < 1e18))
		return false;
	*ret_bytes = (uint64_t)number;
	return true;
}

/* --- clauses --- */

struct trigger_reading {
	struct trigger_words words;
	struct trigger *trigger;
	char *why;
};

static int reading_refuse(struct trigger_reading *reading, const char *allowed)
{
	char word[WORD_BYTES];
	size_t i;

	/* it may be shown on a terminal */
	for (i = 0; reading->words.word[i]; i++)
		word[i] = reading->words.word[i] >= ' ' && reading->words.word[i] <= '~'
				  ? reading->words.word[i]
				  : '?';
	word[i] = 0;
	snprintf(reading->why, TRIGGER_WHY_BYTES, "'%s' is not %s", *word ? word : "the end",
		 allowed);
	return -1;
}

static int duration_read(struct trigger_reading *reading, uint64_t *ret_ns)
{
	if (!trigger_duration_of(reading->words.word, ret_ns))
		return reading_refuse(reading, "a time from 1ms to 24h, such as 10s");
	words_next(&reading->words);
	return 0;
}

static int factor_read(struct trigger_reading *reading, const char *of)
{
	const char *text = reading->words.word;

	if (!decimal_take(&text, &reading->trigger->factor) || *text ||
	    !(reading->trigger->factor > 0) || !(reading->trigger->factor <= 1e6))
		return reading_refuse(reading, "a number above 0, such as 3");
	words_next(&reading->words);
	if (!words_take(&reading->words, "*"))
		return reading_refuse(reading, "*");
	if (!words_take(&reading->words, of))
		return reading_refuse(reading, of);
	return 0;
}

static int rss_read(struct trigger_reading *reading)
{
	if (!words_take(&reading->words, ">"))
		return reading_refuse(reading, ">");
	if (trigger_size_of(reading->words.word, &reading->trigger->bytes)) {
		reading->trigger->kind = TRIGGER_RSS;
		words_next(&reading->words);
		return 0;
	}
	reading->trigger->kind = TRIGGER_RSS_SHARE;
	return factor_read(reading, "limit");
}

static int when_read(struct trigger_reading *reading)
{
	if (words_take(&reading->words, "step")) {
		reading->trigger->kind = TRIGGER_SLOW_STEP;
		if (!words_take(&reading->words, ">"))
			return reading_refuse(reading, ">");
		return factor_read(reading, "p50");
	}
	if (words_take(&reading->words, "rss"))
		return rss_read(reading);
	if (words_take(&reading->words, "no")) {
		reading->trigger->kind = TRIGGER_NO_STEP;
		if (!words_take(&reading->words, "step") || !words_take(&reading->words, "for"))
			return reading_refuse(reading, "'step for' and a time");
		return duration_read(reading, &reading->trigger->idle_ns);
	}
	return reading_refuse(reading, "step, rss or no step");
}

static int steps_read(struct trigger_reading *reading)
{
	uint64_t from, to;

	if (!trigger_span_of(reading->words.word, &from, &to) || to - from >= TRIGGER_STEPS_MAX)
		return reading_refuse(reading, "A..B with at most a million steps");
	reading->trigger->kind = TRIGGER_STEPS;
	reading->trigger->from = from;
	reading->trigger->steps = to - from + 1;
	reading->trigger->for_ns = 0;
	words_next(&reading->words);
	return 0;
}

static int ranks_read(struct trigger_reading *reading)
{
	struct trigger *trigger = reading->trigger;

	do {
		uint64_t from, to;

		if (trigger->rank_count == TRIGGER_RANKS)
			return reading_refuse(reading, "allowed: a list has at most 16 parts");
		if (!trigger_span_of(reading->words.word, &from, &to) || to > UINT32_MAX)
			return reading_refuse(reading,
					      "a rank or a range of ranks, as in 0,3,8..15");
		trigger->rank_from[trigger->rank_count] = (uint32_t)from;
		trigger->rank_to[trigger->rank_count++] = (uint32_t)to;
		words_next(&reading->words);
	} while (words_take(&reading->words, ","));
	return 0;
}

static int count_read(struct trigger_reading *reading)
{
	uint64_t from, to;

	if (!trigger_span_of(reading->words.word, &from, &to) || from != to || !from ||
	    from > TRIGGER_STEPS_MAX)
		return reading_refuse(reading, "a number of steps from 1 to a million");
	reading->trigger->steps = from;
	reading->trigger->for_ns = 0;
	words_next(&reading->words);
	return 0;
}

/* What stands behind any clause, each at most once. */
static int options_read(struct trigger_reading *reading)
{
	bool has_length = reading->trigger->kind == TRIGGER_STEPS;
	int error = 0;

	while (*reading->words.word && !error) {
		if (!has_length && words_take(&reading->words, "for")) {
			error = duration_read(reading, &reading->trigger->for_ns);
			has_length = true;
		} else if (!has_length && words_take(&reading->words, "steps")) {
			error = count_read(reading);
			has_length = true;
		} else if (!reading->trigger->rank_count && words_take(&reading->words, "ranks")) {
			error = ranks_read(reading);
		} else {
			error = reading_refuse(reading, has_length ? "'ranks' and a list of ranks"
								   : "for, steps or ranks");
		}
	}
	return error;
}

int trigger_parse(const char *text, size_t length, struct trigger *ret_trigger,
		  char ret_why[TRIGGER_WHY_BYTES])
{
	struct trigger trigger = { .kind = TRIGGER_NOW, .for_ns = TRIGGER_FOR_NS };
	struct trigger_reading reading = { .words = { .at = text, .end = text + length },
					   .trigger = &trigger,
					   .why = ret_why };
	int error = 0;

	*ret_why = 0;
	words_next(&reading.words);
	if (words_take(&reading.words, "when"))
		error = when_read(&reading);
	else if (words_take(&reading.words, "steps"))
		error = steps_read(&reading);
	else if (!words_take(&reading.words, "now"))
		error = reading_refuse(&reading, "now, steps or when");
	if (!error)
		error = options_read(&reading);
	if (!error && reading.words.is_too_long)
		error = reading_refuse(&reading, "a word of a request");
	if (!error)
		*ret_trigger = trigger;
	return error;
}

/* --- lists --- */

static size_t line_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] != '\n' && text[at] != ';')
		at++;
	return at;
}

/* Without a comment and the spaces around it. */
static void line_trim(const char *text, size_t *at, size_t *length)
{
	const char *comment = memchr(text + *at, '#', *length);

	if (comment)
		*length = (size_t)(comment - text) - *at;
	while (*length && is_space(text[*at])) {
		(*at)++;
		(*length)--;
	}
	while (*length && is_space(text[*at + *length - 1]))
		(*length)--;
}

uint32_t trigger_parse_list(const char *text, size_t length, struct trigger_list *ret_list,
			    char ret_why[TRIGGER_WHY_BYTES])
{
	uint32_t wrong = 0;

	ret_list->count = 0;
	*ret_why = 0;
	if (length > TRIGGER_BYTES)
		length = TRIGGER_BYTES;
	for (size_t from = 0; from < length;) {
		size_t whole = line_length(text + from, length - from), at = from, used = whole;
		char why[TRIGGER_WHY_BYTES];
		struct trigger trigger;

		from += whole + 1;
		line_trim(text, &at, &used);
		if (!used)
			continue;
		if (trigger_parse(text + at, used, &trigger, why)) {
			if (!wrong++)
				memcpy(ret_why, why, sizeof(why));
		} else if (ret_list->count == TRIGGER_LIST) {
			if (!wrong++)
				snprintf(ret_why, TRIGGER_WHY_BYTES,
					 "there are more than %u requests", TRIGGER_LIST);
		} else {
			trigger.at = (uint16_t)at;
			trigger.length = (uint16_t)used;
			ret_list->trigger[ret_list->count++] = trigger;
		}
	}
	return wrong;
}

bool trigger_is_for_rank(const struct trigger *trigger, bool has_rank, uint32_t rank)
{
	if (!trigger->rank_count)
		return true;
	for (uint32_t i = 0; has_rank && i < trigger->rank_count; i++)
		if (rank >= trigger->rank_from[i] && rank <= trigger->rank_to[i])
			return true;
	return false;
}
