/* SPDX-License-Identifier: MIT */
/*
 * Imports of Python as evidence for advice: those of the main thread of each process, each with its
 * own time. `import torch` is left out with all that it imports in turn, because a program that
 * uses torch cannot avoid it.
 *
 * Memory grows with imports, up to IMPORT_EVIDENCE_MAX; further ones are counted. Times are ns. To
 * be used by one thread.
 */
#ifndef REPORT_ADVICE_IMPORT_EVIDENCE_H
#define REPORT_ADVICE_IMPORT_EVIDENCE_H

#include "report/core/analysis.h"

#define IMPORT_EVIDENCE_MAX 65536u
#define IMPORT_NONE UINT32_MAX

/* In the order of their begins. */
struct import_seen {
	uint64_t start_ns,
		end_ns;   /* end 0: it has not ended by itself, or the filters exclude it */
	uint64_t self_ns; /* without the imports in it */
	uint32_t process, module, file; /* index; names */
	uint32_t line;                  /* of the importing line; 0: not known */
	bool is_of_torch;
};

/* An import that is open on a thread. */
struct import_open {
	uint64_t start_ns, children_ns;
	uint32_t seen; /* IMPORT_NONE: it is not kept */
	bool is_of_torch;
};
struct import_thread {
	struct import_open *open;
	size_t count, room;
};

struct import_evidence {
	struct source *source;
	struct import_seen *seen;
	size_t count, room;
	struct import_thread *thread; /* by index */
	size_t thread_room;
	uint64_t beyond;
};
struct import_evidence_options {
	uint32_t none;
};
ANALYSIS(import_evidence, struct import_evidence)

/* A package: the part of a name in front of its first dot. */
struct import_package {
	const struct import_seen *first; /* the first import of the package */
	const char *name;
	size_t length;
	uint64_t self_ns;
};

/*
 * Returns what the process had imported by then, by package, the most time first; to be freed.
 * *ret_ns: the sum.
 */
struct import_package *import_packages(const struct import_evidence *evidence, uint32_t process,
				       uint64_t until_ns, size_t *ret_count, uint64_t *ret_ns);
/* Returns the process with the longest imports; IMPORT_NONE: there are none. */
uint32_t import_evidence_process(const struct import_evidence *evidence);

#endif
