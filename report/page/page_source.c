/* SPDX-License-Identifier: MIT */
/* The page without its data: writes the embedded files and the content security policy. */
#include "report/page/page_source.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/page/page_digests.h"

/* The bytes of each file, from page_NAME to page_NAME_end. */
#define EMBED(name, file)                                                      \
	__asm__(".pushsection .rodata\n"                                       \
		"page_" #name ":\n"                                            \
		".incbin \"" file "\"\n"                                       \
		"page_" #name "_end:\n"                                        \
		".popsection\n");                                              \
	extern const char page_##name[] __attribute__((visibility("hidden"))); \
	extern const char page_##name##_end[] __attribute__((visibility("hidden")));
#define STYLE EMBED
#define BODY EMBED
#define SCRIPT EMBED
#include "report/page/page_source.def"

struct piece {
	const char *from, *to;
};

static const struct piece styles[] = {
#define STYLE(name, file) { page_##name, page_##name##_end },
#define BODY(name, file)
#define SCRIPT(name, file)
#include "report/page/page_source.def"
};

static const struct piece bodies[] = {
#define STYLE(name, file)
#define BODY(name, file) { page_##name, page_##name##_end },
#define SCRIPT(name, file)
#include "report/page/page_source.def"
};

static const struct piece scripts[] = {
#define STYLE(name, file)
#define BODY(name, file)
#define SCRIPT(name, file) { page_##name, page_##name##_end },
#include "report/page/page_source.def"
};

struct text {
	char *bytes;
	size_t length;
};

static struct text page_source_join(const struct piece *piece, size_t count)
{
	struct text all = { .length = 0 };
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		all.length += (size_t)(piece[i].to - piece[i].from);
	all.bytes = memory_zero(all.length + 1, 1);
	for (size_t i = 0; i < count; i++) {
		size_t length = (size_t)(piece[i].to - piece[i].from);

		memcpy(all.bytes + at, piece[i].from, length);
		at += length;
	}
	return all;
}

#define JOIN(pieces) page_source_join(pieces, sizeof(pieces) / sizeof((pieces)[0]))

static void put_policy(struct sink *sink)
{
	sink_print(sink,
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "base-uri 'none'; form-action 'none'; style-src 'sha256-%s'; "
		   "script-src 'sha256-%s'\">\n",
		   page_digest_style, page_digest_script);
}

void page_source_begin(struct sink *sink)
{
	struct text style = JOIN(styles), body = JOIN(bodies), script = JOIN(scripts);

	sink_text(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	put_policy(sink);
	sink_text(sink, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			"<meta name=\"generator\" content=\"intercept " INTERCEPT_VERSION "\">\n"
			"<title>intercept</title>\n<style>");
	sink_put(sink, style.bytes, style.length);
	sink_text(sink, "</style>\n</head>\n<body>\n");
	sink_put(sink, body.bytes, body.length);
	sink_text(sink, "<script>");
	sink_put(sink, script.bytes, script.length);
	sink_text(sink, "</script>\n");
	free(style.bytes);
	free(body.bytes);
	free(script.bytes);
}

void page_source_end(struct sink *sink)
{
	sink_text(sink, "</body>\n</html>\n");
}
