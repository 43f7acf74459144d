/* SPDX-License-Identifier: MIT */
/*
 * What a session says of the distributed job that it is a part of, and whether two sessions are parts of the same one.
 * Ranks that srun, mpirun or one torchrun a node started are sessions of their own; nothing but what they recorded joins
 * them: world size, ranks, the facts of collector/format/jobs.def, and that they ran at the same time.
 *
 * Reads a session's files once on its own, without waiting for writers; decodes facts only.
 */
#ifndef REPORT_SESSION_JOB_H
#define REPORT_SESSION_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/file.h"

#define JOB_TEXT_BYTES 128u
#define JOB_WHY_BYTES 320u

enum job_fact {
#define JOB_FACT(name, kind) JOB_##name,
#include "collector/format/jobs.def"
	JOB_FACTS,
};

struct job {
	uint64_t *rank;          /* in order, each once; owned */
	size_t ranks;            /* 0: it is no part of a distributed job, as far as is known */
	uint64_t world_size;     /* 0: unknown */
	bool is_torch;           /* RANK or PyTorch says so; else Slurm or MPI */
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME */
	char host[FILE_SESSION_BYTES];
	char fact[JOB_FACTS][JOB_TEXT_BYTES]; /* "": unknown, or its ranks do not agree */
};

/* A name or an address of whatever host it is used on. */
bool job_host_is_loopback(const char *text, size_t length);

/* How two sessions stand to each other. */
enum job_relation {
	JOB_OTHER,   /* something contradicts: two jobs */
	JOB_APART,   /* nothing does, but they did not run at the same time */
	JOB_LIKELY,  /* rank, world size and time fit */
	JOB_CERTAIN, /* and a fact of both names the same job */
};

/* What the session of these files says. Nothing that can be read is no job. */
void job_read(struct job *job, char *const *file, size_t count);
void job_release(struct job *job);

/* Both have ranks. `ret_why`, JOB_WHY_BYTES: of JOB_OTHER and JOB_APART what keeps them apart, for people. */
enum job_relation job_compare(const struct job *one, const struct job *other, char *ret_why);

#endif
