import { type PageKey, usePageKeys } from "~/ui/page-keys";

/** What `e` is about: the text that the focus or the pointer is at, else the first one, which is the title. */
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

/** `e` on pages whose texts are edited in place. */
export function useEditKey(): void {
  usePageKeys("Page", editKeys);
}
