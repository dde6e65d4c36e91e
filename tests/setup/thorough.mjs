/**
 * What only `npm run test:all` and CI run, so that `npm test` takes eight minutes on two cores: processes killed at every
 * step, floods, long repetitions, older releases, and the same over several Git hosts; the journeys about how it feels.
 * Single tests of other files have the tag `thorough`.
 */
export const thoroughFiles = [
  "tests/races/**",
  "tests/upgrade/**",
  "bench/short.test.ts",
  "tests/setup/morning/morning.test.ts",
  "tests/chats/{adapters,killed,matrix,services,telegram}.test.ts",
  "tests/agents/{fake-endings,real-tools,steering,whole-service}.test.ts",
  "tests/api/{hostile-fuzz,one-account,worst-cases}.test.ts",
  "tests/server/worst-reads.test.ts",
  "tests/guards/growth.test.ts",
  "tests/embedded/{backup,backup-under-writes,hosted-rights,lifecycle,lost-answers,other-postgres,retries,rotated-secrets}.test.ts",
  "tests/accounts/limits.test.ts",
  "tests/hosted/{pg-cron,supabase-auth}.test.ts",
  "tests/db/agents/review-week.test.ts",
  "tests/mcp/generated.test.ts",
  "tests/notices/hostile-receivers.test.ts",
  "tests/pages/moved-pages.test.ts",
  "tests/pairing/races.test.ts",
  "tests/server/{full-disk,garbage-collection,image,killed-*,lost-database,node-versions,several-processes,slow-readers}.test.ts",
  "tests/streams/{churn,connecting,ended-key,gaps,hosted-habits,postgres-restart,slow-reader,slow-start}.test.ts",
  "tests/worker/{budgets,changes,conflicts,foreign-jobs,git-takes-turns,guide,hostile-service,interrupted-git,job-outcomes,killed-*,messages,plan-first,pull-request,run-preview,tell-changes}.test.ts",
  "tests/worker/{agents,dependencies,left-processes,lessons,own-git,proof-commands,registry-agents,same-as-delivered,two-agents,on-failure,outcomes,previews,random-endings,rare-cases,references,resilience,result-file,rework,sandbox-*,secrets,unusual-repositories,waiting-batch,whose-repository}.test.ts",
  "tests/worker/forge/*.test.ts",
];

export const thoroughJourneys = [
  "**/{admin,authorize,before-script,board-line,budget,changes,chats,comments,daily,demo-visitor,dependencies,drafts,files,filter-completion,import-export,in-place,invite,keyboard-*,labels}.spec.ts",
  "**/{job-output,keyboard,lanes,late-text,later-panel,move-in,new-things,notes,palette,peek,preload,push-keys,rows,saved-views,scroll,select}.spec.ts",
  "**/{plain-http,reading-direction,sprint-run,start-over,steady,steer,toasts,touch,two-reviewers}.spec.ts",
];
