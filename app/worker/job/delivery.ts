import type { PullRequest } from "../git/pull-request";

/** Whether the work is on its branch; a conflict names the files and the commit that they stand against. */
export type Push =
  | { kind: "conflict"; files: string[]; theirs: string }
  | { kind: "pushed"; headSha: string; pushedAt: string; folder: string };

/** Where the work of a job went; `sent_home`: it does not merge, the service knows, and the attempt is over. */
export type Delivery =
  | { kind: "nothing" }
  | { kind: "sent_home" }
  | (Extract<Push, { kind: "pushed" }> & { pullRequest: PullRequest });
