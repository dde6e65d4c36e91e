/**
 * Alternative to pg_cron with pg_net: an Edge Function that calls the scheduled endpoints of the service.
 *
 * Secrets (`supabase secrets set`): `APP_ORIGIN`, `CRON_SECRET`. Invoke it on a schedule with the same secret:
 * `Authorization: Bearer <CRON_SECRET>` and the body `{ "job": "expire-questions" | "cleanup-agent-artifacts" }`.
 * It checks the secret itself, so supabase/config.toml disables the gateway's check (`verify_jwt`).
 */
const jobs: ReadonlySet<string> = new Set(["expire-questions", "cleanup-agent-artifacts"]);

Deno.serve(async (request) => {
  const origin = Deno.env.get("APP_ORIGIN");
  const secret = Deno.env.get("CRON_SECRET");
  if (!origin || !secret) return answer(500, "Set the secrets APP_ORIGIN and CRON_SECRET.");
  if (request.method !== "POST") return answer(405, "Use POST.");
  if (!(await sameText(request.headers.get("Authorization") ?? "", `Bearer ${secret}`))) {
    return answer(401, "Send the header Authorization: Bearer <CRON_SECRET>.");
  }

  const body: unknown = await request.json().catch(() => null);
  const job = typeof body === "object" && body !== null && "job" in body ? body.job : null;
  if (typeof job !== "string" || !jobs.has(job)) return answer(422, `Name a job: ${[...jobs].join(" or ")}.`);

  try {
    const response = await fetch(`${origin.replace(/\/+$/, "")}/api/cron/${job}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: "{}",
    });
    return new Response(response.body, { status: response.status, headers: { "Content-Type": "application/json" } });
  } catch {
    return answer(502, "The service at APP_ORIGIN does not answer; call again in a few minutes.");
  }
});

const answer = (code: number, error: string): Response => Response.json({ error, code }, { status: code });

/** Compares hashes, so that timing does not reveal where two texts differ. */
async function sameText(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([left, right].map(digest));
  return a.every((byte, index) => byte === b[index]);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
