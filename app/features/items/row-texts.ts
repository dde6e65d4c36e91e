/** Returns the title shown in a row. */
export const titleOf = (row: HTMLElement | null): string =>
  row?.querySelector("[data-row] [data-title]")?.textContent ??
  row?.querySelector("[data-row]")?.lastChild?.textContent ??
  "";

/** Returns the code shown in a row. */
export const codeOf = (row: HTMLElement | null): string =>
  row?.querySelector("[data-code]")?.textContent ?? "it";
