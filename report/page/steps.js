/* SPDX-License-Identifier: MIT */
/* Steps: a bar a step, split by the phases of the loop, or by what ran, and a table. */

const STEP_VIEWS = {
	phase: [
		["data_ns", "data", "#ff7f0e"], ["forward_ns", "forward", "#2ca02c"], ["backward_ns", "backward", "#1f77b4"],
		["optimizer_ns", "optimizer", "#e377c2"], ["communication_ns", "communication", "#9467bd"],
		["evaluation_ns", "evaluation", "#bcbd22"], ["other_phase_ns", "other", "#8c8c8c"],
	],
	category: [
		["kernel_ns", "kernel", "#1f77b4"], ["memcpy_ns", "memcpy", "#17becf"], ["memset_ns", "memset", "#9edae5"],
		["communication_ns", "communication", "#9467bd"], ["runtime_ns", "CUDA calls", "#e377c2"],
		["gc_ns", "garbage collector", "#d62728"], ["dataloader_ns", "data loader", "#ff7f0e"],
		["operators_ns", "operators", "#2ca02c"], ["other_ns", "other", "#8c8c8c"],
	],
};
const STEP_VIEW_NAMES = { phase: "by phase", category: "by what ran" };

/* A loop without any phase is shown by what ran. */
function stepView(rows) {
	return STEP_VIEWS.phase.some(([name]) => name !== "other_phase_ns" && rows.some((row) => row[name])) ? "phase" : "category";
}

const STEP_HEIGHT = 260;
const STEP_LEFT = 64, STEP_BOTTOM = 18, STEP_TOP = 14; /* room for the axes */
const STEP_CUT = 1.5; /* a step that takes so many times the p99 is cut off, and marked */

/* The highest bar that is drawn whole: the p99, where one step would make all others invisible. */
function stepLimit(rows) {
	const times = rows.map((row) => row.total_ns).sort((a, b) => a - b), p99 = times[Math.ceil(times.length * 0.99) - 1] || 1;
	const most = times[times.length - 1] || 1, settled = times.length > 100 ? p99 : times[times.length - 2] || most;
	return most > STEP_CUT * settled ? settled * 1.1 : most;
}

class StepChart {
	constructor(rows, pick) {
		this.rows = rows;
		this.pick = pick;
		this.parts = STEP_VIEWS[stepView(rows)];
		this.at = -1;
		this.highest = Math.max(1, stepLimit(rows));
		this.cut = rows.filter((row) => row.total_ns > this.highest).length;
		this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `${rows.length} steps by phase or by what ran; arrow keys choose one`,
			onmousemove: (event) => this.hover(event), onmouseleave: tipHide,
			onclick: (event) => this.choose(this.stepAt(event)), onkeydown: (event) => this.key(event) });
	}

	stepAt(event) {
		const box = this.canvas.getBoundingClientRect();
		return Math.max(0, Math.min(this.rows.length - 1, Math.floor((event.clientX - box.left - STEP_LEFT) / (box.width - STEP_LEFT) * this.rows.length)));
	}

	describe(row) {
		const parts = this.parts.filter(([name]) => row[name]).map(([name, label]) => `${label} ${shownNumber(row[name], "ns")}${this.onGpu(row, name)}`);
		return `step ${row.step}, process ${row.pid}: ${shownNumber(row.total_ns, "ns")}\n` + parts.join("\n");
	}

	/* A phase: how long the GPU was busy in it, and what was launched. */
	onGpu(row, name) {
		const busy = row["gpu_" + name], launches = row[name.replace(/_ns$/, "_launches")];
		if (this.parts !== STEP_VIEWS.phase || busy == null)
			return "";
		return `, GPU busy for ${shownNumber(busy, "ns")}` + (launches ? `, ${shownNumber(launches, "count")} launch${launches === 1 ? "" : "es"}` : "");
	}

	hover(event) {
		tipShow(event, this.describe(this.rows[this.stepAt(event)]));
	}

	key(event) {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!by)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.choose(Math.max(0, Math.min(this.rows.length - 1, this.at + by)));
	}

	choose(at) {
		this.at = at;
		this.draw();
		this.pick(this.rows[at]);
	}

	/* Lines at round times, and the numbers of some steps. */
	drawAxes(context, width) {
		const scale = (STEP_HEIGHT - STEP_TOP - STEP_BOTTOM) / this.highest, floor = STEP_HEIGHT - STEP_BOTTOM;
		const raw = this.highest / 4, power = 10 ** Math.floor(Math.log10(raw)), tick = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw);
		context.textAlign = "right";
		for (let at = 0; at <= this.highest; at += tick) {
			context.fillStyle = color("line");
			context.fillRect(STEP_LEFT, floor - at * scale, width - STEP_LEFT, 1);
			context.fillStyle = color("dim");
			context.fillText(shownNumber(at, "ns"), STEP_LEFT - 6, floor - at * scale + 4);
		}
		context.textAlign = "left";
		const each = (width - STEP_LEFT) / this.rows.length, apart = Math.max(1, Math.ceil(90 / each));
		for (let at = 0; at < this.rows.length; at += apart)
			context.fillText(`step ${this.rows[at].step}`, STEP_LEFT + at * each, STEP_HEIGHT - 4);
	}

	drawStep(context, at, each) {
		const row = this.rows[at], scale = (STEP_HEIGHT - STEP_TOP - STEP_BOTTOM) / this.highest, x = STEP_LEFT + at * each, wide = each > 3 ? each - 1 : each;
		const shrinks = row.total_ns > this.highest ? this.highest / row.total_ns : 1;
		let y = STEP_HEIGHT - STEP_BOTTOM;
		for (const [name, , fill] of this.parts) {
			const height = (row[name] || 0) * scale * shrinks;
			context.fillStyle = fill;
			context.fillRect(x, y - height, wide, height);
			y -= height;
		}
		if (shrinks === 1)
			return;
		context.fillStyle = color("back");
		context.fillRect(x, STEP_TOP + 8, wide, 3);
		context.fillStyle = color("bad");
		context.fillText("▲ " + shownNumber(row.total_ns, "ns"), x, STEP_TOP - 3);
	}

	draw() {
		const context = canvasFit(this.canvas, STEP_HEIGHT), width = this.canvas.clientWidth, each = (width - STEP_LEFT) / this.rows.length;
		this.drawAxes(context, width);
		this.rows.forEach((row, at) => this.drawStep(context, at, each));
		if (this.at >= 0) {
			context.strokeStyle = color("mark");
			context.lineWidth = 2;
			context.strokeRect(STEP_LEFT + this.at * each - 1, STEP_TOP, each + 2, STEP_HEIGHT - STEP_TOP - STEP_BOTTOM);
		}
	}
}

function stepLegend(rows, parts) {
	return el("div", { class: "legend" }, parts.filter(([name]) => rows.some((row) => row[name])).map(([name, label, fill]) => {
		const mark = el("i");
		mark.style.background = fill;
		const sum = rows.reduce((all, row) => all + (row[name] || 0), 0);
		return el("span", { "data-part": name, "data-value": sum }, mark, `${label} ${shownNumber(sum, "ns")}`);
	}));
}

/* The step beside which another one is looked at: of its process, the one of median length, or the longest beside that. */
function stepBeside(rows, row) {
	const others = rows.filter((one) => one.pid === row.pid).sort((a, b) => a.total_ns - b.total_ns), median = others[others.length >> 1];
	return others.length < 2 ? null : median !== row ? median : others[others.length - 1] !== row ? others[others.length - 1] : others[0];
}

/* To choose that step; nothing where there is no other one. */
function stepBesideForm(rows, row) {
	const other = stepBeside(rows, row), steps = rows.filter((one) => one.pid === row.pid && one !== row).map((one) => one.step);
	if (!other)
		return "";
	const select = el("select", { "aria-label": "Step beside it" }, steps.map((step) => el("option", { value: step, selected: step === other.step }, `step ${step}`)));
	return el("span", { class: "beside" }, " ", el("button", { type: "button", class: "pair", onclick: () => { location.hash = `steps/${row.pid}/${row.step}/${select.value}`; } }, "Show beside"), " ", select);
}

async function panelSteps(manifest, panel, route) {
	const entry = manifest.pieces.find((one) => one.kind === "table" && one.name === "steps");
	const table = await tableOf(manifest, "steps");
	if (!table || !table.document.rows.length) {
		panel.replaceChildren(el("p", { class: "empty" }, table ? show(table.about.empty || "no step was recorded") + "." : "The page has no room for the steps: prof-report steps has them."));
		return;
	}
	const rows = [...table.document.rows].sort((a, b) => a.pid - b.pid || a.step - b.step);
	const detail = el("div", { class: "detail" }), beside = el("div", { class: "pair" });
	const timed = manifest.pieces.some((one) => one.kind === "timeline" && !one.left_out);
	const chart = new StepChart(rows, (row) => {
		const link = timed ? el("button", { type: "button", class: "into", onclick: () => { location.hash = `timeline/${row.start_ns}/${row.start_ns + row.total_ns}`; } }, "Show in the timeline") : "";
		detail.replaceChildren(el("pre", {}, show(chart.describe(row))), link, timed ? stepBesideForm(rows, row) : "");
	});
	const legend = el("div"), choice = el("select", { "aria-label": "Split steps", onchange: () => split(choice.value) },
		Object.entries(STEP_VIEW_NAMES).map(([name, label]) => el("option", { value: name }, label)));
	const split = (name) => {
		chart.parts = STEP_VIEWS[name];
		legend.replaceChildren(stepLegend(rows, chart.parts));
		if (chart.at >= 0)
			chart.choose(chart.at);
		else if (chart.canvas.isConnected)
			chart.draw();
	};
	choice.value = stepView(rows);
	split(choice.value);
	panel.replaceChildren(sentences(table.about.head) || "",
		entry.shown < entry.rows ? el("p", { class: "dim" }, `The longest ${entry.shown} of ${entry.rows} steps.`) : "",
		el("div", { class: "tools" }, choice), legend, chart.canvas,
		chart.cut ? el("p", { class: "dim cut" }, `${chart.cut === 1 ? "One step is" : chart.cut + " steps are"} cut off at the top (▲), so that the others can be seen.`) : "",
		detail, beside, el("h2", {}, "All steps"), new DataTable(table.about.columns, rows).node, sentences(table.about.foot) || "");
	chart.draw();
	panel.redraw = () => [chart, ...(panel.pair ? panel.pair.timelines : [])].forEach((one) => one.draw());
	panel.chart = chart;
	const pair = route.slice(1).map((step) => rows.findIndex((row) => String(row.pid) === route[0] && String(row.step) === step));
	if (timed && pair.length === 2 && pair.every((at) => at >= 0) && pair[0] !== pair[1]) {
		chart.choose(pair[0]);
		await stepPairShow(panel, beside, pair.map((at) => rows[at]));
		beside.scrollIntoView({ block: "start" });
	}
}
