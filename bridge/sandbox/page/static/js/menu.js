// A small menu at a button: arrows move, Enter chooses, Escape closes and gives the focus back.

import { h } from "./dom.js";

let closeOpen = null;

/** Shows `entries` (`{label, words?, choose, kind?}`; `row: [...]` makes a line of them) at `anchor`, inside `box`. */
export function openMenu(box, anchor, entries) {
  closeOpen?.();
  const item = (entry) =>
    h(
      "button",
      { type: "button", role: "menuitem", class: `menu-item ${entry.kind ?? ""}`, "aria-label": entry.name, tabindex: "-1", on: { click: () => done(entry) } },
      entry.icon ?? null,
      entry.label,
    );
  const menu = h(
    "div",
    { class: "menu", role: "menu", "aria-label": "Message" },
    ...entries.map((entry) => (entry.row ? h("div", { class: "menu-row", role: "group", "aria-label": entry.name }, ...entry.row.map(item)) : item(entry))),
  );
  const key = anchor.closest("[data-key]")?.dataset.key;

  function close(refocus) {
    menu.remove();
    document.removeEventListener("pointerdown", outside);
    closeOpen = null;
    if (!refocus) return;
    const again = anchor.isConnected ? anchor : [...box.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.querySelector("button");
    again?.focus({ preventScroll: true });
  }

  function done(entry) {
    close(true);
    entry.choose();
  }

  function outside(event) {
    if (!menu.contains(event.target)) close(false);
  }

  menu.addEventListener("keydown", (event) => {
    const items = [...menu.querySelectorAll("[role=menuitem]")];
    const at = items.indexOf(document.activeElement);
    const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    if (event.key in steps) items[(at + steps[event.key] + items.length) % items.length].focus();
    else if (event.key === "Home") items[0].focus();
    else if (event.key === "End") items.at(-1).focus();
    else if (event.key === "Escape" || event.key === "Tab") close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  box.append(menu);
  place(box, anchor, menu);
  closeOpen = () => close(false);
  setTimeout(() => document.addEventListener("pointerdown", outside));
  menu.querySelector("[role=menuitem]").focus();
}

function place(box, anchor, menu) {
  const frame = box.getBoundingClientRect();
  const at = anchor.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.right - frame.left - menu.offsetWidth), frame.width - menu.offsetWidth - 8);
  const below = at.bottom - frame.top + 4;
  const top = below + menu.offsetHeight > frame.height ? at.top - frame.top - menu.offsetHeight - 4 : below;
  menu.style.left = `${left}px`;
  menu.style.top = `${Math.max(8, top)}px`;
}
