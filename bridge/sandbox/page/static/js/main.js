// Where the page begins: the state, the three panes, the theme, and which pane a narrow screen shows.

import { fill, h } from "./dom.js";
import { Panel } from "./panel/panel.js";
import { SlackPane } from "./slack/pane.js";
import { Store } from "./store.js";
import { TelegramPane } from "./telegram/pane.js";

const THEME = "hapi-bridge-theme";
const BRIDGE_WORDS = { running: "Bridge runs", starting: "Bridge starts…", dead: "Bridge is down", outside: "Your own bridge" };
const byId = (id) => document.getElementById(id);

dropKey();
setUpTheme();
setUpPanes();
const store = new Store();
new TelegramPane(byId("telegram"), store);
new SlackPane(byId("slack"), store);
new Panel(byId("panel"), store);
store.on("change", drawBridge);
store.start().catch(tell);

/** The key in the address has become a cookie; it need not stay in the history. */
function dropKey() {
  if (location.search.includes("key=")) history.replaceState(null, "", location.pathname);
}

function setUpTheme() {
  const button = byId("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = localStorage.getItem(THEME);
  const show = () => {
    const theme = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem(THEME, chosen);
    show();
  });
  dark.addEventListener("change", show);
  show();
}

function setUpPanes() {
  const show = (pane) => {
    document.body.dataset.pane = pane;
    for (const each of document.querySelectorAll("[data-show]")) {
      each.setAttribute("aria-pressed", String(each.dataset.show === pane));
    }
  };
  for (const each of document.querySelectorAll("[data-show]")) each.addEventListener("click", () => show(each.dataset.show));
  show("telegram");
  const toggle = byId("toggle-panel");
  toggle.addEventListener("click", () => {
    const hidden = document.body.classList.toggle("no-panel");
    toggle.setAttribute("aria-pressed", String(!hidden));
  });
}

function drawBridge({ bridge }) {
  const state = store.connected ? bridge.state : "dead";
  const words = store.connected ? BRIDGE_WORDS[bridge.state] : "The sandbox does not answer";
  const restarts = bridge.restarts ? `, started again ${bridge.restarts === 1 ? "once" : `${bridge.restarts} times`}` : "";
  const box = byId("bridge");
  box.dataset.state = state;
  if (box.textContent !== words + restarts) fill(box, words, h("span", { class: "wide-only" }, restarts));
}

function tell(error) {
  fill(byId("trouble"), h("p", {}, error.message));
  byId("trouble").hidden = false;
}
