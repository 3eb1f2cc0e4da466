// One message as a bubble: what it replies to, its text or file, its buttons, reactions and marks.

import { fileAddress } from "../api.js";
import { firstLine } from "../announce.js";
import { h, icon, iconButton } from "../dom.js";
import { clock, full, size } from "../times.js";
import { entityNodes } from "./entities.js";
import { keyboard } from "./keyboard.js";

/**
 * The element of a message. `hands` is what the visitor may do with it: `press(message, data)`, `menu(message, anchor)`
 * and `show(id)`, which scrolls to another message; `topic` is the name to show with it, where topics are mixed.
 */
export function messageElement(message, hands, topic = null) {
  const service = serviceWords(message);
  if (service !== null) return h("li", { class: "tg-service" }, service);
  const own = !message._from_bot;
  const key = `tg/${message.chat.id}/${message.message_id}`;
  const bubble = h(
    "div",
    { class: "tg-bubble" },
    topic && h("p", { class: "tg-topic-label" }, topic),
    replied(message, hands),
    media(message),
    body(message, key),
    h("div", { class: "tg-foot" }, reactions(message), marks(message)),
  );
  return h(
    "li",
    { class: `tg-message ${own ? "own" : "theirs"}`, id: `tg-${message.message_id}` },
    h("span", { class: "sr-only" }, own ? "You wrote" : `${message.from?.first_name ?? "The bot"} wrote`),
    h("div", { class: "tg-stack" }, bubble, keyboard(message.reply_markup, (data) => hands.press(message, data))),
    iconButton("more", "Message menu", (event) => hands.menu(message, event.currentTarget), { class: "icon-button tg-menu-button" }),
  );
}

/** The text of a message, be it a caption. */
export const textOf = (message) => message.text ?? message.caption ?? "";

function body(message, key) {
  const text = textOf(message);
  if (!text) return null;
  return h("div", { class: "tg-text" }, ...entityNodes(text, message.entities ?? message.caption_entities, key));
}

function replied(message, hands) {
  const to = message.reply_to_message;
  if (!to || to.forum_topic_created) return null;
  const open = () => hands.show(to.message_id);
  const words = firstLine(textOf(to)) || to.document?.file_name || "Photo";
  return h(
    "button",
    { type: "button", class: "tg-reply", on: { click: open }, data: { focus: "reply" } },
    h("span", { class: "tg-reply-name" }, to.from?.first_name ?? ""),
    h("span", { class: "tg-reply-text" }, words),
  );
}

function media(message) {
  if (message.photo) {
    const address = fileAddress("telegram", message.photo.at(-1).file_id);
    return h("a", { href: address, target: "_blank", class: "tg-photo" }, h("img", { src: address, alt: message.caption ?? "Photo" }));
  }
  if (!message.document) return null;
  const { file_id: id, file_name: name, file_size: bytes } = message.document;
  return h(
    "a",
    { href: fileAddress("telegram", id), download: name, class: "tg-file" },
    h("span", { class: "tg-file-icon" }, icon("file")),
    h("span", { class: "tg-file-words" }, h("span", { class: "tg-file-name" }, name), h("span", { class: "tg-file-size" }, size(bytes))),
  );
}

function reactions(message) {
  const all = Object.entries(message._reactions ?? {});
  if (!all.length) return null;
  return h(
    "span",
    { class: "tg-reactions" },
    ...all.map(([emoji, names]) => h("span", { class: "tg-reaction", title: names.join(", ") }, emoji, h("span", { class: "sr-only" }, ` by ${names.join(", ")}`))),
  );
}

function marks(message) {
  const edited = message.edit_date !== undefined;
  return h(
    "span",
    { class: "tg-marks" },
    message._silent && message._from_bot && h("span", { class: "tg-silent", title: "Came without a sound" }, icon("muted"), h("span", { class: "sr-only" }, "silent")),
    edited && h("span", { title: `Changed ${message._edits} times, last ${full(message.edit_date)}` }, "edited"),
    h("time", { datetime: new Date(message.date * 1000).toISOString(), title: full(message.date) }, clock(message.date)),
  );
}

/** What a service message says, or null for one that people or the bot wrote. */
function serviceWords(message) {
  if (message.forum_topic_created) return `Topic “${message.forum_topic_created.name}” was made`;
  if (message.forum_topic_edited) return message.forum_topic_edited.name ? `The topic is called “${message.forum_topic_edited.name}” now` : "The topic was changed";
  if (message.forum_topic_closed) return "The topic was closed";
  if (message.forum_topic_reopened) return "The topic was opened again";
  if (message.pinned_message) return `Pinned “${firstLine(textOf(message.pinned_message))}”`;
  if (message.text === undefined && !message.document && !message.photo) return "Something changed in this chat";
  return null;
}
