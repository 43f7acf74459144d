/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people read and write them: 1.23 ms, 4.5 MiB, 12.3 %, 1,234,567, and back. Pure
 * functions. Texts are ASCII and at most UNIT_TEXT_BYTES long including the terminator.
 */
#ifndef REPORT_BASE_UNITS_H
#define REPORT_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNIT_TEXT_BYTES 32

enum unit {
	UNIT_COUNT,   /* 1,234 */
	UNIT_ID,      /* pid, exit status: digits only */
	UNIT_NS,      /* 1.23 ms */
	UNIT_SECONDS, /* ns as seconds with five digits; the heading says so: 0.0022506 */
	UNIT_BYTES,   /* 4.50 MiB */
	UNIT_PERCENT, /* 12.3 %, a real number */
	UNIT_CLASS,   /* largest size of a size class: "up to 32 B" */
	UNIT_RATE,    /* bytes per second, shown as GB/s */
	UNIT_AMOUNT,  /* 1.23 G */
	UNIT_TEXT,
	UNIT_SYMBOL,  /* text: a C++ name, see symbol.h */
	UNIT_CODE,    /* text: a line of source code, which is read from its beginning */
	UNIT_COMMAND, /* text: a command line, which begins with the path of a program */
	UNIT_STACK,   /* text: functions, outermost first, with ; between them */
};

/* "count", "ns", "bytes", ... as in exports. */
const char *unit_name(enum unit unit);

/* The plural ending of a word for `count` things. */
static inline const char *unit_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* All return `text`. */
const char *unit_format_count(char text[UNIT_TEXT_BYTES], uint64_t count);
const char *unit_format_ns(char text[UNIT_TEXT_BYTES], uint64_t ns);
const char *unit_format_bytes(char text[UNIT_TEXT_BYTES], uint64_t bytes);
const char *unit_format_percent(char text[UNIT_TEXT_BYTES], double percent);
const char *unit_format(char text[UNIT_TEXT_BYTES], enum unit unit, uint64_t value);
const char *unit_format_signed(char text[UNIT_TEXT_BYTES], enum unit unit, int64_t value);

/*
 * Parses a number with an optional unit ("10MiB", "5ms", "1e6", "12.5%"); without one it is in ns,
 * bytes or ones. Returns 0, or -1 if `text` is no number; unit_allowed() says what is allowed.
 */
int unit_parse(const char *text, size_t length, enum unit unit, double *ret_value);
const char *unit_allowed(enum unit unit);

#endif
