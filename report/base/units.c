/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people read and write them: picks a scale, rounds to three digits, and parses the same
 * forms.
 */
#include "report/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scale {
	const char *name;
	double factor;
};

static const struct scale time_scales[] = {
	{ "ns", 1 },     { "us", 1e3 },   { "ms", 1e6 }, { "s", 1e9 },
	{ "min", 60e9 }, { "h", 3600e9 }, { NULL, 0 },
};

static const struct scale byte_scales[] = {
	{ "B", 1 },
	{ "KiB", 1024.0 },
	{ "MiB", 1048576.0 },
	{ "GiB", 1073741824.0 },
	{ "TiB", 1099511627776.0 },
	{ "PiB", 1125899906842624.0 },
	{ "kB", 1e3 },
	{ "MB", 1e6 },
	{ "GB", 1e9 },
	{ "TB", 1e12 },
	{ NULL, 0 },
};

static const struct scale count_scales[] = {
	{ "k", 1e3 },
	{ "M", 1e6 },
	{ "G", 1e9 },
	{ NULL, 0 },
};

static const struct scale amount_scales[] = {
	{ "", 1 },     { "k", 1e3 },  { "M", 1e6 }, { "G", 1e9 },
	{ "T", 1e12 }, { "P", 1e15 }, { NULL, 0 },
};

static const struct scale percent_scales[] = {
	{ "%", 1 },
	{ NULL, 0 },
};

const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_COUNT] = "count",  [UNIT_ID] = "id",           [UNIT_NS] = "ns",
		[UNIT_BYTES] = "bytes",  [UNIT_PERCENT] = "percent", [UNIT_CLASS] = "bytes",
		[UNIT_RATE] = "bytes/s", [UNIT_TEXT] = "text",       [UNIT_SYMBOL] = "text",
		[UNIT_CODE] = "text",    [UNIT_STACK] = "text",      [UNIT_SECONDS] = "ns",
		[UNIT_AMOUNT] = "count", [UNIT_COMMAND] = "text",
	};

	return names[unit];
}

const char *unit_format_count(char text[UNIT_TEXT_BYTES], uint64_t count)
{
	char digits[UNIT_TEXT_BYTES];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *at = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return text;
}

/* Number of digits for three significant ones; 999.6 is not written as 1000. */
static int scale_digits(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

/* Picks the largest of the first `count` scales (ascending) in which the value is at least 1. */
static const char *scale_format(char text[UNIT_TEXT_BYTES], const struct scale *scale, size_t count,
				uint64_t value)
{
	size_t at = 0;
	double scaled;

	while (at + 1 < count) {
		double step = scale[at + 1].factor / scale[at].factor;

		/* 999.6 us would be written as 1000 us; 59.6 s would not as 60 s */
		if ((double)value / scale[at].factor + (step >= 1000 ? 0.5 : 0) < step)
			break;
		at++;
	}
	scaled = (double)value / scale[at].factor;
	snprintf(text, UNIT_TEXT_BYTES, "%.*f %s", at ? scale_digits(scaled) : 0, scaled,
		 scale[at].name);
	return text;
}

const char *unit_format_ns(char text[UNIT_TEXT_BYTES], uint64_t ns)
{
	/* Seconds up to two minutes: "90.0 s" is easier to read than "1.50 min". */
	if (ns >= 60000000000ull && ns < 120000000000ull) {
		snprintf(text, UNIT_TEXT_BYTES, "%.*f s", scale_digits((double)ns / 1e9),
			 (double)ns / 1e9);
		return text;
	}
	return scale_format(text, time_scales, 6, ns);
}

/* As Python's format() with .5, except that ten thousand seconds and more are written in full. */
static const char *unit_format_seconds(char text[UNIT_TEXT_BYTES], uint64_t ns)
{
	double seconds = (double)ns / 1e9;

	if (seconds >= 9999.95) {
		snprintf(text, UNIT_TEXT_BYTES, "%.0f", seconds);
		return text;
	}
	snprintf(text, UNIT_TEXT_BYTES, "%.5g", seconds);
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	return text;
}

const char *unit_format_bytes(char text[UNIT_TEXT_BYTES], uint64_t bytes)
{
	return scale_format(text, byte_scales, 6, bytes);
}

const char *unit_format_percent(char text[UNIT_TEXT_BYTES], double percent)
{
	if (percent > 0 && percent < 0.05)
		snprintf(text, UNIT_TEXT_BYTES, "<0.1 %%");
	else
		snprintf(text, UNIT_TEXT_BYTES, "%.1f %%", percent);
	return text;
}

/* Powers of two: no digits after the point. */
static const char *unit_format_class(char text[UNIT_TEXT_BYTES], uint64_t bytes)
{
	size_t at = 0;

	while (at < 5 && bytes >= (1024ull << (10 * at)))
		at++;
	snprintf(text, UNIT_TEXT_BYTES, bytes ? "up to %.0f %s" : "%.0f %s",
		 (double)bytes / byte_scales[at].factor, byte_scales[at].name);
	return text;
}

/* Three digits; the heading says that it is GB/s. */
static const char *unit_format_rate(char text[UNIT_TEXT_BYTES], uint64_t bytes)
{
	double scaled = (double)bytes / 1e9;

	if (bytes && scaled < 0.0005)
		snprintf(text, UNIT_TEXT_BYTES, "<0.001");
	else
		snprintf(text, UNIT_TEXT_BYTES, "%.*f", scaled < 1 ? 3 : scale_digits(scaled),
			 scaled);
	return text;
}

const char *unit_format(char text[UNIT_TEXT_BYTES], enum unit unit, uint64_t value)
{
	switch (unit) {
	case UNIT_NS:
		return unit_format_ns(text, value);
	case UNIT_SECONDS:
		return unit_format_seconds(text, value);
	case UNIT_BYTES:
		return unit_format_bytes(text, value);
	case UNIT_CLASS:
		return unit_format_class(text, value);
	case UNIT_COUNT:
		return unit_format_count(text, value);
	case UNIT_RATE:
		return unit_format_rate(text, value);
	case UNIT_AMOUNT:
		return value < 1000 ? unit_format_count(text, value)
				    : scale_format(text, amount_scales, 6, value);
	default:
		snprintf(text, UNIT_TEXT_BYTES, "%llu", (unsigned long long)value);
		return text;
	}
}

const char *unit_format_signed(char text[UNIT_TEXT_BYTES], enum unit unit, int64_t value)
{
	char positive[UNIT_TEXT_BYTES];

	if (value >= 0)
		return unit_format(text, unit, (uint64_t)value);
	unit_format(positive, unit, -(uint64_t)value);
	snprintf(text, UNIT_TEXT_BYTES, "-%.*s", UNIT_TEXT_BYTES - 2, positive);
	return text;
}

static const struct scale *unit_scales(enum unit unit)
{
	switch (unit) {
	case UNIT_NS:
	case UNIT_SECONDS:
		return time_scales;
	case UNIT_BYTES:
	case UNIT_CLASS:
	case UNIT_RATE:
		return byte_scales;
	case UNIT_PERCENT:
		return percent_scales;
	case UNIT_AMOUNT:
		return amount_scales + 1;
	default:
		return count_scales;
	}
}

int unit_parse(const char *text, size_t length, enum unit unit, double *ret_value)
{
	char copy[UNIT_TEXT_BYTES * 2], *end;
	double value;

	if (!length || length >= sizeof(copy))
		return -1;
	memcpy(copy, text, length);
	copy[length] = '\0';
	/*
	 * strtod() also accepts "inf", "nan" and hexadecimal numbers, which are no sizes or times
	 */
	if (!strchr("0123456789.+-", copy[0]) || strpbrk(copy, "xX"))
		return -1;
	value = strtod(copy, &end);
	if (end == copy || !isfinite(value))
		return -1;
	while (*end == ' ')
		end++;
	*ret_value = value;
	if (!*end) /* shown as GB/s, so a bare number could mean GB/s as well as bytes/s */
		return unit == UNIT_RATE && value != 0 ? -1 : 0;
	if (unit == UNIT_RATE && strlen(end) > 2 && !strcmp(end + strlen(end) - 2, "/s"))
		end[strlen(end) - 2] = '\0';
	for (const struct scale *scale = unit_scales(unit); scale->name; scale++) {
		if (!strcmp(end, scale->name)) {
			*ret_value = value * scale->factor;
			return 0;
		}
	}
	return -1;
}

const char *unit_allowed(enum unit unit)
{
	switch (unit) {
	case UNIT_NS:
	case UNIT_SECONDS:
		return "a number of ns, or one with ns us ms s min h";
	case UNIT_BYTES:
	case UNIT_CLASS:
		return "a number of bytes, or one with B KiB MiB GiB TiB kB MB GB TB";
	case UNIT_RATE:
		return "a number with its unit, as in 3GB/s or 100MB/s";
	case UNIT_PERCENT:
		return "a number, with or without %";
	default:
		return "a number, with or without k M G";
	}
}
