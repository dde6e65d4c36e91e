import { Link } from "@remix-run/react";
import { CopyBlock } from "~/ui/copy-button";
import type { BlockedReason } from "./find-blocked-reasons.server";

/** The page that shows how to start a worker, with that part first. */
export const connectWorker = "/connect?for=worker";

/** Lists why work does not move, and the command that starts a worker if that is all that is missing. */
export function BlockedReasons({ reasons }: { reasons: readonly BlockedReason[] }) {
  // With other reasons left, a worker would not help yet.
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
          {reasons[0]?.code === "held" ? null : (
            <p className="text-xs">
              <Link to={connectWorker} className="text-accent underline underline-offset-2">
                Connect an agent
              </Link>{" "}
              creates the token and shows the command for each agent.
            </p>
          )}
        </div>
      ) : null}
    </div>
  );
}
