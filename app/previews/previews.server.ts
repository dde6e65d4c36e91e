import { createHash, randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Services } from "~/context/services.server";
import type { Actor } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { openPreview, startPreview, syncPreviews } from "~/nouns/previews/operations.server";
import { listProducts } from "~/nouns/products/operations.server";
import { openJobBell, takePlace } from "~/realtime/job-bell";
import { ContractError } from "~/wire/errors";
import type { heardPreviewsSchema, SyncPreviews, wantedPreviewsSchema } from "~/wire/previews/contract";

/** Where the origin of a preview takes a ticket. */
export const enterPath = "/.backloom/enter";

/** Maximum products a worker listens to, as for jobs. */
const mostTopics = 50;

/** The origin of a preview; null where the service has none. */
export function previewOriginOf({ previewOrigin }: Env, id: string): string | null {
  return previewOrigin?.replace("*", id) ?? null;
}

/** Starts a preview where there is an origin to see it at. */
export async function beginPreview({ env }: Services, actor: Actor, jobId: string) {
  if (env.previewOrigin !== null) return startPreview(actor, { job_id: jobId });
  const sentence =
    "This service has no origin for previews. Its administrator sets PREVIEW_ORIGIN, such as https://*.previews.example.net.";
  throw new ContractError(409, sentence);
}

/** Where a member goes from the service to see a preview: its own origin with a ticket, or the job if it is not ready. */
export async function wayInto({ env }: Services, actor: Actor, id: string): Promise<string> {
  const origin = previewOriginOf(env, id);
  if (origin === null) throw new ContractError(404, "No such preview. Check the ID: it may have been deleted.");
  const ticket = randomBytes(32).toString("base64url");
  const { job_id, state } = await openPreview(actor, { preview_id: id, ticket_hash: hashOfTicket(ticket) });
  return state === "ready" ? `${origin}${enterPath}?ticket=${ticket}` : `/jobs/${job_id}`;
}

export const hashOfTicket = (ticket: string): string => createHash("sha256").update(ticket).digest("hex");

/** Returns those the worker should run: at once if they differ from what it has, or on a change or in time. */
export async function hearPreviews(
  { hub, env }: Services,
  actor: Actor,
  { wait_seconds, ...report }: SyncPreviews,
  signal: AbortSignal,
): Promise<z.output<typeof heardPreviewsSchema>> {
  const first = await syncPreviews(actor, report);
  if (wait_seconds === 0 || isNews(first, report)) return withOrigins(env, first);
  const { user_id } = await authenticate(actor);
  const leave = takePlace(`${user_id} previews`);
  const products = report.product_id ? [report.product_id] : (await listProducts(actor)).map(({ id }) => id);
  const bell = openJobBell(hub, user_id, products.slice(0, mostTopics), ({ entity, changed_fields = [] }) => {
    return entity === "api_token" || (entity === "job" && changed_fields.includes("preview"));
  });
  const deadline = performance.now() + wait_seconds * 1_000;
  try {
    for (;;) {
      // One that came between the first answer and the bell is seen here.
      const latest = await syncPreviews(actor, { ...report, restarted: false });
      const left = deadline - performance.now();
      if (left <= 0 || signal.aborted || isNews(latest, report)) return withOrigins(env, latest);
      await bell.nextRing(Math.ceil(left), signal);
    }
  } finally {
    bell.close();
    leave();
  }
}

type Wanted = z.output<typeof wantedPreviewsSchema>;

function isNews({ previews }: Wanted, report: Pick<SyncPreviews, "previews">): boolean {
  const alive = report.previews.filter(({ state }) => state === "starting" || state === "ready");
  const had = new Set(alive.map(({ id }) => id));
  return previews.length !== had.size || previews.some(({ id }) => !had.has(id));
}

function withOrigins(env: Env, { previews }: Wanted) {
  return { previews: previews.map((one) => ({ ...one, origin: previewOriginOf(env, one.id) ?? "" })) };
}
