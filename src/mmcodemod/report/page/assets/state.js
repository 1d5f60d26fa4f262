
// What is chosen stands in the address (#run=...&rule=...&at=...), so that "back" works and a link shows the same.
const DATA = JSON.parse(document.getElementById("data").textContent);
const NAMES = ["run", "rule", "text", "severity", "safe", "theme", "at"];
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, ""]));
let state = NOTHING;

function read() {
  const hash = location.hash.slice(1);
  if (!hash.includes("=")) return { ...NOTHING, at: hash };
  const given = new URLSearchParams(hash);
  return Object.fromEntries(NAMES.map((name) => [name, given.get(name) || ""]));
}
function address(wanted) {
  return "#" + new URLSearchParams(NAMES.filter((name) => wanted[name]).map((name) => [name, wanted[name]]));
}
function change(some, typing) {
  const wanted = address({ ...state, at: "", ...some });
  if (typing) history.replaceState(null, "", wanted);
  else if (wanted !== (location.hash || "#")) history.pushState(null, "", wanted);
  show();
}
function numbers(ranges) {
  const found = new Set();
  for (const range of ranges ? ranges.split(",") : []) {
    const [first, last] = range.split("-").map(Number);
    for (let at = first; at <= (last ?? first); at++) found.add(at);
  }
  return found;
}
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
const byId = (id) => document.getElementById(id);
