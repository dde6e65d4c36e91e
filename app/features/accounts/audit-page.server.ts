import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { listAuditEvents } from "~/nouns/accounts/operations.server";
import type { AuditEvent } from "~/wire/accounts/contract";

const pageSize = 50;
const momentSchema = z.iso.datetime({ offset: true }).nullable().catch(null);

/** Returns one page of the audit trail and the cursor of the next one, or null on the last page. */
export async function readAuditPage(
  actor: Actor,
  request: Request,
  all: boolean,
): Promise<{ events: AuditEvent[]; next: string | null }> {
  const before = momentSchema.parse(new URL(request.url).searchParams.get("before"));
  const events = await listAuditEvents(actor, { all, before });
  const last = events.at(-1);
  return { events, next: last && events.length === pageSize ? last.created_at : null };
}
