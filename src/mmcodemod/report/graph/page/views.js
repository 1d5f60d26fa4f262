
// What the canvas shows: the overview, one module, or one function with its callers and callees.
const MOST = 36;  // boxes in a column; the rest is in the list at the right
const remark = document.getElementById("remark");

function arrowClass(call) {
  return call.how.name === "import" || call.how.name === "library" ? call.how.name : call.how.sure;
}
function callTip(call) {
  const note = call.note ? "\n" + call.note : "";
  return `${call.from.name} -> ${call.to.name}\n${where(call.from.path, call.line)}\n${call.how.name}: ${call.how.words}${note}`;
}

function showOverview() {
  const { boxes, arrows, grouped, remark: words } = DATA.overview;
  clear();
  for (const [source, target, path, how, note] of arrows) {
    const found = HOWS.find((one) => one.name === how);
    if (found && hidden.has(how) && how !== "import" && how !== "library") continue;
    const kind = how === "import" || how === "library" ? how : found ? found.sure : "exact";
    drawArrow(path, kind, `${boxes[source][0]} -> ${boxes[target][0]}\n${note}`, [source, target]);
  }
  boxes.forEach(([name, title, under, kind, role, x, y, w], key) => {
    const act = grouped ? () => go("m=" + encodeURIComponent(name)) : () => go("f=" + encodeURIComponent(name));
    drawBox({ x, y, w, title, below: under, classes: kind + " " + role, label: name + (role ? ": " + role : ""), act, key });
  });
  remark.textContent = words;
  fit(null);
}

// -- one module or package ------------------------------------------------------------------------------
function within(f, group) {
  return f.module === group || f.module.startsWith(group + ".");
}
// A large package is shown by what it holds: modules as one box each, its own functions one by one.
function showGroup(group) {
  const all = functions.filter((f) => f.kind !== "library" && within(f, group));
  const deep = all.length > 60 && new Set(all.map((f) => f.module)).size > 1;
  const inside = deep ? all : busiest(all, 90);
  const nodes = new Map(), edges = [], drawn = new Set();
  const home = (f) => (deep && f.module !== group ? child(f.module, group) : f.id);
  for (const f of inside) addNode(nodes, home(f), f, group);
  for (const f of inside)
    for (const call of f.out) {
      const a = nodes.get(home(f)), b = within(call.to, group) ? nodes.get(home(call.to)) : undefined;
      if (!b || a === b || !shown(call) || call.how.name === "library" || drawn.has(a.key + " " + b.key)) continue;
      drawn.add(a.key + " " + b.key);
      edges.push([a, b, call]);
    }
  const at = layered([...nodes.values()], edges);
  clear();
  const boxes = new Map([...at].map(([node, place]) => [node, { ...place, w: node.w }]));
  for (const [a, b, call] of edges) drawArrow(curve(boxes.get(a), boxes.get(b)), arrowClass(call), callTip(call), [a.key, b.key]);
  for (const [node, place] of boxes)
    if (node.f) functionBox(node.f, place, "", node.below);
    else drawBox({ ...place, title: node.title, below: node.below, classes: "module " + node.role, key: node.key, label: node.key, act: () => go("m=" + encodeURIComponent(node.key)) });
  const left = all.length - inside.length;
  remark.textContent = `${group}: ${all.length} function${all.length === 1 ? "" : "s"}`
    + (left ? `, the ${inside.length} with most calls are drawn; all are in the list` : deep ? ", drawn by module" : "");
  fit(null);
}
function child(module, group) {
  return group + "." + module.slice(group.length + 1).split(".")[0];
}
function addNode(nodes, key, f, group) {
  const own = key === f.id, node = nodes.get(key) || { key, count: 0, role: "" };
  nodes.set(key, node);
  node.count++;
  if (own) Object.assign(node, { f, title: title(f), below: f.module === group ? f.path.split("/").pop() + ":" + f.line : below(f) });
  else Object.assign(node, { title: key.slice(group.length + 1), below: `${node.count} function${node.count === 1 ? "" : "s"}`, role: node.role || f.role });
  node.w = boxWidth(node.title, node.below);
}
function busiest(all, most) {
  const ranked = all.slice().sort((a, b) => b.out.length + b.into.length - a.out.length - a.into.length || a.id - b.id);
  const kept = new Set(ranked.slice(0, most));
  return all.filter((f) => kept.has(f));
}
function functionBox(f, place, classes, under = below(f)) {
  const again = f.out.some((call) => call.to === f) ? " \u21bb" : "";
  drawBox({ ...place, title: title(f) + again, below: under, classes: `${f.kind} ${f.role} ${classes}`, key: f.id,
    label: f.name + " " + where(f.path, f.line), act: () => go("f=" + encodeURIComponent(f.name)) });
}

// -- one function ---------------------------------------------------------------------------------------
// From left to right: callers, below the way from where a run starts; the function; what it calls.
function showFunction(f) {
  const path = evidence(f), last = path[path.length - 1];
  const way = path.map((call) => ({ f: call.from, call, classes: "on-path" }));
  const others = firstOf(f.into.filter((call) => call.from !== f && shown(call, f)), (call) => call.from)
    .filter((call) => !last || call.from !== last.from);
  const callers = others.slice(0, MOST).map((call) => ({ f: call.from, call, classes: "" }));
  const callees = firstOf(f.out.filter((call) => call.to !== f && shown(call, f)), (call) => call.to)
    .sort((a, b) => a.line - b.line).map((call) => ({ f: call.to, call, classes: "" }));
  const open = f.unknown.filter((one) => one.kind !== "builtin-value");
  const unknown = firstOf(open, (one) => one.called).map((one) => ({ unknown: one }));
  const after = [...callees.slice(0, MOST), ...unknown.slice(0, MOST)];
  const here = { f, classes: "selected" };
  clear();
  column(way, 0, (at) => (at - way.length + 1) * (ROW + 12));
  column(callers, 0, (at) => (way.length ? (at + 1) * ROW + 16 : (at - (callers.length - 1) / 2) * ROW));
  const wide = Math.max(0, ...[...way, ...callers].map((one) => one.place.w));
  column([here], wide ? wide + 80 : 0, () => 0);
  column(after, here.place.x + here.place.w + 80, (at) => (at - (after.length - 1) / 2) * ROW);
  drawLinks(way, callers, here, after);
  for (const one of [...way, ...callers, here, ...after])
    if (one.unknown) unknownBox(one.unknown, one.place);
    else functionBox(one.f, one.place, one.classes);
  moreBox(others.length - callers.length, callers);
  moreBox(callees.length + unknown.length - after.length, after);
  remark.textContent = path.length ? `how a run gets here: ${path.length} call${path.length === 1 ? "" : "s"}, highlighted` : "";
  fit({ x: here.place.x + here.place.w / 2, y: here.place.y + HEIGHT / 2 });
}
function column(some, x, middle) {
  some.forEach((one, at) => {
    const w = one.f ? boxWidth(title(one.f), below(one.f)) : boxWidth(one.unknown.called, "not resolved");
    one.place = { x, y: middle(at) - HEIGHT / 2, w };
  });
}
function moreBox(left, some) {
  if (left <= 0) return;
  const { x, y } = some[some.length - 1].place;
  drawBox({ x, y: y + ROW, w: 200, title: `and ${left} more in the list`, below: "", classes: "more", label: "more" });
}
function drawLinks(way, callers, here, after) {
  for (const one of callers) drawArrow(curve(one.place, here.place), arrowClass(one.call), callTip(one.call), [one.f.id, here.f.id]);
  way.forEach((one, at) => {
    const next = way[at + 1], line = next ? down(one.place, next.place) : curve(one.place, here.place);
    const text = next ? { x: one.place.x + 34, y: one.place.y + HEIGHT + 15, anchor: "start" }
      : { x: (one.place.x + one.place.w + here.place.x) / 2, y: one.place.y + HEIGHT / 2 - 6, anchor: "middle" };
    drawArrow(line, arrowClass(one.call) + " on-path", callTip(one.call), [one.f.id, one.call.to.id], { ...text, text: one.call.how.name });
  });
  for (const one of after) {
    if (one.unknown) drawArrow(curve(here.place, one.place), "unresolved", one.unknown.reason, [here.f.id, -1]);
    else drawArrow(curve(here.place, one.place), arrowClass(one.call), callTip(one.call), [here.f.id, one.f.id]);
  }
}
function unknownBox(unknown, place) {
  drawBox({ ...place, title: unknown.called, below: "not resolved", classes: "unknown", label: unknown.reason, act: () => go("u=" + unknown.kind) });
}
function firstOf(some, key) {
  const found = new Map();
  for (const one of some) if (!found.has(key(one))) found.set(key(one), one);
  return [...found.values()];
}
