import { z } from "zod";
import { appendJobOutput, reportAgentJob, reportJobUsage, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { setBudget } from "~/nouns/budgets/operations.server";
import { addComment as say } from "~/nouns/comments/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { addFile } from "~/nouns/files/operations.server";
import { saveChangeIndex } from "~/nouns/forecasts/operations.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createLabel } from "~/nouns/labels/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { observePulls } from "~/nouns/pulls/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { createSavedView } from "~/nouns/saved-views/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { addedFile, shas } from "../setup/diff-files";
import { at, bearer, claim, create } from "../setup/world";

const media = z.object({ schema: z.record(z.string(), z.unknown()), example: z.unknown().optional() });
const answer = z.object({ description: z.string(), content: z.record(z.string(), media).optional() });
const operationSchema = z.object({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  requestBody: z.object({ content: z.record(z.string(), media) }).optional(),
  responses: z.record(z.string(), answer),
});
export type Operation = z.infer<typeof operationSchema>;
const documentSchema = z.looseObject({
  openapi: z.literal("3.1.0"),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

export const isForUsers = ({ security }: Operation) => security.some((way) => "token" in way || "session" in way);

export const unknownId = "00000000-0000-4000-8000-000000000000";

/** Every documented endpoint, with a world in which each has something to answer, and what to send it. */
export async function openEveryEndpoint() {
  const t = await createTestDatabase();
  const app = await startTestApp(t, { env: { chats: { matrix: { api: "http://127.0.0.1:9", token: "none" } } } });
  /** A product with more to do than agents have finished; its owner has a second one, for single stories and jobs. */
  const worked = await t.seedSprint({
    strategy: "STORY",
    stories: Array(8).fill(1),
    task: { p_estimated_minutes: 30 },
  });
  const { owner, actor } = worked;
  const token = await t.createToken(owner);
  const session = await app.signIn(owner);
  const backlog = await t.seedBacklog(owner);
  const secondStory = await create(actor, "create_story", { p_pbi_id: backlog.pbi.id, p_title: "Export as JSON" });
  const otherStories = await Promise.all(
    ["Export as XML", "Export as PDF"].map((title) =>
      create(actor, "create_story", { p_pbi_id: backlog.pbi.id, p_title: title }),
    ),
  );
  const otherTasks = await Promise.all(
    ["Write JSON", "Read JSON"].map((title) =>
      create(actor, "create_task", { p_story_id: secondStory.id, p_title: title }),
    ),
  );

  const openCopy = await (await app.request("/openapi.json")).text();
  const document = documentSchema.parse(JSON.parse(openCopy));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

  await t.query`update public.tasks set implementation_plan = 'Do it'`;
  const storyId = backlog.story.id;
  await proveALineThatIsGone();
  await startSprintRun(actor, { sprint_id: backlog.sprint.id });
  const job = await claim(actor);
  const diff = {
    attempt: job.attempt,
    ...shas,
    files: [
      addedFile("a", "one"),
      // It has a mark.
      { path: "yarn.lock", status: "added" as const, additions: 0, deletions: 0, binary: false },
    ],
  };
  const attempt = { job_id: job.id, attempt: job.attempt };
  const said = (seq: number) => ({ seq, at: "2026-11-22T08:00:00.000Z", kind: "text" as const, text: "Begun" });
  const used = { seq: 1, model_id: "m", input_tokens: 10, currency: "USD" };
  await reportJobUsage(actor, { ...attempt, events: [{ ...used, cost: 1 }] });
  await askQuestion(actor, {
    ...attempt,
    story_id: storyId,
    question: "Which sign?",
    options: [{ label: ",", description: "As ever" }],
  });
  await appendJobOutput(actor, { ...attempt, entries: [said(1)] });
  await saveJobDiff(actor, { job_id: job.id, ...diff });
  await reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED", head_sha: diff.head_sha });

  const observed = {
    product_id: backlog.product.id,
    pulls: [
      {
        number: 7,
        url: "https://code.example/acme/shop/pulls/7",
        branch: job.branch ?? "",
        head_sha: diff.head_sha,
        state: "open" as const,
        mergeable: true,
        observed_at: "2026-11-22T08:00:00.000Z",
      },
    ],
  };
  const setRepository = "update products set repo_url = $2 where id = $1";
  await t.sql.query(setRepository, [backlog.product.id, "https://code.example/acme/shop"]);
  await observePulls(actor, observed);
  await t.sql.query(setRepository, [backlog.product.id, ""]);
  await t.query`
    insert into public.pulls (product_id, number, url, branch, head_sha, state, observed_at)
    values (${worked.product.id}, 8, 'https://code.example/acme/shop/pulls/8', 'backloom/ST-1', ${diff.head_sha}, 'open', now())`;

  const couldRead = JSON.stringify([{ name: "api", sha: "1a2b3c4" }]);
  await t.query`update job_attempts set "references" = ${couldRead}::jsonb where job_id = ${job.id}`;

  await t.query`with waiting as (
      insert into public.agent_jobs (product_id, task_id, kind, phase, sprint_run_id, lane_id, attempt)
      select x.product_id, x.task_id, 'TASK_IMPLEMENTATION', 'review', x.sprint_run_id, gen_random_uuid(), 1
      from public.agent_jobs x where x.id = ${job.id} returning id, product_id
    ), tried as (
      insert into public.job_attempts (job_id, attempt, product_id, worker_name, started_at)
      select id, 1, product_id, 'w', now() from waiting returning job_id
    )
    insert into public.job_diffs (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, marks)
    select id, 1, product_id, 'a', 'b', 1, 1, '[]', 2, '{"large": []}' from waiting`;

  const toApprove = z.object({ id: z.string() }).parse(
    at(
      (
        await t.sql.query(
          `with asked as (
             insert into public.agent_questions (product_id, story_id, task_id, question, plan, park)
             select x.product_id, k.story_id, k.id, 'May it begin?', '1. Begin', true
             from public.agent_jobs x join public.tasks k on k.id = x.task_id where x.id = $1 returning id
           )
           insert into public.agent_jobs (product_id, task_id, kind, phase, sprint_run_id, lane_id, attempt, parked_question_id)
           select x.product_id, x.task_id, 'TASK_IMPLEMENTATION', 'plan', x.sprint_run_id, gen_random_uuid(), 1, asked.id
           from public.agent_jobs x, asked where x.id = $1 returning id`,
          [job.id],
        )
      ).rows,
      0,
    ),
  ).id;

  await t.query`
    insert into public.previews (product_id, job_id, head_sha, heard_at, log)
    values (${backlog.product.id}, ${job.id}, ${diff.head_sha}, now() + interval '1 hour', '["Listening"]')`;

  /** Only work that someone holds can be in conflict. */
  const held = await claim(actor);

  /** No one's worker reviews its own work: these are asked by someone else. */
  const reviewer = await t.createMember(backlog.product.id);
  await t.addMember(worked.product.id, reviewer);
  const demo = await t.createMember(backlog.product.id, { demo: true });
  await t.addMember(worked.product.id, demo);
  const reviewerToken = await t.createToken(reviewer);
  const reviewerSession = await app.signIn(reviewer);
  const comment = { path: "a", line: 1, side: "new" as const, body: "Why?" };
  await addJobComment(t.actorOf(reviewer), { job_id: job.id, ...comment });
  await reviewJob(t.actorOf(reviewer), { job_id: job.id, verdict: "approve", summary: "Nearly" });
  const draft = await addJobComment(t.actorOf(reviewer), { job_id: job.id, ...comment });
  const ofReviewer = new Set(["addJobComment", "deleteJobComment"]);

  const view = await createSavedView(actor, {
    product_id: worked.product.id,
    page: "board",
    name: "Mine",
    look: { q: "status:review", group: "story", hide: "code,worker" },
  });
  const label = await createLabel(actor, { product_id: worked.product.id, name: "bug" });
  const formerLabel = await createLabel(actor, { product_id: worked.product.id, name: "old" });
  await createLabel(actor, { product_id: backlog.product.id, name: "web" });
  await updateStory(actor, { story_id: storyId, labels: ["web"] });
  await editTask(actor, { task_id: backlog.task.id, labels: ["web"] });
  await workUnderBudgets();
  const landing = await land();
  const issueNote = await noteIssues();
  const learned = await learn();
  const upkeep = await keepFile();
  const [remark, formerRemark] = [await remarks("Mind the quotes."), await remarks("Never mind.")];
  const [xml, pdf] = [at(otherStories, 0), at(otherStories, 1)];
  await wait("story", storyId, xml.id);
  await wait("story", pdf.id, storyId);
  await wait("task", backlog.secondTask.id, backlog.task.id);
  await wait("task", backlog.task.id, at(otherTasks, 0).id);
  await wait("task", at(worked.tasks, 7).id, at(worked.tasks, 6).id);

  await createIdea(actor, { product_id: worked.product.id, title: "Read bank statements" });

  const chores = await t.query`insert into stories (pbi_id, title)
    values (${backlog.pbi.id}, 'Update dependencies') returning id`;

  /** The criteria of the story are all proven, and so is one that was edited away since. */
  async function proveALineThatIsGone(): Promise<void> {
    const write = (criteria: string) => updateStory(actor, { story_id: storyId, acceptance_criteria: criteria });
    await write("- [ ] Opens in a spreadsheet\n- [ ] Keeps accents");
    for (const { id } of (await getProof(actor, { story_id: storyId })).criteria) {
      await addEvidence(actor, {
        story_id: storyId,
        criterion: id,
        verdict: "pass",
        kind: "command",
        grade: "person",
        command: "npm test",
        exit_code: 0,
        excerpt: "12 passed",
      });
    }
    await write("- [ ] Opens in a spreadsheet");
  }

  /** The work of a job came back, and its agent proposed a lesson. */
  async function learn(): Promise<{ id: string; job_id: string }> {
    const rows = await t.query`with returned as (
        insert into public.task_returns (job_id, attempt, cause, product_id, task_id, begun_at)
        select j.id, 1, 'ci_failed', j.product_id, j.task_id, now() from public.agent_jobs j
        where j.product_id = ${worked.product.id} and j.status = 'DONE' limit 1 returning *)
      insert into public.lessons (product_id, text, cause, job_id, task_id)
      select product_id, 'Build before you hand in.', cause, job_id, task_id from returned returning id, job_id`;
    return at(rows, 0);
  }

  /** Of one product a branch lands under a lease; of the other one is to be taken over, and one has landed. */
  async function land(): Promise<{ id: string; lease: string }> {
    const insert = `insert into public.landings (product_id, job_id, branch, ours_sha, head_sha, words, worker, lease_until, state, finished_at)
      values ($1, $2, 'backloom/ST-1', $3, $3, 'Why', 'w', $4, $5, $6) returning id, lease`;
    const rows = await t.query`select id from public.agent_jobs
      where product_id = ${worked.product.id} and status = 'DONE' limit 1`;
    const queue = "update public.products set landing = 'queue', landing_since = created_at where id = $1";
    await t.sql.query(queue, [worked.product.id]);
    const done = at(rows, 0).id;
    await t.query`update public.agent_jobs set head_sha = ${"abc"} where id = ${done}`;
    const [now, later] = [new Date(), new Date(Date.now() + 3_600_000)];
    await t.sql.query(insert, [worked.product.id, done, "abc", now, "landed", now]);
    await t.sql.query(insert, [worked.product.id, done, "abc", now, "working", null]);
    const held = [backlog.product.id, job.id, "abc", later, "working", null];
    return at((await t.sql.query(insert, held)).rows, 0);
  }

  /** Of one product the work of an issue is done; a comment of the other one is written under a lease. */
  async function keepFile(): Promise<{ id: string; lease: string }> {
    const insert = `insert into public.upkeeps (product_id, kind, worker, lease_until)
      values ($1, 'agents_md', 'w', now() + interval '1 hour') returning id, lease`;
    await t.query`update products set pull_requests = 'open' where id = ${worked.product.id}`;
    const lesson = `insert into public.lessons (product_id, text, cause, status, since)
      values ($1, 'Test it.', 'ci_failed', 'accepted', now())`;
    await t.sql.query(lesson, [worked.product.id]);
    return at((await t.sql.query(insert, [backlog.product.id])).rows, 0);
  }

  async function noteIssues(): Promise<{ id: string; lease: string }> {
    const url = "https://code.example/acme/shop/issues/7";
    const label = "update public.products set forge_issue_label = 'backlog' where id = $1";
    await t.sql.query(label, [worked.product.id]);
    const made = "select id from public.stories where product_id = $1 and status = 'DONE' limit 1";
    const { rows } = await t.sql.query(made, [worked.product.id]);
    const brought = "update public.stories set origin = 'forge', external_url = $2 where id = $1";
    await t.sql.query(brought, [at(rows, 0).id, url]);
    const insert = `insert into public.issue_notes (product_id, url, deed, worker, lease_until)
      values ($1, $2, 'comment', 'w', now() + interval '1 hour') returning id, lease`;
    return at((await t.sql.query(insert, [backlog.product.id, url])).rows, 0);
  }

  /** As many tasks are finished as a forecast needs, and one is at work under a budget of every scope. */
  async function workUnderBudgets(): Promise<void> {
    const run = await startSprintRun(actor, { sprint_id: worked.sprint.id });
    const budget = { product_id: worked.product.id, unit: "USD", amount: 50 };
    await setBudget(actor, { ...budget, scope: "product", period: "week" });
    await setBudget(actor, { ...budget, scope: "sprint", target_id: worked.sprint.id });
    await setBudget(actor, { ...budget, scope: "run", target_id: run.id });
    await setBudget(actor, { ...budget, scope: "task", target_id: at(worked.tasks, 5).id });
    for (let cost = 1; cost <= 5; cost++) {
      const { id: job_id, attempt } = await claim(actor, "worker-2");
      await reportJobUsage(actor, { job_id, attempt, events: [{ ...used, cost }] });
      await saveJobDiff(actor, { ...diff, job_id, attempt });
      await reportAgentJob(actor, { job_id, attempt, status: "done", verify_result: "ALIGNED" });
    }
    await claim(actor, "worker-2");
  }

  async function judgeForNow(taskId: string): Promise<string> {
    const jobs = await t.query`select id from agent_jobs where task_id = ${taskId}`;
    const job_id = at(jobs, 0).id;
    await reviewJob(actor, { job_id, verdict: "approve", undo_seconds: 30 });
    await t.query`update pending_verdicts set undo_until = now() + interval '1 hour' where job_id = ${job_id}`;
    return job_id;
  }

  /** One comment on each kind of item, by the word that its address begins with. */
  async function remarks(body: string): Promise<Record<string, string>> {
    const { pbi, story, task } = backlog;
    return {
      pbis: (await say(actor, { kind: "pbi", id: pbi.id, body })).id,
      stories: (await say(actor, { kind: "story", id: story.id, body })).id,
      tasks: (await say(actor, { kind: "task", id: task.id, body })).id,
    };
  }

  function wait(kind: "story" | "task", id: string, blocker: string) {
    return addDependency(actor, { kind, id, blocked_by: blocker });
  }

  /** Changes like the task that is forecast, and one that touches the same and runs. */
  const known = Array.from({ length: 8 }, (_, n) => {
    return { sha: String(n).repeat(40), at: "2026-01-01T00:00:00Z", title: "Write rows", paths: ["app/rows.ts"] };
  });
  const rows = { product_id: backlog.product.id, repository: "", changes: known };
  await saveChangeIndex(actor, { ...rows, head_sha: "c".repeat(40) });

  const addNote = () =>
    addFile(actor, { product_id: worked.product.id, name: "a.txt", type: "text/plain", content: "YQ==" });
  const note = await addNote();
  const formerNote = await addNote();
  const chats = await t.query`
    insert into public.chats (user_id, service, code_expires_at, account_id, account_name)
    select ${owner.id}, s, now() + interval '1 hour', '1', '@grace' from unnest(array['telegram', 'slack']) s returning id`;
  const [chat, formerChat] = [at(chats, 0), at(chats, 1)];
  const ids: Record<string, string> = {
    chats: chat.id,
    products: worked.product.id,
    sprints: backlog.sprint.id,
    pbis: backlog.pbi.id,
    stories: backlog.story.id,
    tasks: backlog.task.id,
    jobs: job.id,
    views: view.id,
    landings: landing.id,
    "issue-notes": issueNote.id,
    upkeeps: upkeep.id,
    files: note.id,
    lessons: learned.id,
    imports: at(await t.query`insert into imports (user_id, rows) values (${owner.id}, 1) returning id`, 0).id,
  };
  /** Stories whose work no one has judged: of one the changes are read, and the other one is approved. */
  const [unjudged, judgedHere] = [at(worked.stories, 0), at(worked.stories, 1)];
  const finished = await t.query`select id from agent_jobs where task_id = ${at(judgedHere.tasks, 0).id}`;
  /** Verdicts that are taken back, however long it takes to come to them. */
  const takenBack = await judgeForNow(at(worked.tasks, 3).id);
  await judgeForNow(at(worked.tasks, 4).id);
  /** A run begins with the one and leaves the other out. */
  const spare = await create(actor, "create_story", { p_pbi_id: backlog.pbi.id, p_title: "Spare" });
  const [planned, unplanned] = [
    await create(actor, "create_task", { p_story_id: spare.id, p_title: "Planned", p_implementation_plan: "Do it" }),
    await create(actor, "create_task", { p_story_id: spare.id, p_title: "Not planned" }),
  ];
  const taken = await create(actor, "create_task", { p_story_id: spare.id, p_title: "Taken rows" });
  await t.query`
    insert into public.agent_jobs (product_id, task_id, kind, status, sprint_run_id, lane_id, attempt, worker_id, lease_until)
    select x.product_id, ${taken.id}, 'TASK_IMPLEMENTATION', 'RUNNING', x.sprint_run_id, gen_random_uuid(), 1, x.worker_id, now() + interval '1 hour'
    from public.agent_jobs x where x.id = ${held.id}`;
  await t.query`select private.keep_forecast(${taken.id})`;
  const criterion = job.criteria[0]?.id;
  const bodies: Record<string, unknown> = {
    startRun: { task_ids: [planned.id, unplanned.id], leave_out: true },
    reviewPlan: { verdict: "approve" },
    takeJob: { task: taken.code, product: backlog.product.id },
    updateTask: { implementation_plan: "1. Quote\n2. Write" },
    addTaskDependency: { blocked_by: at(otherTasks, 1).id },
    addStoryDependency: { blocked_by: secondStory.id },
    appendJobOutput: { attempt: job.attempt, entries: [said(2)] },
    saveJobDiff: diff,
    reportJobConflict: {
      attempt: held.attempt,
      kind: "base",
      files: [{ path: "a", ours: "one", theirs: "two" }],
      ours_sha: "a".repeat(40),
      theirs_sha: "b".repeat(40),
    },
    addJobComment: comment,
    markViewed: { attempt: job.attempt, path: "a", viewed: true },
    observePulls: observed,
    observeIssues: { product_id: backlog.product.id, label: "backlog", issues: [] },
    nextLanding: { worker: "worker-2", pushes: true },
    nextIssueNote: { worker: "worker-2", project: "acme/shop" },
    reportIssueNote: { lease: issueNote.lease, state: "working" },
    saveChangeIndex: { repository: "https://example.com/ledger", head_sha: diff.head_sha, changes: known },
    nextUpkeep: { worker: "worker-2" },
    reportUpkeep: { lease: upkeep.lease, state: "put_off" },
    syncPreviews: { worker: "worker-2", room: 0, previews: [] },
    reportLanding: { lease: landing.lease, state: "working" },
    reportMerged: { head_sha: diff.head_sha },
    reviewJob: { verdict: "approve", summary: "Good" },
    proposeFollowUp: { repository: "api", title: "Take idempotency keys" },
    proposeLesson: { text: "Test before you hand in.", job_id: learned.job_id },
    decideLesson: { verdict: "accept" },
    reviewStory: { verdict: "approve", attempts: [{ job_id: at(finished, 0).id, attempt: 1 }] },
    addStoryEvidence: { criterion },
    waiveStoryCriterion: { criterion, reason: "Out of scope" },
    setBudget: { scope: "product", period: "day", unit: "tokens", amount: 100_000 },
    setBudgetSettings: { time_zone: "Europe/Berlin" },
    addPBIComment: { body: "Why now?" },
    addStoryComment: { body: "Who asked for it?" },
    addTaskComment: { body: "See the plan." },
    editPBIComment: { body: "Why now and not later?" },
    editStoryComment: { body: "Support asked for it." },
    editTaskComment: { body: "See step 2 of the plan." },
    createLabel: { name: "docs" },
    createChat: { service: "matrix" },
    updateChat: { titles: false },
    updateLabel: { color: "#00ff00" },
    updateStory: { priority: 2, labels: ["WEB"] },
    createSavedView: { page: "backlog", name: "Blocked", look: { q: "status:blocked" } },
    updateSavedView: { shared: true },
    setRecurrence: { cron: "0 9 * * 1", zone: "Europe/Berlin", missed: "skip" },
    appendStoryLog: { type: "TEST_RESULT", content: "12 passed", status: "PASSED" },
  };

  /** The token wherever it is accepted; what is left to people is asked in a session. */
  function credentialFor({ operationId, security }: Operation) {
    if (operationId === "reviewJob" || operationId === "reviewStory")
      return { cookie: reviewerSession, origin: app.origin };
    const isForPeople = operationId === "decideLesson" || operationId === "reviewPlan";
    if (isForPeople || !security.some((way) => "token" in way)) return { cookie: session, origin: app.origin };
    return bearer(ofReviewer.has(operationId) ? reviewerToken : token);
  }

  const pathFor = (path: string, method = "GET") => {
    const noun = path.split("/")[2] ?? "";
    if (method === "DELETE" && noun === "files") return path.replace("{id}", formerNote.id);
    if (method === "DELETE" && noun === "chats") return path.replace("{id}", formerChat.id);
    if (path.endsWith("/recurrence")) return path.replace("{id}", at(chores, 0).id);
    if (path === "/api/stories/{id}/changes") return path.replace("{id}", unjudged.id);
    if (path.endsWith("/review") && method === "DELETE") {
      return path.replace("{id}", noun === "jobs" ? takenBack : at(worked.stories, 4).id);
    }
    if (path === "/api/stories/{id}/review") return path.replace("{id}", judgedHere.id);
    if (path.endsWith("/conflicts")) return path.replace("{id}", held.id);
    if (path.endsWith("/plan")) return path.replace("{id}", toApprove);
    return path
      .replace(/\{\w+\}/, ids[noun] ?? unknownId)
      .replace("{commentId}", (method === "DELETE" ? formerRemark : remark)[noun] ?? draft.id)
      .replace("{labelId}", method === "DELETE" ? formerLabel.id : label.id)
      .replace("{budgetId}", unknownId);
  };
  return { t, app, owner, demo, token, session, job, document, openCopy, operations, bodies, credentialFor, pathFor };
}
