/* SPDX-License-Identifier: MIT */
/*
 * A tree of stacks as an SVG: rectangles from the root upwards, and a script for zoom and search.
 */
#include "report/stacks/flame_svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/text.h"

#define WIDTH 1200.0
#define ROW 17u /* pixels */
#define TOP 64u /* above the graph */
#define BOTTOM 40u
#define NARROWEST 0.1 /* pixels */
#define LETTER 6.6    /* pixels, about */
#define NAME_BYTES 1024u

/* Escapes text for element content and for attributes. */
static void put_escaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(text[i], out);
			break;
		}
	}
}

static void flame_svg_put_text(FILE *out, const char *text)
{
	char shown[NAME_BYTES];
	size_t length = text_escape(shown, sizeof(shown), text, strnlen(text, NAME_BYTES));

	put_escaped(out, shown, length);
}

/* A function has the same colour in every graph. */
static unsigned int hue_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 15) % 12;
}

struct drawing {
	struct flame_svg svg;
	const struct stack_tree *tree;
	double *left; /* of each node, as a share of the whole */
};

bool flame_svg_is_drawn(unsigned int depth, double share)
{
	return depth < FLAME_DEPTH_MAX && share * WIDTH >= NARROWEST;
}

static double flame_svg_share(const struct stack_tree *tree, uint32_t node)
{
	uint64_t all = tree->node[TREE_ROOT].total;

	return all ? (double)tree->node[node].total / (double)all : 1;
}

static bool node_is_drawn(const struct stack_tree *tree, uint32_t node)
{
	return flame_svg_is_drawn(tree->node[node].depth, flame_svg_share(tree, node));
}

/* Children are beside each other, in the order of the nodes, from their parent's left end. */
static void place_nodes(struct drawing *drawing, const uint32_t *order)
{
	const struct stack_tree *tree = drawing->tree;
	double all = (double)tree->node[TREE_ROOT].total;
	uint64_t *used = memory_zero(tree->count, sizeof(*used));

	for (size_t i = 0; i + 1 < tree->count; i++) {
		const struct tree_node *node = &tree->node[order[i]];

		drawing->left[order[i]] = drawing->left[node->parent] +
					  (all > 0 ? (double)used[node->parent] / all : 0);
		used[node->parent] += node->total;
		flame_svg_count(&drawing->svg, node->depth, flame_svg_share(tree, order[i]));
	}
	free(used);
}

/* What is written into the rectangle, cut to its width. */
static void flame_svg_put_label(FILE *out, const struct flame_box *box, double width)
{
	char shown[NAME_BYTES + 8], cut[NAME_BYTES + 16];
	size_t room = width > 3 * LETTER ? (size_t)(width / LETTER) : 0, used = 0, length;

	if (box->mark)
		used = (size_t)snprintf(shown, 8, "%.6s", box->mark);
	length = used + text_escape(shown + used, sizeof(shown) - used, box->name,
				    strnlen(box->name, NAME_BYTES));
	if (room && text_width(shown, length) <= room) {
		put_escaped(out, shown, length);
	} else if (room > 2 && length) {
		length = text_shorten(cut, shown, length, room, "..");
		put_escaped(out, cut, length);
	}
}

void flame_svg_put(const struct flame_svg *svg, const struct flame_box *box)
{
	double x = box->left * WIDTH, width = box->share * WIDTH;
	unsigned int y = TOP + (svg->depth - box->depth) * ROW;

	fprintf(svg->out, "<g data-x=\"%.6f\" data-w=\"%.6f\" data-d=\"%u\"%s%s%s%s><title>",
		box->left, box->share, box->depth, box->mark ? " data-m=\"" : "",
		box->mark ? box->mark : "", box->mark ? "\"" : "", box->data ? box->data : "");
	flame_svg_put_text(svg->out, box->name);
	fprintf(svg->out,
		" (%s)</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" "
		"class=\"%s\"/>",
		box->value, x, y, width, ROW - 1, box->hue);
	fprintf(svg->out, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + ROW - 5);
	flame_svg_put_label(svg->out, box, width);
	fputs("</text></g>\n", svg->out);
}

static void draw_node(const struct drawing *drawing, uint32_t number)
{
	const struct tree_node *node = &drawing->tree->node[number];
	double share = flame_svg_share(drawing->tree, number);
	char amount[UNIT_TEXT_BYTES], percent[UNIT_TEXT_BYTES], value[2 * UNIT_TEXT_BYTES], hue[16];
	struct flame_box box = { .left = drawing->left[number],
				 .share = share,
				 .depth = node->depth,
				 .name = tree_name(drawing->tree, number),
				 .value = value,
				 .hue = hue };

	snprintf(value, sizeof(value), "%s, %s",
		 unit_format(amount, drawing->svg.text->unit, node->total),
		 unit_format_percent(percent, 100 * share));
	snprintf(hue, sizeof(hue), "h%u", hue_of(box.name));
	flame_svg_put(&drawing->svg, &box);
}

static const char style[] =
	"<style>\n"
	"svg{background:#fff;font:11px ui-monospace,Menlo,Consolas,monospace}\n"
	"text{fill:#111;pointer-events:none;white-space:pre}\n"
	".title{font-size:16px;font-weight:bold}.note{fill:#555}\n"
	"g[data-x]{cursor:pointer}g[data-x]:hover rect{stroke:#000;stroke-width:1}\n"
	"g.far rect{opacity:.45}g.found rect{fill:#c06cf0}\n"
	".button{fill:#0645ad;cursor:pointer;pointer-events:all}\n"
	"input{font:12px ui-monospace,monospace;width:190px;box-sizing:border-box}\n";

static const char style_dark[] =
	"@media (prefers-color-scheme:dark){svg{background:#1b1b1f}text{fill:#111}"
	".title{fill:#eee}.note{fill:#aaa}.button{fill:#8ab4f8}"
	"g[data-x]:hover rect{stroke:#fff}}\n</style>\n";

static void put_style(const struct flame_svg *svg)
{
	fputs(style, svg->out);
	for (unsigned int hue = 0; hue < 12 && !svg->text->style; hue++)
		fprintf(svg->out, ".h%u{fill:hsl(%u,80%%,%u%%)}\n", hue, 12 + hue * 4,
			62 + hue % 4 * 4);
	if (svg->text->style)
		fputs(svg->text->style, svg->out);
	fputs(style_dark, svg->out);
}

/*
 * Zoom: frames inside of the chosen frame are drawn over the whole width, frames around it stay,
 * and all others are hidden.
 */
static const char script[] =
	"<script><![CDATA[\n"
	"'use strict';\n"
	"(function () {\n"
	"var W = 1200, LETTER = 6.6, root = document.documentElement;\n"
	"var frames = [].slice.call(root.querySelectorAll('g[data-x]')).map(function (g) {\n"
	"	var title = g.querySelector('title').textContent;\n"
	"	return { g: g, x: +g.dataset.x, w: +g.dataset.w, d: +g.dataset.d,\n"
	"		name: title.replace(/ \\([^()]*\\)$/, ''), rect: g.querySelector('rect'),\n"
	"		text: g.querySelector('text'), mark: g.dataset.m || '' };\n"
	"});\n"
	"function show(frame, x, w) {\n"
	"	var px = Math.max(w * W, 0), room = Math.floor(px / LETTER);\n"
	"	frame.rect.setAttribute('x', (x * W).toFixed(2));\n"
	"	frame.rect.setAttribute('width', px.toFixed(2));\n"
	"	frame.text.setAttribute('x', (x * W + 3).toFixed(2));\n"
	"	var name = frame.mark + frame.name;\n"
	"	frame.text.textContent = room < 3 ? '' : name.length <= room ? name :\n"
	"		name.slice(0, room - 2) + '..';\n"
	"}\n"
	"function zoom(to) {\n"
	"	var eps = 1e-9;\n"
	"	frames.forEach(function (f) {\n"
	"		var inside = f.x >= to.x - eps && f.x + f.w <= to.x + to.w + eps && f.d >= "
	"to.d;\n"
	"		var around = f.d < to.d && f.x <= to.x + eps && f.x + f.w >= to.x + to.w - "
	"eps;\n"
	"		f.g.style.display = inside || around ? '' : 'none';\n"
	"		f.g.classList.toggle('far', around);\n"
	"		if (around)\n"
	"			show(f, 0, 1);\n"
	"		else if (inside)\n"
	"			show(f, (f.x - to.x) / to.w, f.w / to.w);\n"
	"	});\n"
	"}\n"
	"function reset() { zoom({ x: 0, w: 1, d: 0 }); }\n"
	"frames.forEach(function (f) { f.g.addEventListener('click', function () { zoom(f); }); "
	"});\n"
	"document.getElementById('reset').addEventListener('click', reset);\n"
	"var field = document.getElementById('search'), told = document.getElementById('found');\n"
	"function search() {\n"
	"	var what = field.value, match, spans = [], sum = 0, end = 0;\n"
	"	try { match = what && new RegExp(what); }\n"
	"	catch (error) { match = { test: function (name) { return name.indexOf(what) >= 0; "
	"} }; }\n"
	"	frames.forEach(function (f) {\n"
	"		var found = !!match && f.d > 0 && match.test(f.name);\n"
	"		f.g.classList.toggle('found', found);\n"
	"		if (found)\n"
	"			spans.push([f.x, f.x + f.w]);\n"
	"	});\n"
	"	spans.sort(function (a, b) { return a[0] - b[0]; });\n"
	"	spans.forEach(function (s) {\n"
	"		if (s[1] > end) { sum += s[1] - Math.max(s[0], end); end = s[1]; }\n"
	"	});\n"
	"	told.textContent = match ? 'found: ' + (100 * sum).toFixed(1) + ' %' : '';\n"
	"}\n"
	"field.addEventListener('input', search);\n"
	"})();\n"
	"]]></script>\n";

static void put_note(FILE *out, unsigned int y, const char *text)
{
	fprintf(out, "<text class=\"note\" x=\"6\" y=\"%u\">", y);
	flame_svg_put_text(out, text);
	fputs("</text>\n", out);
}

void flame_svg_count(struct flame_svg *svg, unsigned int depth, double share)
{
	if (!flame_svg_is_drawn(depth, share))
		svg->left_out++;
	else if (depth > svg->depth)
		svg->depth = depth;
}

void flame_svg_begin(const struct flame_svg *svg)
{
	FILE *out = svg->out;
	unsigned int height = TOP + (svg->depth + 1) * ROW + BOTTOM;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %u\" "
		"width=\"100%%\">\n",
		WIDTH, height);
	put_style(svg);
	fputs("<text class=\"title\" x=\"6\" y=\"22\">", out);
	flame_svg_put_text(out, svg->text->title);
	fputs("</text>\n", out);
	put_note(out, 42, svg->text->subtitle);
	if (svg->text->legend)
		put_note(out, 58, svg->text->legend);
	fputs("<text class=\"button\" id=\"reset\" x=\"900\" y=\"22\">reset zoom</text>\n"
	      "<foreignObject x=\"1000\" y=\"6\" width=\"200\" height=\"26\">"
	      "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" "
	      "placeholder=\"search (regular expression)\" "
	      "aria-label=\"search\"/></foreignObject>\n"
	      "<text class=\"note\" id=\"found\" x=\"1000\" y=\"46\"></text>\n",
	      out);
	if (svg->left_out)
		fprintf(out,
			"<text class=\"note\" x=\"6\" y=\"%u\">%zu functions are too narrow or too "
			"deep to be "
			"drawn</text>\n",
			height - 12, svg->left_out);
}

void flame_svg_end(const struct flame_svg *svg)
{
	fputs(script, svg->out);
	fputs("</svg>\n", svg->out);
}

void flame_svg_write(FILE *out, const struct stack_tree *tree, const struct flame_text *text)
{
	struct drawing drawing = { .svg = { .out = out, .text = text }, .tree = tree };
	uint32_t *order = stack_tree_order(tree);

	drawing.left = memory_zero(tree->count, sizeof(*drawing.left));
	place_nodes(&drawing, order);
	flame_svg_begin(&drawing.svg);
	draw_node(&drawing, TREE_ROOT);
	for (size_t i = 0; i + 1 < tree->count; i++)
		if (node_is_drawn(tree, order[i]))
			draw_node(&drawing, order[i]);
	flame_svg_end(&drawing.svg);
	free(order);
	free(drawing.left);
}
