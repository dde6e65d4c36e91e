import { showToast } from "./toast";

/** Copies a text, or says that this page may not: browsers refuse it without https, and their users may. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showToast("The browser did not let this page copy. Select the text instead.", "failed");
    return false;
  }
}
