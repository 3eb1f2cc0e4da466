// The buttons under a message.

import { h, icon, linkWith } from "../dom.js";
import { copy } from "../text/code.js";

const STYLES = { primary: "primary", success: "success", danger: "danger" };

/** The rows of buttons, or null. `press(data)` tells the bot; what else a button does, it does here. */
export function keyboard(markup, press) {
  const rows = markup?.inline_keyboard ?? [];
  if (!rows.length) return null;
  return h("div", { class: "tg-keyboard" }, ...rows.map((row, at) => h("div", { class: "tg-row" }, ...row.map((one, nth) => button(one, `${at}.${nth}`, press)))));
}

function button(raw, place, press) {
  // A row that only keeps the height says "·": nothing to read out, nothing to reach by keys.
  const filler = raw.text.trim() === "·";
  const props = {
    class: `tg-button ${STYLES[raw.style] ?? ""} ${filler ? "filler" : ""}`,
    data: { focus: `button:${place}`, callback: raw.callback_data },
  };
  if (raw.url) return linkWith(props, raw.url, raw.text, icon("link"));
  if (filler) return h("span", { ...props, "aria-hidden": "true" }, raw.text);
  if (raw.copy_text) {
    const element = h("button", { ...props, type: "button", on: { click: () => copied(element, raw.copy_text.text) } }, raw.text, icon("copy"));
    return element;
  }
  const click = () => press(raw.callback_data);
  return h("button", { ...props, type: "button", disabled: "disabled" in raw || !raw.callback_data, on: { click } }, raw.text);
}

async function copied(element, text) {
  element.dataset.state = (await copy(text)) ? "done" : "failed";
  setTimeout(() => delete element.dataset.state, 1500);
}
