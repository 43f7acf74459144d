/* SPDX-License-Identifier: MIT */
/*
 * Writes one JSON document to a stream: valid UTF-8, complete numbers, and one line for each object
 * of the first two levels. Invalid UTF-8 becomes U+FFFD. Characters that text.h does not show
 * become \uXXXX, so if the locale is not UTF-8, the output is ASCII. Commas and nesting are handled
 * here.
 */
#ifndef REPORT_BASE_JSON_H
#define REPORT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
	FILE *out;
	unsigned int depth;
	bool more[JSON_DEPTH]; /* at each depth: something precedes */
};

/* `key` is NULL inside an array and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *key, const char *text, size_t length);
void json_string(struct json *json, const char *key, const char *text); /* NULL is null */
void json_number(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
void json_real(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
