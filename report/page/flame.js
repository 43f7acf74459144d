/* SPDX-License-Identifier: MIT */
/* The flame graph of a tree: to point at, to zoom, to search, by mouse and keys. */

const FLAME_ROW = 18;
const FLAME_ROWS_MAX = 400;

class FlameGraph {
	constructor(data) {
		this.data = data;
		this.top = flameTree(data);
		this.root = this.top;
		this.focus = this.root;
		this.chosen = null;
		this.words = "";
		this.flips = false;
		this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": "flame graph; arrow keys choose a function, Enter zooms, Escape shows all",
			onmousemove: (event) => this.hover(event), onmouseleave: tipHide, onclick: (event) => this.zoom(this.nodeAt(event)),
			onkeydown: (event) => this.key(event) });
		this.status = el("p", { class: "status" });
	}

	reverse(on) {
		this.root = on ? this.reversed || (this.reversed = flameReversed(this.top)) : this.top;
		this.focus = this.root;
		this.chosen = null;
		this.draw();
	}

	zoom(node) {
		if (!node)
			return;
		this.focus = node;
		this.chosen = node;
		this.draw();
	}

	search(words) {
		this.words = words.toLowerCase();
		this.draw();
	}

	matches(node) {
		return this.words !== "" && node.name.toLowerCase().includes(this.words);
	}

	/* Of all, what is in matching functions; what is in two of them counts once. */
	matched() {
		let sum = 0;
		const open = [this.root];
		while (open.length) {
			const node = open.pop();
			if (node !== this.root && this.matches(node))
				sum += node.total;
			else
				open.push(...node.children);
		}
		return sum;
	}

	/* x and width in pixels of a node that is in the focus or around it. */
	place(node) {
		const width = this.canvas.clientWidth, scale = width / Math.max(1, this.focus.total);
		const from = Math.max(0, (node.left - this.focus.left) * scale);
		return [from, Math.min(width, (node.left + node.total - this.focus.left) * scale) - from];
	}

	y(depth) {
		return this.flips ? this.height - (depth + 1) * FLAME_ROW : depth * FLAME_ROW;
	}

	describe(node) {
		const of = (value) => `${shownNumber(value, this.data.unit)} (${(100 * value / Math.max(1, this.data.all)).toFixed(1)} %)`;
		return `${show(node.name)}\n${of(node.total)}` + (node.self ? `, of its own ${of(node.self)}` : "");
	}

	fill(node) {
		return colorOf(node.name);
	}

	label(node) {
		return show(node.name);
	}

	/* Over the fill and below the name. */
	hatch() {}

	drawNode(context, node) {
		const [x, width] = this.place(node), y = this.y(node.depth);
		if (width < 0.4)
			return false;
		context.fillStyle = this.matches(node) ? color("pick") : this.fill(node);
		context.fillRect(x, y, Math.max(0.5, width - 0.5), FLAME_ROW - 1);
		this.hatch(context, node, x, y, width);
		if (node === this.chosen) {
			context.strokeStyle = color("mark");
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), FLAME_ROW - 3);
		}
		if (width > 24) {
			context.save();
			context.beginPath();
			context.rect(x, y, width - 2, FLAME_ROW);
			context.clip();
			context.fillStyle = color("front");
			context.fillText(cut(this.label(node), 300), x + 3, y + 13);
			context.restore();
		}
		return true;
	}

	draw() {
		this.height = Math.min(FLAME_ROWS_MAX, flameDepth(this.root) + 1) * FLAME_ROW;
		const context = canvasFit(this.canvas, this.height), open = [this.focus];
		for (let around = this.focus.parent; around; around = around.parent)
			this.drawNode(context, around);
		while (open.length) {
			const node = open.pop();
			if (this.drawNode(context, node) && node.depth < FLAME_ROWS_MAX)
				open.push(...node.children);
		}
		const parts = [this.chosen || this.focus !== this.root ? this.describe(this.chosen || this.focus).replaceAll("\n", ": ") : ""];
		if (this.words)
			parts.push(`found: ${shownNumber(this.matched(), this.data.unit)} (${(100 * this.matched() / Math.max(1, this.data.all)).toFixed(1)} %)`);
		this.status.textContent = parts.filter((part) => part).join(" · ") || "\u00a0";
	}

	nodeAt(event) {
		const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
		const depth = Math.floor(this.flips ? (this.height - y) / FLAME_ROW : y / FLAME_ROW);
		for (let node = this.focus; node; node = node.parent)
			if (node.depth === depth)
				return node;
		let at = this.focus;
		while (at && at.depth < depth)
			at = at.children.find((child) => {
				const [from, width] = this.place(child);
				return x >= from && x < from + width;
			});
		return at;
	}

	hover(event) {
		const node = this.nodeAt(event);
		if (node)
			tipShow(event, this.describe(node));
		else
			tipHide();
	}

	key(event) {
		const at = this.chosen || this.focus, list = at.parent ? at.parent.children : [at], place = list.indexOf(at);
		const to = {
			ArrowDown: this.flips ? at.parent : at.children[0], ArrowUp: this.flips ? at.children[0] : at.parent,
			ArrowLeft: list[place - 1], ArrowRight: list[place + 1],
		}[event.key];
		if (event.key === "Enter")
			this.zoom(at);
		else if (event.key === "Escape")
			this.zoom(this.root);
		else if (!event.key.startsWith("Arrow"))
			return;
		event.preventDefault();
		if (to) {
			this.chosen = to;
			this.draw();
		}
	}
}

function flameTools(graph) {
	const box = (label, take) => {
		const input = el("input", { type: "checkbox", class: label, onchange: () => take(input.checked) });
		return el("label", {}, input, " " + label);
	};
	const search = el("input", { type: "search", placeholder: "Search functions", "aria-label": "Search functions", oninput: () => graph.search(search.value) });
	return [search, box("reversed", (on) => graph.reverse(on)), box("upwards", (on) => { graph.flips = on; graph.draw(); }),
		el("button", { type: "button", class: "reset", onclick: () => graph.zoom(graph.root) }, "Show all")];
}

/* CPU time says most; of Python's lines before native functions. */
function flameFirst(entries) {
	const of = (name, value) => entries.find((one) => one.of === name && one.value === value);
	return of("samples", "time") || of("native", "time") || entries.find((one) => one.value === "time") || entries[0];
}

async function panelFlames(manifest, panel, route) {
	const entries = manifest.pieces.filter((one) => one.kind === "flame"), some = entries.filter((one) => one.all);
	const empty = [...new Set(entries.filter((one) => !one.all && !some.some((other) => other.of === one.of)).map((one) => one.empty).filter((text) => text))];
	const chosen = some.find((one) => one.id === route[0]) || flameFirst(some);
	const missing = empty.map((text) => el("p", { class: "empty dim" }, show(text) + "."));
	if (!chosen) {
		panel.replaceChildren(...missing.length ? missing : [el("p", { class: "empty" }, "No stack was recorded.")]);
		return;
	}
	const data = await piece(chosen.id), graph = new FlameGraph(data);
	const select = el("select", { "aria-label": "Which stacks", onchange: () => { location.hash = "flames/" + select.value; } },
		some.map((one) => el("option", { value: one.id, selected: one === chosen }, one.title)));
	panel.replaceChildren(el("div", { class: "tools" }, select, ...flameTools(graph)), graph.status, graph.canvas,
		data.left_out ? el("p", { class: "dim" }, `${data.left_out.toLocaleString("en-US")} functions are left out, too small to be seen or more than the page has room for: they count in those around them.`) : "",
		flameDepth(graph.top) < 2 && !data.left_out ? el("p", { class: "dim" }, "Only the innermost caller was recorded. INTERCEPT_STACKS=native, python or both records whole stacks.") : "",
		...missing);
	graph.draw();
	panel.redraw = () => graph.draw();
	panel.graph = graph;
}
