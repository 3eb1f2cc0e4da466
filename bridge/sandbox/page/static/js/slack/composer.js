// Where the visitor writes in a channel or a thread; a text that begins with one of the commands is sent as one.

import { base64 } from "../api.js";
import { Completion } from "../completion.js";
import { fill, h, icon, iconButton } from "../dom.js";
import { unescape } from "./mrkdwn.js";

/** `send({text, file?, edit?})` is a promise of whether it was taken. In threads there are no commands. */
export class Composer {
  constructor({ label, placeholder, send, commands }) {
    this.send = send;
    this.about = null;
    this.note = h("div", { class: "composer-note", hidden: true });
    this.field = h("textarea", { rows: "1", placeholder, "aria-label": label });
    this.picker = h("input", { type: "file", class: "sr-only", tabindex: "-1", "aria-hidden": "true" });
    this.list = h("ul", { class: "completion", hidden: true });
    this.element = h(
      "form",
      { class: "composer sl-composer", "aria-label": label },
      this.list,
      this.note,
      h(
        "div",
        { class: "composer-row" },
        this.field,
        iconButton("clip", "Attach a file", () => this.picker.click()),
        this.picker,
        h("button", { type: "submit", class: "icon-button send", "aria-label": "Send", title: "Send" }, icon("send")),
      ),
    );
    this.completion = new Completion(this.field, this.list, commands);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.field.addEventListener("input", () => this.grow());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.picker.addEventListener("change", () => this.takeFile(this.picker.files[0]));
  }

  /** Change an own message. */
  edit(message) {
    this.about = { edit: message.ts };
    this.field.value = unescape(message.text);
    this.show("Change your message");
    this.field.focus();
    this.grow();
  }

  takeFile(file) {
    if (!file) return;
    this.about = { file };
    this.show(`Send ${file.name}`);
    this.field.focus();
  }

  drop() {
    this.about = null;
    this.picker.value = "";
    this.note.hidden = true;
    fill(this.note);
  }

  async submit() {
    const text = this.field.value.trim();
    const { edit, file } = this.about ?? {};
    if (!text && !file) return;
    const body = { text };
    if (edit) body.edit = edit;
    if (file) body.file = { name: file.name, data: await base64(file), mime: file.type || undefined };
    if (!(await this.send(body))) return;
    this.field.value = "";
    this.drop();
    this.grow();
  }

  key(event) {
    if (this.completion.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.about) {
      event.stopPropagation();
      this.drop();
    }
  }

  show(words) {
    this.note.hidden = false;
    fill(this.note, h("span", { class: "composer-note-words" }, h("strong", {}, words)), iconButton("close", "Cancel", () => this.drop()));
  }

  grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 140)}px`;
  }
}
