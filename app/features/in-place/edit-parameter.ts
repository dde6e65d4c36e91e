/** Search parameter that opens a text's editor, for pages without JavaScript. */
export const editParameter = "edit";
