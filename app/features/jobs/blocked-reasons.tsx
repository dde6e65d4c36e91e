import { Link } from "@remix-run/react";
import { CopyBlock } from "~/ui/rare/copy-button";
import type { BlockedReason } from "./find-blocked-reasons.server";

/** Why something stands still: a line a reason, and where a worker is missing what starts one. */
export function BlockedReasons({ reasons }: { reasons: readonly BlockedReason[] }) {
  // While something else is in the way, a worker would not help yet.
  const command = reasons.length === 1 ? reasons[0]?.command : undefined;
  return (
    <div className="grid gap-1.5">
      <ul className={reasons.length > 1 ? "grid list-disc gap-0.5 pl-4" : undefined}>
        {reasons.map(({ code, message }) => (
          <li key={`${code} ${message}`}>{message}</li>
        ))}
      </ul>
      {command ? (
        <div className="grid max-w-2xl gap-1">
          <CopyBlock label="Terminal" text={command} />
          <p className="text-xs">
            <Link to="/connect" className="text-accent underline underline-offset-2">
              Connect
            </Link>{" "}
            creates the token and shows the command for each agent.
          </p>
        </div>
      ) : null}
    </div>
  );
}
