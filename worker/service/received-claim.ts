import { claimSchema, jobPayloadSchema } from "~/wire/workers/contract";

/** A commit must be a hash, not an option or a ref that git would read differently. Agents can report anything. */
const isCommit = (text: string): boolean => /^[0-9a-f]{7,64}$/.test(text);
const commitOrNull = (text: string | null): string | null => (text !== null && isCommit(text) ? text : null);
const withCommits = <Head extends { head_sha: string }>(heads: readonly Head[]): Head[] =>
  heads.filter(({ head_sha }) => isCommit(head_sha));

const { shape } = jobPayloadSchema;

/** A claimed job, before use. */
export const receivedJobSchema = jobPayloadSchema.extend({
  base_sha: shape.base_sha.transform(commitOrNull),
  head_sha: shape.head_sha.transform(commitOrNull),
  base_refs: shape.base_refs.transform((refs) => refs && withCommits(refs)),
  // Malformed heads are kept: the worker fails to find them, instead of silently starting at main.
  begins_from: shape.begins_from.transform((heads) =>
    heads?.map((head) => ({ ...head, base_sha: commitOrNull(head.base_sha) })),
  ),
  awaited_heads: shape.awaited_heads.transform((heads) => heads && withCommits(heads)),
  conflicts: shape.conflicts.transform((conflicts) =>
    conflicts?.filter(({ ours_sha, theirs_sha }) => isCommit(ours_sha) && isCommit(theirs_sha)),
  ),
});

/** Validates a claim before use: everything that becomes a path, a branch or an argument of git. */
export const receivedClaimSchema = claimSchema
  .extend({ job: receivedJobSchema.nullable() })
  .transform((claim) => ({
    ...claim,
    reason: claim.reason && { ...claim.reason, awaited_heads: withCommits(claim.reason.awaited_heads ?? []) },
  }));
