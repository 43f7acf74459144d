/* SPDX-License-Identifier: MIT */
/* A table to sort, filter and copy: of the rows of a document. */

const ROWS_AT_ONCE = 300;
const PRIORITY_SHOWN = 5;

function isNumeric(column) {
	return column.unit !== "text";
}

/* As --format csv writes it: a text that a spreadsheet would compute gets a '. */
function csvCell(value) {
	if (value === null || value === undefined)
		return "";
	let text = Array.isArray(value) ? value.map(shownFrame).join(";") : String(value);
	if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text))
		text = "'" + text;
	return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function csvOf(columns, rows) {
	const lines = [columns.map((column) => column.name).join(",")];
	for (const row of rows)
		lines.push(columns.map((column) => csvCell(row[column.name])).join(","));
	return lines.join("\r\n") + "\r\n";
}

function compareCells(a, b) {
	const noneA = a === null || a === undefined, noneB = b === null || b === undefined;
	if (noneA || noneB)
		return noneA === noneB ? 0 : noneA ? 1 : -1; /* what is unknown comes last, whichever way */
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	a = Array.isArray(a) ? shownCell(a) : String(a);
	b = Array.isArray(b) ? shownCell(b) : String(b);
	return a < b ? -1 : a > b ? 1 : 0;
}

/* Of a table whose rows differ in unit, the row's own. */
function unitOf(column, row) {
	return column.unit === "amount" ? row.unit : column.unit;
}

/* A column of a table that is not a report's. Priority 0: always shown first; 1: where there is room. */
function tableColumn(name, header, unit, doc, priority) {
	return { name, header, unit, priority: priority || 0, descends: unit !== "text", doc };
}

class DataTable {
	constructor(columns, rows, settings) {
		this.columns = columns;
		this.rows = rows;
		this.settings = settings || {};
		this.order = rows.map((row, at) => at);
		this.sortedBy = null;
		this.descends = false;
		this.all = false;
		this.visible = new Set(columns.filter((column) => this.isShownFirst(column)).map((column) => column.name));
		this.body = el("tbody");
		this.headRow = el("tr");
		this.count = el("span", { class: "dim" });
		this.filter = el("input", { type: "search", placeholder: "Filter rows", "aria-label": "Filter rows", oninput: () => this.draw() });
		this.node = el("div", { class: "table" }, this.tools(),
			el("div", { class: "scroll" }, el("table", {}, el("thead", {}, this.headRow), this.body)));
		this.draw();
	}

	isShownFirst(column) {
		const has = this.rows.some((row) => row[column.name] !== null && row[column.name] !== undefined);
		return column.priority <= PRIORITY_SHOWN && (has || !this.rows.length);
	}

	tools() {
		const boxes = this.columns.map((column) => {
			const box = el("input", { type: "checkbox", onchange: () => this.toggle(column, box.checked) });
			box.checked = this.visible.has(column.name);
			return el("label", { title: column.doc }, box, " " + column.header);
		});
		return el("div", { class: "tools" }, this.filter,
			el("details", { class: "columns" }, el("summary", {}, "Columns"), el("div", {}, boxes)),
			el("button", { type: "button", class: "copy", onclick: () => this.copy() }, "Copy as CSV"), this.count);
	}

	toggle(column, on) {
		if (on)
			this.visible.add(column.name);
		else
			this.visible.delete(column.name);
		this.draw();
	}

	shownColumns() {
		return this.columns.filter((column) => this.visible.has(column.name));
	}

	sort(column) {
		this.descends = this.sortedBy === column.name ? !this.descends : column.descends;
		this.sortedBy = column.name;
		const sign = this.descends ? -1 : 1;
		this.order.sort((a, b) => {
			const x = this.rows[a][column.name], y = this.rows[b][column.name];
			if (x === null || x === undefined || y === null || y === undefined)
				return compareCells(x, y) || a - b;
			return sign * compareCells(x, y) || a - b;
		});
		this.draw();
	}

	/* Numbers of the rows that the filter lets through, in order. */
	passed() {
		const words = this.filter.value.toLowerCase();
		if (!words)
			return this.order;
		return this.order.filter((at) => this.columns.some((column) => {
			const value = this.rows[at][column.name];
			return value !== null && value !== undefined &&
				(shownCell(value, unitOf(column, this.rows[at])).toLowerCase().includes(words) || String(value).toLowerCase().includes(words));
		}));
	}

	async copy() {
		const text = csvOf(this.shownColumns(), this.passed().map((at) => this.rows[at]));
		this.copied = text;
		await copyText(text);
		this.count.textContent = "Copied.";
	}

	drawHead() {
		this.headRow.replaceChildren(...this.shownColumns().map((column) => {
			const sorted = column.name === this.sortedBy ? (this.descends ? "descending" : "ascending") : "none";
			return el("th", { "aria-sort": sorted, title: column.doc, class: isNumeric(column) ? "number" : "", "data-name": column.name },
				el("button", { type: "button", onclick: () => this.sort(column) }, column.header));
		}));
	}

	cell(column, row) {
		const value = row[column.name], text = shownCell(value, unitOf(column, row));
		const node = el("td", { class: (isNumeric(column) ? "number " : "") + "of-" + column.name }, cut(text, 4000));
		if (column.unit === "percent" && typeof value === "number") {
			node.classList.add("share");
			node.style.setProperty("--share", Math.max(0, Math.min(100, value)) + "%");
		}
		if (text.length > 40)
			node.title = cut(text, TIP_LENGTH);
		return node;
	}

	draw() {
		const passed = this.passed(), shown = this.all ? passed : passed.slice(0, ROWS_AT_ONCE);
		const columns = this.shownColumns();
		this.drawHead();
		const mark = this.settings.mark || (() => "");
		this.body.replaceChildren(...shown.map((at) => el("tr", { "data-row": at, class: mark(this.rows[at]), onclick: (event) => this.open(event, at) },
			columns.map((column) => this.cell(column, this.rows[at])))));
		if (shown.length < passed.length)
			this.body.append(el("tr", {}, el("td", { colspan: Math.max(1, columns.length) },
				el("button", { type: "button", onclick: () => { this.all = true; this.draw(); } }, `Show all ${passed.length.toLocaleString("en-US")} rows`))));
		this.count.textContent = passed.length === this.rows.length ? "" :
			`${passed.length.toLocaleString("en-US")} of ${this.rows.length.toLocaleString("en-US")} rows`;
	}

	open(event, at) {
		event.currentTarget.classList.toggle("open");
		if (this.settings.pick)
			this.settings.pick(this.rows[at]);
	}
}

/* --- the panel of all tables --- */

function sentences(text) {
	return text ? el("pre", {}, show(text).trimEnd()) : null;
}

async function drawReport(manifest, entry, place, words) {
	if (entry.left_out) {
		place.replaceChildren(el("h2", {}, entry.name), entry.empty ? el("p", { class: "empty" }, show(entry.empty) + ".") : noRoom("this table", `it has 0 of ${entry.rows.toLocaleString("en-US")} rows; prof-report ${entry.name} has all.`));
		return;
	}
	const { about, document: doc } = await piece(entry.id);
	const parts = [el("h2", {}, entry.name, el("span", { class: "dim" }, " · " + about.title + (about.by ? ", by " + about.by : "")))];
	if (about.recorded)
		parts.push(el("p", { class: "dim" }, show(about.recorded)));
	if (about.empty)
		parts.push(el("p", { class: "empty" }, show(about.empty) + "."));
	if (about.head)
		parts.push(sentences(about.head));
	if (entry.shown < entry.rows)
		parts.push(el("p", { class: "dim" }, `The page has the first ${entry.shown.toLocaleString("en-US")} of ${entry.rows.toLocaleString("en-US")} rows; prof-report ${entry.name} has all.`));
	if (doc.rows.length) {
		const table = new DataTable(about.columns, doc.rows);
		place.table = table;
		parts.push(table.node);
		if (words) {
			table.filter.value = words;
			table.draw();
		}
	}
	parts.push(sentences(about.foot));
	place.replaceChildren(...parts.filter((part) => part));
}

async function panelTables(manifest, panel, route) {
	const entries = manifest.pieces.filter((one) => one.kind === "table");
	const place = el("section", { class: "report" });
	const first = entries.find((one) => one.name === route[0]) || entries.find((one) => one.rows && !["summary", "bottleneck"].includes(one.name)) || entries[0];
	const list = el("div", { class: "list", role: "navigation", "aria-label": "Reports" });
	for (const entry of entries) {
		const button = el("button", { type: "button", class: entry.rows ? "" : "none", title: entry.title, "data-report": entry.name,
			onclick: () => { location.hash = "tables/" + entry.name; } },
			entry.name, el("span", { class: "dim" }, entry.rows.toLocaleString("en-US")));
		if (entry === first)
			button.setAttribute("aria-current", "true");
		list.append(button);
	}
	panel.replaceChildren(el("div", { class: "split" }, list, place));
	if (first)
		await drawReport(manifest, first, place, route[1]);
	panel.table = place.table;
}
