/* SPDX-License-Identifier: MIT */
/* build: '-DEVT_MORE_EVENTS="tests/unit/more_events.def"' collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: events_in_blocks FILE: as every_event, with the events of tests/unit/more_events.def,
 * whose numbers are above 127.
 */
#include "tests/programs/every_event.c"
