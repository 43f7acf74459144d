/* SPDX-License-Identifier: MIT */
/*
 * What a session says of the distributed job that it is part of, and whether two sessions are parts
 * of the same job. Ranks that were started by srun, by mpirun or by one torchrun per node are
 * separate sessions. Only what they recorded can join them: world size, ranks, the facts of
 * collector/format/jobs.def, and that they ran at the same time.
 *
 * Reads a session's files once, independently and without waiting for writers; decodes only facts.
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
	uint64_t *rank;          /* sorted, each once; owned */
	size_t ranks;            /* 0: not part of a distributed job, as far as is known */
	uint64_t world_size;     /* 0: unknown */
	bool is_torch;           /* RANK or PyTorch says so; otherwise Slurm or MPI */
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME */
	char host[FILE_SESSION_BYTES];
	char fact[JOB_FACTS][JOB_TEXT_BYTES]; /* "": unknown, or its ranks disagree */
};

/* A name or an address that means whatever host it is used on. */
bool job_host_is_loopback(const char *text, size_t length);

/* The relation of two sessions. */
enum job_relation {
	JOB_OTHER,   /* something contradicts: two jobs */
	JOB_APART,   /* nothing contradicts, but they did not run at the same time */
	JOB_LIKELY,  /* rank, world size and time fit */
	JOB_CERTAIN, /* in addition, a fact of both names the same job */
};

/* Reads what the session of these files says. If nothing can be read, it is no job. */
void job_read(struct job *job, char *const *file, size_t count);
void job_release(struct job *job);

/*
 * Both must have ranks. `ret_why` (JOB_WHY_BYTES) says, for people, what separates them if the
 * result is JOB_OTHER or JOB_APART.
 */
enum job_relation job_compare(const struct job *one, const struct job *other, char *ret_why);

#endif
