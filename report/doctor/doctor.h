/* SPDX-License-Identifier: MIT */
/*
 * One line of `prof-report doctor`: each check finds a state, what it saw, and what to do about it.
 * Checks change nothing. One thread.
 */
#ifndef REPORT_DOCTOR_DOCTOR_H
#define REPORT_DOCTOR_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* some things are not recorded */
	DOCTOR_MISSING, /* what the subject is for is not recorded */
	DOCTOR_STOPS,   /* nothing is recorded */
};

struct doctor_line {
	enum doctor_state state;
	char found[512];
	char remedy[512]; /* "": nothing is to be done */
};

/* What the interpreter says of itself (doctor_python.c). */
struct doctor_python {
	char path[PATH_MAX]; /* "": there is none */
	char why[256];       /* it could not be asked; "": it answered */
	const char *spoiler; /* variable of the environment without which it answers; or NULL */
	char implementation[32];
	unsigned int major, minor;
	char version[64], torch[64];
	char runtime[16]; /* _PyRuntime is visible: yes, no or unknown */
	char cupti[PATH_MAX];
};

struct doctor {
	char library[PATH_MAX]; /* "": not found */
	struct doctor_python python;
};

void doctor_init(struct doctor *doctor);
void doctor_ask_python(struct doctor_python *python);

/* Sets the texts; returns nothing. `remedy` may be "". */
void doctor_say(struct doctor_line *line, enum doctor_state state, const char *remedy,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

#define CHECK(name, subject) \
	void check_##name(const struct doctor *doctor, struct doctor_line *line);
#include "report/doctor/checks.def"

#endif
