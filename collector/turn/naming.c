/* SPDX-License-Identifier: MIT */
/*
 * A state machine that advances with each turn. While `waits` is set, the file is written under
 * another name beside the wanted one. A plain program that has the name is asked for it by a lock
 * on its file (rotation_ask()). handover.h moves the files.
 */
#include "collector/turn/naming.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/core/view.h"
#include "collector/output/earlier.h"
#include "collector/output/handover.h"
#include "collector/processes/living.h"

#define MS 1000000ull
#define FEW_RECORDS 10000u       /* `ls`, `date` and `tee` make some hundred to a few thousand */
#define TRY_NS (1000 * MS)       /* time between two attempts to get the name */
#define TRY_OFTEN_NS (2000 * MS) /* until then, an attempt with every turn */
#define ASK_MS 2000              /* nobody waits meanwhile */
#define ASK_STEP_MS 2
#define PASS_MS 200    /* limit for the wait for another file to get the name */
#define UNASKED_MOST 5 /* attempts where there is nobody to ask */
#define TEXT_MOST 90   /* limit for a path in a message */

static struct output_name_request request_of(const struct naming *naming,
					     const struct output *output)
{
	return (struct output_name_request){ .output = naming->output,
					     .session = output->header.session,
					     .host = naming->host,
					     .pid = output->header.pid,
					     .start_s = output->header.base_real / (1000 * MS),
					     .began_ns = output->header.base_real,
					     .keep = naming->keep,
					     .lives = living_has,
					     .program = output->header.program,
					     .plain = naming->plain };
}

static bool path_is_asked_for(const struct naming *naming, const struct output *output)
{
	return !strcmp(naming->output, output->path);
}

static void ask_end(struct naming *naming)
{
	if (naming->ask_fd >= 0)
		close(naming->ask_fd);
	naming->ask_fd = -1;
}

/* The file has been renamed. */
static void name_changed(struct naming *naming, struct output *output)
{
	struct file_header header = output->header;

	header.flags = (header.flags & ~FILE_CROWDED_OUT) |
		       (naming->crowded ? FILE_CROWDED_OUT : 0);
	header.name = file_name_hash(output->path);
	output_write_header(output, &header);
	snprintf(naming->header->file, sizeof(naming->header->file), "%s", output->path);
}

static bool name_take(struct naming *naming, struct output *output)
{
	struct output_name_request request = request_of(naming, output);

	if (!handover_take(&request, output->path))
		return false;
	naming->waits = naming->crowded = false;
	ask_end(naming);
	name_changed(naming, output);
	return true;
}

/*
 * Asks the file that has the name for it, which may be another file than before. A run of interest
 * is not asked, because it is an independent run at the same time. The session itself may have the
 * name by now.
 */
static void naming_name_ask(struct naming *naming, struct output *output)
{
	struct rotation rotation = { .output = naming->output, .session = output->header.session };
	struct rotation_standing standing = rotation_look(&rotation);
	int asked_fd = naming->ask_fd; /* closed last, or a program might end in between, unasked */

	naming->ask_fd = -1;
	if (standing.own || (!naming->plain && standing.other && standing.interest)) {
		naming->waits = false;
		naming->crowded = !standing.own;
		name_changed(naming, output);
	} else if (!naming->plain) {
		naming->ask_fd = rotation_ask(&rotation);
	}
	if (asked_fd >= 0)
		close(asked_fd);
}

void naming_begin(struct naming *naming, struct output *output, struct region_header *header)
{
	struct rotation_standing standing;
	struct output_name_request request;

	naming->header = header;
	naming->keep = header->keep;
	naming->plain = header->place & 1u << REGION_PLACE_PLAIN;
	naming->talks = header->place & 1u << REGION_PLACE_TALK;
	memcpy(naming->host, output->header.host, sizeof(naming->host));
	if (path_is_asked_for(naming, output) || !(header->place & 1u << REGION_PLACE_OUTPUT))
		return;
	request = request_of(naming, output);
	standing = handover_look(&request);
	if (standing.own)
		return;
	naming->waits = naming->crowded = true;
	naming->at_once = standing.other && !standing.finished;
	name_changed(naming, output);
	naming_name_ask(naming, output);
}

void naming_release(struct naming *naming)
{
	ask_end(naming);
}

void naming_see(struct naming *naming, struct output *output, const struct frame_writer *fw)
{
	static const uint32_t plain = 0u
#define FAMILY_PLAIN(name) | 1u << EVT_FAMILY_##name
#include "collector/format/families.def"
		;
	struct file_header header = output->header;

	if (!naming->plain || !naming->header || !frame_has_families(fw, ~plain))
		return;
	naming->plain = false;
	header.flags |= FILE_OF_INTEREST;
	output_write_header(output, &header);
}

/*
 * A program that was asked checks with every turn, and at its end; a short program is over before
 * that. Another file may have got the name by then, several times, if it is one of many in a pipe:
 * so a name that is free or finished and was not got is tried again.
 */
static void name_await(struct naming *naming, struct output *output)
{
	int unasked = 0;

	for (int waited_ms = 0; naming->waits && !naming->plain && waited_ms < ASK_MS;
	     waited_ms += ASK_STEP_MS) {
		unasked += naming->ask_fd < 0;
		if (unasked > UNASKED_MOST)
			return;
		naming_name_ask(naming, output);
		if (!naming->waits || name_take(naming, output))
			return;
		poll(NULL, 0, ASK_STEP_MS);
	}
}

/* True if this file has the name, and a program of interest asks for it. */
static bool name_is_wanted(const struct naming *naming, const struct output *output,
			   uint64_t records)
{
	return naming->plain && !naming->waits && records < FEW_RECORDS &&
	       path_is_asked_for(naming, output) && rotation_is_asked(output->fd);
}

void naming_turn(struct naming *naming, struct output *output, uint64_t records, uint64_t steady_ns)
{
	struct output_name_request request;

	if (!naming->begun_ns)
		naming->begun_ns = steady_ns;
	if (naming->waits && !naming->plain) {
		if (steady_ns - naming->begun_ns > TRY_OFTEN_NS &&
		    steady_ns - naming->tried_ns < TRY_NS)
			return;
		naming->tried_ns = steady_ns;
		naming_name_ask(naming, output);
		if (naming->waits)
			(void)name_take(naming, output);
	} else if (name_is_wanted(naming, output, records)) {
		request = request_of(naming, output);
		naming->waits = naming->crowded = naming->left = handover_leave(&request,
										output->path);
		if (naming->waits)
			name_changed(naming, output);
	}
}

/* Returns the end of a path that is too long for a line. */
static const char *path_end(const char *path)
{
	size_t length = strlen(path);

	return path + (length > TEXT_MOST ? length - TEXT_MOST : 0);
}

static void say_passed(const struct naming *naming)
{
	char text[REGION_TEXT_BYTES];

	if (!naming->talks)
		return;
	snprintf(text, sizeof(text),
		 "its recording was small and is not kept, '%.90s' holds another; "
		 "set INTERCEPT_OUTPUT to a name of its own",
		 path_end(naming->output));
	view_say(naming->header, text);
}

static void say_numbered(const struct naming *naming, const struct output *output)
{
	char text[REGION_TEXT_BYTES];

	snprintf(text, sizeof(text),
		 "'%.90s' holds a larger recording and stays, this one is '%.90s'",
		 path_end(naming->output), path_end(output->path));
	view_say(naming->header, text);
}

unsigned int naming_count_session(const struct naming *naming, const struct output *output)
{
	struct rotation rotation = { .output = naming->output, .session = output->header.session };

	return output->header.flags & FILE_OF_FIRST ? earlier_count_own(&rotation) : 0;
}

/*
 * Waits until a file of interest has the name: the shell that waits for `python train.py | tee log`
 * may read that file next. False: none has got it.
 */
static bool plain_awaits(const struct naming *naming, const struct output *output)
{
	struct output_name_request request = request_of(naming, output);
	struct rotation_standing standing = handover_look(&request);

	for (int waited_ms = 0; waited_ms < PASS_MS && !(standing.other && standing.interest);
	     waited_ms++) {
		poll(NULL, 0, 1);
		standing = handover_look(&request);
	}
	return standing.other && standing.interest;
}

static void plain_pass(struct naming *naming, struct output *output)
{
	naming->passed = !unlink(output->path);
	say_passed(naming);
}

/* True if the file of a plain program, which has ended, has got the name or needs none. */
static bool plain_settle(struct naming *naming, struct output *output, bool few)
{
	struct output_name_request request = request_of(naming, output);
	struct rotation_standing standing = handover_look(&request);
	bool worth = !standing.other || (rotation_outweighs(output->bytes, standing.bytes) &&
					 !(standing.interest && few));

	/* the file that has the name makes way for one of interest, or has done so */
	if (few && (naming->left || (naming->at_once && (!standing.other || standing.asked))) &&
	    plain_awaits(naming, output)) {
		plain_pass(naming, output);
		return true;
	}
	if (!standing.other || (worth && !naming->at_once))
		return name_take(naming, output);
	if (few && !worth) {
		plain_pass(naming, output);
	} else if (!worth && standing.finished && naming->keep &&
		   handover_number(&request, output->path)) {
		naming->crowded = false;
		naming->numbered = true;
		name_changed(naming, output);
		say_numbered(naming, output);
	}
	return true;
}

/* Where the name was free and another file has got it meanwhile, that one decides. */
static void plain_finish(struct naming *naming, struct output *output, bool few)
{
	if (!plain_settle(naming, output, few))
		(void)plain_settle(naming, output, few);
}

void naming_finish(struct naming *naming, struct output *output, uint64_t records)
{
	bool few = records < FEW_RECORDS;

	if (name_is_wanted(naming, output, records)) {
		plain_pass(naming, output);
		(void)plain_awaits(naming, output);
	}
	if (!naming->waits)
		return;
	if (naming->plain) {
		plain_finish(naming, output, few);
		return;
	}
	naming_name_ask(naming, output);
	if (naming->waits)
		(void)name_take(naming, output);
}

void naming_tidy(struct naming *naming, struct output *output)
{
	struct output_name_request request;

	name_await(naming, output);
	request = request_of(naming, output);
	if (naming->numbered ||
	    (!naming->waits && !naming->passed && path_is_asked_for(naming, output)))
		output_name_settle(&request, output->bytes);
}
