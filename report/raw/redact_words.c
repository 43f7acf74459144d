/* SPDX-License-Identifier: MIT */
/* One table of words serves to read the option and to print what was left out. */
#include "report/raw/redact_words.h"

#include <string.h>

#include "report/raw/redact_texts.h"

static const struct {
	const char *word;
	unsigned int what;
} words[] = { { "args", REDACT_ARGS }, { "paths", REDACT_PATHS }, { "host", REDACT_HOST } };
#define WORDS (sizeof(words) / sizeof(words[0]))

unsigned int redact_words_take(struct report_request *request, unsigned int unasked)
{
	const char *text = request->options->of_report[REPORT_OPTION_redact].text;
	unsigned int what = 0;

	if (!text)
		return unasked;
	while (*text) {
		size_t length = strcspn(text, ","), i = 0;

		while (i < WORDS && (strlen(words[i].word) != length ||
				     memcmp(words[i].word, text, length) != 0))
			i++;
		if (i == WORDS)
			break;
		what |= words[i].what;
		text += length + (text[length] == ',');
	}
	if (*text || !what) {
		snprintf(request->message, sizeof(request->message),
			 "--redact '%s' is none of args, paths and host, with commas between",
			 request->options->of_report[REPORT_OPTION_redact].text);
		return 0;
	}
	return what;
}

void redact_words_print(unsigned int what)
{
	const char *before = ": without ";

	for (size_t i = 0; i < WORDS; i++) {
		if (!(what & words[i].what))
			continue;
		printf("%s%s", before, words[i].word);
		before = ",";
	}
	putchar('\n');
}
