/** Form field that asks for an empty form after creating. */
export const againField = "again";

/** Form field that tells an action that script handles its answer. Without it, the action redirects. */
export const enhancedField = "enhanced";
