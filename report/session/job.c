/* SPDX-License-Identifier: MIT */
/*
 * A fact that only one of two sessions has proves nothing. Addresses of a loopback device belong to
 * one host: they contradict those of another host, but not a name, which may be that host's.
 */
#include "report/session/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/session/ranks.h"
#include "report/session/source.h"

#define FACTS_MAX 65536u /* limit over all processes; later facts are ignored */

enum kind { KIND_HOST, KIND_PLACE, KIND_FILE, KIND_WORD, KIND_WISH };

static const struct {
	const char *name;
	enum kind kind;
} facts[] = {
#define JOB_FACT(name, kind) { #name, KIND_##kind },
#include "collector/format/jobs.def"
};

/* --- reading --- */

struct told {
	const struct source_process *process;
	enum job_fact fact;
	const struct source_name *value;
};

struct reading {
	struct source *source;
	struct told *told;
	size_t count, room;
};

static void reading_take(struct reading *reading, const struct source_event *event)
{
	const struct evt_fact *fact = EVENT_AS(fact, &event->event);
	const struct source_name *key, *value;

	if (!event->process || reading->count >= FACTS_MAX)
		return;
	key = source_name_of(reading->source, event->file, fact->key);
	value = source_name_of(reading->source, event->file, fact->value);
	for (unsigned int i = 0; i < JOB_FACTS && key->text && value->text; i++) {
		if (strcmp(key->text, facts[i].name) != 0)
			continue;
		reading->told = memory_room(reading->told, reading->count, &reading->room,
					    sizeof(*reading->told));
		reading->told[reading->count++] = (struct told){ event->process, (enum job_fact)i,
								 value };
	}
}

/*
 * Facts of ranks only: a launcher, or a program that a rank has started, may have another
 * environment.
 */
static void job_take_facts(struct job *job, const struct reading *reading)
{
	bool differs[JOB_FACTS] = { false };

	for (size_t i = 0; i < reading->count; i++) {
		const struct told *told = &reading->told[i];
		char text[JOB_TEXT_BYTES], *own = job->fact[told->fact];

		if (source_rank(reading->source, told->process) == UINT64_MAX)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)told->value->length, told->value->text);
		if (!*own && !differs[told->fact])
			memcpy(own, text, sizeof(text));
		else if (strcmp(own, text) != 0)
			differs[told->fact] = true;
	}
	for (unsigned int i = 0; i < JOB_FACTS; i++)
		if (differs[i])
			job->fact[i][0] = 0;
}

static void job_take_time(struct job *job, const struct source *source)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);

	job->from_ns = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		if (file[i]->start_real_ns && file[i]->start_real_ns < job->from_ns)
			job->from_ns = file[i]->start_real_ns;
		if (!job->host[0] && file[i]->host)
			snprintf(job->host, sizeof(job->host), "%s", file[i]->host);
	}
	job->to_ns = job->from_ns + source_end_ns(source);
	for (size_t i = 0; i < count; i++)
		if (file[i]->live || job->to_ns < job->from_ns)
			job->to_ns = UINT64_MAX;
}

void job_read(struct job *job, char *const *file, size_t count)
{
	const struct source_options opening = { .live = true };
	const struct frame_wants wants = { .event[EVT_fact] = true,
					   .fields[EVT_fact] = UINT32_MAX };
	struct reading reading = { .count = 0 };
	struct ranks ranks;
	const struct source_event *event;
	char message[256];

	*job = (struct job){ .ranks = 0 };
	if (source_open(&reading.source, file, count, &opening, message, sizeof(message)))
		return;
	source_want(reading.source, &wants);
	while ((event = source_step(reading.source)))
		if (event->event.id == EVT_fact)
			reading_take(&reading, event);
	job->rank = ranks_list(reading.source, &ranks);
	job->ranks = ranks.count;
	job->world_size = ranks.world_size;
	job->is_torch = ranks.is_torch;
	job_take_facts(job, &reading);
	job_take_time(job, reading.source);
	free(reading.told);
	source_close(reading.source);
}

void job_release(struct job *job)
{
	free(job->rank);
	job->rank = NULL;
}

/* --- comparing --- */

/* Returns the first rank that both have; UINT64_MAX: none. */
static uint64_t jobs_share_rank(const struct job *one, const struct job *other)
{
	for (size_t i = 0, j = 0; i < one->ranks && j < other->ranks;) {
		if (one->rank[i] == other->rank[j])
			return one->rank[i];
		if (one->rank[i] < other->rank[j])
			i++;
		else
			j++;
	}
	return UINT64_MAX;
}

/* Start of the port in a PLACE, including the colon; for other kinds the end. */
static size_t host_length(const char *text, enum kind kind)
{
	const char *colon = kind == KIND_PLACE ? strrchr(text, ':') : NULL;

	return colon ? (size_t)(colon - text) : strlen(text);
}

bool job_host_is_loopback(const char *text, size_t length)
{
	return (length >= 4 && !memcmp(text, "127.", 4)) ||
	       (length == 9 && !memcmp(text, "localhost", 9)) ||
	       (length == 3 && !memcmp(text, "::1", 3)) ||
	       (length == 5 && !memcmp(text, "[::1]", 5));
}

enum match { MATCH_UNKNOWN, MATCH_SAME, MATCH_DIFFERS };

static enum match hosts_match(const struct job *one, const struct job *other, enum job_fact fact)
{
	const char *a = one->fact[fact], *b = other->fact[fact];
	size_t a_length = host_length(a, facts[fact].kind),
	       b_length = host_length(b, facts[fact].kind);
	bool a_is_own = job_host_is_loopback(a, a_length),
	     b_is_own = job_host_is_loopback(b, b_length);

	if (strcmp(a + a_length, b + b_length) != 0)
		return MATCH_DIFFERS;
	if (a_is_own && b_is_own)
		return strcmp(one->host, other->host) ? MATCH_DIFFERS : MATCH_SAME;
	if (a_is_own || b_is_own || !a_length || !b_length)
		return MATCH_UNKNOWN;
	return a_length == b_length && !memcmp(a, b, a_length) ? MATCH_SAME : MATCH_DIFFERS;
}

static enum match facts_match(const struct job *one, const struct job *other, enum job_fact fact)
{
	const char *a = one->fact[fact], *b = other->fact[fact];
	bool has_store = one->fact[JOB_store][0] && other->fact[JOB_store][0];

	if (!*a || !*b)
		return MATCH_UNKNOWN;
	/* the variables are what a program may use; the store is what it has used */
	if (has_store && (fact == JOB_MASTER_ADDR || fact == JOB_MASTER_PORT))
		return MATCH_UNKNOWN;
	if (facts[fact].kind == KIND_HOST || facts[fact].kind == KIND_PLACE)
		return hosts_match(one, other, fact);
	return strcmp(a, b) ? MATCH_DIFFERS : MATCH_SAME;
}

/* torchrun uses "none" as the run id if the user gave none; a port alone may be anybody's. */
static bool fact_is_proof(const struct job *job, enum job_fact fact)
{
	if (fact == JOB_TORCHELASTIC_RUN_ID)
		return strcmp(job->fact[fact], "none") != 0;
	return fact != JOB_MASTER_PORT;
}

static bool jobs_contradict(const struct job *one, const struct job *other, char *why)
{
	uint64_t shared = jobs_share_rank(one, other);

	if (one->is_torch != other->is_torch)
		return snprintf(why, JOB_WHY_BYTES, "only one of them has its rank from PyTorch");
	if (one->world_size && other->world_size && one->world_size != other->world_size)
		return snprintf(why, JOB_WHY_BYTES,
				"its job has %" PRIu64 " ranks, the other %" PRIu64,
				other->world_size, one->world_size);
	if (shared != UINT64_MAX)
		return snprintf(why, JOB_WHY_BYTES, "both are rank %" PRIu64, shared);
	for (unsigned int i = 0; i < JOB_FACTS; i++)
		if (facts_match(one, other, (enum job_fact)i) == MATCH_DIFFERS)
			return snprintf(why, JOB_WHY_BYTES, "its %s is '%s', the other's '%s'",
					facts[i].name, other->fact[i], one->fact[i]);
	return false;
}

static bool jobs_have_proof(const struct job *one, const struct job *other)
{
	for (unsigned int i = 0; i < JOB_FACTS; i++)
		if (facts_match(one, other, (enum job_fact)i) == MATCH_SAME &&
		    fact_is_proof(one, (enum job_fact)i))
			return true;
	return false;
}

enum job_relation job_compare(const struct job *one, const struct job *other, char *ret_why)
{
	bool is_proven = jobs_have_proof(one, other);

	if (jobs_contradict(one, other, ret_why))
		return JOB_OTHER;
	if (one->from_ns > other->to_ns || other->from_ns > one->to_ns) {
		snprintf(ret_why, JOB_WHY_BYTES, "they did not run at the same time");
		return JOB_APART;
	}
	if (!is_proven && (!one->world_size || !other->world_size)) {
		snprintf(ret_why, JOB_WHY_BYTES,
			 "how many ranks their jobs have was not recorded, nor another name of the "
			 "job");
		return JOB_OTHER;
	}
	return is_proven ? JOB_CERTAIN : JOB_LIKELY;
}
