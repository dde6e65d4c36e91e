/** Form field that asks for an empty form after creating. */
export const againField = "again";
