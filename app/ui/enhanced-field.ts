/** Form field that tells an action that script handles its answer. Without it, the action redirects. */
export const enhancedField = "enhanced";
