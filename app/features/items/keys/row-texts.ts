/** The title as a row shows it. */
export const titleOf = (row: HTMLElement | null): string =>
  row?.querySelector("[data-row] [data-title]")?.textContent ??
  row?.querySelector("[data-row]")?.lastChild?.textContent ??
  "";

/** The code as a row shows it. */
export const codeOf = (row: HTMLElement | null): string =>
  row?.querySelector("[data-code]")?.textContent ?? "it";
