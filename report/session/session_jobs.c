/* SPDX-License-Identifier: MIT */
/*
 * Sessions that fit together are linked. A set of linked sessions is a job if no two of them
 * contradict each other. Two need not have run at the same time if others ran beside both: one rank
 * may end early and another begin late.
 */
#include "report/session/session_jobs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/session/job.h"

#define WHY_MAX 8u                        /* number of lines; there may be thousands of files */
#define LINE_BYTES (JOB_WHY_BYTES + 400u) /* includes two names */

struct finding {
	const struct session_group *session;
	struct job *job;
	size_t *set; /* by session: the first session of its set */
	bool *open;  /* the link is not final */
	size_t count;
};

static bool are_linked(const struct finding *finding, size_t i, size_t j)
{
	return finding->set[i] == finding->set[j];
}

static void sets_join(struct finding *finding, size_t i, size_t j)
{
	size_t from = finding->set[i], to = finding->set[j];
	size_t least = from < to ? from : to, other = from < to ? to : from;

	for (size_t k = 0; k < finding->count; k++)
		if (finding->set[k] == other)
			finding->set[k] = least;
}

/* Links open sessions whose relation is `relation` or closer. */
static void sets_link(struct finding *finding, enum job_relation relation)
{
	char why[JOB_WHY_BYTES];

	for (size_t i = 0; i < finding->count; i++)
		for (size_t j = i + 1; finding->open[i] && j < finding->count; j++)
			if (finding->open[j] && !are_linked(finding, i, j) &&
			    job_compare(&finding->job[i], &finding->job[j], why) >= relation)
				sets_join(finding, i, j);
}

/* Returns two members of the session's set that cannot be in one job. */
static bool set_contradicts(const struct finding *finding, size_t session, size_t *ret_one,
			    size_t *ret_other)
{
	char why[JOB_WHY_BYTES];

	for (size_t i = session; i < finding->count; i++)
		for (size_t j = i + 1; are_linked(finding, i, session) && j < finding->count; j++)
			if (are_linked(finding, i, j) &&
			    job_compare(&finding->job[i], &finding->job[j], why) == JOB_OTHER) {
				*ret_one = i;
				*ret_other = j;
				return true;
			}
	return false;
}

/*
 * Sets that are no job are taken apart; links in other sets become final. Goes backwards, so that a
 * session that was taken apart is not visited again.
 */
static void sets_settle(struct finding *finding)
{
	size_t one, other;

	for (size_t i = finding->count; i-- > 0;) {
		bool is_job;

		if (finding->set[i] != i || !finding->open[i])
			continue;
		is_job = !set_contradicts(finding, i, &one, &other);
		for (size_t k = finding->count; k-- > i;) {
			if (!are_linked(finding, k, i))
				continue;
			finding->open[k] = !is_job;
			if (!is_job)
				finding->set[k] = k;
		}
	}
}

/* --- reasons against joining --- */

/* Text: 'b.evt' is of another job than 'a.evt': ... */
static void why_put(struct session_jobs *jobs, const struct finding *finding, size_t session,
		    size_t before, const char *why)
{
	char line[LINE_BYTES];

	snprintf(line, sizeof(line), "'%.150s' is not taken as a rank of the job of '%.150s': %s",
		 finding->session[session].file[0], finding->session[before].file[0], why);
	jobs->why = memory_grow(jobs->why, jobs->why_count + 1, sizeof(*jobs->why));
	jobs->why[jobs->why_count++] = strdup(line);
}

/*
 * They fit, but so does another session with the same rank. `linked` is the initial state of the
 * links.
 */
static void why_describe_choice(const struct finding *linked, size_t session, char *why)
{
	size_t one = session, other = session;
	char reason[JOB_WHY_BYTES] = "";

	if (set_contradicts(linked, linked->set[session], &one, &other))
		(void)job_compare(&linked->job[one], &linked->job[other], reason);
	snprintf(why, JOB_WHY_BYTES,
		 "'%.60s' and '%.60s' both fit, but %.100s; name the files of one job",
		 linked->session[one].file[0], linked->session[other].file[0], reason);
}

/* Explains each run of ranks other than the first one. */
static void jobs_explain(struct session_jobs *jobs, const struct finding *finding,
			 const struct finding *linked)
{
	size_t first = 0;
	char why[JOB_WHY_BYTES];

	while (first < finding->count && !finding->job[first].ranks)
		first++;
	for (size_t i = first + 1; i < finding->count && jobs->why_count < WHY_MAX; i++) {
		if (finding->set[i] != i || !finding->job[i].ranks)
			continue;
		if (job_compare(&finding->job[first], &finding->job[i], why) >= JOB_LIKELY)
			why_describe_choice(linked, i, why);
		why_put(jobs, finding, i, first, why);
	}
}

static void jobs_number(struct session_jobs *jobs, const struct finding *finding)
{
	for (size_t i = 0; i < finding->count; i++) /* a set is identified by its first session */
		jobs->run[i] = finding->set[i] == i ? jobs->count++ : jobs->run[finding->set[i]];
}

void session_jobs_find(struct session_jobs *jobs, const struct session_group *session, size_t count)
{
	struct finding finding = { .session = session, .count = count };
	struct finding linked;

	*jobs = (struct session_jobs){ .run = memory_zero(count, sizeof(*jobs->run)) };
	finding.job = memory_zero(count, sizeof(*finding.job));
	finding.set = memory_zero(count, sizeof(*finding.set));
	finding.open = memory_zero(count, sizeof(*finding.open));
	for (size_t i = 0; i < count; i++) {
		job_read(&finding.job[i], session[i].file, session[i].count);
		finding.set[i] = i;
		finding.open[i] = finding.job[i].ranks > 0;
	}
	sets_link(&finding, JOB_LIKELY);
	linked = finding;
	linked.set = memory_zero(count, sizeof(*linked.set));
	memcpy(linked.set, finding.set, count * sizeof(*linked.set));
	sets_settle(&finding);
	sets_link(&finding, JOB_CERTAIN); /* links the sessions that were taken apart */
	sets_settle(&finding);
	jobs_number(jobs, &finding);
	jobs_explain(jobs, &finding, &linked);
	for (size_t i = 0; i < count; i++)
		job_release(&finding.job[i]);
	free(linked.set);
	free(finding.job);
	free(finding.set);
	free(finding.open);
}
