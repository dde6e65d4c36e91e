import type { PullRequest } from "./pull-request";

/** Result of a push. A conflict names the files and the commit they conflict with. */
export type Push =
  | { kind: "conflict"; files: string[]; theirs: string }
  | { kind: "pushed"; headSha: string; pushedAt: string; folder: string };

/** Where a job's work went. `sent_home`: it does not merge, the service knows, and the attempt is over. */
export type Delivery =
  | { kind: "nothing" }
  | { kind: "sent_home" }
  | (Extract<Push, { kind: "pushed" }> & { pullRequest: PullRequest });
