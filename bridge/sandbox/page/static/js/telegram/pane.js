// The Telegram side: topics along the top, the chat, and where the visitor writes.

import { announce, firstLine } from "../announce.js";
import { post } from "../api.js";
import { Composer } from "../composer.js";
import { askToClose } from "../dialog.js";
import { fill, h, icon, iconButton } from "../dom.js";
import { Latest } from "../latest.js";
import { Follower, KeyedList } from "../lists.js";
import { openMenu } from "../menu.js";
import { tabList } from "../tabs.js";
import { TELEGRAM_REACTIONS } from "../text/emoji.js";
import { attempt, toast } from "../toasts.js";
import { messageElement, textOf } from "./message.js";

const TYPING_S = 6;
const ALL = "all";

export class TelegramPane {
  constructor(root, store) {
    this.store = store;
    this.topic = ALL;
    this.read = new Map();
    this.toasts = h("div", { class: "toasts" });
    this.title = h("div", { class: "tg-title" });
    this.tabs = tabList("Topics", (id) => this.open(id));
    this.pinned = h("div", { class: "tg-pinned", hidden: true });
    this.list = h("ol", { class: "tg-messages", "aria-label": "Messages on Telegram" });
    this.typing = h("p", { class: "tg-typing", hidden: true });
    this.scroll = h("div", { class: "tg-scroll", tabindex: "0", role: "region", "aria-label": "Telegram chat" });
    const down = iconButton("down", "To the newest message", () => {}, { class: "icon-button to-end", hidden: true });
    this.deleteTopic = iconButton("trash", "Delete this topic", () => this.removeTopic(), { hidden: true });
    this.composer = new Composer({
      label: "Write on Telegram",
      fieldLabel: "Message on Telegram",
      placeholder: "Message",
      className: "tg-composer",
      clipFirst: true,
      where: () => this.topic,
      send: (body, topic) => this.send(body, topic),
      choices: () => (this.chat?.commands ?? []).map((each) => ({ insert: `/${each.command} `, name: `/${each.command}`, words: each.description })),
    });
    this.screen = h(
      "div",
      { class: "tg-screen" },
      h("header", { class: "tg-header" }, h("span", { class: "avatar bot", "aria-hidden": "true" }, "hb"), this.title, this.deleteTopic),
      this.tabs.element,
      this.pinned,
      h("div", { class: "tg-body" }, this.scroll, down, this.toasts),
      this.composer.element,
    );
    fill(root, h("div", { class: "phone" }, this.screen));
    this.follower = new Follower(this.scroll, down);
    this.follower.watch(this.list);
    this.latest = new Latest((message) => message.message_id, this.follower, () => store.changed());
    fill(this.scroll, this.latest.element, this.list, this.typing);
    const hands = {
      press: (message, data) => this.press(message, data),
      menu: (message, anchor) => this.menu(message, anchor),
      show: (id) => this.show(id),
    };
    this.messages = new KeyedList(this.list, (message) => message.message_id, (message) => messageElement(message, hands, this.topicLabel(message)));
    store.on("change", (state) => this.draw(state));
    store.on("telegram.answer", (event) => this.answered(event));
    store.on("telegram.message", ({ message }) => this.arrived(message));
    setInterval(() => store.presses.after(this.drawTyping), 1000);
  }

  get chat() {
    return this.store.state?.telegram?.chats[0];
  }

  draw(state) {
    const chat = this.chat;
    if (!chat) return;
    if (this.topic !== ALL && !chat.topics.some((each) => each.id === this.topic)) this.leave();
    this.composer.at(this.topic);
    const bot = state.telegram.bot.first_name;
    const topic = chat.topics.find((each) => each.id === this.topic);
    fill(this.title, h("h2", {}, topic?.name ?? bot), h("p", {}, topic ? `${bot} · topic${topic.closed ? " · closed" : ""}` : `bot · ${chat.topics.length} topics`));
    this.deleteTopic.hidden = !topic;
    this.markRead(chat);
    const counts = this.unread(chat);
    this.tabs.draw(
      [{ id: ALL, label: "All" }, ...chat.topics.map((each) => ({ id: each.id, label: each.name, count: this.topic === ALL ? 0 : counts.get(each.id) ?? 0 }))],
      this.topic,
    );
    this.tabs.element.hidden = chat.topics.length === 0;
    this.drawPinned(chat);
    this.drawMessages(chat);
    this.drawTyping();
    this.follower.keep();
  }

  drawMessages(chat) {
    this.messages.draw(this.latest.of(this.shown(chat)), (message) => this.topicLabel(message));
    this.latest.drawn();
  }

  shown(chat) {
    const all = chat.messages.filter((each) => !each._deleted);
    return this.topic === ALL ? all : all.filter((each) => each.message_thread_id === this.topic);
  }

  /** The bar below the tabs with what was pinned last; a tap leads there. Drawn anew only when its words change. */
  drawPinned(chat) {
    const message = this.shown(chat).find((each) => each.message_id === chat.pinned.at(-1));
    const words = message ? firstLine(textOf(message)) : "";
    this.pinned.hidden = !message;
    if (!message || this.pinned.textContent === `Pinned${words}`) return;
    const show = () => this.show(message.message_id);
    fill(this.pinned, h("button", { type: "button", on: { click: show } }, h("strong", {}, "Pinned"), h("span", {}, words)));
  }

  markRead(chat) {
    for (const message of this.shown(chat)) {
      const topic = message.message_thread_id ?? ALL;
      this.read.set(topic, Math.max(this.read.get(topic) ?? 0, message.message_id));
    }
  }

  unread(chat) {
    const counts = new Map();
    for (const message of chat.messages) {
      const topic = message.message_thread_id;
      if (!message._from_bot || message.message_id <= (this.read.get(topic) ?? 0)) continue;
      counts.set(topic, (counts.get(topic) ?? 0) + 1);
    }
    return counts;
  }

  topicLabel(message) {
    if (this.topic !== ALL || message.message_thread_id === undefined) return null;
    return this.chat.topics.find((each) => each.id === message.message_thread_id)?.name ?? null;
  }

  drawTyping = () => {
    const now = Date.now() / 1000;
    const doing = (this.chat?.typing ?? []).some((each) => now - each.at < TYPING_S && (this.topic === ALL || each.thread === this.topic));
    if (this.typing.hidden === !doing) return;
    this.typing.hidden = !doing;
    fill(this.typing, doing && h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), doing && "typing…");
    this.follower.keep();
  };

  open(topic) {
    this.topic = topic;
    this.latest.reset();
    this.follower.there = true;
    this.store.changed();
  }

  /** The topic is gone: back to all. */
  leave() {
    this.topic = ALL;
    this.composer.move(ALL);
    this.latest.reset();
    this.follower.there = true;
  }

  show(id) {
    if (this.latest.reach(this.shown(this.chat), id)) this.drawMessages(this.chat);
    const element = document.getElementById(`tg-${id}`);
    if (!element) return;
    element.scrollIntoView({ block: "center" });
    element.classList.add("shown-now");
    setTimeout(() => element.classList.remove("shown-now"), 1200);
  }

  async send({ text, file, reply_to: replyTo, edit }, topic) {
    const chat = this.chat.id;
    if (edit) return attempt(this.toasts, () => post("/api/telegram/edit", { chat, message: edit, text }));
    const body = { chat, text, file, reply_to: replyTo };
    if (topic !== ALL) body.thread = topic;
    this.follower.there = true;
    return attempt(this.toasts, () => post("/api/telegram/say", body));
  }

  press(message, data) {
    const body = { chat: message.chat.id, message: message.message_id, data };
    return attempt(this.toasts, () => post("/api/telegram/press", body));
  }

  menu(message, anchor) {
    const react = (emoji) => attempt(this.toasts, () => post("/api/telegram/react", { chat: message.chat.id, message: message.message_id, emoji }));
    const entries = [
      { name: "React", row: [...TELEGRAM_REACTIONS.map((emoji) => ({ label: emoji, name: `React with ${emoji}`, choose: () => react(emoji) })), { label: "∅", name: "Take the reaction back", choose: () => react("") }] },
      { icon: icon("reply"), label: "Reply", choose: () => this.replyTo(message) },
    ];
    if (!message._from_bot && textOf(message)) entries.push({ icon: icon("pencil"), label: "Edit", choose: () => this.edit(message) });
    openMenu(this.screen, anchor, entries);
  }

  replyTo(message) {
    this.composer.take({ kind: "reply", id: message.message_id }, `Reply to ${message.from?.first_name ?? "the bot"}`, firstLine(textOf(message)));
  }

  edit(message) {
    this.composer.take({ kind: "edit", id: message.message_id }, "Change", firstLine(textOf(message)), textOf(message));
  }

  removeTopic() {
    const body = { chat: this.chat.id, topic: this.topic };
    attempt(this.toasts, () => post("/api/telegram/topic/delete", body));
  }

  answered({ text, alert }) {
    if (!text) return;
    if (alert) this.store.presses.after(() => askToClose(this.store.state.telegram.bot.first_name, text));
    else toast(this.toasts, text);
  }

  arrived(message) {
    const words = firstLine(textOf(message));
    if (message._from_bot && words && !message._silent) announce(`Telegram: ${words}`);
  }
}
