// One message: who, when, what (text, blocks, a stream with its tasks, attachments, files), reactions, its thread.

import { fileAddress } from "../api.js";
import { h, icon, iconButton } from "../dom.js";
import { folding } from "../folds.js";
import { emoji } from "../text/emoji.js";
import { markdown } from "../text/markdown.js";
import { clock, full, size } from "../times.js";
import { blockNodes, plan, task } from "./blocks.js";
import { mrkdwn, textNodes } from "./mrkdwn.js";

const COLOURS = { good: "#2a9d6e", warning: "#d9a21b", danger: "#d0453f" };

/**
 * The element of a message. `hands` is what the visitor may do: `act(message, action)`, `menu`, `react(message, name)`,
 * `thread(ts)` opens its thread, `people` gives names, `box()` is where menus open. `inThread` leaves the thread's
 * foot out.
 */
export function messageElement(message, hands, { inThread = false, continued = false } = {}) {
  const author = authorOf(message, hands.people);
  const hidden = message._ephemeral_to;
  const className = `sl-message ${continued ? "continued" : ""} ${hidden ? "ephemeral" : ""} ${message._streaming ? "streaming" : ""}`;
  return h(
    "li",
    { class: className, data: { ts: message.ts } },
    h("span", { class: `avatar ${author.bot ? "bot" : ""}`, "aria-hidden": "true" }, author.name.slice(0, 2).toLowerCase()),
    h(
      "div",
      { class: "sl-content" },
      hidden && h("p", { class: "only-you" }, "Only visible to you"),
      h("p", { class: "sl-author" }, h("strong", {}, author.name), author.bot && h("span", { class: "badge" }, "app"), time(message)),
      bodyOf(message, hands),
      ...attachments(message, hands),
      ...(message.files ?? []).map(file),
      message.edited && h("span", { class: "edited", title: full(Number(message.edited.ts)) }, "(edited)"),
      reactions(message, hands),
      !inThread && message.reply_count ? threadFoot(message, hands) : null,
    ),
    hidden ? null : iconButton("more", "Message menu", (event) => hands.menu(message, event.currentTarget), { class: "icon-button sl-menu-button" }),
  );
}

/** Who wrote a message. */
export function authorOf(message, people) {
  const bot = Boolean(message.bot_id);
  return { bot, name: message.username ?? message.bot_profile?.name ?? people.user(message.user) };
}

const time = (message) => h("time", { title: full(Number(message.ts)), datetime: new Date(Number(message.ts) * 1000).toISOString() }, clock(Number(message.ts)));

/** Where a message's elements stand, as elements.js needs it. */
function placeOf(message, hands) {
  return {
    name: `${message.ts}`,
    people: hands.people,
    box: hands.box,
    act: (action) => hands.act(message, action),
    inForm: () => false,
    chosen: (raw, block) => hands.chosen(message.ts, raw, block),
    choose: (raw, block, value) => hands.choose(message.ts, raw, block, value),
  };
}

function bodyOf(message, hands) {
  const at = placeOf(message, hands);
  const parts = [];
  const stream = message._stream || message._streaming;
  if (message._plan) parts.push(plan({ title: message._plan, tasks: message._tasks }, at));
  else if (message._tasks?.length) parts.push(...message._tasks.map((each) => task(each, at)));
  if (message.blocks?.length) parts.push(...blockNodes(message.blocks, at));
  else if (message.text) parts.push(h("div", { class: stream ? "block markdown" : "block plain" }, ...(stream ? markdown(message.text) : mrkdwn(message.text, hands.people))));
  if (message._streaming && !message.blocks?.length) parts.push(h("span", { class: "cursor", role: "img", "aria-label": "still writing" }));
  return h("div", { class: "sl-body" }, ...parts);
}

function attachments(message, hands) {
  const at = placeOf(message, hands);
  return (message.attachments ?? []).map((one, index) => {
    const inner = [
      one.author_name && h("p", { class: "subtitle" }, one.author_name),
      one.title && h("p", { class: "container-title" }, ...textNodes(one.title, hands.people)),
      one.text && h("div", { class: "block plain" }, ...mrkdwn(one.text, hands.people)),
      ...blockNodes(one.blocks, at),
      one.fields && h("div", { class: "fields" }, ...one.fields.map((each) => h("div", {}, h("strong", {}, each.title), h("div", {}, ...mrkdwn(each.value, hands.people))))),
      one.footer && h("p", { class: "subtitle" }, one.footer),
    ];
    const colour = COLOURS[one.color] ?? (/^#?[0-9a-f]{6}$/i.test(one.color ?? "") ? `#${one.color.replace("#", "")}` : null);
    return h(
      "div",
      { class: "attachment", style: colour ? { "--bar": colour } : {} },
      one.pretext && h("div", {}, ...mrkdwn(one.pretext, hands.people)),
      // What waits for a press is never folded away.
      hasActions(one.blocks)
        ? h("div", { class: "attachment-fold" }, ...inner)
        : folding(`sl/${message.ts}/${one.id ?? index}`, inner, { class: "attachment-fold" }),
    );
  });
}

const hasActions = (blocks) => (blocks ?? []).some((block) => block.type === "actions");

function file(raw) {
  const address = fileAddress("slack", raw.id);
  if (raw.mimetype?.startsWith("image/") && raw.mimetype !== "image/svg+xml") {
    return h("a", { href: address, target: "_blank", class: "sl-picture" }, h("img", { src: address, alt: raw.title || raw.name }));
  }
  return h(
    "a",
    { class: "sl-file", href: address, download: raw.name },
    icon("file"),
    h("span", {}, h("strong", {}, raw.title || raw.name), h("small", {}, `${raw.pretty_type ?? ""} · ${size(raw.size)}`)),
  );
}

function reactions(message, hands) {
  if (!message.reactions?.length) return null;
  const one = (each) => {
    const mine = each.users.some((id) => hands.people.isMe(id));
    const names = each.users.map((id) => hands.people.user(id)).join(", ");
    const click = () => hands.react(message, each.name, !mine);
    return h(
      "button",
      { type: "button", class: "reaction", "aria-pressed": String(mine), title: names, "aria-label": `${each.name} by ${names}`, data: { focus: `reaction:${each.name}` }, on: { click } },
      emoji(each.name),
      h("span", {}, String(each.count)),
    );
  };
  return h("div", { class: "reactions" }, ...message.reactions.map(one));
}

function threadFoot(message, hands) {
  const words = message.reply_count === 1 ? "1 reply" : `${message.reply_count} replies`;
  return h(
    "button",
    { type: "button", class: "thread-foot", data: { focus: "thread" }, on: { click: () => hands.thread(message.ts) } },
    icon("thread"),
    h("strong", {}, words),
    h("span", {}, `last ${clock(Number(message.latest_reply))}`),
  );
}
