// The API calls as they happen, newest first, and how full the limits are that they keep.

import { fill, h } from "../dom.js";
import { KeyedList } from "../lists.js";
import { clockSeconds } from "../times.js";

const SHOWN = 100;

export class Calls {
  constructor(presses) {
    this.limits = h("div", { class: "limits" });
    this.list = h("ol", { class: "calls", "aria-label": "API calls, newest first", reversed: true });
    this.count = h("span", { class: "subtle" });
    this.quiet = h("input", { type: "checkbox", checked: true });
    this.quiet.addEventListener("change", () => this.state && this.draw(this.state));
    this.element = h(
      "section",
      { class: "calls-box", "aria-label": "API calls" },
      h("header", {}, h("h3", {}, "API calls"), this.count, h("label", { class: "subtle" }, this.quiet, " hide polling")),
      this.limits,
      h("div", { class: "calls-scroll", tabindex: "0", role: "region", "aria-label": "Newest calls" }, this.list),
    );
    this.keyed = new KeyedList(this.list, (call) => call.seq, row);
    const drain = () => this.state && this.drawLimits(this.state);
    setInterval(() => presses.after(drain), 1000);
  }

  draw(state) {
    this.state = state;
    const calls = state.calls.filter((each) => !this.quiet.checked || each.method !== "getUpdates" || each.code !== 200).slice(-SHOWN);
    const refused = state.calls.filter((each) => each.code === 429).length;
    fill(this.count, refused ? `${refused} of the last ${state.calls.length} refused` : "");
    this.keyed.draw(calls.toReversed());
    this.drawLimits(state);
  }

  drawLimits(state) {
    const all = [...(state.limits.telegram ?? []).map((each) => ["Telegram", each]), ...(state.limits.slack ?? []).map((each) => ["Slack", each])];
    const used = all.map(([platform, each]) => [platform, each, left(each)]);
    used.sort((a, b) => b[2] / b[1].of - a[2] / a[1].of);
    fill(this.limits, ...used.slice(0, 3).map(([platform, each, now]) => gauge(platform, each, now)));
  }
}

/** How much of a limit is used now: it drains within its window. */
function left({ used, of, window_s: window, at }) {
  const gone = at === undefined ? 0 : ((Date.now() / 1000 - at) * of) / window;
  return Math.min(Math.max(0, used - gone), of);
}

function gauge(platform, { name, of }, now) {
  const full = now / of;
  const label = `${platform}: ${name}`;
  return h(
    "div",
    { class: full > 0.9 ? "gauge full" : "gauge" },
    h("span", {}, label),
    h("span", { class: "gauge-bar", role: "meter", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": String(of), "aria-valuenow": now.toFixed(1) }, h("i", { style: { width: `${full * 100}%` } })),
    h("span", { class: "subtle" }, `${Math.round(now)} of ${of}`),
  );
}

function row(call) {
  const good = call.code >= 200 && call.code < 300 && !call.description;
  const code = call.code === 0 ? "cut" : String(call.code);
  const words = [call.fault && `fault: ${call.fault}`, call.description].filter(Boolean).join(" · ");
  return h(
    "li",
    { class: good ? "call" : "call bad" },
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("span", { class: `call-platform ${call.platform}`, title: call.platform }, call.platform === "telegram" ? "TG" : "SL"),
        h("span", { class: "call-method" }, call.method),
        h("span", { class: "call-code" }, code),
        h("time", { class: "subtle" }, clockSeconds(call.at)),
        words && h("span", { class: "call-words" }, words),
      ),
      h("pre", { tabindex: "0" }, JSON.stringify(call.params, null, 2)),
    ),
  );
}
