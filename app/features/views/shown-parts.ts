/** A part that rows or cards can leave out. */
export interface Part {
  value: string;
  label: string;
}

/**
 * The address that a form leads to. Its checkboxes say what to show; addresses and saved views say what to hide, so that a part
 * that is added later is shown.
 */
export function withHidden(said: FormData | URLSearchParams, parts: readonly Part[]) {
  const shown = said.getAll("show");
  const entries = [...said].filter(([name]) => name !== "show" && name !== "hide");
  const address = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  const hidden = parts.map(({ value }) => value).filter((value) => !shown.includes(value));
  if (hidden.length > 0) address.set("hide", hidden.join(","));
  return address;
}
