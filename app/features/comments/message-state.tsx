import type { MessageState } from "~/nouns/comments/contract";
import { Badge } from "~/ui/badge";

interface Delivered {
  state: MessageState;
  reason: string | null;
  attempt: number | null;
}

export function MessageStateBadge({ message: { state, reason, attempt } }: { message: Delivered }) {
  const by = attempt === null ? "" : ` in attempt ${attempt}`;
  switch (state) {
    case "sent":
      return <Badge tone="waiting">Sent to the agent</Badge>;
    case "seen":
      return <Badge tone="accent">{`Seen by the agent${by}`}</Badge>;
    case "acted_on":
      return <Badge tone="accent">{`The agent acted on it${by}`}</Badge>;
    case "undelivered":
      return (
        <span className="inline-flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <Badge tone="failed">Not delivered</Badge> {reason}
        </span>
      );
  }
}
