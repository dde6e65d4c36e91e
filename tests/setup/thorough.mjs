/**
 * What only `npm run test:all` and CI run, so that `npm test` takes eight minutes on two cores: processes killed at every
 * step, floods, long repetitions, older releases, and the same over several Git hosts; the journeys about how it feels.
 */
export const thorough = [
  "tests/races/**",
  "tests/upgrade/**",
  "tests/agents/fake-endings.test.ts",
  "tests/api/{hostile-fuzz,one-account,worst-cases}.test.ts",
  "tests/embedded/{backup,backup-under-writes,hosted-rights,lifecycle,other-postgres,retries,rotated-secrets}.test.ts",
  "tests/hosted/pg-cron.test.ts",
  "tests/mcp/generated.test.ts",
  "tests/notices/hostile-receivers.test.ts",
  "tests/pairing/races.test.ts",
  "tests/server/{full-disk,garbage-collection,image,killed-*,node-versions,response-sink,several-processes,slow-readers}.test.ts",
  "tests/streams/{churn,connecting,gaps,hosted-habits,slow-reader,slow-start}.test.ts",
  "tests/worker/{conflicts,foreign-jobs,git-takes-turns,hostile-service,interrupted-git,killed-*}.test.ts",
  "tests/worker/{agents,dependencies,on-failure,outcomes,random-endings,rare-cases,resilience,rework,rework-rounds,sandbox-*,special-files,waiting-batch,wild-git}.test.ts",
  "tests/worker/forge/*.test.ts",
];

export const thoroughJourneys = [
  "**/{before-script,board-line,changes,demo-visitor,dependencies,drafts,filter-completion,keyboard-*,labels}.spec.ts",
  "**/{lanes,late-text,later-panel,notes,palette,peek,preload,push-keys,rows,saved-views,scroll,select}.spec.ts",
  "**/{plain-http,reading-direction,sprint-run,start-over,steady,toasts,touch,two-reviewers}.spec.ts",
];

/** The same of single tests and journeys: words of their names. */
export const thoroughNames = [
  "10 MB of small parts cost others nothing at",
  "cost others nothing, and the memory comes back",
  "makes 50 items of 1,000 deliveries of 50 external ids by ten senders at once",
  "what a product or an account has of one kind",
  "works next to a running server and leaves it running",
  "starts in a folder without anything, and keeps its data there",
  "never gives out a task that waits for a review",
  "changes no answer in any state that a run gets into",
  "and would be found where it takes the square",
  "would be caught when they take the square of a text's length",
  "lets twenty calls of a user wait at a time",
  "a text that is not ready soon is shown as it was written",
  "sees an approval during the connect 100 times of 100",
  "P19: forgets pairings of yesterday and refuses when too many wait",
  "secrets are rotated by their files and a restart",
  "when the token's time is over, without any event",
  "is done only when someone has looked",
  "when the command ends with a failure or a limit",
  "when the job is lost, and when the worker is stopped in order",
  "when the worker was killed, as soon as it starts again",
  "when another job has made the very same commit within the same second",
  "for two weeks, here and in the remote, unless it is the work in hand",
  "is told when a prompt is too long for an argument",
  "costs no retry when it shows only then",
  "a pull request that was wanted and is not there",
  "bring nothing along through a folder that is a link",
  "bring along nothing that is a git folder",
  "the rules of the repository say what is wrong with them",
  "gets the branches of a run that began before the prefix changed",
  "a remote that refuses the notes where work begins",
  "two products of one name in one repository share no branch",
  "a branch with the name of the prefix",
  "whatever the agent makes of .git",
  "git of the worker knows it after a kill as well",
  "leaves nothing of the state before the work",
  "is looked at by another worker in a clean checkout",
  "comes from the demo too, for the product of the first start",
  "a plan before the work is asked for each task of a batch",
  "is not waited for when a command writes none",
  "a plan that a person approves waits for each task of a batch",
  "a kill while an agent plans",
  "counts no money for an agent that a subscription pays",
  "leaves what it had told when it is killed with -9",
  "returns it, and the agent continues in its conversation",
  "continues at once where a take was killed, and in the folder whose terminal died",
  "what an attempt changed is cut where it is too much",
  "is not opened for a question, with or without a commit",
  "an ordinary user",
  "any page of a product on a phone",
  "any page of a person on a desktop",
  "what opens over the backlog",
];

const anyOf = thoroughNames.map((name) => name.replace(/[().]/g, "\\$&")).join("|");
export const namesOfShort = new RegExp(`^(?!.*(${anyOf}))`);
