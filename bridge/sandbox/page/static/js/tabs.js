// A row of tabs, as a tab list should work: one stop for Tab, arrows, Home and End inside.

import { fill, h } from "./dom.js";

/** `draw(tabs, chosen)` shows `{id, label, count?}`; `choose(id)` is called when another one is wanted. */
export function tabList(label, choose) {
  const element = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  let drawn = "";
  let ids = [];

  function draw(tabs, chosen) {
    const wanted = JSON.stringify([tabs, chosen]);
    if (wanted === drawn) return;
    drawn = wanted;
    ids = tabs.map((each) => each.id);
    const focused = element.contains(document.activeElement);
    fill(element, ...tabs.map((each) => tab(each, each.id === chosen)));
    const now = element.querySelector("[aria-selected=true]");
    if (focused) now?.focus();
    now?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  function tab(each, selected) {
    return h(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tab",
        "aria-selected": String(selected),
        tabindex: selected ? "0" : "-1",
        data: { tab: each.id },
        on: { click: () => choose(each.id) },
      },
      each.label,
      each.count ? h("span", { class: "count", "aria-label": `${each.count} unread` }, String(each.count)) : null,
    );
  }

  element.addEventListener("keydown", (event) => {
    const at = [...element.children].indexOf(document.activeElement);
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    choose(ids[(steps[event.key] + ids.length) % ids.length]);
  });

  return { element, draw };
}
