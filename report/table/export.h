/* SPDX-License-Identifier: MIT */
/*
 * A finished report on its way out, and the formats it can take. An exporter writes the document to a
 * stream and looks at nothing else; errors of the stream are the caller's to see (ferror).
 */
#ifndef REPORT_TABLE_EXPORT_H
#define REPORT_TABLE_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/session/source.h"
#include "report/table/table.h"

enum export_format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_MARKDOWN,
	FORMAT_FOLDED, /* drawn by the report itself, where it can */
	FORMAT_SVG,
	FORMAT_PSTATS,
	FORMAT_LIMIT,
};
extern const char *const export_format_names[FORMAT_LIMIT];

/* Where a table is drawn. */
struct screen {
	FILE *out;
	size_t width; /* columns */
	bool uncut; /* no terminal: tables and names take the room they need; `width` is that of sentences and curves */
	bool color, utf8;
	bool is_terminal; /* somebody looks at it, who sees one screen first */
	/* Of several sessions that are shown one after the other. */
	struct screen_session {
		const char *name; /* its first file; NULL: it is the only one */
		bool is_first, is_last;
	} session;
};

/* One of a report's totals. */
struct fact {
	const char *name;
	enum unit unit;
	struct cell cell;
};

struct document {
	const char *report;
	struct source *source;
	struct source *const *before; /* of a comparison: the runs that `source` is compared with */
	size_t before_count;
	struct source *const *also; /* and those that are compared with it */
	size_t also_count;
	const struct table *table;
	/* NULL: the table has all rows. Else it is that table, and gets them in parts: document_next_rows() */
	struct table *streamed;
	const struct arrangement *arrangement; /* of the parts */
	size_t shown[COLUMNS_MAX];             /* the table's columns to show, in order */
	size_t shown_count;
	bool shown_chosen; /* by the user: none is left out */
	size_t kept;       /* the table's column + 1 that is never left out, 0 for none */
	size_t key; /* likewise, what the rows are by as --by said; only an empty one is left out */
	const struct fact *fact;
	size_t fact_count;
	/* In front of and behind the table when people read it; NULL for none. */
	void (*head)(const struct document *document, const struct screen *screen);
	void (*foot)(const struct document *document, const struct screen *screen);
	/* The formats that a report makes itself. */
	void (*draw)(const struct document *document, const struct screen *screen,
		     enum export_format format);
	const void *context; /* of all three */
	const char *scope;   /* one line in front of all: what was recorded; NULL when all was */
	uint64_t families;   /* 1 << enum evt_family, of the events that it is made of */
	const char *empty;   /* one line for a table without rows, NULL: a general one */
	bool raw;            /* csv: formulas stay formulas */
	bool names_first;    /* what rows are named gets half of the screen before figures do */
	bool head_only;      /* the table is for programs: people get all from the head */
	bool says_losses;    /* and from nothing in front of it */
};

extern void (*const exporters[FORMAT_LIMIT])(const struct document *document,
					     const struct screen *screen);

void export_table(const struct document *document, const struct screen *screen);
void export_csv(const struct document *document, const struct screen *screen);
void export_json(const struct document *document, const struct screen *screen);
/* The document's own draw(). */
void export_folded(const struct document *document, const struct screen *screen);
void export_pstats(const struct document *document, const struct screen *screen);
void export_svg(const struct document *document, const struct screen *screen);
void export_markdown(const struct document *document, const struct screen *screen);

/* Makes the next rows of a table that is streamed; false: there are none, the first time too. Of other tables never more. */
bool document_next_rows(const struct document *document);

/* The rows alone, as export_table() draws them; for the parts of the summary. */
void export_table_rows(const struct document *document, const struct screen *screen);
/* Likewise for each limitation that concerns one of the families (1 << enum evt_family). */
void export_limitations(const struct source *source, uint64_t families,
			const struct screen *screen);
/* One line in red for each kind of loss and fault; nothing when there are none. */
void export_losses(struct source *source, const struct screen *screen);

/* A cell as people read it, escaped, in memory of `texts`. */
const char *export_cell_text(struct text_store *texts, const struct column *column,
			     const struct cell *cell);

#define SCREEN_BOLD "1"
#define SCREEN_DIM "2"
#define SCREEN_RED "1;31"
/* printf() of a sentence and a line end, broken at spaces to keep to the width. */
void screen_print_prose(const struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same in pieces: what is printed to prose->screen, which has no line end yet. Nothing when that is empty. */
struct prose {
	struct screen screen;
	unsigned int indent; /* of the second line and those after it; 0 unless it is set */
	unsigned int used;   /* columns of the first line that are printed already, likewise */
	char *text;
	size_t length;
};
void prose_begin(struct prose *prose, const struct screen *screen);
void prose_end(struct prose *prose, const struct screen *screen);
/* printf() in a colour, or plainly where there are none. */
void screen_print(const struct screen *screen, const char *color, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
