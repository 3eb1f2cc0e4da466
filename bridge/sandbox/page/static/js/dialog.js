// Dialogs on the browser's own <dialog>: it keeps the focus inside, makes the rest inert and closes with Escape.

import { h } from "./dom.js";

let count = 0;

/** An open dialog. `onClose` is called however it closes; `close()` closes it. The title names it. */
export function openDialog({ title, body, foot, onClose, className = "" }) {
  const id = `dialog-${(count += 1)}`;
  const before = document.activeElement;
  const element = h(
    "dialog",
    { class: `dialog ${className}`, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title)),
    h("div", { class: "dialog-body", tabindex: "-1" }, body),
    h("div", { class: "dialog-foot" }, foot),
  );
  element.addEventListener("close", () => {
    element.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
    onClose?.();
  });
  document.body.append(element);
  element.showModal();
  return { element, close: () => element.close() };
}

/** Words that must be seen: a box with one button. */
export function askToClose(title, words) {
  const ok = h("button", { type: "button", class: "button primary", autofocus: true, on: { click: () => dialog.close() } }, "OK");
  const dialog = openDialog({ title, body: h("p", { class: "dialog-words" }, words), foot: ok, className: "alert" });
}

/** Asks, as a confirmation object of Slack's says; a promise of whether it was confirmed. */
export function confirmed({ title, text, confirm, deny, danger }) {
  return new Promise((resolve) => {
    let answer = false;
    const choose = (value) => () => {
      answer = value;
      dialog.close();
    };
    const foot = [
      h("button", { type: "button", class: "button", on: { click: choose(false) } }, deny),
      h("button", { type: "button", class: `button ${danger ? "danger" : "primary"}`, autofocus: true, on: { click: choose(true) } }, confirm),
    ];
    const dialog = openDialog({ title, body: text, foot, onClose: () => resolve(answer), className: "alert" });
  });
}
