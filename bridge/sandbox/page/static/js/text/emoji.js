// The names that Slack gives to emoji, those used here and the common ones; an unknown one stays a name.

const NAMES = {
  __proto__: null, // ":constructor:" is no emoji
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", eyes: "👀", ok_hand: "👌", white_check_mark: "✅",
  heavy_check_mark: "✔️", x: "❌", no_entry: "⛔", no_entry_sign: "🚫", warning: "⚠️", hourglass: "⌛",
  hourglass_flowing_sand: "⏳", clock1: "🕐", zap: "⚡", fire: "🔥", tada: "🎉", rocket: "🚀", heart: "❤️",
  pray: "🙏", clap: "👏", wave: "👋", raised_hands: "🙌", muscle: "💪", thinking_face: "🤔", smile: "😄",
  slightly_smiling_face: "🙂", smiley: "😃", grinning: "😀", joy: "😂", sob: "😭", cry: "😢", sweat_smile: "😅",
  sunglasses: "😎", open_mouth: "😮", scream: "😱", rage: "😡", robot_face: "🤖", bug: "🐛", memo: "📝",
  paperclip: "📎", page_facing_up: "📄", file_folder: "📁", lock: "🔒", unlock: "🔓", key: "🔑", bell: "🔔",
  no_bell: "🔕", mute: "🔇", speech_balloon: "💬", thought_balloon: "💭", bulb: "💡", mag: "🔍", wrench: "🔧",
  hammer_and_wrench: "🛠️", gear: "⚙️", package: "📦", link: "🔗", calendar: "📅", chart_with_upwards_trend: "📈",
  red_circle: "🔴", large_blue_circle: "🔵", large_green_circle: "🟢", large_yellow_circle: "🟡",
  large_orange_circle: "🟠", large_purple_circle: "🟣", white_circle: "⚪", black_circle: "⚫", question: "❓",
  exclamation: "❗", information_source: "ℹ️", arrow_right: "➡️", arrow_left: "⬅️", arrow_up: "⬆️", arrow_down: "⬇️",
  repeat: "🔁", arrows_counterclockwise: "🔄", octagonal_sign: "🛑", checkered_flag: "🏁", star: "⭐", sparkles: "✨",
  100: "💯", coffee: "☕", computer: "💻", house: "🏠", globe_with_meridians: "🌐", inbox_tray: "📥", pushpin: "📌",
};

/** What a reaction's or text's emoji name looks like. */
export const emoji = (name) => NAMES[name.split("::")[0]] ?? `:${name}:`;

/** A text with its :names: as emoji. */
export const withEmoji = (text) => text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => NAMES[name] ?? whole);

/** The emoji offered for a reaction, per platform: what Telegram lets people choose, and Slack's names. */
export const TELEGRAM_REACTIONS = ["👍", "❤", "🔥", "🎉", "🤔", "👀", "👌", "👎"];
export const SLACK_REACTIONS = ["+1", "heart", "tada", "eyes", "ok_hand", "thinking_face", "white_check_mark", "-1"];
