/* SPDX-License-Identifier: MIT */
/* Arrows of the span that was chosen: to what the GPU did for it, to its backward, and from where it comes. */

const ARROWS_DRAWN = 300;
const ARROWS_LISTED = 200;

const ARROW_COLUMNS = [
	tableColumn("name", "name", "text", "what the arrow leads to or comes from"),
	tableColumn("arrow", "arrow", "text", "what it means"),
	tableColumn("after_ns", "after", "ns", "from its begin to its end"),
	tableColumn("duration_ns", "takes", "ns", "how long the other end takes"),
	tableColumn("lane", "where", "text", "thread or stream of the other end"),
];

class Arrows {
	constructor(timeline) {
		this.timeline = timeline;
		this.shown = [];
		this.rows = [];
	}

	/* All of the page, in the order of their begins. */
	async load() {
		if (this.all)
			return;
		const [fromLane, from, toLane, after] = await piece("timeline-arrows");
		let at = 0;
		this.all = from.map((delta, i) => ({ from: (at += delta), fromLane: fromLane[i], to: at + after[i], toLane: toLane[i] }));
	}

	/* Those that begin or end in the span, on its lane. */
	async choose(span) {
		this.shown = this.rows = [];
		const { data } = this.timeline;
		if (!span || !data.about.arrows)
			return;
		const { row, at } = span, start = row.start[at], end = start + row.duration[at];
		await this.load();
		this.shown = this.all.filter((one) => (one.fromLane === row.lane && one.from >= start && one.from <= end) || (one.toLane === row.lane && one.to >= start && one.to <= end));
		const listed = this.shown.slice(0, ARROWS_LISTED);
		if (listed.length)
			await Promise.all(data.missing(data.levels.length - 1, Math.min(...listed.map((one) => Math.min(one.from, one.to))), Math.max(...listed.map((one) => Math.max(one.from, one.to)))));
		this.rows = listed.map((one) => this.describe(one, row.lane, start, end));
	}

	describe(arrow, lane, start, end) {
		const { data } = this.timeline, leaves = arrow.fromLane === lane && arrow.from >= start && arrow.from <= end;
		const [otherLane, moment] = leaves ? [arrow.toLane, arrow.to] : [arrow.fromLane, arrow.from];
		const launches = data.about.lanes[arrow.toLane].kind === "stream", span = data.startingAt(otherLane, moment);
		return { name: span ? data.nameOf(span.row, span.at) : "(merged in this page)", arrow: launches ? (leaves ? "launches" : "launched by") : leaves ? "backward" : "forward",
			after_ns: arrow.to - arrow.from, duration_ns: span ? span.row.duration[span.at] : null, lane: this.timeline.laneTitle(data.about.lanes[otherLane]), span, moment };
	}

	y(lane, moment) {
		const { data, top } = this.timeline, span = data.startingAt(lane, moment);
		return top[lane] + LANE_HEAD + (span ? span.row.depth : 0) * LANE_ROW + LANE_ROW / 2;
	}

	paint(context) {
		const { timeline } = this;
		context.strokeStyle = context.fillStyle = color("mark");
		context.lineWidth = 1.2;
		for (const arrow of this.shown.slice(0, ARROWS_DRAWN)) {
			if (timeline.top[arrow.fromLane] === undefined || timeline.top[arrow.toLane] === undefined)
				continue;
			const x = timeline.x(arrow.from), y = this.y(arrow.fromLane, arrow.from), toX = timeline.x(arrow.to), toY = this.y(arrow.toLane, arrow.to);
			const bend = Math.max(12, Math.abs(toX - x) / 3), sag = Math.abs(toY - y) < LANE_ROW / 2 ? 2 * LANE_ROW : 0; /* not through what is between */
			context.beginPath();
			context.moveTo(x, y);
			context.bezierCurveTo(x + bend, y + sag, toX - bend, toY + sag, toX, toY);
			context.stroke();
			context.beginPath();
			context.moveTo(toX, toY);
			context.lineTo(toX - 6, toY - 3);
			context.lineTo(toX - 6, toY + 3);
			context.fill();
		}
	}
}

/* What the chosen span's arrows lead to; a button goes to the first of them. */
function arrowsDetail(timeline) {
	const { rows, shown } = timeline.arrows, first = rows.find((row) => row.span);
	if (!shown.length)
		return "";
	return el("div", { class: "arrows" }, first ? el("button", { type: "button", class: "along", onclick: () => timeline.goTo(first.span, 2.5 * Math.abs(first.after_ns)) }, `Go to ${first.arrow === "launched by" || first.arrow === "forward" ? "where it comes from" : "where it leads"}`) : "",
		shown.length > rows.length ? el("p", { class: "dim" }, `The first ${rows.length} of ${shown.length} arrows.`) : "", new DataTable(ARROW_COLUMNS, rows).node);
}
