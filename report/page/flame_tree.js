/* SPDX-License-Identifier: MIT */
/* A tree of stacks out of a piece: nodes in the order of a walk from the root, and the same tree from the innermost outwards. */

const REVERSED_NODES_MAX = 200000;

/* Nodes: {name, at, depth, self, total, left, parent, children}; at is the index in the piece, -1 of the root; left is where it begins, in the tree's own unit. */
function flameTree(data) {
	const root = { name: "all", at: -1, depth: 0, self: 0, total: data.all, left: 0, parent: null, children: [] };
	const path = [root];
	for (let i = 0; i < data.depth.length; i++) {
		const depth = data.depth[i], parent = path[depth - 1];
		const node = { name: data.names[data.name[i]], at: i, depth, self: data.self[i], total: data.total[i], left: 0, parent, children: [] };
		parent.children.push(node);
		path[depth] = node;
	}
	flameLayOut(root);
	return root;
}

function flameLayOut(root) {
	const open = [root];
	while (open.length) {
		const node = open.pop();
		let left = node.left;
		node.children.sort((a, b) => b.total - a.total);
		for (const child of node.children) {
			child.left = left;
			left += child.total;
			open.push(child);
		}
	}
}

/* The first level has who asked for it, below each are its callers. What is left out of the tree counts where it was left out. */
function flameReversed(top) {
	const root = { name: "all", depth: 0, self: 0, total: top.total, left: 0, parent: null, children: [], known: new Map() };
	const open = [...top.children];
	let count = 0;
	while (open.length) {
		const leaf = open.pop();
		let own = leaf.total, into = root;
		for (const child of leaf.children) {
			own -= child.total;
			open.push(child);
		}
		for (let node = leaf; own > 0 && node.parent && count < REVERSED_NODES_MAX; node = node.parent) {
			let next = into.known.get(node.name);
			if (!next) {
				next = { name: node.name, depth: into.depth + 1, self: 0, total: 0, left: 0, parent: into, children: [], known: new Map() };
				into.known.set(node.name, next);
				into.children.push(next);
				count++;
			}
			next.total += own;
			into = next;
		}
	}
	flameLayOut(root);
	return root;
}

function flameDepth(root) {
	let deepest = 0;
	const open = [root];
	while (open.length) {
		const node = open.pop();
		deepest = Math.max(deepest, node.depth);
		open.push(...node.children);
	}
	return deepest;
}
