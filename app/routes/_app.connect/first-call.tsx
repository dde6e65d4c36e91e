import { useEffect } from "react";
import { ButtonLink } from "~/components/button";
import { Notice } from "~/components/notice";
import { RelativeTime } from "~/components/relative-time";
import { useLive } from "~/live/live-provider";

/** Third step: the page notices the first call by itself. */
export function FirstCall({
  waiting,
  lastUsedAt,
  earlier,
}: {
  waiting: boolean;
  lastUsedAt: string | null;
  earlier: boolean;
}) {
  const { revalidate } = useLive();
  useEffect(() => {
    if (!waiting || lastUsedAt) return;
    const timer = setInterval(revalidate, 2500);
    return () => clearInterval(timer);
  }, [waiting, lastUsedAt, revalidate]);
  if (lastUsedAt) {
    return (
      <Notice
        tone="done"
        role="status"
        title="The first call has arrived"
        actions={<ButtonLink to="/start">Go on</ButtonLink>}
      >
        <RelativeTime at={lastUsedAt} />. Your agent is connected.
      </Notice>
    );
  }
  if (waiting) {
    return (
      <Notice tone="progress" role="status" title="No call yet">
        This page waits for the first call with the new token.
      </Notice>
    );
  }
  if (!earlier) return null;
  return <Notice tone="done" title="An agent of yours has called before" />;
}
