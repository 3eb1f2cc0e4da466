// A list of commands above a field: by arrows and Enter or Tab, or with the pointer. A choice is
// `{name, title?, words?, insert}`, or with `run()` in the place of `insert` something that is done at once.

import { fill, h } from "./dom.js";

let count = 0;

/** Whether a key is for an input method: its Enter chooses a word, and sends nothing. (Safari says so by 229 alone.) */
export const composing = (event) => event.isComposing || event.keyCode === 229;

/** Offers what begins like the field's text, as long as that is one word starting with "/". */
export class Completion {
  constructor(field, list, choices) {
    this.field = field;
    this.list = list;
    this.choices = choices;
    this.shown = [];
    this.at = 0;
    list.id = `completion-${(count += 1)}`;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Commands");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", list.id);
    field.setAttribute("aria-haspopup", "listbox");
    field.addEventListener("input", () => this.look());
    field.addEventListener("blur", () => this.close());
  }

  look() {
    const text = this.field.value;
    const wanted = /^\/\S*$/.test(text) ? text.toLowerCase() : null;
    const found = wanted === null ? [] : this.choices().filter((each) => each.name.startsWith(wanted));
    // What is written out is meant, though a longer one begins like it: /session, not /sessions.
    this.shown = found.sort((a, b) => Number(b.name === wanted) - Number(a.name === wanted));
    this.at = 0;
    this.draw();
  }

  close() {
    this.shown = [];
    this.draw();
  }

  /** Whether the key was for the list. */
  key(event) {
    if (!this.shown.length || composing(event)) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.at = (this.at + step + this.shown.length) % this.shown.length;
      this.draw();
    } else if (event.key === "Escape") {
      this.close();
    } else if (event.key === "Tab" || (event.key === "Enter" && this.shown[this.at].insert?.trim() !== this.field.value.trim())) {
      this.choose(this.at);
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  choose(index) {
    const { insert, run } = this.shown[index];
    this.field.value = insert ?? "";
    this.close();
    this.field.focus();
    run?.();
  }

  draw() {
    const open = this.shown.length > 0;
    this.list.hidden = !open;
    if (open) this.field.setAttribute("aria-activedescendant", `${this.list.id}-${this.at}`);
    else this.field.removeAttribute("aria-activedescendant");
    fill(
      this.list,
      ...this.shown.map((each, index) =>
        h(
          "li",
          {
            id: `${this.list.id}-${index}`,
            role: "option",
            "aria-selected": String(index === this.at),
            on: {
              mousedown: (event) => {
                event.preventDefault();
                this.choose(index);
              },
            },
          },
          h("strong", {}, each.title ?? each.name),
          h("span", {}, each.words ?? ""),
        ),
      ),
    );
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }
}
