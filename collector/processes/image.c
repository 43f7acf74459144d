/* SPDX-License-Identifier: MIT */
/*
 * Reads program headers and notes by hand. libelf would map the file, and if a file is truncated
 * while it is mapped, reading it is a SIGBUS.
 */
#include "collector/processes/image.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS_MAX 64u
#define NOTES_BYTES_MAX 4096u

static bool image_read_at(int fd, void *bytes, size_t length, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

/* True if this note is the build-id. `at` moves past it, to `length` at the end. */
static bool note_take(const uint8_t *notes, size_t length, size_t *at, struct image *image)
{
	Elf64_Nhdr note;
	uint64_t name, desc;

	if (length - *at < sizeof(note)) {
		*at = length;
		return false;
	}
	memcpy(&note, notes + *at, sizeof(note));
	name = *at + sizeof(note);
	desc = name + ((note.n_namesz + 3ull) & ~3ull);
	*at = length;
	if (desc + note.n_descsz > length)
		return false;
	if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
	    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz &&
	    note.n_descsz <= IMAGE_BUILD_ID_BYTES) {
		memcpy(image->build_id, notes + desc, note.n_descsz);
		image->build_id_bytes = note.n_descsz;
		return true;
	}
	if (desc + ((note.n_descsz + 3ull) & ~3ull) < length)
		*at = desc + ((note.n_descsz + 3ull) & ~3ull);
	return false;
}

static void segment_take_notes(int fd, const Elf64_Phdr *segment, struct image *image)
{
	uint8_t notes[NOTES_BYTES_MAX];
	size_t length = segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes);
	size_t at = 0;

	if (!image_read_at(fd, notes, length, segment->p_offset))
		return;
	while (at < length && !note_take(notes, length, &at, image))
		continue;
}

static void image_keep_segment(struct image *image, const Elf64_Phdr *segment)
{
	if (segment->p_vaddr < image->lowest)
		image->lowest = segment->p_vaddr;
	image->has_more_segments = image->segments == IMAGE_SEGMENTS;
	if (!image->has_more_segments)
		image->segment[image->segments++] = (struct image_segment){
			.offset = segment->p_offset,
			.address = segment->p_vaddr,
			.bytes = segment->p_memsz,
			.code = segment->p_flags & PF_X,
		};
}

static bool image_take(int fd, struct image *image)
{
	Elf64_Phdr segment[SEGMENTS_MAX];
	Elf64_Ehdr head;

	if (!image_read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) ||
	    head.e_phnum > SEGMENTS_MAX ||
	    !image_read_at(fd, segment, head.e_phnum * sizeof(Elf64_Phdr), head.e_phoff))
		return false;
	image->lowest = UINT64_MAX;
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD)
			image_keep_segment(image, &segment[i]);
		if (segment[i].p_type == PT_NOTE && !image->build_id_bytes)
			segment_take_notes(fd, &segment[i], image);
	}
	if (image->lowest == UINT64_MAX)
		return false;
	image->lowest &= ~IMAGE_PAGE_MASK;
	image->allocator = linked_allocator_find(fd, segment, head.e_phnum);
	return true;
}

/* Distance from the page of `from` to the page of `at`. */
static uint64_t pages_behind(uint64_t at, uint64_t from)
{
	return at - (from & ~IMAGE_PAGE_MASK);
}

const struct image_segment *image_segment_of(const struct image *image, uint64_t offset, bool code)
{
	const struct image_segment *other = NULL;

	for (uint32_t i = 0; i < image->segments; i++) {
		const struct image_segment *s = &image->segment[i];

		if (pages_behind(offset, s->offset) >= s->bytes + (s->offset & IMAGE_PAGE_MASK))
			continue;
		if (s->code == code)
			return s;
		if (!other)
			other = s;
	}
	return other;
}

const struct image_segment *image_segment_at(const struct image *image, uint64_t bias,
					     uint64_t start, uint64_t offset)
{
	for (uint32_t i = 0; i < image->segments; i++) {
		const struct image_segment *s = &image->segment[i];
		uint64_t behind = pages_behind(start - bias, s->address);

		if (behind < s->bytes + (s->address & IMAGE_PAGE_MASK) &&
		    behind == pages_behind(offset, s->offset))
			return s;
	}
	return NULL;
}

bool image_of_vdso(struct image *ret_image)
{
	const uint8_t *bytes = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct image image = { 0 };
	const Elf64_Phdr *segment;
	Elf64_Ehdr head;

	if (!bytes)
		return false;
	memcpy(&head, bytes, sizeof(head));
	segment = (const Elf64_Phdr *)(const void *)(bytes + head.e_phoff);
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		size_t at = 0;

		while (segment[i].p_type == PT_NOTE && at < segment[i].p_filesz &&
		       !note_take(bytes + segment[i].p_offset, segment[i].p_filesz, &at, &image))
			continue;
	}
	*ret_image = image;
	return true;
}

bool image_read(const char *path, ino_t inode, struct image *ret_image)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct image image = { 0 };
	struct stat st;
	bool found;

	if (fd < 0)
		return false;
	found = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == inode &&
		image_take(fd, &image);
	close(fd);
	if (found)
		*ret_image = image;
	return found;
}
