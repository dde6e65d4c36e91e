/** Optional, because people may use plain http at home. A guard refuses these names in all other browser files. */
type SecureOnly = Partial<Pick<Navigator, "serviceWorker" | "setAppBadge" | "clearAppBadge">>;

// Neither a server nor a test has a navigator.
export const secureOnly: SecureOnly = typeof navigator === "undefined" ? {} : navigator;

/** Random letters and digits, in place of `crypto.randomUUID`. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function askForNotifications(): Promise<NotificationPermission> {
  return "Notification" in window ? Notification.requestPermission() : "denied";
}

/** Writes a text or a promised text to the clipboard. Throws if the browser refuses. */
export async function writeClipboard(text: string | Promise<string>): Promise<void> {
  if (!("clipboard" in navigator)) return copyFromField(await text);
  if (typeof text === "string") return navigator.clipboard.writeText(text);
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
}

/** The deprecated command is the only way on plain http. It copies what is selected. */
function copyFromField(text: string): void {
  const focused = document.activeElement;
  const field = Object.assign(document.createElement("textarea"), {
    value: text,
    readOnly: true,
    className: "sr-only",
  });
  // Nothing outside an open dialog can be selected.
  (focused?.closest("dialog[open]") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!isCopied) throw new Error("The browser refused to copy");
}
