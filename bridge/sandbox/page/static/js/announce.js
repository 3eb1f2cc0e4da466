// What a screen reader is told: new messages, answers, troubles. The lists themselves are no live regions, since
// messages change in place many times a minute.

const QUIET_MS = 900;
let waiting = [];
let timer = 0;

/** Say it soon, together with what else came meanwhile; only the newest three are said. */
export function announce(words) {
  waiting = [...waiting, words].slice(-3);
  if (timer) return;
  timer = setTimeout(() => {
    document.getElementById("live").textContent = waiting.join(". ");
    waiting = [];
    timer = 0;
  }, QUIET_MS);
}

/** The first line of a text, shortened. */
export function firstLine(text) {
  const line = (text ?? "").split("\n").find((each) => each.trim()) ?? "";
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
