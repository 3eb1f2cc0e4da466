// What folds: long quotes, attachments, outputs. What someone unfolded stays so when its message is drawn anew.

import { h } from "./dom.js";

const open = new Set();
const closed = new Set();
let count = 0;

/** `<details>` that somebody opened or closed stay so when their message is drawn anew. */
export function details(key, props, summary, ...content) {
  const own = `details:${key}`;
  const chosen = closed.has(own) ? false : open.has(own) || props.open;
  const click = () => {
    open.delete(own);
    closed.delete(own);
    (box.open ? closed : open).add(own); // it turns after the click
  };
  summary.addEventListener("click", click);
  const box = h("details", { ...props, open: chosen }, summary, ...content);
  return box;
}

/**
 * Puts content into a box that shows its beginning, with a button for the rest where there is any. `key` names it
 * across drawings; `props` are those of the box. Which height is folded is the class's matter.
 */
export function folding(key, content, { tag = "div", more = "Show more", less = "Show less", ...props } = {}) {
  const id = `fold-${(count += 1)}`;
  const body = h("div", { class: "fold-body", id }, content);
  const toggle = h("button", {
    type: "button",
    class: "fold-toggle",
    "aria-controls": id,
    data: { focus: `fold:${key}` },
    on: { click: () => set(!open.has(key)) },
  });
  const box = h(tag, props, body, toggle);
  box.classList.add("folding");

  function set(unfolded) {
    if (unfolded) open.add(key);
    else open.delete(key);
    box.classList.toggle("unfolded", unfolded);
    toggle.textContent = unfolded ? less : more;
    toggle.setAttribute("aria-expanded", String(unfolded));
  }

  set(open.has(key));
  new ResizeObserver(() => {
    toggle.hidden = !open.has(key) && body.scrollHeight <= body.clientHeight + 2;
  }).observe(body);
  return box;
}
