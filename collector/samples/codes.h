/* SPDX-License-Identifier: MIT */
/*
 * Code objects of programs: from an address to the function, its file and the lines of its
 * instructions. Addresses are reused for other code, so the object's own fields are compared
 * each time.
 *
 * One thread. Bounded: beyond CODES_KNOWN_MAX objects or LINES_KNOWN_MAX instructions the tables
 * are emptied.
 */
#ifndef COLLECTOR_SAMPLES_CODES_H
#define COLLECTOR_SAMPLES_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/packages.h"
#include "collector/region/python_layout.h"
#include "collector/samples/memory.h"
#include "collector/samples/places.h"

#define CODES_KNOWN_MAX (1u << 16)
#define LINES_KNOWN_MAX (1u << 17)

struct codes {
	struct code_known {
		uint64_t process, address;  /* process: its number in the file; 0: empty slot */
		uint64_t file, name, table; /* addresses of objects */
		uint32_t line;
		uint32_t id; /* id of the event python_code */
		/*
		 * identifies the contents for the table of lines: a new one each time that the
		 * contents are new
		 */
		uint32_t instance;
	} * known;
	uint32_t known_slots, known_count;
	struct line_known {
		uint64_t key; /* instance << 32 | offset */
		uint32_t line;
		bool is_set;
	} * line;
	uint32_t line_slots, line_count;
	uint32_t instances;
	struct common *common;
	struct places *places;
	struct packages packages;
};

void codes_init(struct codes *codes, struct common *common, struct places *places);
void codes_release(struct codes *codes);

/* What is needed to read code objects. */
struct code_reader {
	struct memory *memory;
	const struct python_layout *layout;
	uint64_t process, code_type;
};

struct code_place {
	uint32_t code, line;
};

/*
 * Finds the code and line of the frame that has this code object and this instruction (see
 * python_layout.frame_at). Returns false if it is no code object, or cannot be read.
 */
bool codes_find(struct codes *codes, const struct code_reader *reader, uint64_t address,
		uint64_t instruction, struct code_place *ret_place);

#endif
