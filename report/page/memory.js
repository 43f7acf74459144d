/* SPDX-License-Identifier: MIT */
/* Memory over time: a curve for the heap, for tensors of each device, for each process; its peak is marked. */

const MEMORY_HEIGHT = 190;
const MEMORY_SAYS = { heap: "live blocks of the heap, all processes", tensors: "live tensors on ", resident: "resident memory of process " };

/* To the flame graph of what lived at the peak: of all processes and devices. */
function peakButton(kind) {
	const of = { heap: "alloc", tensors: "tensors" }[kind];
	const flame = page.manifest.pieces.find((one) => one.kind === "flame" && one.of === of && one.value === "peak" && one.all);
	return flame ? el("button", { type: "button", class: "peak", onclick: () => { location.hash = "flames/" + flame.id; } }, "What lived at the peak") : "";
}

class MemoryCurve {
	constructor(line, end) {
		this.line = line;
		this.end = end;
		this.at = -1;
		this.highest = Math.max(1, line.peak_bytes, ...line.values);
		this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": this.title() + "; arrow keys choose a moment, Enter shows it in the timeline",
			onmousemove: (event) => this.hover(event), onclick: (event) => { this.hover(event); this.pick(); }, onmouseleave: () => { tipHide(); this.at = -1; this.draw(); }, onkeydown: (event) => this.key(event) });
		this.said = el("span", { class: "dim" });
		this.node = el("section", { class: "curve", "data-kind": line.kind }, el("h2", {}, this.title(), " ",
			el("span", { class: "dim" }, `peak ${shownNumber(line.peak_bytes, "bytes")} at ${shownNumber(line.peak_ns, "ns")} `), this.said, peakButton(line.kind)), this.canvas);
	}

	title() {
		const { kind, name, pid } = this.line;
		return MEMORY_SAYS[kind] + (kind === "tensors" ? show(name) : kind === "resident" ? `${pid} ${cut(show(name), 80)}` : "");
	}

	time(at) {
		return (at + 0.5) / this.line.values.length * this.end;
	}

	say(at) {
		const value = this.line.values[at];
		return `${value === null ? "not recorded" : shownNumber(value, "bytes")} at ${shownNumber(this.time(at), "ns")}`;
	}

	/* The timeline around the chosen moment, where the page has one. */
	pick() {
		const each = this.end / this.line.values.length, middle = this.time(this.at);
		if (this.at >= 0 && page.manifest.pieces.some((one) => one.kind === "timeline"))
			location.hash = `timeline/${Math.max(0, Math.floor(middle - 5 * each))}/${Math.ceil(middle + 5 * each)}`;
	}

	hover(event) {
		const box = this.canvas.getBoundingClientRect(), count = this.line.values.length;
		this.at = Math.max(0, Math.min(count - 1, Math.floor((event.clientX - box.left) / box.width * count)));
		tipShow(event, this.say(this.at));
		this.draw();
	}

	key(event) {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (event.key === "Enter")
			this.pick();
		if (!by)
			return;
		event.preventDefault();
		this.at = Math.max(0, Math.min(this.line.values.length - 1, this.at + by));
		this.said.textContent = "· " + this.say(this.at);
		this.draw();
	}

	draw() {
		const context = canvasFit(this.canvas, MEMORY_HEIGHT), width = this.canvas.clientWidth, { values } = this.line;
		const x = (ns) => ns / Math.max(1, this.end) * width, y = (bytes) => MEMORY_HEIGHT - 18 - bytes / this.highest * (MEMORY_HEIGHT - 34);
		context.fillStyle = color("bar");
		context.beginPath();
		context.moveTo(0, y(0));
		values.forEach((value, at) => {
			context.lineTo(at / values.length * width, y(value));
			context.lineTo((at + 1) / values.length * width, y(value));
		});
		context.lineTo(width, y(0));
		context.fill();
		context.fillStyle = context.strokeStyle = color("mark");
		context.beginPath();
		context.arc(x(this.line.peak_ns), y(this.line.peak_bytes), 4, 0, 2 * Math.PI);
		context.fill();
		if (this.at >= 0)
			context.fillRect(x(this.time(this.at)), 0, 1, MEMORY_HEIGHT - 18);
		context.fillStyle = color("dim");
		context.fillText("0", 2, MEMORY_HEIGHT - 4);
		context.textAlign = "right";
		context.fillText(shownNumber(this.end, "ns"), width - 2, MEMORY_HEIGHT - 4);
		context.textAlign = "left";
	}
}

async function panelMemory(manifest, panel) {
	if (!manifest.pieces.some((one) => one.kind === "memory")) {
		const alloc = await tableOf(manifest, "alloc");
		panel.replaceChildren(el("p", { class: "empty" }, alloc && alloc.about.empty ? show(alloc.about.empty) + "." : "Nothing is known of memory over time."));
		return;
	}
	const stored = manifest.pieces.find((one) => one.kind === "memory");
	const data = stored.left_out ? { lines: [], end_ns: 0 } : await piece("memory"), curves = data.lines.map((line) => new MemoryCurve(line, data.end_ns));
	const table = await tableOf(manifest, "memory"), charts = await layersCharts(manifest, data.end_ns);
	panel.replaceChildren(stored.left_out ? noRoom("memory over time", "prof-report memory has it.") : "",
		data.moments ? el("p", { class: "dim" }, `The page has no room for all: the curves have ${data.moments} points.`) : "",
		...curves.filter((curve) => curve.line.kind !== "resident").map((curve) => curve.node), ...charts.map((chart) => chart.node),
		...curves.filter((curve) => curve.line.kind === "resident").map((curve) => curve.node),
		data.left_out ? el("p", { class: "dim" }, `${data.left_out} more processes had less; prof-report memory --by process lists them.`) : "",
		table && table.document.rows.length ? el("section", {}, el("h2", {}, "What resident memory consisted of"), new DataTable(table.about.columns, table.document.rows).node) : "");
	panel.redraw = () => [...curves, ...charts].forEach((one) => one.draw());
	panel.redraw();
	panel.curves = curves;
	panel.charts = charts;
}
