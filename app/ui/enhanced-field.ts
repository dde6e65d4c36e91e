/** The field that tells an action that script will handle the answer; without it the action redirects. */
export const enhancedField = "enhanced";
