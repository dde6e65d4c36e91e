/** What stands on a key, where its name is another one. */
const caps: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Comma: ",",
  Period: ".",
};

/** What to press, key by key, as it stands on the keyboard of this machine. */
export function shownKeys(press: string): string[] {
  return press
    .replace("$mod", /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl")
    .replace("Shift+?", "?")
    .split(/[ +]/)
    .filter(Boolean)
    .map(
      (key) =>
        caps[key] ?? key.replace(/^Key([A-Z])$/, (_, letter: string) => letter.toLowerCase()),
    );
}
