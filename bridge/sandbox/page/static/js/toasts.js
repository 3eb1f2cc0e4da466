// Small words at the bottom of a pane that go by themselves, and what went wrong.

import { announce } from "./announce.js";
import { h } from "./dom.js";

const SHOWN_MS = 5000;

/** Show words in a pane's `.toasts` box; errors stay a little longer. */
export function toast(box, words, { error = false } = {}) {
  const element = h("p", { class: error ? "toast toast-error" : "toast" }, words);
  box.append(element);
  while (box.children.length > 3) box.firstChild.remove();
  announce(words);
  setTimeout(() => element.remove(), error ? SHOWN_MS * 2 : SHOWN_MS);
}

/** Do something the server may refuse; its words are shown in the pane. Returns what it answers, or null. */
export async function attempt(box, doing) {
  try {
    return await doing();
  } catch (error) {
    toast(box, error.message, { error: true });
    return null;
  }
}
