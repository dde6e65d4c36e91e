/**
 * What only `npm run test:all` and CI run, so that `npm test` stays under ten minutes on two cores: processes killed at every
 * step, floods, long repetitions, older releases, and the same over several Git hosts; the journeys about how it feels.
 */
export const thorough = [
  "tests/races/**",
  "tests/upgrade/**",
  "tests/agents/fake-endings.test.ts",
  "tests/embedded/{backup,backup-under-writes,hosted-rights,lifecycle,other-postgres,retries,rotated-secrets}.test.ts",
  "tests/hosted/pg-cron.test.ts",
  "tests/notices/hostile-receivers.test.ts",
  "tests/server/{full-disk,garbage-collection,image,killed-*,node-versions,several-processes}.test.ts",
  "tests/streams/{churn,gaps,hosted-habits,slow-reader,slow-start}.test.ts",
  "tests/worker/{conflicts,foreign-jobs,git-takes-turns,hostile-service,interrupted-git,killed-*,other-sandboxes}.test.ts",
  "tests/worker/{agents,dependencies,outcomes,rare-cases,resilience,rework,rework-rounds,sandbox-*,special-files,waiting-batch}.test.ts",
  "tests/worker/forge/*.test.ts",
];

export const thoroughJourneys = [
  "**/{before-script,board-line,changes,demo-visitor,dependencies,drafts,filter-completion,keyboard-*,labels}.spec.ts",
  "**/{lanes,late-text,later-panel,notes,palette,peek,preload,push-keys,rows,saved-views,scroll,select}.spec.ts",
  "**/{start-over,steady,toasts,touch,two-reviewers}.spec.ts",
];
