/* SPDX-License-Identifier: MIT */
/* Only known facts are recorded: a missing one makes no event. */
#include "collector/turn/self.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "collector/core/clock.h"
#include "collector/processes/proc.h"
#include "collector/processes/redact.h"

#define CPUINFO_BYTES 4096

uint64_t self_steady_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

void self_tell_cost(struct common *common, uint64_t now_ns, const struct common_cost *cost)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	common->cost = *cost;
	common->cost.cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	common->cost.memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
	JOURNAL_ADD(&common->journal, now_ns, cost, .cpu_ns = common->cost.cpu_ns,
		    .records = cost->records, .file_bytes = cost->file_bytes,
		    .memory_bytes = common->cost.memory_bytes, .waits = cost->waits);
}

void self_tell_meta(struct common *common, uint64_t now_ns, const char *key, const char *value)
{
	if (!*value)
		return;
	JOURNAL_ADD(&common->journal, now_ns, meta, .process = 0,
		    .key = names_id_text(&common->names, key, strlen(key)),
		    .value = names_id_text(&common->names, value, strlen(value)));
}

/* Records a text of the region's header, which may lack its terminator. */
static void tell_header_text(struct common *common, const char *key, const char *text, size_t room)
{
	char copy[REGION_PATH_BYTES];

	snprintf(copy, sizeof(copy), "%.*s", (int)(room - 1), text);
	self_tell_meta(common, 0, key, copy);
}

/* The file's name may contain the host's (%h). */
static void tell_output(struct common *common)
{
	const char *output = common->view.header->output;
	size_t length = strnlen(output, sizeof(common->view.header->output) - 1);

	output = redact_path(common->view.redact, output, &length);
	if (!(common->view.redact & 1u << REGION_REDACT_host))
		tell_header_text(common, "output", output, length + 1);
}

static void tell_cpu(struct common *common)
{
	char text[CPUINFO_BYTES];
	size_t length = proc_read_file("/proc/cpuinfo", text, sizeof(text) - 1);
	char *line, *end;

	text[length] = 0;
	line = strstr(text, "model name");
	line = line ? strchr(line, ':') : NULL;
	end = line ? strchr(line, '\n') : NULL;
	if (!end)
		return;
	*end = 0;
	self_tell_meta(common, 0, "cpu", line + 2);
}

void self_tell_session(struct common *common, const char *host)
{
	const struct region_header *header = common->view.header;
	struct utsname name;
	char text[512];
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	self_tell_meta(common, 0, "host", host);
	if (uname(&name) == 0) {
		snprintf(text, sizeof(text), "%s %s %s", name.sysname, name.release, name.machine);
		self_tell_meta(common, 0, "kernel", text);
	}
	tell_cpu(common);
	if (cores > 0) {
		snprintf(text, sizeof(text), "%ld", cores);
		self_tell_meta(common, 0, "cores", text);
	}
	self_tell_meta(common, 0, "architecture", ARCH_NAME);
	self_tell_meta(common, 0, "clock",
		       common->view.clock == REGION_CLOCK_TSC ? ARCH_TICKS_NAME : "monotonic");
	tell_header_text(common, "version", header->version_text, sizeof(header->version_text));
	if (header->preset[0])
		tell_header_text(common, "preset", header->preset, sizeof(header->preset));
	tell_header_text(common, "trace", header->trace, sizeof(header->trace));
	if (header->capture[0])
		tell_header_text(common, "capture", header->capture, sizeof(header->capture));
	if (header->budget[0])
		tell_header_text(common, "budget", header->budget, sizeof(header->budget));
	if (header->step[0])
		tell_header_text(common, "step", header->step, sizeof(header->step));
	if (header->own[0] && !(common->view.redact & 1u << REGION_REDACT_paths))
		tell_header_text(common, "own", header->own, sizeof(header->own));
	tell_header_text(common, "session", header->session, sizeof(header->session));
	tell_output(common);
	redact_text(common->view.redact, text);
	self_tell_meta(common, 0, "redacted", text);
}
