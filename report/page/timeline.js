/* SPDX-License-Identifier: MIT */
/* The timeline: lanes of spans on a canvas, from the whole run to a microsecond, by mouse and keys. */

const LANE_HEAD = 16;
const LANE_ROW = 15;
const LANE_GAP = 6;
const AXIS = 20;
const TIMELINE_HEIGHT_MAX = 6000;
const VIEW_MIN_NS = 1000;
const WAITING_SHARE = 0.01; /* of the busiest thread's time in spans */
const TABLE_OF = { cpu_op: "ops", python_function: "modules", cuda_runtime: "api", cuda_driver: "api", io: "io", osrt: "waits", kernel: "kernels", gpu_memcpy: "gpu-copies", gpu_memset: "gpu-copies" };

class Timeline {
	/* part: { begin, end, from, to, lanes }: what counts, from where to where is shown first, and the numbers of the lanes. Times are from its begin on. */
	constructor(data, part) {
		this.data = data;
		this.part = part || { begin: 0, end: data.end, from: 0, to: data.end, lanes: null };
		this.from = this.part.from;
		this.to = this.part.to;
		this.follow = null;
		this.selection = null;
		this.chosen = null;
		this.found = null;
		this.arrows = new Arrows(this);
		this.onChange = () => {};
		this.folds = true;
		this.lanes = this.layOut();
		this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": "timeline; W and S zoom, A and D move, Escape shows the whole run",
			onmousemove: (event) => this.move(event), onmouseleave: tipHide, onmousedown: (event) => this.down(event), onmouseup: (event) => this.up(event),
			onkeydown: (event) => this.key(event) });
		this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
	}

	/* Processes as they began. Steps of a process come first, then its ranges and threads, each with its stacks of Python below it; streams last. */
	layOut() {
		const rank = { steps: 0, ranges: 1, thread: 2, samples: 2, gpu: 3, stream: 4 }, below = (lane) => (lane.kind === "gpu" || lane.kind === "stream" ? 1 : 0), busy = new Map(), of = (lane) => lane.process + "/" + lane.tid;
		const lanes = this.data.about.lanes.map((lane, number) => ({ ...lane, number }));
		for (const lane of lanes.filter((one) => one.kind === "thread"))
			busy.set(of(lane), lane.busy_ns);
		const weight = (lane) => (lane.kind === "samples" ? busy.get(of(lane)) || 0 : lane.busy_ns);
		lanes.sort((a, b) => below(a) - below(b) || a.order - b.order || a.process - b.process || rank[a.kind] - rank[b.kind] ||
			(b.tid === b.pid) - (a.tid === a.pid) || weight(b) - weight(a) || a.tid - b.tid || (a.kind === "samples") - (b.kind === "samples"));
		this.top = [];
		this.height = AXIS;
		this.hidden = 0;
		const folded = new Set(lanes.filter((lane) => this.waits(lane, lanes, busy)).map(of));
		this.waiting = folded.size;
		const shown = (lane) => (this.part.lanes ? this.part.lanes.has(lane.number) : !(this.folds && folded.has(of(lane))));
		for (const lane of lanes.filter((one) => one.depths && shown(one))) {
			const height = LANE_HEAD + lane.depths * LANE_ROW + LANE_GAP;
			if (this.height + height > TIMELINE_HEIGHT_MAX) {
				this.hidden++;
				continue;
			}
			this.top[lane.number] = this.height;
			this.height += height;
		}
		return lanes;
	}

	/* A thread that does next to nothing beside the one that does most: it waits, or has ended soon. The main thread is always there. */
	waits(lane, lanes, busy) {
		const most = Math.max(0, ...busy.values());
		return (lane.kind === "thread" || lane.kind === "samples") && lane.tid !== lane.pid && (busy.get(lane.process + "/" + lane.tid) || 0) < most * WAITING_SHARE;
	}

	/* All lanes, or without the threads that wait. */
	fold(on) {
		this.folds = on;
		this.lanes = this.layOut();
		return this.draw();
	}

	laneTitle(lane) {
		const name = lane.name ? show(lane.name) + " " : "";
		return { steps: `steps of process ${lane.pid}`, ranges: `ranges of process ${lane.pid}, begun by thread ${lane.tid}`,
			thread: `${name}${lane.tid}, process ${lane.pid}`, samples: `${name}${lane.tid}, process ${lane.pid}: code of Python (pale: it waits)`, stream: `GPU ${lane.pid}, stream ${lane.tid}`,
			gpu: `state of GPU${lane.device === undefined ? "" : " " + lane.device}, ${show(lane.model || "")} ${show(lane.uuid || "")}, as NVML told (strong: power or temperature held its clock down)` }[lane.kind];
	}

	x(ns) {
		return (ns - this.from) / (this.to - this.from) * this.canvas.clientWidth;
	}

	ns(x) {
		return this.from + x / this.canvas.clientWidth * (this.to - this.from);
	}

	/* A part may reach beyond the run: another one is beside it. */
	look(from, to) {
		const width = Math.min(this.data.end, Math.max(VIEW_MIN_NS, to - from));
		this.from = this.part.lanes ? from : Math.max(0, Math.min(from, this.data.end - width));
		this.to = this.from + width;
		return this.follow ? Promise.all([this.draw(), this.follow()]) : this.draw();
	}

	home() {
		return this.look(this.part.from, this.part.to);
	}

	zoom(by, around) {
		const middle = around === undefined ? (this.from + this.to) / 2 : around;
		return this.look(middle - (middle - this.from) * by, middle + (this.to - middle) * by);
	}

	/* What is there is drawn at once, and again when the rest has been unpacked. */
	async draw() {
		const level = this.data.levelFor((this.to - this.from) / Math.max(1, this.canvas.clientWidth));
		const missing = this.data.missing(level, this.from, this.to), turn = this.turn = {};
		this.level = level;
		this.paint();
		if (missing.length) {
			await Promise.all(missing);
			if (turn === this.turn)
				this.paint();
		}
		this.onChange();
	}

	paint() {
		const context = this.context = canvasFit(this.canvas, this.height);
		this.front = color("front");
		this.paintAxis(context);
		for (const row of this.data.rows(this.level, this.from, this.to))
			this.paintRow(context, row);
		this.paintOutside(context);
		for (const lane of this.lanes)
			if (this.top[lane.number] !== undefined) {
				context.fillStyle = color("dim");
				context.fillText(cut(this.laneTitle(lane), 200), 2, this.top[lane.number] + 12);
			}
		this.arrows.paint(context);
		this.paintSelection(context);
	}

	/* What is not of the part is pale. */
	paintOutside(context) {
		const begin = Math.max(0, this.x(this.part.begin)), end = this.x(this.part.end);
		context.globalAlpha = 0.7;
		context.fillStyle = color("back");
		context.fillRect(0, 0, begin, this.height);
		context.fillRect(end, 0, Math.max(0, this.canvas.clientWidth - end), this.height);
		context.globalAlpha = 1;
	}

	paintAxis(context) {
		const width = this.canvas.clientWidth, raw = (this.to - this.from) / Math.max(1, width / 110), power = 10 ** Math.floor(Math.log10(raw));
		const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw), begin = this.part.begin;
		for (let at = Math.max(0, Math.ceil((this.from - begin) / step) * step); at + begin <= this.to; at += step) {
			context.fillStyle = color("line");
			context.fillRect(this.x(at + begin), 0, 1, this.height);
			context.fillStyle = color("dim");
			context.fillText(this.axisText(at, step), this.x(at + begin) + 3, 12);
		}
	}

	/* With as many digits as tell two of them apart. */
	axisText(ns, step) {
		const [name, factor] = SCALES.ns.filter((scale) => scale[1] <= 1e9 && scale[1] <= Math.max(1, ns)).pop() || SCALES.ns[0];
		return (ns / factor).toFixed(Math.max(0, Math.min(9, Math.ceil(Math.log10(factor / step))))) + " " + name;
	}

	colorOfSpan(row, at) {
		if (row.count[at] > 1)
			return color("line");
		const name = row.name[at];
		if (this.found && this.found.has(name))
			return color("pick");
		this.colors = this.colors && this.theme === document.documentElement.dataset.theme ? this.colors : [];
		this.theme = document.documentElement.dataset.theme;
		return this.found ? color("soft") : this.colors[name] || (this.colors[name] = colorOf(this.data.names[name]));
	}

	/* A thread that was seen waiting; a GPU whose clock was not held down. */
	isPale(row, at) {
		const strong = { samples: "runs", gpu: "gpu_throttled" }[this.data.about.lanes[row.lane].kind];
		return row.count[at] === 1 && strong !== undefined && this.data.categories[row.name[at]] !== strong;
	}

	paintRow(context, row) {
		const top = this.top[row.lane];
		if (top === undefined)
			return;
		const y = top + LANE_HEAD + row.depth * LANE_ROW, width = this.canvas.clientWidth;
		for (let i = this.data.firstAfter(row, this.from); i < row.start.length && row.start[i] <= this.to; i++) {
			const x = Math.max(0, this.x(row.start[i])), right = Math.min(width, this.x(row.start[i] + row.duration[i]));
			if (right < 0)
				continue;
			context.fillStyle = this.colorOfSpan(row, i);
			context.globalAlpha = this.isPale(row, i) ? 0.4 : 1;
			context.fillRect(x, y, Math.max(0.7, right - x - (right - x > 3 ? 0.5 : 0)), LANE_ROW - 2);
			context.globalAlpha = 1;
			if (this.chosen && this.chosen.row === row && this.chosen.at === i) {
				context.strokeStyle = color("mark");
				context.lineWidth = 2;
				context.strokeRect(x, y, Math.max(2, right - x), LANE_ROW - 2);
			}
			if (right - x > 26)
				this.paintName(context, row, i, x, right, y);
		}
	}

	paintName(context, row, at, x, right, y) {
		context.save();
		context.beginPath();
		context.rect(x, y, right - x - 2, LANE_ROW);
		context.clip();
		context.fillStyle = this.front;
		context.fillText(cut(show(this.data.nameOf(row, at)), 200), x + 3, y + 10.5);
		context.restore();
	}

	paintSelection(context) {
		if (!this.selection)
			return;
		const [from, to] = this.selection.map((ns) => this.x(ns));
		context.globalAlpha = 0.2;
		context.fillStyle = color("mark");
		context.fillRect(from, 0, Math.max(1, to - from), this.height);
		context.globalAlpha = 1;
	}

	/* --- the mouse --- */

	place(event) {
		const box = this.canvas.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}

	/* Narrow ones are met a pixel beside them, too: the nearest to the moment. */
	spanAt([x, y]) {
		const ns = this.ns(x), slack = 1.5 * (this.to - this.from) / this.canvas.clientWidth;
		let best = null, nearest = Infinity;
		for (const row of this.data.rows(this.level, this.from, this.to)) {
			const top = this.top[row.lane] + LANE_HEAD + row.depth * LANE_ROW;
			if (!(y >= top && y < top + LANE_ROW))
				continue;
			for (let i = this.data.firstAfter(row, ns - slack); i < row.start.length && row.start[i] <= ns + slack; i++) {
				const far = Math.max(row.start[i] - ns, ns - row.start[i] - row.duration[i], 0);
				if (far <= slack && far < nearest) {
					nearest = far;
					best = { row, at: i };
				}
			}
		}
		return best;
	}

	describe({ row, at }) {
		const merged = row.count[at] > 1, lane = this.data.about.lanes[row.lane];
		return show(this.data.nameOf(row, at)) + "\n" + shownNumber(merged ? row.busy[at] : row.duration[at], "ns") +
			(merged ? ` in ${shownNumber(row.duration[at], "ns")}` : "") + `, from ${shownNumber(row.start[at] - this.part.begin, "ns")}${this.part.lanes ? " of the step" : ""}\n` +
			(lane.kind === "samples" && !merged ? this.data.categories[row.name[at]] + "\n" : "") + this.laneTitle(lane);
	}

	/* With the stack around it, where it is one of Python. */
	describeWhole(span) {
		const { row, at } = span, stack = row.count[at] > 1 ? "" : this.data.stacks.text(row.name[at], STACK_TIP_FRAMES);
		return this.describe(span) + (stack ? "\n" + stack : "");
	}

	move(event) {
		const place = this.place(event);
		if (this.grip) {
			const [x] = place;
			if (this.grip.moves)
				this.look(this.grip.from - (x - this.grip.x) / this.canvas.clientWidth * (this.grip.to - this.grip.from), this.grip.to - (x - this.grip.x) / this.canvas.clientWidth * (this.grip.to - this.grip.from));
			else if (Math.abs(x - this.grip.x) > 3) {
				this.selection = [this.ns(Math.min(x, this.grip.x)), this.ns(Math.max(x, this.grip.x))].map((ns) => Math.max(0, Math.min(this.data.end, Math.round(ns))));
				this.paint();
			}
			return;
		}
		const span = this.spanAt(place);
		if (span)
			tipShow(event, this.describeWhole(span));
		else
			tipHide();
	}

	down(event) {
		const [x] = this.place(event);
		this.grip = { x, from: this.from, to: this.to, moves: event.shiftKey || event.button === 1 };
	}

	up(event) {
		const [x, y] = this.place(event), grip = this.grip;
		this.grip = null;
		if (!grip || grip.moves)
			return;
		if (Math.abs(x - grip.x) <= 3) {
			this.selection = null;
			this.choose(this.spanAt([x, y]));
			return;
		}
		this.onChange();
	}

	/* The span, or null; its arrows are there when the promise is kept. */
	async choose(span) {
		this.chosen = span;
		await this.arrows.choose(span);
		this.paint();
		await this.onChange();
	}

	/* The span becomes the chosen one, in the middle of so many ns or of what there is room for. */
	async goTo(span, wide) {
		const { row, at } = span, width = Math.max(row.duration[at] * 4, wide || (this.to - this.from) / 4), middle = row.start[at] + row.duration[at] / 2;
		this.chosen = span;
		await this.arrows.choose(span);
		await this.look(middle - width / 2, middle + width / 2);
		this.reveal(span.row);
	}

	/* The window is moved when the row is out of sight, or below the details. */
	reveal(row) {
		const y = this.canvas.getBoundingClientRect().top + this.top[row.lane] + LANE_HEAD + row.depth * LANE_ROW;
		if (!(y >= 0 && y < innerHeight * 0.6))
			scrollBy(0, y - innerHeight * 0.3);
	}

	wheel(event) {
		if (event.ctrlKey || event.metaKey || event.altKey) {
			event.preventDefault();
			this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.ns(this.place(event)[0]));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			const by = (event.deltaX || event.deltaY) / this.canvas.clientWidth * (this.to - this.from);
			this.look(this.from + by, this.to + by);
		}
	}

	key(event) {
		const width = this.to - this.from, by = { a: -0.2, ArrowLeft: -0.2, d: 0.2, ArrowRight: 0.2 }[event.key];
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === "w" || event.key === "+")
			this.zoom(0.6);
		else if (event.key === "s" || event.key === "-")
			this.zoom(1 / 0.6);
		else if (by)
			this.look(this.from + by * width, this.to + by * width);
		else if (event.key === "Escape") {
			this.selection = null;
			this.choose(null);
			this.home();
		} else
			return;
		event.preventDefault();
	}

	/* --- search and sums --- */

	search(words) {
		const wanted = words.toLowerCase();
		this.found = wanted ? new Set(this.data.names.flatMap((name, at) => (name.toLowerCase().includes(wanted) ? [at] : []))) : null;
		this.paint();
	}

	async findNext() {
		if (!this.found)
			return;
		await Promise.all(this.data.missing(this.data.levels.length - 1, 0, this.data.end));
		const after = this.chosen ? this.chosen.row.start[this.chosen.at] : -1;
		const span = this.data.next(this.found, after) || this.data.next(this.found, -1);
		if (!span)
			return;
		await this.goTo(span);
	}

	async sums() {
		const [from, to] = this.selection;
		await Promise.all(this.data.missing(this.data.levels.length - 1, from, to));
		return this.data.sums(from, to);
	}
}

/* --- the panel --- */

const SUM_COLUMNS = [
	tableColumn("name", "name", "text", "what was open"),
	tableColumn("category", "kind", "text", "as export chrome names it", 1),
	tableColumn("count", "began", "count", "how many began in the selection"),
	tableColumn("total_ns", "time inside", "ns", "their time in the selection, with what is inside of them"),
];

async function timelineDetail(timeline, place) {
	if (timeline.selection) {
		const [from, to] = timeline.selection, rows = await timeline.sums();
		if (!timeline.selection || timeline.selection[0] !== from)
			return;
		place.rows = rows;
		place.replaceChildren(el("h2", {}, `${shownNumber(to - from, "ns")} from ${shownNumber(from, "ns")} `,
			el("button", { type: "button", class: "into", onclick: () => { timeline.selection = null; timeline.look(from, to); } }, "Zoom in")),
			new DataTable(SUM_COLUMNS, rows).node);
	} else if (timeline.chosen) {
		const chosen = timeline.chosen, { row, at } = chosen, merged = row.count[at] > 1, is_stack = timeline.data.about.lanes[row.lane].kind === "samples";
		const table = merged ? null : is_stack ? "lines" : TABLE_OF[timeline.data.categories[row.name[at]]];
		const name = merged ? "" : is_stack ? timeline.data.names[row.name[at]].replace(/ \([^(]*\)$/, "") : timeline.data.names[row.name[at]];
		const stacks = await stacksDetail(timeline);
		if (timeline.chosen !== chosen)
			return;
		place.replaceChildren(el("pre", {}, timeline.describe(timeline.chosen)),
			el("button", { type: "button", class: "into", onclick: () => timeline.look(row.start[at] - row.duration[at] * 0.1, row.start[at] + row.duration[at] * 1.1) }, "Zoom in"), " ",
			table ? el("button", { type: "button", class: "row", onclick: () => { location.hash = `tables/${table}/${encodeURIComponent(name)}`; } }, `Show its row of ${table}`) : "",
			stacks, arrowsDetail(timeline));
	} else
		place.replaceChildren();
}

function timelineNotes(data, stacksMissing) {
	const { about } = data, notes = [`${(about.spans - about.stretches).toLocaleString("en-US")} spans.`];
	if (about.name_bytes)
		notes.push(`The page has no room for all names: long ones are cut after ${about.name_bytes} bytes, and end in … The tables have them whole.`);
	if (about.merged_ns)
		notes.push(`The page has no room for all: what is shorter than ${shownNumber(about.merged_ns, "ns")} is merged (grey), with counts. prof-report page --time A..B has more of a part.`);
	if (about.gpu_steps_of)
		notes.push(`The GPU was recorded in ${about.gpu_steps.toLocaleString("en-US")} of ${about.gpu_steps_of.toLocaleString("en-US")} steps: in the others its rows are empty.`);
	if (about.stacks_kept < about.stacks)
		notes.push(`The page has no room for all stacks: ${about.stacks_kept.toLocaleString("en-US")} of ${about.stacks.toLocaleString("en-US")} are there.`);
	if (about.arrows)
		notes.push(`${about.arrows_kept < about.arrows ? `${about.arrows_kept.toLocaleString("en-US")} of ` : ""}${about.arrows.toLocaleString("en-US")} arrows: click a span to see its own.`);
	notes.push(about.looks ? `The row below a thread is its Python code, by ${about.looks.toLocaleString("en-US")} samples: click one for its stack.` : stacksMissing);
	return el("p", { class: "dim" }, notes.filter((note) => note).join(" ") + " Drag to select a time. Shift and drag moves, Ctrl and the wheel zooms. Keys: W and S zoom, A and D move, Escape shows the whole run.");
}

/* To show the threads that wait, too; nothing where there are none. */
function foldBox(timeline) {
	if (!timeline.waiting)
		return "";
	const input = el("input", { type: "checkbox", class: "waiting", onchange: () => timeline.fold(!input.checked) });
	return el("label", {}, input, ` ${timeline.waiting} waiting thread${timeline.waiting === 1 ? "" : "s"}`);
}

/* The step whose time is the median, with a tenth of it on both sides; null: there are none. */
async function typicalStep(manifest) {
	const table = await tableOf(manifest, "steps"), rows = table ? [...table.document.rows].sort((a, b) => a.total_ns - b.total_ns) : [];
	const row = rows[rows.length >> 1];
	return row && row.total_ns ? [row.start_ns - row.total_ns / 10, row.start_ns + row.total_ns * 1.1] : null;
}

async function panelTimeline(manifest, panel, route) {
	const entry = manifest.pieces.find((one) => one.kind === "timeline");
	if (entry && entry.left_out) {
		panel.replaceChildren(noRoom("the timeline", "prof-report page --time A..B has a part of it, and export chrome has all."));
		return;
	}
	if (!entry) {
		const ops = await tableOf(manifest, "ops");
		panel.replaceChildren(el("p", { class: "empty" }, "The recording has nothing that begins and ends. " + (ops && ops.about.empty ? show(ops.about.empty) + "." : "")));
		return;
	}
	const typical = await typicalStep(manifest);
	const lines = manifest.pieces.find((one) => one.kind === "table" && one.name === "lines"), missing = lines && lines.empty ? show(lines.empty) + "." : "";
	const data = new TimelineData(await piece("timeline")), stacks = new Stacks(data), timeline = new Timeline(data), detail = el("div", { class: "detail below" });
	const search = el("input", { type: "search", placeholder: "Search, Enter for the next", "aria-label": "Search the timeline", oninput: () => timeline.search(search.value),
		onkeydown: (event) => { if (event.key === "Enter") timeline.findNext(); } });
	const range = el("span", { class: "range dim" });
	const button = (label, title, run) => el("button", { type: "button", title, onclick: run }, label);
	timeline.onChange = () => {
		range.textContent = `${timeline.axisText(timeline.from, (timeline.to - timeline.from) / 20)} to ${timeline.axisText(timeline.to, (timeline.to - timeline.from) / 20)}`;
		return timelineDetail(timeline, detail);
	};
	panel.replaceChildren(el("div", { class: "tools" }, search, button("+", "zoom in", () => timeline.zoom(0.5)), button("−", "zoom out", () => timeline.zoom(2)),
		button("Whole run", "show all", () => timeline.look(0, data.end)), foldBox(timeline), range), timelineNotes(data, missing),
		timeline.hidden ? el("p", { class: "dim" }, `${timeline.hidden} more lanes did less and have no room here; prof-report page --thread TID shows one.`) : "",
		timeline.canvas, detail);
	panel.timeline = timeline;
	stacks.load(); /* for who points at one */
	panel.redraw = () => timeline.draw();
	if (route.length > 1 && Number(route[1]) > Number(route[0]))
		await timeline.look(Number(route[0]), Number(route[1]));
	else if (typical)
		await timeline.look(...typical);
	else
		await timeline.draw();
}
