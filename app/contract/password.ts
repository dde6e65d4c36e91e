/** What a password must be, without the schemas: pages tell it before anything is sent. */
export const passwordMinLength = 10;
/** Longest password that Supabase Auth keeps whole (bcrypt); beyond it characters would not count. */
export const passwordMaxBytes = 72;
