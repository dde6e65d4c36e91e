import type { PullRequest } from "./pull-request";

/** Whether the work is on its branch. */
export type Push =
  | { kind: "conflict"; files: string[] }
  | { kind: "pushed"; headSha: string; pushedAt: string; folder: string };

/** Where the work of a job went. */
export type Delivery =
  | { kind: "nothing" }
  | Extract<Push, { kind: "conflict" }>
  | (Extract<Push, { kind: "pushed" }> & { pullRequest: PullRequest });
