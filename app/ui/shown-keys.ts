/** Key caps that differ from the key's name. */
const caps: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Comma: ",",
  Period: ".",
};

/** Returns the keys to press, as labeled on this machine's keyboard. */
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
