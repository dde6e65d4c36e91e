import { type PageKey, usePageKeys } from "~/ui/page-keys";

/** Opens the text to edit: the focused one, otherwise the one under the pointer, otherwise the first, which is the title. */
export function pressEdit(): boolean {
  const at =
    document.activeElement?.closest("[data-editable]") ??
    document.querySelector("[data-editable]:hover") ??
    document.querySelector("[data-editable]");
  const link = at?.querySelector<HTMLElement>("[data-edit]");
  link?.click();
  return link !== null && link !== undefined;
}

const editKeys: readonly PageKey[] = [
  { keys: "e", label: "Edit the focused text", run: pressEdit },
];

/** Registers `e` on pages with texts that are edited in place. */
export function useEditKey(): void {
  usePageKeys("Page", editKeys);
}
