import { z } from "zod";

const patience = 3_000;

const settingsSchema = z.object({
  disable_signup: z.boolean(),
  /** False: an address counts once a message to it was answered. */
  mailer_autoconfirm: z.boolean().default(true),
  external: z.object({ email: z.boolean().default(true) }).prefault({}),
});

/** What the project's Auth is set to: who may sign up, and how. */
export type AuthSettings = z.output<typeof settingsSchema>;

/** Asks the project's Auth, as anyone with the publishable key can. Null if it does not answer. */
export async function readAuthSettings(
  { supabaseUrl, publishableKey }: { supabaseUrl: string; publishableKey: string },
  send: typeof fetch = fetch,
): Promise<AuthSettings | null> {
  try {
    const answer = await send(`${supabaseUrl}/auth/v1/settings`, {
      headers: { apikey: publishableKey },
      redirect: "error",
      signal: AbortSignal.timeout(patience),
    });
    return settingsSchema.parse(await answer.json());
  } catch {
    return null;
  }
}
