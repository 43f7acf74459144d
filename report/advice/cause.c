/* SPDX-License-Identifier: MIT */
/* Ids are compared as text, because a recording may have advice that no rule has yet. */
#include "report/advice/cause.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/base/text.h"

#define NAME_WIDTH 40u
#define NAME_BYTES 168u

static const struct {
	const char *id;
	enum { OF_PROGRAM, OF_RECORDING } of;
	const char *title;
} causes[] = {
#define CAUSE(id, of, title) { #id, OF_##of, title },
#include "report/advice/causes.def"
};

#define CAUSES (sizeof(causes) / sizeof(causes[0]))

static size_t cause_find(const struct advice *advice)
{
	size_t at = 0;

	while (at < CAUSES && strcmp(causes[at].id, advice->rule->id) != 0)
		at++;
	return at;
}

/* The title's begin where it is known what the library does; NULL: the rule's title says more. */
static const char *does_title(const struct advice *advice)
{
	if (advice->rule->look == advice_between_operators)
		return "Much of the time between operators passes in";
	if (advice->rule->look == advice_slow_steps)
		return "Some steps take much longer, as in";
	if (advice->rule->look == advice_step_function)
		return "One function beside the model is mostly";
	if (advice->rule->look == advice_hot_function)
		return "Much of the CPU time passes in";
	return advice->rule->look == advice_hot_line ? "Much of the main thread's time passes in"
						     : NULL;
}

/* Returns whether slow steps are at a regular distance, which their title then says. */
static bool rhythm_title(const struct advice *advice, char title[CAUSE_TITLE_BYTES])
{
	if (!advice->steps_apart)
		return false;
	snprintf(title, CAUSE_TITLE_BYTES, "One step in %" PRIu64 " takes much longer%s%s",
		 advice->steps_apart, advice->does[0] ? ", as in " : "", advice->does);
	return true;
}

const char *cause_title(const struct advice *advice, char title[CAUSE_TITLE_BYTES])
{
	size_t at = cause_find(advice);

	if (rhythm_title(advice, title))
		return title;
	if (advice->waits_for[0]) {
		snprintf(title, CAUSE_TITLE_BYTES, "The %s thread waits for %s",
			 advice->rule->look == advice_between_operators ? "loop's" : "main",
			 advice->waits_for);
		return title;
	}
	if (advice->does[0] && does_title(advice)) {
		snprintf(title, CAUSE_TITLE_BYTES, "%s %s", does_title(advice), advice->does);
		return title;
	}
	if (advice->late[0]) {
		snprintf(title, CAUSE_TITLE_BYTES, "Ranks wait for %s", advice->late);
		return title;
	}
	if (advice->rule->look == advice_startup && advice->place.line[0]) {
		snprintf(title, CAUSE_TITLE_BYTES, "Work before the first step");
		return title;
	}
	snprintf(title, CAUSE_TITLE_BYTES, "%s", at < CAUSES ? causes[at].title : advice->rule->id);
	for (char *letter = title; at == CAUSES && *letter; letter++)
		*letter = *letter == '_' ? ' ' : *letter;
	if (at == CAUSES)
		title[0] = (char)toupper((unsigned char)title[0]);
	return title;
}

const char *cause_title_inside(const struct advice *advice, char title[CAUSE_TITLE_BYTES])
{
	size_t length;

	cause_title(advice, title);
	length = strcspn(title, " ");
	for (size_t i = 1; i < length; i++)
		if (!islower((unsigned char)title[i]))
			return title;
	title[0] = (char)tolower((unsigned char)title[0]);
	return title;
}

bool cause_is_of_program(const struct advice *advice)
{
	size_t at = cause_find(advice);

	return at == CAUSES || causes[at].of == OF_PROGRAM;
}

bool causes_are_of_program(const struct bottleneck *bottleneck)
{
	for (size_t i = 0; i < bottleneck->advice_count; i++)
		if (cause_is_of_program(&bottleneck->advice[i]))
			return true;
	return false;
}

/* Shows a name that is already escaped, without folders and at most NAME_WIDTH wide. */
static void show_name(const char *name, char shown[NAME_BYTES])
{
	const char *slash = strrchr(name, '/');
	const char *base = slash && slash[1] ? slash + 1 : name;
	char whole[ADVICE_LINE_BYTES + 8];

	text_shorten(whole, base, strnlen(base, ADVICE_LINE_BYTES), NAME_WIDTH, "..");
	text_escape(shown, NAME_BYTES, whole, strlen(whole));
}

/*
 * Returns whether the function has a name of its own. A comprehension is named after its line's
 * function.
 */
static bool cause_has_name(const char *function)
{
	static const char *const made_up[] = { "<module>", "<genexpr>", "<listcomp>", "<dictcomp>",
					       "<setcomp>" };

	for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++)
		if (!strcmp(function, made_up[i]))
			return false;
	return *function;
}

#define PART_MOST 50.0 /* percent: a place with as much is where the time is */

const char *cause_place(const struct advice *advice, char place[CAUSE_PLACE_BYTES])
{
	const struct advice_place *at = &advice->place;
	char line[NAME_BYTES], function[NAME_BYTES], caller[NAME_BYTES];
	char waits[NAME_BYTES] = "", others[NAME_BYTES] = "";
	bool has_function = cause_has_name(at->function);
	bool is_others = advice->waits_at[0] && strcmp(advice->waits_at, at->line) != 0;
	bool has_caller = at->caller[0] && !is_others; /* a sentence has room for two lines */
	char part[64] = "";

	place[0] = '\0';
	show_name(at->function, function);
	if (!at->line[0]) {
		snprintf(place, CAUSE_PLACE_BYTES, "%s", function);
		return place;
	}
	show_name(at->line, line);
	show_name(at->caller, caller);
	if (is_others)
		show_name(advice->waits_at, waits);
	show_name(advice->has_gil, others);
	if (at->part > 0 && at->part < PART_MOST)
		snprintf(part, sizeof(part), "%.0f %% of that%s ", at->part,
			 is_others ? ":" : " in");
	snprintf(place, CAUSE_PLACE_BYTES, "%s%s%s%s%s%s%s%s%s%s%s%s%s", part, waits,
		 is_others ? " waits while others are in " : "", line, has_function ? " (" : "",
		 has_function ? function : "", has_function ? ")" : "",
		 has_caller ? ", called from " : "", has_caller ? caller : "",
		 at->library[0] ? ", mostly in " : "", at->library,
		 others[0] ? ", while another thread is in " : "", others);
	return place;
}

/* Returns where the sentence ends: at a full stop before a space and a capital, or at the end. */
static size_t sentence_length(const char *text)
{
	const char *stop = text;

	while ((stop = strstr(stop, ". ")) && !isupper((unsigned char)stop[2]))
		stop++;
	return stop ? (size_t)(stop - text) + 1 : strlen(text);
}

/*
 * Returns whether the text begins with a plain word: letters up to a space, unlike names such as
 * "p99" or "aten::copy_".
 */
static bool is_plain_word(const char *text)
{
	size_t length = strcspn(text, " ");

	for (size_t i = 0; i < length; i++)
		if (!islower((unsigned char)text[i]))
			return false;
	return length;
}

const char *cause_figures(const struct advice *advice, char text[ADVICE_BYTES])
{
	snprintf(text, ADVICE_BYTES, "%.*s", (int)sentence_length(advice->text), advice->text);
	if (is_plain_word(text))
		text[0] = (char)toupper((unsigned char)text[0]);
	return text;
}
