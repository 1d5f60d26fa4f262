
// A small layered layout for the functions of one module: layers by longest path, few crossings.
const ROW = 50, GAP = 90;
function layered(nodes, edges) {
  const links = edges.filter(([a, b]) => a !== b);
  const forward = withoutCycles(nodes, links);
  const rank = ranks(nodes, forward);
  const layers = [];
  for (const node of nodes) (layers[rank.get(node)] ||= []).push(node);
  for (let at = 0; at < layers.length; at++) layers[at] ||= [];
  for (let sweep = 0; sweep < 10; sweep++) sortLayers(layers, forward, sweep % 2 === 0);
  return placed(layers);
}
function withoutCycles(nodes, links) {
  const out = new Map(nodes.map((n) => [n, []]));
  for (const [a, b] of links) out.get(a).push(b);
  const state = new Map(), kept = [];
  const visit = (root) => {
    const stack = [[root, 0]];
    state.set(root, 1);
    while (stack.length) {
      const top = stack[stack.length - 1], to = out.get(top[0])[top[1]++];
      if (to === undefined) { state.set(top[0], 2); stack.pop(); continue; }
      if (state.get(to) === 1) { kept.push([to, top[0]]); continue; }
      kept.push([top[0], to]);
      if (!state.has(to)) { state.set(to, 1); stack.push([to, 0]); }
    }
  };
  const targets = new Set(links.map((l) => l[1]));
  for (const n of nodes) if (!targets.has(n) && !state.has(n)) visit(n);
  for (const n of nodes) if (!state.has(n)) visit(n);
  return kept;
}
function ranks(nodes, links) {
  const waiting = new Map(nodes.map((n) => [n, 0])), rank = new Map(nodes.map((n) => [n, 0]));
  const out = new Map(nodes.map((n) => [n, []]));
  for (const [a, b] of links) { out.get(a).push(b); waiting.set(b, waiting.get(b) + 1); }
  const todo = nodes.filter((n) => !waiting.get(n));
  for (let at = 0; at < todo.length; at++)
    for (const to of out.get(todo[at])) {
      rank.set(to, Math.max(rank.get(to), rank.get(todo[at]) + 1));
      waiting.set(to, waiting.get(to) - 1);
      if (!waiting.get(to)) todo.push(to);
    }
  return rank;
}
function sortLayers(layers, links, down) {
  const near = new Map();
  for (const [a, b] of links) {
    const [key, value] = down ? [b, a] : [a, b];
    if (!near.has(key)) near.set(key, []);
    near.get(key).push(value);
  }
  const position = new Map();
  for (const layer of down ? layers : layers.slice().reverse()) {
    const wish = new Map(layer.map((n, at) => {
      const found = (near.get(n) || []).map((m) => position.get(m)).filter((p) => p !== undefined);
      return [n, found.length ? found.reduce((a, b) => a + b, 0) / found.length : at / Math.max(layer.length, 1)];
    }));
    layer.sort((a, b) => wish.get(a) - wish.get(b));
    layer.forEach((n, at) => position.set(n, (at + 0.5) / layer.length));
  }
}
function placed(layers) {
  const found = new Map();
  let x = 0;
  for (const layer of layers) {
    const columns = Math.max(1, Math.ceil(layer.length / 24));  // a long layer becomes several columns
    const high = Math.ceil(layer.length / columns);
    for (let column = 0; column < columns; column++) {
      const part = layer.slice(column * high, (column + 1) * high);
      part.forEach((n, at) => found.set(n, { x, y: (at - (part.length - 1) / 2) * ROW }));
      x += Math.max(0, ...part.map((n) => n.w)) + (column + 1 < columns ? 24 : GAP);
    }
  }
  return found;
}
