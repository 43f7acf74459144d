/* SPDX-License-Identifier: MIT */
/* cases: doctor */
/*
 * Report `doctor`: a line a subject, "SUBJECT: STATE: WHAT WAS FOUND; WHAT TO DO". The library is
 * looked for where make and make install put it, beside this program.
 */
#include "report/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/text.h"
#include "report/core/report_kind.h"

static const struct {
	const char *subject;
	void (*check)(const struct doctor *doctor, struct doctor_line *line);
} checks[] = {
#define CHECK(name, subject) { subject, check_##name },
#include "report/doctor/checks.def"
};

static const char *const states[] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_LIMITED] = "limited",
	[DOCTOR_MISSING] = "missing",
	[DOCTOR_STOPS] = "missing",
};

static void doctor_find_library(char ret_path[PATH_MAX])
{
	static const char *const places[] = { "/libintercept.so",
					      "/../lib/intercept/libintercept.so" };
	char folder[PATH_MAX], path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *slash;

	folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(folder, '/');
	ret_path[0] = '\0';
	for (size_t i = 0; slash && !ret_path[0] && i < sizeof(places) / sizeof(places[0]); i++) {
		*slash = '\0';
		snprintf(path, sizeof(path), "%s%s", folder, places[i]);
		if (!realpath(path, ret_path))
			ret_path[0] = '\0';
	}
}

void doctor_init(struct doctor *doctor)
{
	doctor_find_library(doctor->library);
	doctor_ask_python(&doctor->python);
}

static void doctor_print_line(const char *subject, const struct doctor_line *line)
{
	printf("%s: %s: ", subject, states[line->state]);
	text_print(stdout, line->found);
	if (line->remedy[0])
		printf("; %s", line->remedy);
	putchar('\n');
}

static int doctor_files(struct report_request *request)
{
	static struct doctor doctor;
	bool stops = false;

	if (request->options->file_count) {
		snprintf(request->message, sizeof(request->message),
			 "doctor takes no files: it looks at this machine");
		return STATUS_USAGE;
	}
	doctor_init(&doctor);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct doctor_line line = { .state = DOCTOR_OK };

		checks[i].check(&doctor, &line);
		stops |= line.state == DOCTOR_STOPS;
		doctor_print_line(checks[i].subject, &line);
	}
	return stops ? STATUS_INPUT : STATUS_OK;
}

const struct report_kind report_kind_doctor = { .read_files = doctor_files };
