import { writeClipboard } from "~/secure-only";
import { showToast } from "~/ui/toast";

/** Copies a text or a promised text. Shows a toast on failure: users can refuse it. */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    await writeClipboard(text);
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
