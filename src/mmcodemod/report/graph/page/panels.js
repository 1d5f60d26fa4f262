
// The lists at both sides.
const right = document.getElementById("right");
const AT_ONCE = 150;

function element(tag, attributes, ...children) {
  const found = document.createElement(tag);
  for (const name in attributes) found.setAttribute(name, attributes[name]);
  found.append(...children);  // strings become text
  return found;
}
function follow(hash, ...children) {
  const found = element("button", { class: "link" }, ...children);
  found.addEventListener("click", () => go(hash));
  return found;
}
function functionLink(f, ...more) {
  return follow("f=" + encodeURIComponent(f.name), element("code", {}, ...dotted(f.name)), ...more);
}
function dotted(name) {  // may be broken after a dot or an underscore
  return name.split(/(?<=[._])/).flatMap((part, at) => (at ? [element("wbr", {}), part] : [part]));
}
function badge(call) {
  return element("span", { class: "how " + call.how.sure, title: call.how.words }, call.how.name);
}
function callItem(call, f) {
  const note = call.note ? " " + call.note : "";
  return element("li", {}, functionLink(f, element("small", {}, badge(call), where(call.from.path, call.line) + note)));
}
function section(heading, items, left = 0) {
  const list = element("ul", { class: "plain" });
  const words = `${heading} (${items.length}${left ? `, ${left} more filtered out` : ""})`;
  const found = element("section", {}, element("h2", {}, words), list);
  fill(list, items, AT_ONCE);
  return found;
}
function fill(list, items, most) {
  list.append(...items.slice(0, most));
  if (items.length <= most) return;
  const more = element("button", {}, `show all ${items.length}`);
  more.addEventListener("click", () => { list.append(...items.slice(most)); more.remove(); });
  list.after(more);
}
function unknownItem(call, withCaller) {
  const head = element("div", {}, element("code", { class: "code" }, call.called + "(\u2026)"));
  const item = element("li", { class: "reason" }, head, element("p", {}, call.reason), element("p", {}, where(call.from.path, call.line)));
  if (withCaller) item.append(functionLink(call.from));
  return item;
}

function describeFunction(f) {
  const parts = [element("p", { class: "name-big" }, ...dotted(f.name)), element("p", { class: "where" }, about(f))];
  const path = evidence(f);
  if (path.length) {
    const steps = path.map((call, at) => step(call, at));
    steps.push(element("li", { class: "last" }, where(f.path, f.line)));
    parts.push(element("section", {}, element("h2", {}, `How a run gets here (${path.length} call${path.length === 1 ? "" : "s"})`), element("ol", { class: "path" }, ...steps)));
  }
  parts.push(callList("Called by", f.into, f, (call) => call.from, byCaller));
  if (f.kind !== "library") parts.push(callList("Calls", f.out, f, (call) => call.to, (a, b) => a.line - b.line));
  if (f.unknown.length) parts.push(section("Calls that were not resolved", f.unknown.map((call) => unknownItem(call, false))));
  right.replaceChildren(...parts);
}
function byCaller(a, b) {
  return a.from.name < b.from.name ? -1 : a.from.name > b.from.name ? 1 : a.line - b.line;
}
function callList(heading, some, f, end, order) {
  const seen = some.filter((call) => shown(call, f)).sort(order);
  return section(heading, seen.map((call) => callItem(call, end(call))), some.length - seen.length);
}
function about(f) {
  const role = { trains: ", a training run starts here", runs: ", can be run" }[f.role] || "";
  const module = f.kind === "library" ? "" : f.module === f.name ? "the module's own code, " : "";
  return module + where(f.path, f.line) + role;
}
function step(call, at) {
  const source = DATA.route && DATA.route.hops[at] && DATA.route.hops[at][0] === call.id ? DATA.route.hops[at][1] : "";
  const small = element("small", {}, badge(call), where(call.from.path, call.line));
  return element("li", {}, functionLink(call.from, ...(source ? [element("small", { class: "code" }, source)] : []), small));
}

function describeGroup(group) {
  const inside = functions.filter((f) => f.kind !== "library" && within(f, group));
  inside.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const items = inside.map((f) => element("li", {}, functionLink(f, element("small", {}, where(f.path, f.line)))));
  const neighbours = (ends) => {
    const counts = new Map();
    for (const f of inside)
      for (const other of ends(f)) if (other.kind !== "library" && !within(other, group)) counts.set(other.module, (counts.get(other.module) || 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .map(([name, number]) => element("li", {}, follow("m=" + encodeURIComponent(name), element("code", {}, ...dotted(name)), element("small", {}, `${number} calls`))));
  };
  right.replaceChildren(element("p", { class: "name-big" }, ...dotted(group)), section("Functions", items),
    section("Called from modules", neighbours((f) => f.into.filter((c) => c.how.name !== "import").map((c) => c.from))),
    section("Calls into modules", neighbours((f) => f.out.filter((c) => c.how.name !== "import").map((c) => c.to))));
}
function describeUnknown(kind) {
  const words = DATA.kinds.find((one) => one[0] === kind);
  const items = unknowns.filter((call) => call.kind === kind).map((call) => unknownItem(call, true));
  right.replaceChildren(section(words ? words[1] : kind, items));
}
function describeAll() {
  const seen = functions.filter((f) => f.kind !== "library").length;
  const text = `${seen} functions and ${functions.length - seen} of libraries, ${calls.length} calls, ${unknowns.length} calls not resolved.`;
  const parts = DATA.route ? answer(DATA.route) : [element("p", { class: "where" }, text)];
  if (!DATA.route) parts.push(element("p", { class: "where" }, "Click a box to walk into it, or search."));
  const busy = functions.filter((f) => f.kind === "tree" && f.into.length > 1);
  busy.sort((a, b) => b.into.length - a.into.length || a.id - b.id);
  if (!DATA.route) parts.push(section("Most called", busy.slice(0, 20).map((f) => element("li", {}, functionLink(f, element("small", {}, `${f.into.length} calls`))))));
  else if (unknowns.length) parts.push(section("Calls that were not resolved", unknowns.map((call) => unknownItem(call, true))));
  right.replaceChildren(...parts);
}
function answer(route) {
  const goal = functions[route.goal], text = `${route.start} to ${goal.name}: ${route.answer}`;
  const found = [element("p", { class: "answer" }, text + (route.why ? ". " + route.why : ""))];
  if (route.open) found.push(element("p", { class: "where" }, `The first ${route.open} of the calls below may lead there.`));
  return found;
}

function fillLeft() {
  const entries = functions.filter((f) => f.role).sort((a, b) => (a.role === b.role ? a.id - b.id : a.role === "trains" ? -1 : 1));
  const items = entries.map((f) => element("li", {}, functionLink(f, element("small", {}, f.role === "trains" ? "trains" : "can be run"))));
  fill(document.getElementById("entries"), items, 7);
  const counts = new Map();
  for (const call of calls) counts.set(call.how, (counts.get(call.how) || 0) + 1);
  for (const how of HOWS) if (counts.has(how)) document.getElementById("filters").append(filter(how, counts.get(how)));
  const kinds = DATA.kinds.map(([kind, words]) => [kind, words, unknowns.filter((u) => u.kind === kind).length]);
  document.getElementById("kinds").append(...kinds.filter((one) => one[2]).map(([kind, words, number]) =>
    element("li", {}, follow("u=" + kind, words, element("small", {}, `${number} calls`)))));
  for (const list of document.querySelectorAll("#entries, #filters, #kinds"))
    if (!list.childElementCount) list.closest("section").remove();
}
function filter(how, number) {
  const box = element("input", { type: "checkbox" });
  box.checked = !hidden.has(how.name);
  box.dataset.how = how.name;
  box.addEventListener("change", () => { hidden[box.checked ? "delete" : "add"](how.name); show(); });
  return element("label", { class: "filter", title: how.words }, box, element("span", { class: "how " + how.sure }, how.name), element("output", {}, String(number)));
}
