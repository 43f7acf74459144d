/* SPDX-License-Identifier: MIT */
/* The pieces of data in the page: base64 of zlib of JSON, each unpacked when it is wanted first. */

const pieces = new Map();

/* Whole numbers that a floating point number cannot hold stay as they are written, where the browser tells. */
function exact(key, value, context) {
	const text = context && context.source;
	return typeof value === "number" && text && /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
}

async function unpack(text) {
	const packed = atob(text), bytes = new Uint8Array(packed.length);
	for (let i = 0; i < packed.length; i++)
		bytes[i] = packed.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	const json = await new Response(stream).text();
	return /\d{16}/.test(json) ? JSON.parse(json, exact) : JSON.parse(json);
}

function piece(id) {
	if (!pieces.has(id)) {
		const node = byId("data-" + id);
		pieces.set(id, node ? unpack(node.textContent) : Promise.reject(new Error("the page has no piece " + id)));
	}
	return pieces.get(id);
}

/* A part that the page has no room for, and where it is. */
function noRoom(what, command) {
	return el("p", { class: "empty noroom" }, `The page has no room for ${what}: ${command}`);
}

/* The table of a report, or null when the page has none of it. */
async function tableOf(manifest, name) {
	const entry = manifest.pieces.find((one) => one.kind === "table" && one.name === name);
	return entry && !entry.left_out ? piece(entry.id) : null;
}
