/* SPDX-License-Identifier: MIT */
/*
 * A finished report on its way out, and its possible formats. An exporter writes the document to a
 * stream and examines nothing else. The caller checks the stream for errors (ferror).
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
	FORMAT_FOLDED, /* drawn by the report itself, if it can */
	FORMAT_SVG,
	FORMAT_PSTATS,
	FORMAT_LIMIT,
};
extern const char *const export_format_names[FORMAT_LIMIT];

/* The screen on which a table is drawn. */
struct screen {
	FILE *out;
	size_t width; /* in columns */
	/*
	 * no terminal: tables and names take the room they need; `width` applies to sentences and
	 * curves
	 */
	bool uncut;
	bool color, utf8;
	bool is_terminal; /* a person is looking, and sees one screen first */
	/* For several sessions that are shown one after the other. */
	struct screen_session {
		const char *name; /* its first file; NULL: it is the only session */
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
	struct source *const *before; /* in a comparison: the runs that `source` is compared with */
	size_t before_count;
	struct source *const *also; /* and those that are compared with it */
	size_t also_count;
	const struct table *table;
	/*
	 * NULL: the table has all rows. Otherwise it is the table, and gets its rows in parts:
	 * document_next_rows()
	 */
	struct table *streamed;
	const struct arrangement *arrangement; /* for the parts */
	size_t shown[COLUMNS_MAX];             /* the table's columns to show, in order */
	size_t shown_count;
	bool shown_chosen; /* chosen by the user: none is left out */
	size_t kept;       /* the table's column + 1 that is never left out, 0 for none */
	size_t key; /* also such a column: the rows' key from --by; left out only if it is empty */
	const struct fact *fact;
	size_t fact_count;
	/* Printed before and after the table for people; NULL for none. */
	void (*head)(const struct document *document, const struct screen *screen);
	void (*foot)(const struct document *document, const struct screen *screen);
	/* The formats that a report makes itself. */
	void (*draw)(const struct document *document, const struct screen *screen,
		     enum export_format format);
	const void *context; /* for all three functions */
	/* one line before everything: what was recorded; NULL if everything was */
	const char *scope;
	uint64_t families; /* 1 << enum evt_family, for the events that it is made of */
	const char *empty; /* one line for a table without rows, NULL: a general one */
	bool raw;          /* csv: formulas are not defused */
	bool names_first;  /* the rows' names get half of the screen before figures do */
	bool head_only;    /* the table is for programs: people get everything from the head */
	bool says_losses;  /* the head also reports losses, so nothing is printed before it */
};

extern void (*const exporters[FORMAT_LIMIT])(const struct document *document,
					     const struct screen *screen);

void export_table(const struct document *document, const struct screen *screen);
void export_csv(const struct document *document, const struct screen *screen);
void export_json(const struct document *document, const struct screen *screen);
void export_markdown(const struct document *document, const struct screen *screen);

/*
 * Makes the next rows of a streamed table. False: there are none, perhaps already at the first
 * call. For other tables always false.
 */
bool document_next_rows(const struct document *document);

/* Only the rows, as export_table() draws them; for the parts of the summary. */
void export_table_rows(const struct document *document, const struct screen *screen);
/* Prints each limitation that concerns one of the families (1 << enum evt_family). */
void export_limitations(const struct source *source, uint64_t families,
			const struct screen *screen);
/* Prints one line in red for each kind of loss and fault; nothing if there are none. */
void export_losses(struct source *source, const struct screen *screen);
/* Prints both for the recordings beside the document's own. */
void export_other_losses(const struct document *document, const struct screen *screen);

/* A cell for people, escaped, in memory of `texts`. */
const char *export_cell_text(struct text_store *texts, const struct column *column,
			     const struct cell *cell);

#define SCREEN_BOLD "1"
#define SCREEN_DIM "2"
#define SCREEN_RED "1;31"
/* printf() of a sentence and a newline, broken at spaces to fit the width. */
void screen_print_prose(const struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * The same in pieces: prints to prose->screen, which has no newline yet. Prints nothing if the
 * piece is empty.
 */
struct prose {
	struct screen screen;
	unsigned int indent; /* of the second and later lines; 0 unless set */
	unsigned int used;   /* columns of the first line that are already printed; 0 unless set */
	char *text;
	size_t length;
};
void prose_begin(struct prose *prose, const struct screen *screen);
void prose_end(struct prose *prose, const struct screen *screen);
/* printf() in a colour, or plain if there are no colours. */
void screen_print(const struct screen *screen, const char *color, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
