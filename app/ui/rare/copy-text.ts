import { showToast } from "~/ui/toast";

/** Copies a text or a promised text. Shows a toast on failure: browsers refuse it without https, and users can. */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    if (typeof text === "string") await navigator.clipboard.writeText(text);
    else await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
    return true;
  } catch {
    const isThere = await Promise.resolve(text).then(
      () => true,
      () => false,
    );
    showToast(
      isThere
        ? "Your browser blocked copying. Select the text and copy it instead."
        : "The service did not answer. Try again.",
      "failed",
    );
    return false;
  }
}
