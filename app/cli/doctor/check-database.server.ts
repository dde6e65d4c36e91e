import { createHash } from "node:crypto";
import { z } from "zod";
import { callService } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import type { Backend } from "~/server/backend";
import { type Check, failed, passed, reasonOf } from "~/server/check";
import { dailySchedule } from "~/server/scheduler.server";
import manifest from "../../../package.json";

const factsSchema = z.object({
  migrations: z.array(z.string()),
  rules: z.string().nullish(),
  schedules: z.array(z.string()),
  /** Which secrets are in Vault, and whether they are this service's. */
  vault: z.record(z.string(), z.boolean()),
  /** The last call of each entry that is older than a minute. */
  calls: z.array(
    z.object({
      name: z.string(),
      called_at: z.string(),
      status: z.int().nullable(),
      error: z.string().nullable(),
      answered_at: z.string().nullable(),
      succeeded_at: z.string().nullable(),
    }),
  ),
});

/** Checks that all migrations of this checkout are applied, that schedules run, and that counters are right. */
export async function checkDatabase(backend: Backend): Promise<Check[]> {
  try {
    const facts = await callService(
      backend.database,
      "doctor_facts",
      { p_hashes: hashesInVault(backend.env) },
      factsSchema,
    );
    return [await checkMigrations(facts), await checkSchedules(backend, facts), await checkCounters(backend)];
  } catch (error) {
    return [
      failed("migrated", `Apply the migrations with npm run admin -- migrate (${reasonOf(error)})`),
      failed("schedules", "Skipped: apply the migrations first"),
    ];
  }
}

/** Recounts the counters that triggers maintain, on which the assignment of jobs depends. */
async function checkCounters({ database }: Backend): Promise<Check> {
  const wrong = await callService(database, "find_wrong_counters", {}, z.array(z.unknown()));
  if (wrong.length === 0) return passed("counters", "what jobs wait for is counted right");
  return failed(
    "counters",
    `${wrong.length} jobs do not know what they wait for: report this, and cancel their run and start it again`,
  );
}

async function checkMigrations({ migrations: applied, rules }: z.infer<typeof factsSchema>): Promise<Check> {
  const { listMigrations } = await import("../../../supabase/embedded/migrations");
  const { readRules } = await import("../../../supabase/embedded/rules");
  const known = await listMigrations().catch(() => []);
  if (known.length === 0) return passed("migrated", `${applied.length} migrations are applied`);
  const done = new Set(applied);
  const missing = known.filter(({ version }) => !done.has(version));
  const [first] = missing;
  if (first === undefined) {
    const { hash } = await readRules(manifest.version);
    if (rules === hash)
      return passed("migrated", `all ${known.length} migrations are applied, with the rules of this version`);
    return failed("migrated", "the database has the rules of another version: run npm run admin -- migrate");
  }
  return failed(
    "migrated",
    `${missing.length} migrations are missing, the first is ${first.name}: run npm run admin -- migrate`,
  );
}

const name = "schedules";
const patience = 10_000;

type ScheduleFacts = Pick<z.output<typeof factsSchema>, "schedules" | "vault" | "calls">;

/** What Vault should have, by the SHA-256 of each: the secrets themselves stay here. */
function hashesInVault({ appOrigin, cronSecret = "" }: Env): Record<string, string> {
  const hash = (text: string) => createHash("sha256").update(text.replace(/\/+$/, "")).digest("hex");
  return { backloom_origin: hash(appOrigin), backloom_cron_secret: hash(cronSecret) };
}

/** Checks both ways of docs/supabase.md and the secret. Calls `expire-questions`: it expires only overdue questions. */
export async function checkSchedules(
  backend: Pick<Backend, "isEmbedded" | "env">,
  facts: ScheduleFacts,
): Promise<Check> {
  const { isEmbedded, env } = backend;
  if (isEmbedded) return passed(name, "the running service keeps them itself");
  if (env.cronSecret === undefined) {
    return failed(name, "CRON_SECRET is unset, so the scheduled endpoints refuse every request");
  }
  const refusal = await findRefusedSecret(env, env.cronSecret);
  if (refusal !== undefined) return failed(name, refusal);
  if (facts.schedules.length < dailySchedule.length) return checkEdgeFunction(env, env.cronSecret);
  const missing = vaultSecrets.filter(({ secret }) => !(secret in facts.vault));
  if (missing.length > 0) {
    const names = missing.map(({ secret }) => secret).join(" and ");
    return failed(name, `Vault has no secret ${names}: see docs/supabase.md`);
  }
  const other = vaultSecrets.find(({ secret }) => facts.vault[secret] !== true);
  return other === undefined ? judgeCalls(facts) : failed(name, differs(other));
}

type VaultSecret = { secret: string; variable: string };

const vaultSecrets: readonly VaultSecret[] = [
  { secret: "backloom_cron_secret", variable: "CRON_SECRET" },
  { secret: "backloom_origin", variable: "APP_ORIGIN" },
];

function differs({ secret, variable }: VaultSecret): string {
  return `The secret ${secret} in Vault is not the ${variable} of this environment, so the calls of pg_cron fail: run select vault.update_secret(id, '<${variable}>') from vault.secrets where name = '${secret}'`;
}

/** pg_cron only queues a call and says that it succeeded; pg_net knows what was answered. */
function judgeCalls({ schedules, calls }: ScheduleFacts): Check {
  const lost = calls.find(({ answered_at }) => answered_at === null);
  if (lost === undefined) {
    const [last] = calls.map(({ answered_at }) => answered_at ?? "").sort();
    return passed(name, `${schedules.join(", ")}; ${ageOf(last)}`);
  }
  const { called_at, error, status, succeeded_at } = lost;
  const answer = error ?? (status === null ? "no answer that pg_net still has" : `the answer ${status}`);
  return failed(
    name,
    `The call of ${lost.name} at ${called_at} got ${answer} (${ageOf(succeeded_at)}). Resolve that, run select private.call_scheduled_endpoint('/api/cron/${lost.name}'), and doctor again two minutes later`,
  );
}

function ageOf(moment: string | null | undefined): string {
  if (!moment) return "no call has succeeded yet";
  const hours = Math.floor((Date.now() - Date.parse(moment)) / 3_600_000);
  return `the last success was ${hours} hours ago`;
}

/** Returns the problem if the running service refuses the secret. A stopped service is not a problem. */
async function findRefusedSecret(env: Env, secret: string): Promise<string | undefined> {
  if (!isFitForHeader(secret)) {
    return "CRON_SECRET has characters that a header cannot carry: use ASCII letters, digits and punctuation";
  }
  const status = await post(`${env.appOrigin}/api/cron/expire-questions`, secret, "{}")
    .then((response) => response.status)
    .catch(() => undefined);
  if (status !== 401) return undefined;
  return `The service at ${env.appOrigin} refuses this CRON_SECRET: start it with the same one`;
}

function isFitForHeader(secret: string): boolean {
  try {
    return new Headers({ authorization: secret }).get("authorization") === secret;
  } catch {
    return false;
  }
}

const answerSchema = z.looseObject({ error: z.string().optional() });

async function checkEdgeFunction(env: Env, secret: string): Promise<Check> {
  const address = `${env.supabase?.url}/functions/v1/scheduled`;
  try {
    const response = await post(address, secret, JSON.stringify({ job: "expire-questions" }));
    if (response.ok) {
      return passed(
        name,
        "the Edge Function reaches the service; call it at 03:00 and 04:00 UTC from a scheduler of your own",
      );
    }
    if (response.status === 404) return failed(name, nobodyCalls);
    const { error } = answerSchema.parse(await response.json().catch(() => ({})));
    return failed(name, `The Edge Function answers ${response.status}: ${error ?? "no reason"}`);
  } catch (error) {
    return failed(name, `${nobodyCalls} (the Edge Function: ${reasonOf(error)})`);
  }
}

const nobodyCalls =
  "pg_cron has no entries of this service: enable pg_cron and pg_net and run select private.install_schedules(), or deploy supabase/functions/scheduled";

function post(address: string, secret: string, body: string): Promise<Response> {
  return fetch(address, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body,
    signal: AbortSignal.timeout(patience),
  });
}
