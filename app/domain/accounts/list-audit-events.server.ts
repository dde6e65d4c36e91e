import { z } from "zod";
import { type AuditEvent, auditEventSchema } from "~/contract/account";
import { type Actor, callAs } from "~/db/rpc.server";

/** 50 lines of the audit trail, newest first: one's own, or everybody's for an administrator. */
export function listAuditEvents(
  actor: Actor,
  { all = false, before = null }: { all?: boolean; before?: string | null } = {},
): Promise<AuditEvent[]> {
  const values = { p_all: all, p_before: before };
  return callAs(actor, "list_audit_events", values, z.array(auditEventSchema));
}
