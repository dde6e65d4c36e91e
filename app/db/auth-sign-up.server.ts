import { z } from "zod";
import type { SupabaseSettings } from "~/env.server";

const patience = 3_000;
const settingsSchema = z.looseObject({ disable_signup: z.boolean() });

/**
 * Whether anyone with the publishable key can sign up directly at the project's Auth, bypassing our forms.
 * Null if Auth does not answer.
 */
export async function isSignUpOpen({
  url,
  publishableKey,
}: Pick<SupabaseSettings, "url" | "publishableKey">): Promise<boolean | null> {
  try {
    const answer = await fetch(`${url}/auth/v1/settings`, {
      headers: { apikey: publishableKey },
      redirect: "error",
      signal: AbortSignal.timeout(patience),
    });
    return !settingsSchema.parse(await answer.json()).disable_signup;
  } catch {
    return null;
  }
}
