/* SPDX-License-Identifier: MIT */
/*
 * Cells that read the same form a group. When whole names are sorted, a name shares its longest
 * start with one of its neighbours. The place after that start distinguishes it from the neighbour,
 * and places after shorter starts distinguish it from the others. A cell shows these places first,
 * then their surroundings, the end and the start, as far as there is room.
 */
#include "report/table/name_cells.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/symbol.h"
#include "report/base/text.h"

#define PLACES_MAX 4u /* places that distinguish a name, last ones first */

struct name_cell {
	const char *name; /* the whole name */
	size_t length, row, room;
	char *shown;
	size_t place[PLACES_MAX]; /* byte offsets */
	size_t places;
	/*
	 * within the group: bytes shared with the previous name; indices of the next names down and
	 * up that share less
	 */
	size_t shared, lower, upper;
};

struct name_cells {
	struct name_cell *cell;
	size_t count;
};

/* A character of a name that is being cut. */
struct letter {
	size_t at; /* byte offset */
	size_t width;
	bool is_kept;
};

/* --- what a cell shows --- */

static size_t letters_of(struct letter *letter, const char *name, size_t length)
{
	size_t count = 0;

	for (size_t at = 0; at < length; count++) {
		uint32_t character = 0;
		size_t bytes = text_decode(name + at, length - at, &character);

		letter[count] = (struct letter){ at, bytes ? text_character_width(character) : 1,
						 false };
		at += bytes ? bytes : 1;
	}
	return count;
}

static size_t width_of(const struct letter *letter, size_t count, size_t mark)
{
	size_t width = 0;

	for (size_t i = 0; i < count; i++)
		if (letter[i].is_kept)
			width += letter[i].width;
		else if (!i || letter[i - 1].is_kept)
			width += mark;
	return width;
}

/*
 * Keeps the nearest character that is not kept yet, from `at` on in steps of `step`. False: there
 * is none, or no room for it.
 */
static bool keep_next(struct letter *letter, size_t count, size_t at, int step, size_t room,
		      size_t mark)
{
	while (at < count && letter[at].is_kept)
		at += (size_t)step;
	if (at >= count)
		return false;
	letter[at].is_kept = true;
	if (width_of(letter, count, mark) <= room)
		return true;
	letter[at].is_kept = false;
	return false;
}

/* For a C++ name, keeps the function's own name if there is room. */
static void keep_function(const struct name_cell *cell, struct letter *letter, size_t count,
			  size_t mark)
{
	size_t length, from, i = 0;
	const char *base;

	if (!memmem(cell->name, cell->length, "::", 2))
		return;
	base = symbol_base(cell->name, cell->length, &length);
	from = (size_t)(base - cell->name);
	while (i < count && letter[i].at < from)
		i++;
	for (; i < count && (isalnum((unsigned char)cell->name[letter[i].at]) ||
			     cell->name[letter[i].at] == '_');
	     i++)
		if (!letter[i].is_kept && !keep_next(letter, count, i, 1, cell->room, mark))
			return;
}

/* For a path, the end says more than the start. */
static bool is_path(const char *name)
{
	return *name == '/' || *name == '.' || *name == '~';
}

/* Adds evenly on all sides, but most after the places and at the end. */
static void letters_keep(const struct name_cell *cell, struct letter *letter, size_t count,
			 size_t mark)
{
	size_t place[PLACES_MAX] = { 0 };
	bool grows = true, has_start = !is_path(cell->name);

	for (size_t i = 0; i < cell->places; i++) {
		while (place[i] + 1 < count && letter[place[i] + 1].at <= cell->place[i])
			place[i]++;
		(void)keep_next(letter, count, place[i], 1, cell->room, mark);
	}
	keep_function(cell, letter, count, mark);
	while (grows) {
		grows = keep_next(letter, count, count - 1, -1, cell->room, mark);
		grows |= keep_next(letter, count, count - 1, -1, cell->room, mark);
		grows |= has_start && keep_next(letter, count, 0, 1, cell->room, mark);
		for (size_t i = 0; i < cell->places; i++) {
			grows |= keep_next(letter, count, place[i], 1, cell->room, mark);
			grows |= keep_next(letter, count, place[i], 1, cell->room, mark);
			grows |= keep_next(letter, count, place[i], -1, cell->room, mark);
		}
	}
}

static void cell_show_places(struct name_cell *cell, const char *mark)
{
	struct letter *letter = memory_zero(cell->length + 1, sizeof(*letter));
	size_t count = letters_of(letter, cell->name, cell->length), used = 0;

	letters_keep(cell, letter, count, text_width(mark, strlen(mark)));
	free(cell->shown);
	cell->shown = memory_zero((cell->length + 1) * (strlen(mark) + 1), 1);
	for (size_t i = 0; i < count; i++) {
		size_t end = i + 1 < count ? letter[i + 1].at : cell->length;

		if (letter[i].is_kept) {
			memcpy(cell->shown + used, cell->name + letter[i].at, end - letter[i].at);
			used += end - letter[i].at;
		} else if (!i || letter[i - 1].is_kept) {
			memcpy(cell->shown + used, mark, strlen(mark));
			used += strlen(mark);
		}
	}
	free(letter);
}

/* --- which cells --- */

static int name_cells_compare_cells(const void *a, const void *b)
{
	const struct name_cell *x = a, *y = b;
	int order = strcmp(x->shown, y->shown);

	return order ? order : strcmp(x->name, y->name);
}

static size_t shared_start(const struct name_cell *a, const struct name_cell *b)
{
	size_t shared = 0;

	while (a->name[shared] && a->name[shared] == b->name[shared])
		shared++;
	return shared;
}

static void cell_add_place(struct name_cell *cell, size_t place)
{
	for (size_t i = 0; i < cell->places; i++)
		if (cell->place[i] == place)
			return;
	if (cell->places < PLACES_MAX)
		cell->place[cell->places++] = place;
}

/*
 * The start that a name shares with a distant one is the minimum of what the neighbours in between
 * share. So only names where that becomes shorter matter: `lower` and `upper` lead from one to the
 * next, so that thousands of names take no longer than few.
 */
static void group_link(struct name_cell *group, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		group[i].shared = shared_start(&group[i - 1], &group[i]);
		group[i].lower = i - 1;
		while (group[i].lower && group[group[i].lower].shared >= group[i].shared)
			group[i].lower = group[group[i].lower].lower;
	}
	for (size_t i = count - 1; i > 0; i--) {
		group[i].upper = i + 1;
		while (group[i].upper < count && group[group[i].upper].shared >= group[i].shared)
			group[i].upper = group[group[i].upper].upper;
	}
}

/* Nearest names first. */
static void cell_find_places(struct name_cell *group, size_t count, size_t at)
{
	struct name_cell *cell = &group[at];
	size_t below = at, above = at + 1;

	while ((below || above < count) && cell->places < PLACES_MAX) {
		bool is_above = above < count && (!below || above - at <= at - below + 1);
		size_t next = is_above ? above : below;
		const struct name_cell *other = &group[is_above ? next : next - 1];

		if (strcmp(cell->name, other->name) != 0)
			cell_add_place(cell, group[next].shared);
		if (is_above)
			above = group[next].upper;
		else
			below = group[next].lower;
	}
}

/* Returns false if nothing more can be shown. */
static bool groups_tell_apart(struct name_cells *cells)
{
	bool is_more = false;
	size_t end;

	qsort(cells->cell, cells->count, sizeof(*cells->cell), name_cells_compare_cells);
	for (size_t first = 0; first < cells->count; first = end) {
		struct name_cell *group = &cells->cell[first];

		for (end = first + 1; end < cells->count; end++)
			if (strcmp(group->shown, cells->cell[end].shown) != 0)
				break;
		if (!strcmp(group->name, cells->cell[end - 1].name))
			continue;
		group_link(group, end - first);
		for (size_t i = 0; i < end - first; i++) {
			size_t known = group[i].places;

			cell_find_places(group, end - first, i);
			is_more |= group[i].places > known;
		}
	}
	return is_more;
}

/* By how much a column with such cells becomes wider, at most `more`. */
static size_t cells_lack(const struct name_cells *cells, size_t width, size_t more)
{
	size_t lack = 0;

	for (size_t i = 0; i < cells->count; i++) {
		const struct name_cell *cell = &cells->cell[i];
		size_t wanted = text_width(cell->name, cell->length);

		if (cell->places && wanted > width && wanted - width > lack)
			lack = wanted - width;
	}
	return lack < more ? lack : more;
}

/* --- per column --- */

/* As export_table.c shows it, and the name before layout_make() has shortened it. */
static void cell_make(struct layout *layout, const char *mark, size_t row, size_t at,
		      struct name_cell *cell)
{
	const struct table *table = layout->document->table;
	const struct column *column = layout_column(layout, at);
	const char *text = layout->text[row * layout->count + at];
	size_t indent = at == layout->main ? layout_depth(layout, table->order[row]) * LAYOUT_INDENT
					   : 0;
	size_t length = strlen(text);

	*cell = (struct name_cell){ .row = row };
	cell->room = layout->width[at] > indent ? layout->width[at] - indent : 1;
	cell->shown = memory_grow(NULL, length + 64, 1);
	if (column->unit == UNIT_TEXT)
		(void)symbol_shorten(cell->shown, text, length, cell->room, mark);
	else
		(void)text_shorten(cell->shown, text, length, cell->room, mark);
	cell->name = column->unit == UNIT_TEXT
			     ? text
			     : export_cell_text(
				       &layout->texts, column,
				       table_cell(table, table->order[row], layout->column[at]));
	cell->length = strlen(cell->name);
}

static size_t room_left(const struct layout *layout, size_t screen_width)
{
	size_t used = 0;

	for (size_t i = 0; i < layout->count; i++)
		used += layout->width[i] ? layout->width[i] + LAYOUT_GAP : 0;
	used -= used ? LAYOUT_GAP : 0;
	return used < screen_width ? screen_width - used : 0;
}

static void cells_show_places(struct name_cells *cells, size_t more, const char *mark)
{
	for (size_t i = 0; i < cells->count; i++) {
		cells->cell[i].room += more;
		if (cells->cell[i].places)
			cell_show_places(&cells->cell[i], mark);
	}
}

/*
 * What distinguishes a cell from one group may be what distinguished it from another before, so
 * such cells are examined again.
 */
static void column_tell_apart(struct layout *layout, const struct screen *screen, size_t at)
{
	const char *mark = screen->utf8 ? "\xe2\x80\xa6" : "..";
	struct name_cells cells = { .count = layout->document->table->shown };

	cells.cell = memory_zero(cells.count + 1, sizeof(*cells.cell));
	for (size_t row = 0; row < cells.count; row++)
		cell_make(layout, mark, row, at, &cells.cell[row]);
	for (unsigned int i = 0; i < PLACES_MAX && groups_tell_apart(&cells); i++) {
		size_t more = cells_lack(&cells, layout->width[at],
					 room_left(layout, screen->width));

		layout->width[at] += more;
		cells_show_places(&cells, more, mark);
	}
	for (size_t i = 0; i < cells.count; i++) {
		struct name_cell *cell = &cells.cell[i];

		if (cell->places)
			layout->text[cell->row * layout->count + at] = text_store_put(
				&layout->texts, cell->shown, strlen(cell->shown));
		free(cell->shown);
	}
	free(cells.cell);
}

void name_cells_tell_apart(struct layout *layout, const struct screen *screen)
{
	const struct table *table = layout->document->table;

	if (screen->uncut)
		return;
	for (size_t i = 0; i < layout->count; i++) {
		enum unit unit = layout_column(layout, i)->unit;

		if (layout->width[i] && (unit == UNIT_TEXT || unit == UNIT_SYMBOL) &&
		    !table_is_by_row(table, layout->column[i]))
			column_tell_apart(layout, screen, i);
	}
}
