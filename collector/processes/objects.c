/* SPDX-License-Identifier: MIT */
/*
 * Lines are in the order of addresses, so an object is a run of them. It begins with a line of its
 * file, and continues while lines are where its program headers want them.
 */
#include "collector/processes/objects.h"

#include <stdlib.h>
#include <string.h>

struct run {
	struct object object;
	uint32_t segment; /* segment of its image that the last line belonged to */
	bool code, open;
};

static void objects_add(struct objects *objects, const struct run *run, uint32_t limit)
{
	if (!run->open || !run->code)
		return;
	if (objects->count == objects->room) {
		uint32_t room = objects->room ? objects->room * 2 : 128;
		struct object *larger = room > limit
						? NULL
						: realloc(objects->object, room * sizeof(*larger));

		if (!larger) {
			objects->left_out += run->object.file;
			return;
		}
		objects->object = larger;
		objects->room = room;
	}
	objects->object[objects->count++] = run->object;
}

static bool line_is_file(const struct maps_line *line)
{
	return (line->inode && line->path[0] == '/') || !strcmp(line->path, OBJECTS_VDSO);
}

/*
 * Anonymous memory in place of the file's: its bss, or its code on large pages. Between segments it
 * belongs to somebody else: NULL.
 */
static const struct image_segment *segment_covered(const struct image *image, const struct run *run,
						   const struct maps_line *line)
{
	for (uint32_t i = 0; image && i < image->segments; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t behind = line->start - run->object.bias -
				  (segment->address & ~IMAGE_PAGE_MASK);

		if (behind < segment->bytes + (segment->address & IMAGE_PAGE_MASK))
			return !line->executable || segment->code ? segment : NULL;
	}
	return NULL;
}

static const struct image_segment *segment_mapped(const struct image *image, const struct run *run,
						  const struct maps_line *line)
{
	const struct image_segment *segment = image_segment_at(image, run->object.bias, line->start,
							       line->offset);

	return segment && segment->code == line->executable ? segment : NULL;
}

/*
 * True if the line belongs to the object of the run. Segments follow each other. If one is missing,
 * somebody has mapped the file to read it, and the object begins after that.
 */
static bool run_goes_on(const struct images *images, struct run *run, const struct maps_line *line)
{
	const struct object *object = &run->object;
	const struct image *image = images_image(images, object->image);
	bool is_file = line_is_file(line);
	const struct image_segment *segment;
	uint32_t number;

	if (!run->open || !object->file)
		return false;
	if (is_file && (line->inode != object->inode || line->device != object->device))
		return false;
	if (!image)
		return is_file && line->offset;
	/*
	 * ld.so maps the whole object at once and makes the gaps between its segments inaccessible
	 */
	if (is_file && line->inaccessible)
		return line->start == object->end;
	segment = is_file ? segment_mapped(image, run, line) : segment_covered(image, run, line);
	if (!segment)
		return is_file && image->has_more_segments && line->offset;
	number = (uint32_t)(segment - image->segment);
	if (number > run->segment + 1)
		return false;
	run->segment = number;
	return true;
}

static void run_begin(struct run *run, const struct objects_reading *reading,
		      const struct maps_line *line)
{
	const struct image_segment *segment;
	const struct image *image;
	struct object *object = &run->object;

	*run = (struct run){ .open = true };
	*object = (struct object){ .start = line->start,
				   .device = line->device,
				   .inode = line->inode,
				   .file = line_is_file(line),
				   .path = line->path };
	object->bias = object->start;
	if (!object->file || !line->inode)
		return;
	object->image = reading->recall(reading->context, line);
	if (object->image == IMAGES_NONE)
		object->image = images_find(reading->images, reading->pid, line->path, line->inode);
	image = images_image(reading->images, object->image);
	segment = image ? image_segment_of(image, line->offset, line->executable) : NULL;
	if (segment)
		run->segment = (uint32_t)(segment - image->segment);
	if (segment)
		object->bias = line->start - (segment->address & ~IMAGE_PAGE_MASK) -
			       (line->offset - (segment->offset & ~IMAGE_PAGE_MASK));
	else if (image)
		object->bias = line->start - image->lowest;
}

struct objects objects_of_maps(struct maps *maps, const struct objects_reading *reading,
			       uint32_t limit)
{
	struct objects objects = { .has_region = !reading->region.inode };
	struct run run = { .open = false };
	struct maps_line line;

	while (maps_next(maps, &line)) {
		bool goes_on = run_goes_on(reading->images, &run, &line);

		objects.has_region |= line.inode == reading->region.inode &&
				      line.device == reading->region.device;
		if (!goes_on) {
			objects_add(&objects, &run, limit);
			run_begin(&run, reading, &line);
		}
		if (!goes_on || line.executable || line_is_file(&line))
			run.object.end = line.end;
		run.code |= line.executable;
	}
	objects_add(&objects, &run, limit);
	return objects;
}

void objects_release(struct objects *objects)
{
	free(objects->object);
	*objects = (struct objects){ 0 };
}
