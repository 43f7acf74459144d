/* SPDX-License-Identifier: MIT */
/*
 * A list: files are looked up when they are mapped, not when they are called, so searching it is
 * fast enough.
 */
#include "collector/processes/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "collector/processes/proc.h"

#define FILES_MAX 65536u
#define PATH_BYTES 4200u

static const struct images_file *images_known(const struct images *images, const struct stat *st)
{
	for (uint32_t i = 0; i < images->count; i++) {
		const struct images_file *file = &images->file[i];

		if (file->inode == st->st_ino && file->device == st->st_dev &&
		    file->changed_s == st->st_mtim.tv_sec &&
		    file->changed_ns == st->st_mtim.tv_nsec)
			return file;
	}
	return NULL;
}

static const struct images_file *images_add(struct images *images, const struct images_file *file)
{
	if (images->count == images->room) {
		uint32_t room = images->room ? images->room * 2 : 128;
		struct images_file *larger = room > FILES_MAX ? NULL
							      : realloc(images->file,
									room * sizeof(*larger));

		if (!larger)
			return NULL;
		images->file = larger;
		images->room = room;
	}
	images->file[images->count] = *file;
	return &images->file[images->count++];
}

static bool images_is_that_file(const char *path, uint64_t inode, struct stat *ret_st)
{
	return !stat(path, ret_st) && ret_st->st_ino == inode;
}

/*
 * Finds the file as the process sees it. It cannot be seen if the process has ended since its maps
 * were read, or has changed its root, or if /proc is not ours. Then the file with the same name
 * here is used, if its inode is the same.
 */
static bool file_find(uint32_t pid, const char *name, uint64_t inode, char *path,
		      struct stat *ret_st)
{
	snprintf(path, PATH_BYTES, "/proc/%u/root%s", pid, name);
	if (proc_is_ours() && images_is_that_file(path, inode, ret_st))
		return true;
	snprintf(path, PATH_BYTES, "%s", name);
	return images_is_that_file(path, inode, ret_st);
}

uint32_t images_find(struct images *images, uint32_t pid, const char *path, uint64_t inode)
{
	struct images_file file = { 0 };
	const struct images_file *known;
	char place[PATH_BYTES];
	struct stat st;

	if (!file_find(pid, path, inode, place, &st))
		return IMAGES_NONE;
	known = images_known(images, &st);
	if (!known) {
		file.device = st.st_dev;
		file.inode = st.st_ino;
		file.changed_s = st.st_mtim.tv_sec;
		file.changed_ns = st.st_mtim.tv_nsec;
		/* the process may have ended since file_find() has looked through its root */
		file.known = image_read(place, st.st_ino, &file.image) ||
			     image_read(path, st.st_ino, &file.image);
		known = images_add(images, &file);
	}
	return known && known->known ? (uint32_t)(known - images->file) + 1 : IMAGES_NONE;
}

const struct image *images_image(const struct images *images, uint32_t number)
{
	return number == IMAGES_NONE ? NULL : &images->file[number - 1].image;
}

void images_release(struct images *images)
{
	free(images->file);
	*images = (struct images){ 0 };
}
