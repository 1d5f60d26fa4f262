
"use strict";
// The data of the page, by number, and what is asked of it. Text is only ever written as text.
const DATA = JSON.parse(document.getElementById("data").textContent);
const KINDS = ["tree", "framework", "library"];
const ROLES = ["", "runs", "trains"];
const HOWS = DATA.hows.map(([name, words, sure]) => ({ name, words, sure }));
const functions = DATA.functions.map(([name, module, path, line, kind, role], id) => ({
  id, name, module: DATA.modules[module], path, line, kind: KINDS[kind], role: ROLES[role], out: [], into: [], unknown: [],
}));
const calls = DATA.calls.map(([from, to, line, how, note], id) => {
  const call = { id, from: functions[from], to: functions[to], line, how: HOWS[how], note };
  call.from.out.push(call);
  call.to.into.push(call);
  return call;
});
const unknowns = DATA.unknown.map(([from, called, line, kind, reason]) => {
  const call = { from: functions[from], called, line, kind: DATA.kinds[kind][0], reason };
  call.from.unknown.push(call);
  return call;
});
const kindRank = new Map(DATA.kinds.map(([kind], rank) => [kind, rank]));
for (const f of functions) f.unknown.sort((a, b) => kindRank.get(a.kind) - kindRank.get(b.kind) || a.line - b.line);
const byName = new Map(functions.map((f) => [f.name, f]));

// How calls were resolved that the user does not want to see.
const hidden = new Set(DATA.route ? [] : ["import", "library"]);
function shown(call, selected) {
  if (!hidden.has(call.how.name)) return true;
  return call.how.name === "library" && call.to === selected;  // a library function without its callers says nothing
}

function shortName(f) {
  return f.name === f.module ? f.module.split(".").pop() : f.name.slice(f.module.length + 1) || f.name;
}
function below(f) {
  if (f.kind === "library") return f.name.startsWith("<builtin>") ? "builtin" : "library";
  return f.name === f.module ? "module " + f.module : f.module;
}
function title(f) {
  return f.kind === "library" ? f.name : shortName(f);
}
function where(path, line) {
  const model = /^<models>\/(.*)\.py$/.exec(path);
  if (model) return "mmcodemod's model of " + model[1].replaceAll("__", ".");
  return path ? path + (line ? ":" + line : "") : "not in the tree";
}

// The shortest way from a run to a function: training first, weak calls and imports only when nothing else leads there.
const trees = new Map();
function parents(role, weak) {
  const key = role + weak;
  if (trees.has(key)) return trees.get(key);
  const found = new Map();
  let todo = functions.filter((f) => f.role === role);
  for (const f of todo) found.set(f, null);
  while (todo.length) {
    const next = [];
    for (const f of todo)
      for (const call of f.out) {
        const isWeak = call.how.name === "import" || call.how.sure === "assumed";
        if ((isWeak && !weak) || found.has(call.to)) continue;
        found.set(call.to, call);
        next.push(call.to);
      }
    todo = next;
  }
  trees.set(key, found);
  return found;
}
function evidence(f) {
  if (DATA.route && DATA.route.hops.length && f.id === DATA.route.goal)
    return DATA.route.hops.map(([call]) => calls[call]);
  for (const role of ["trains", "runs"])
    for (const weak of [false, true]) {
      const tree = parents(role, weak);
      if (!tree.has(f)) continue;
      const path = [];
      for (let call = tree.get(f); call; call = tree.get(call.from)) path.unshift(call);
      return path;
    }
  return [];
}

// Functions that a search means, the best first: all words must occur; the end of a name counts most.
function search(text, most) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const f of functions) {
    const name = f.name.toLowerCase();
    if (!words.every((word) => name.includes(word))) continue;
    const last = name.slice(name.lastIndexOf(".") + 1);
    const word = words[words.length - 1];
    const rank = name === word || last === word ? 0 : last.startsWith(word) ? 1 : last.includes(word) ? 2 : 3;
    found.push([rank + (f.kind === "library" ? 0.5 : 0), name.length, f]);
  }
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2].name < b[2].name ? -1 : 1));
  return found.slice(0, most).map((one) => one[2]);
}
