import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";

export interface Delivery {
  id: string;
  kind: string;
  title: string;
  status: string;
  attempts: number;
  next_attempt_at: string;
  response_status: number | null;
  last_error: string | null;
  delivered_at: string | null;
  created_at: string;
}

/** What a webhook was told lately, and how that went. */
export function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  const [last] = deliveries;
  if (!last) {
    return (
      <p className="text-xs text-muted">No deliveries yet. Send a test to check the address.</p>
    );
  }
  return (
    <details className="text-sm">
      <summary className="flex flex-wrap items-center gap-2 text-xs text-muted hover:text-ink">
        <Outcome delivery={last} />
        <span>
          {countText(deliveries.length, "delivery", "deliveries")}, the last{" "}
          <RelativeTime at={last.created_at} />
        </span>
      </summary>
      <ol aria-label="Deliveries" className="mt-2 divide-y divide-line border-t border-line">
        {deliveries.map((delivery) => (
          <li key={delivery.id} className="grid gap-0.5 py-2">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Outcome delivery={delivery} />
              <span className="min-w-0 flex-1">{delivery.title}</span>
              <RelativeTime at={delivery.created_at} className="text-xs text-muted" />
            </p>
            <p className="text-xs text-muted">{detailOf(delivery)}</p>
            {delivery.last_error && delivery.status !== "delivered" ? (
              <p className="text-xs text-failed">{delivery.last_error}</p>
            ) : null}
            {delivery.status === "pending" && delivery.attempts > 0 ? (
              <p className="text-xs text-muted">
                Next attempt <RelativeTime at={delivery.next_attempt_at} />
              </p>
            ) : null}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Outcome({ delivery: { status } }: { delivery: Delivery }) {
  if (status === "delivered") return <StatusPill status="DONE" label="Delivered" />;
  if (status === "failed") return <StatusPill status="FAILED" label="Not delivered" />;
  return <StatusPill status="PENDING" label="Pending" />;
}

function detailOf({ kind, attempts, response_status }: Delivery): string {
  const answered = response_status === null ? "no response" : `response ${response_status}`;
  const tries =
    attempts === 0 ? "not sent yet" : `${countText(attempts, "try", "tries")}, ${answered}`;
  return `${kind.replaceAll("_", " ")} · ${tries}`;
}
