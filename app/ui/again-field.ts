/** The field by which a form that creates something asks for an empty one afterwards. */
export const againField = "again";
