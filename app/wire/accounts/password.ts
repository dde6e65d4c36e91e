/** Password rules that pages show before the form is sent; here so that they need not load the schemas. */
export const passwordMinLength = 10;
/** Longest password for Supabase Auth, in bytes: bcrypt ignores everything after. */
export const passwordMaxBytes = 72;
