const id = "6f1d2c3a-5b7e-4c1d-8a2f-0b9c8d7e6f5a";
const sha = "9fceb02d0ae598e95dc970b74767f19372d61af8";
const at = "2026-01-31T12:00:00Z";
const comment = { body: "Please keep the old name as an alias. @grace" };
const note = { lease: id };

/** A JSON body of each operation that takes one, by its name. A test asks for one of each, and parses it. */
export const examples: Readonly<Record<string, object>> = {
  addJobComment: { path: "app/search.ts", line: 12, side: "new", body: "Escape the query here." },
  addPBIComment: comment,
  addStoryComment: { ...comment, send_to_agent: true },
  addStoryDependency: { blocked_by: id },
  addStoryEvidence: { criterion: "3f1a0b9c2d4e", verdict: "pass", kind: "command", command: "npm test" },
  addTaskComment: { ...comment, send_to_agent: true },
  addTaskDependency: { blocked_by: id },
  appendJobOutput: { attempt: 1, entries: [{ seq: 1, at, kind: "command", text: "12 passed", title: "npm test" }] },
  appendStoryLog: { type: "TEST_RESULT", content: "npm test: 12 passed", status: "PASSED" },
  claimPairing: { pairingId: id },
  createLabel: { name: "bug", color: "#dc2626" },
  createSavedView: { page: "board", name: "Mine", look: { q: "assignee:me" } },
  editPBIComment: comment,
  editStoryComment: comment,
  editTaskComment: comment,
  decideLesson: { verdict: "accept" },
  proposeFollowUp: { repository: "api", title: "Take idempotency keys", why: "Payments are sent twice." },
  proposeLesson: { text: "Run the migrations before the tests.", job_id: id },
  reviewPlan: { verdict: "approve" },
  takeJob: { task: "T-42", product: "SHOP" },
  markViewed: { attempt: 1, path: "app/search.ts", viewed: true },
  nextIssueNote: { worker: "laptop", project: "https://github.com/acme/shop" },
  nextLanding: { worker: "laptop" },
  syncPreviews: { worker: "laptop", room: 1, previews: [], wait_seconds: 50 },
  nextUpkeep: { worker: "laptop" },
  observeIssues: {
    product_id: id,
    label: "agents",
    issues: [
      {
        number: 7,
        url: "https://github.com/acme/shop/issues/7",
        state: "open",
        title: "Search ignores accents",
        author: "grace",
        body: "Searching for cafe does not find café.",
      },
    ],
  },
  observePulls: {
    product_id: id,
    pulls: [
      {
        number: 12,
        url: "https://github.com/acme/shop/pull/12",
        branch: "backloom/ST-001",
        head_sha: sha,
        state: "open",
        observed_at: at,
      },
    ],
  },
  reportIssueNote: { ...note, state: "written" },
  reportJobConflict: {
    attempt: 1,
    kind: "base",
    ours_sha: sha,
    theirs_sha: "e83c5163316f89bfbde7d9ab23ca2e25604af290",
    files: [{ path: "app/search.ts" }],
  },
  reportLanding: { ...note, state: "landed", head_sha: sha },
  reportMerged: { head_sha: sha },
  reportUpkeep: { ...note, state: "open", url: "https://github.com/acme/shop/pull/12" },
  reviewJob: { verdict: "request_changes", summary: "Please add a test for empty queries." },
  reviewStory: { verdict: "approve", attempts: [{ job_id: id, attempt: 1 }] },
  saveChangeIndex: {
    repository: "https://github.com/acme/shop",
    head_sha: sha,
    changes: [{ sha, at: "2026-11-29T08:00:00Z", title: "Search ignores accents", paths: ["app/search/words.ts"] }],
  },
  saveJobDiff: {
    attempt: 1,
    base_sha: "e83c5163316f89bfbde7d9ab23ca2e25604af290",
    head_sha: sha,
    files: [{ path: "README.md", status: "added", additions: 1, deletions: 0, patch: "@@ -0,0 +1 @@\n+Hi\n" }],
  },
  setBudget: { scope: "product", period: "month", unit: "USD", amount: 200 },
  setBudgetSettings: { time_zone: "Europe/Berlin", unreported: "refuse" },
  setRecurrence: { cron: "0 9 * * 1", zone: "Europe/Berlin", missed: "once" },
  startRun: { story_id: id, plan_first: true },
  updateLabel: { name: "defect" },
  updateSavedView: { name: "My work", shared: true },
  updateStory: { title: "Search ignores accents", priority: 2, labels: ["bug"] },
  updateTask: { status: "in_progress", implementation_plan: "1. Write the test first" },
  waiveStoryCriterion: { criterion: "3f1a0b9c2d4e", reason: "Replaced by ST-012." },
};
