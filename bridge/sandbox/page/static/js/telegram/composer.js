// Where the visitor writes: text, a file, a reply or a change, with the bot's commands to choose from.

import { base64 } from "../api.js";
import { firstLine } from "../announce.js";
import { Completion } from "../completion.js";
import { fill, h, icon, iconButton } from "../dom.js";
import { textOf } from "./message.js";

/** `send({text, file?, reply_to?, edit?})` is a promise of whether it was taken; `commands()` are the bot's. */
export class Composer {
  constructor({ send, commands }) {
    this.send = send;
    this.about = null;
    this.note = h("div", { class: "composer-note", hidden: true });
    this.field = h("textarea", { rows: "1", placeholder: "Message", "aria-label": "Message on Telegram" });
    this.picker = h("input", { type: "file", class: "sr-only", tabindex: "-1", "aria-hidden": "true" });
    this.list = h("ul", { class: "completion", hidden: true });
    this.element = h(
      "form",
      { class: "composer tg-composer", "aria-label": "Write on Telegram" },
      this.list,
      this.note,
      h(
        "div",
        { class: "composer-row" },
        iconButton("clip", "Attach a file", () => this.picker.click()),
        this.picker,
        this.field,
        h("button", { type: "submit", class: "icon-button send", "aria-label": "Send", title: "Send" }, icon("send")),
      ),
    );
    this.completion = new Completion(this.field, this.list, () =>
      commands().map((each) => ({ insert: `/${each.command} `, name: `/${each.command}`, words: each.description })),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.field.addEventListener("input", () => this.grow());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.picker.addEventListener("change", () => this.takeFile(this.picker.files[0]));
  }

  /** Write a reply to a message, or (`edit`) change an own one. */
  take(message, kind) {
    this.about = { kind, message };
    if (kind === "edit") this.field.value = textOf(message);
    this.show(kind === "edit" ? "Change" : `Reply to ${message.from?.first_name ?? "the bot"}`, firstLine(textOf(message)));
    this.grow();
    this.field.focus();
  }

  takeFile(file) {
    if (!file) return;
    this.about = { kind: "file", file };
    this.show("Send a file", file.name);
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
    const { kind, message, file } = this.about ?? {};
    if (!text && kind !== "file") return;
    const body = { text };
    if (kind === "reply") body.reply_to = message.message_id;
    if (kind === "edit") body.edit = message.message_id;
    if (kind === "file") body.file = { name: file.name, data: await base64(file), mime: file.type || undefined };
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

  show(title, words) {
    this.note.hidden = false;
    fill(this.note, h("span", { class: "composer-note-words" }, h("strong", {}, title), h("span", {}, words)), iconButton("close", "Cancel", () => this.drop()));
  }

  grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 140)}px`;
  }
}
