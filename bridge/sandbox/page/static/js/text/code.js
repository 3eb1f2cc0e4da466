// Code as a box of its own, with its language, a button to copy it, and coloured lines where it is a diff.

import { announce } from "../announce.js";
import { h, icon } from "../dom.js";

/** A box of code. `inner` are the nodes to show instead of the plain text. */
export function codeBlock(text, language = "", inner = null) {
  const shown = inner ?? (isDiff(language, text) ? diffLines(text) : [text]);
  return h(
    "figure",
    { class: "code-box" },
    h("figcaption", {}, h("span", {}, language || "code"), copyButton(() => text)),
    h("pre", { tabindex: "0", "aria-label": language ? `Code, ${language}` : "Code" }, h("code", {}, ...shown)),
  );
}

/** Copies a text, and says so. Where the browser does not let it, that is said. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
    return true;
  } catch {
    announce("The browser did not allow copying");
    return false;
  }
}

function copyButton(textOf) {
  const button = h(
    "button",
    {
      type: "button",
      class: "copy",
      "aria-label": "Copy",
      on: {
        click: async () => {
          const done = await copy(textOf());
          button.dataset.state = done ? "done" : "failed";
          setTimeout(() => delete button.dataset.state, 1500);
        },
      },
    },
    icon("copy"),
  );
  return button;
}

const isDiff = (language, text) => language === "diff" || (language === "" && /^@@ .* @@/m.test(text));

function diffLines(text) {
  const lines = text.split("\n");
  return lines.map((line, index) => {
    const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "hunk" : "";
    return h("span", { class: `diff-line ${kind}` }, line + (index < lines.length - 1 ? "\n" : ""));
  });
}
