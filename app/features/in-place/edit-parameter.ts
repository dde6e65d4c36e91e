/** The part of an address that opens the editor of one text, for a page without script. */
export const editParameter = "edit";
