// Modals: the view on top of the stack as a dialog. What was filled in stays while the app changes the view.

import { h } from "../dom.js";
import { openDialog } from "../dialog.js";
import { BlockList } from "./blocklist.js";
import { setValue, valueOf } from "./elements.js";
import { textNodes } from "./mrkdwn.js";

/** Shows the stack of views. `hands`: `act(action)`, `submit(view, state)`, `close(view)`, `people`. */
export class Modals {
  constructor(hands) {
    this.hands = hands;
    this.views = [];
    this.dialog = null;
    this.view = null;
  }

  draw(views) {
    if (views === this.views) return;
    this.views = views;
    const top = views.at(-1) ?? null;
    if (!top) this.shut();
    else if (this.dialog && this.view.id === top.id) this.redraw(top);
    else this.open(top);
  }

  shut() {
    const dialog = this.dialog;
    this.dialog = null;
    this.view = null;
    dialog?.close();
  }

  open(view) {
    this.shut();
    this.view = view;
    this.form = h("form", { class: "modal-form", id: `view-${view.id}`, novalidate: true });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.blocks = new BlockList(this.form);
    this.drawForm(view);
    const dialog = openDialog({
      title: textNodes(view.title),
      body: this.form,
      foot: this.feet(view),
      className: "modal",
      onClose: () => {
        if (this.dialog === dialog) this.hands.close(this.view);
      },
    });
    this.dialog = dialog;
    this.form.querySelector("[autofocus], input, textarea, select")?.focus();
  }

  redraw(view) {
    const before = this.view;
    const kept = this.state();
    const there = new Set(this.controls());
    this.view = view;
    this.drawForm(view);
    for (const control of this.controls()) {
      const value = kept[control.dataset.block]?.[control.dataset.action];
      if (value !== undefined && !there.has(control)) setValue(control, value);
    }
    const same = (...parts) => parts.every((part) => JSON.stringify(before[part]) === JSON.stringify(view[part]));
    if (!same("title")) this.dialog.element.querySelector("h2").replaceChildren(...textNodes(view.title));
    if (!same("close", "submit")) this.dialog.element.querySelector(".dialog-foot").replaceChildren(...this.feet(view));
    if (!same("_errors")) this.form.querySelector("[aria-invalid=true]")?.focus();
  }

  drawForm(view) {
    const at = {
      name: view.id,
      people: this.hands.people,
      errors: view._errors,
      box: () => this.dialog.element,
      act: (action) => this.hands.act({ view_id: view.id, ...action }),
      inForm: (block) => block.type === "input" && !block.dispatch_action,
      chosen: (raw, block) => fromState(view.state?.values?.[block.block_id]?.[raw.action_id]),
    };
    this.blocks.draw(view.blocks, at);
  }

  feet(view) {
    const close = h("button", { type: "button", class: "button", on: { click: () => this.hands.close(view) } }, ...words(view.close, "Close"));
    const submit = view.submit && h("button", { type: "submit", class: "button primary", form: `view-${view.id}` }, ...textNodes(view.submit));
    return [close, submit].filter(Boolean);
  }

  controls() {
    return [...this.form.querySelectorAll("[data-kind]")];
  }

  state() {
    const state = {};
    for (const control of this.controls()) (state[control.dataset.block] ??= {})[control.dataset.action] = valueOf(control);
    return state;
  }

  submit() {
    this.empty?.removeAttribute("aria-invalid");
    const empty = this.controls().find((control) => control.required && !valueOf(control));
    this.empty = empty;
    if (empty) {
      empty.setAttribute("aria-invalid", "true");
      empty.reportValidity();
      return;
    }
    this.hands.submit(this.view, this.state());
  }
}

const words = (text, otherwise) => (text ? textNodes(text) : [otherwise]);

/** The values a view's state says were chosen, as a list, or undefined for none yet. */
function fromState(state) {
  if (!state) return undefined;
  const options = state.selected_options ?? (state.selected_option === undefined ? undefined : [state.selected_option]);
  if (options) return options.filter(Boolean).map((each) => each.value ?? each.text.text);
  const plain = state.value ?? state.selected_date ?? state.selected_time ?? state.selected_user ?? state.selected_conversation ?? state.selected_channel;
  return plain === undefined || plain === null ? undefined : [plain];
}
