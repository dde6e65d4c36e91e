import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { isolated } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import type { AuditEvent } from "~/wire/accounts/contract";
import { describeBrowser } from "./describe-browser";

const labels: Readonly<Record<string, string>> = {
  "session.started": "Signed in",
  "session.ended": "Signed out",
  "session.revoked": "Ended a session",
  "session.others_revoked": "Signed out all other devices",
  "pairing.approved": "Approved a device by phone",
  "pairing.declined": "Declined a device by phone",
  "pairing.claimed": "A device was signed in by phone",
  "pairing.revoked": "Revoked a device's approval",
  "password.changed": "Changed the password",
  "password.reset": "The password was reset",
  "token.created": "Created an API token",
  "token.revoked": "Revoked an API token",
  "grant.created": "Gave an app access",
  "grant.ended": "An app's access ended",
  "budget.set": "Set a budget",
  "budget.changed": "Changed a budget",
  "budget.removed": "Removed a budget",
  "criterion.waived": "Waived a criterion",
  "task.begun_waiting": "Started a task that is blocked",
  "story.started_over": "Let work start over from main",
  "worker.word": "A worker reported what it saw at the Git host",
  "job.merged": "Marked the work of a job as merged",
  "job.merge_taken_back": "Undid marking the work of a job as merged",
  "comment.edited": "Edited a comment",
  "comment.deleted": "A comment was deleted",
  "file.deleted": "A file was deleted",
  "member.role": "Role in a product changed",
  "invitation.created": "Created an invitation link",
  "invitation.revoked": "Revoked an invitation link",
  "invitation.asked": "Was invited to a product",
  "invitation.accepted": "Accepted an invitation",
  "invitation.declined": "Declined an invitation",
  "invitation.used": "Joined a product by an invitation link",
  "question.answered": "Answered a question",
  "chat.paired": "Connected a chat",
  "chat.removed": "Removed a chat",
  "identity.linked": "Connected single sign-on",
  "identity.ended": "The single sign-on account ended",
  "user.changed": "Role or flags changed",
  "user.configured": "Role or flags set by the operator",
};

/** Account events, newest first. For administrators, `withPeople` also names the account of each event. */
export function AuditTrail({ events, withPeople = false }: { events: readonly AuditEvent[]; withPeople?: boolean }) {
  if (events.length === 0) return <EmptyState title="Nothing has happened yet" compact />;
  const head = withPeople
    ? ["When", "Account", "What", "By", "Details", "Address"]
    : ["When", "What", "By", "Details", "Address"];
  return (
    <Table stacked caption="Events, newest first" head={head}>
      {events.map((event) => (
        <tr key={event.id}>
          <Cell className="whitespace-nowrap text-muted">
            <RelativeTime at={event.created_at} />
          </Cell>
          {withPeople ? <Cell label="Account">{event.username ?? "deleted account"}</Cell> : null}
          <Cell label="What" className="font-medium">
            {labels[event.kind] ?? event.kind}
          </Cell>
          <Cell label="By">{event.actor_name ?? "operator"}</Cell>
          <Cell label="Details" className="text-muted">
            {detailText(event.detail)}
          </Cell>
          <Cell label="Address" className="text-muted">
            {event.ip ?? ""}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

export function OlderEvents({ next }: { next: string | null }) {
  return next ? (
    <ButtonLink to={`?before=${encodeURIComponent(next)}`} className="justify-self-start">
      Older
    </ButtonLink>
  ) : null;
}

function detailText(detail: AuditEvent["detail"]): string {
  const parts: string[] = [];
  const browser = detail.user_agent ?? detail.desktop_ua;
  if (typeof browser === "string") parts.push(describeBrowser(browser));
  if (typeof detail.desktop_ip === "string") parts.push(`from ${detail.desktop_ip}`);
  if (typeof detail.code === "string") parts.push(detail.code);
  if (Array.isArray(detail.blocked_by)) parts.push(`before ${detail.blocked_by.join(", ")}`);
  if (typeof detail.budget === "string") parts.push(`${sumOf(detail)} for ${detail.budget}`);
  if (typeof detail.text === "string") parts.push(`“${isolated(detail.text)}”`);
  if (typeof detail.reason === "string") parts.push(`because “${isolated(detail.reason)}”`);
  if (typeof detail.label === "string") parts.push(`“${isolated(detail.label)}”`);
  if (typeof detail.role === "string") parts.push(`role ${detail.role.toLowerCase()}`);
  if (typeof detail.is_demo === "boolean") parts.push(detail.is_demo ? "demo" : "no demo");
  if (detail.must_reset_password === true) parts.push("must choose a new password");
  if (typeof detail.sessions_ended === "number") parts.push(`${detail.sessions_ended} sessions ended`);
  return parts.join(", ");
}

/** Returns "20 USD", or "20 to 30 USD" for a changed budget. */
function sumOf({ amount, from, to, unit }: AuditEvent["detail"]): string {
  return `${typeof to === "number" ? `${from} to ${to}` : amount} ${unit}`;
}
