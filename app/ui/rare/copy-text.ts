import { showToast } from "~/ui/toast";

/** Copies a text, or says that this page may not: browsers refuse it without https, and their users may. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showToast("Your browser blocked copying. Select the text and copy it instead.", "failed");
    return false;
  }
}
