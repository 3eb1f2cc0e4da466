// The Slack side: places, a channel's messages, a thread beside it, the app's Home, and its modals.

import { announce, firstLine } from "../announce.js";
import { post } from "../api.js";
import { Composer } from "../composer.js";
import { fill, h, icon, iconButton } from "../dom.js";
import { openMenu } from "../menu.js";
import { SLACK_REACTIONS, emoji } from "../text/emoji.js";
import { attempt, toast } from "../toasts.js";
import { BlockList } from "./blocklist.js";
import { Modals } from "./modal.js";
import { unescape } from "./mrkdwn.js";
import { People } from "./people.js";
import { HOME, Sidebar } from "./sidebar.js";
import { MessageStream } from "./stream.js";

export class SlackPane {
  constructor(root, store) {
    this.store = store;
    this.people = new People(store);
    this.place = null;
    this.threadTs = null;
    this.choseThread = false;
    this.focusNext = null;
    this.read = new Map();
    this.choices = new Map();
    this.toasts = h("div", { class: "toasts" });
    this.sidebar = new Sidebar((id) => this.open(id));
    this.title = h("h2", {});
    this.main = new MessageStream("Messages in Slack", this.hands(), () => store.changed());
    this.thread = new MessageStream("Messages in the thread", this.hands(), () => store.changed(), { inThread: true });
    this.composer = this.makeComposer("Message in Slack", "Message, or / for commands", () => undefined, () => this.commands());
    this.reply = this.makeComposer("Reply in the thread", "Reply…", () => this.threadTs, () => []);
    this.homeBox = h("div", { class: "sl-home", tabindex: "0", role: "region", "aria-label": "App Home", hidden: true });
    this.homeEmpty = h("p", { class: "empty" }, "The app has not published its Home yet.");
    const homeList = h("div", { class: "sl-home-blocks" });
    this.homeBlocks = new BlockList(homeList);
    fill(this.homeBox, this.homeEmpty, homeList);
    this.threadTitle = h("p", {});
    this.stopButton = h("button", { type: "button", class: "button danger", hidden: true, on: { click: () => this.stop() } }, "Stop");
    this.threadBox = h(
      "section",
      { class: "sl-thread", "aria-label": "Thread", hidden: true },
      h("header", { class: "sl-header" }, h("div", {}, h("h2", {}, "Thread"), this.threadTitle), this.stopButton, iconButton("close", "Close the thread", () => this.openThread(null))),
      this.thread.element,
      this.reply.element,
    );
    this.mainBox = h("section", { class: "sl-main", "aria-label": "Channel" }, h("header", { class: "sl-header" }, this.title), this.main.element, this.homeBox, this.composer.element);
    this.box = h("div", { class: "sl-frame" }, this.sidebar.element, h("div", { class: "sl-columns" }, this.mainBox, this.threadBox), this.toasts);
    fill(root, this.box);
    this.modals = new Modals({
      people: this.people,
      act: (action) => this.do("/api/slack/press", action),
      submit: (view, state) => this.do("/api/slack/view/submit", { view_id: view.id, state }),
      close: (view) => this.do("/api/slack/view/close", { view_id: view.id }),
    });
    this.threadBox.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.openThread(null);
    });
    store.on("change", (state) => this.draw(state));
    store.on("slack.answer", ({ words }) => toast(this.toasts, words));
    store.on("slack.message", ({ message }) => this.arrived(message));
  }

  hands() {
    return {
      people: this.people,
      box: () => this.box,
      act: (message, action) => this.do("/api/slack/press", { channel: this.place, message_ts: message.ts, ...action }),
      react: (message, name, on) => this.do("/api/slack/react", { channel: this.place, ts: message.ts, name, on }),
      thread: (ts) => this.openThread(ts),
      menu: (message, anchor) => this.menu(message, anchor),
      chosen: (ts, raw, block) => this.choices.get(`${ts}/${block.block_id}/${raw.action_id}`),
      choose: (ts, raw, block, value) => this.choices.set(`${ts}/${block.block_id}/${raw.action_id}`, [value].flat()),
    };
  }

  makeComposer(label, placeholder, thread, choices) {
    return new Composer({ label, placeholder, className: "sl-composer", choices, where: () => ({ channel: this.place, thread: thread() }), send: (body, where) => this.send(body, where) });
  }

  get channel() {
    return this.store.state.slack?.channels.find((each) => each.id === this.place);
  }

  do(path, body) {
    return attempt(this.toasts, () => post(path, body));
  }

  draw(state) {
    const slack = state.slack;
    if (!slack) return;
    this.place ??= slack.channels.find((each) => each.kind === "im")?.id ?? slack.channels[0]?.id ?? null;
    const atHome = this.place === HOME;
    const channel = this.channel;
    this.markRead(slack);
    this.sidebar.draw(slack, this.place, this.unread(slack));
    fill(this.title, atHome ? "Home" : channel?.kind === "im" ? slack.bot.real_name : `#${channel?.name ?? ""}`);
    this.homeBox.hidden = !atHome;
    this.main.element.hidden = atHome;
    this.composer.element.hidden = atHome;
    if (atHome) this.drawHome(slack);
    else if (channel) this.drawChannel(channel, slack);
    if (atHome || !channel) this.threadBox.hidden = true;
    this.box.classList.toggle("with-thread", !this.threadBox.hidden);
    this.modals.draw(slack.views);
    this.focusNext?.();
    this.focusNext = null;
  }

  drawChannel(channel, slack) {
    const mine = channel.messages.filter((each) => !each._deleted && (!each._ephemeral_to || this.people.isMe(each._ephemeral_to)));
    const isReply = (each) => each.thread_ts && each.thread_ts !== each.ts;
    this.main.draw(mine.filter((each) => !isReply(each) || each.subtype === "thread_broadcast"), channel.id);
    // The visitor sees a conversation at once: the first thread opens by itself, until one is chosen or closed.
    if (!this.choseThread && !this.threadTs) this.threadTs = mine.find((each) => each.reply_count)?.ts ?? null;
    const inThread = this.threadTs ? mine.filter((each) => this.threadTs === each.ts || this.threadTs === each.thread_ts) : [];
    this.threadBox.hidden = inThread.length === 0;
    this.composer.at(channel.id);
    if (!inThread.length) return;
    this.reply.at(this.threadTs);
    this.thread.draw(inThread, `${channel.id}/${this.threadTs}`);
    this.drawStatus(channel.status[this.threadTs], slack.bot.real_name);
    const session = slack.sessions.find((each) => each.channel === channel.id && each.thread_ts === this.threadTs);
    fill(this.threadTitle, session?.title || firstLine(inThread[0].text));
    this.stopButton.hidden = !session?.stoppable;
  }

  /** An assistant's status reads on from the app's name: "HAPI Bridge is working…". It goes by itself after a while. */
  drawStatus(status, name) {
    const left = status?.text ? status.until * 1000 - Date.now() : 0;
    this.thread.showStatus(left > 0 ? `${name} ${status.text}` : "");
    clearTimeout(this.statusTimer);
    if (left > 0) this.statusTimer = setTimeout(() => this.store.changed(), left);
  }

  drawHome(slack) {
    if (slack.home === this.homeDrawn) return;
    this.homeDrawn = slack.home;
    const view = slack.home;
    const at = {
      name: "home",
      people: this.people,
      box: () => this.box,
      act: (action) => this.do("/api/slack/press", { view_id: view.id, ...action }),
      inForm: () => false,
      chosen: () => undefined,
    };
    this.homeEmpty.hidden = Boolean(view);
    this.homeBlocks.draw(view?.blocks ?? [], at);
  }

  open(place) {
    this.place = place;
    if (place === HOME) this.do("/api/slack/home/open", {});
    else if (this.channel && !this.channel.messages.some((each) => each.ts === this.threadTs)) this.threadTs = null;
    this.store.changed();
  }

  openThread(ts) {
    const before = this.threadTs;
    this.choseThread = true;
    this.threadTs = ts;
    // On a touch screen the focus would bring the keyboard up, over what is to be read.
    if (!ts) this.focusNext = () => this.main.list.querySelector(`[data-ts="${before}"] .thread-foot`)?.focus({ preventScroll: true });
    else if (matchMedia("(pointer: fine)").matches) this.focusNext = () => this.reply.field.focus({ preventScroll: true });
    this.store.changed();
  }

  markRead(slack) {
    for (const channel of slack.channels) {
      if (channel.id === this.place || !this.read.has(channel.id)) this.read.set(channel.id, channel.messages.at(-1)?.ts ?? "0");
    }
  }

  unread(slack) {
    return new Map(slack.channels.map((each) => [each.id, each.messages.filter((one) => one.bot_id && one.ts > this.read.get(each.id)).length]));
  }

  commands() {
    const { commands } = this.store.state.slack;
    const run = (each) => () => this.do("/api/slack/shortcut", { callback_id: each.callback_id });
    return [
      ...commands.map((each) => ({ insert: `${each} `, name: each, words: "the app's command; try help" })),
      ...this.shortcuts("global").map((each) => ({ run: run(each), name: `/${each.name.toLowerCase()}`, title: each.name, words: "shortcut" })),
    ];
  }

  shortcuts(kind) {
    return this.store.state.slack.shortcuts.filter((each) => each.type === kind);
  }

  send({ text, file, edit }, { channel, thread }) {
    if (edit) return this.do("/api/slack/edit", { channel, ts: edit, text });
    const command = thread ? null : this.store.state.slack.commands.find((each) => text === each || text.startsWith(`${each} `));
    if (command) return this.do("/api/slack/command", { command, text: text.slice(command.length).trim(), channel });
    (thread ? this.thread : this.main).follower.there = true;
    return this.do("/api/slack/say", { channel, text, file, thread_ts: thread ?? undefined });
  }

  menu(message, anchor) {
    const where = { channel: this.place, ts: message.ts };
    const entries = [
      { name: "React", row: SLACK_REACTIONS.map((name) => ({ label: emoji(name), name: `React with ${name}`, choose: () => this.do("/api/slack/react", { ...where, name, on: true }) })) },
      { icon: icon("thread"), label: "Reply in thread", choose: () => this.openThread(message.thread_ts ?? message.ts) },
    ];
    for (const each of this.shortcuts("message")) {
      const body = { callback_id: each.callback_id, channel: this.place, message_ts: message.ts };
      entries.push({ icon: icon("play"), label: each.name, choose: () => this.do("/api/slack/shortcut", body) });
    }
    if (this.people.isMe(message.user)) {
      const inThread = message.thread_ts && message.thread_ts !== message.ts;
      entries.push({ icon: icon("pencil"), label: "Edit", choose: () => this.edit(message, inThread ? this.reply : this.composer) });
      entries.push({ icon: icon("trash"), label: "Delete", choose: () => this.do("/api/slack/delete", where) });
    }
    openMenu(this.box, anchor, entries);
  }

  edit(message, composer) {
    composer.take({ kind: "edit", id: message.ts }, "Change your message", "", unescape(message.text));
  }

  stop() {
    this.do("/api/slack/stop", { channel: this.place, thread_ts: this.threadTs });
  }

  arrived(message) {
    const words = firstLine(message.text);
    if (message.bot_id && words) announce(`Slack: ${words}`);
  }
}
