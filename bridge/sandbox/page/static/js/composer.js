// Where the visitor writes: a text, a file, a reply or a change, with commands to choose from. Each chat has its own kind.

import { base64 } from "./api.js";
import { Completion, composing } from "./completion.js";
import { fill, h, icon, iconButton } from "./dom.js";

const MOST_PX = 140;

/**
 * `send({text, file?, reply_to?, edit?}, where)` is a promise of whether it was taken, `where()` the place at that
 * moment; `choices()` are the commands, as
 * Completion takes them. `label` names the form, `fieldLabel` the field; `className` is the form's.
 */
export class Composer {
  constructor({ label, fieldLabel = label, placeholder, className, where, send, choices, clipFirst = false }) {
    this.where = where;
    this.send = send;
    this.about = null;
    this.place = undefined;
    this.drafts = new Map();
    this.note = h("div", { class: "composer-note", hidden: true });
    this.field = h("textarea", { rows: "1", placeholder, "aria-label": fieldLabel });
    this.picker = h("input", { type: "file", class: "sr-only", tabindex: "-1", "aria-hidden": "true" });
    this.list = h("ul", { class: "completion", hidden: true });
    const clip = [iconButton("clip", "Attach a file", () => this.picker.click()), this.picker];
    const submit = h("button", { type: "submit", class: "icon-button send", "aria-label": "Send", title: "Send" }, icon("send"));
    this.element = h(
      "form",
      { class: `composer ${className}`, "aria-label": label },
      this.list,
      this.note,
      h("div", { class: "composer-row" }, clipFirst && clip, this.field, !clipFirst && clip, submit),
    );
    this.completion = new Completion(this.field, this.list, choices);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.field.addEventListener("input", () => this.grow());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.picker.addEventListener("change", () => this.takeFile(this.picker.files[0]));
  }

  /** Another topic, thread or channel is open: each has a draft of its own. A reply or a change ends with its place. */
  at(place) {
    if (place === this.place) return;
    this.drop();
    if (this.place !== undefined) {
      this.drafts.set(this.place, this.field.value);
      this.field.value = this.drafts.get(place) ?? "";
      this.grow();
    }
    this.place = place;
  }

  /** Its place is gone: what is written goes along to this one. */
  move(place) {
    this.release();
    this.drafts.delete(this.place);
    this.place = place;
    this.field.value = [this.drafts.get(place), this.field.value].filter(Boolean).join("\n");
  }

  /** Reply to a message, or change it: `about` is `{kind: "reply" | "edit", id}`; a change begins with its text. */
  take(about, title, words = "", text = "") {
    this.about = about;
    if (about.kind === "edit") this.field.value = text;
    this.show(title, words);
    this.grow();
    this.field.focus();
  }

  takeFile(file) {
    if (!file) return;
    this.take({ kind: "file", file }, "Send a file", file.name);
  }

  /** Not a reply, not a change, no file after all. A text that was to be changed goes, too: it is there already. */
  drop() {
    if (this.about?.kind === "edit") this.field.value = "";
    this.release();
  }

  release() {
    this.about = null;
    this.picker.value = "";
    this.note.hidden = true;
    fill(this.note);
    this.grow();
  }

  /** The field is free for the next text at once; what is refused comes back. */
  async submit() {
    const { about, field } = this;
    const written = field.value;
    const text = written.trim();
    if (!text && about?.kind !== "file") return;
    const where = this.where();
    const note = [...this.note.childNodes];
    field.value = "";
    this.release();
    const body = { text };
    if (about?.kind === "reply") body.reply_to = about.id;
    if (about?.kind === "edit") body.edit = about.id;
    if (about?.kind === "file") body.file = { name: about.file.name, data: await base64(about.file), mime: about.file.type || undefined };
    if (!(await this.send(body, where))) this.giveBack(written, about, note);
  }

  giveBack(written, about, note) {
    this.field.value = [written, this.field.value].filter(Boolean).join("\n");
    if (about && !this.about) {
      this.about = about;
      this.note.hidden = false;
      fill(this.note, note);
    }
    this.grow();
  }

  key(event) {
    if (this.completion.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !composing(event)) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.about) {
      event.stopPropagation();
      this.drop();
    }
  }

  show(title, words) {
    this.note.hidden = false;
    const said = h("span", { class: "composer-note-words" }, h("strong", {}, title), words && h("span", {}, words));
    fill(this.note, said, iconButton("close", "Cancel", () => this.drop()));
  }

  grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, MOST_PX)}px`;
  }
}
