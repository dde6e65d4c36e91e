import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { setActiveProduct } from "~/nouns/accounts/operations.server";
import {
  appendJobOutput,
  claimAgentJob,
  reportAgentJob,
  reportJobConflict,
  saveJobDiff,
} from "~/nouns/agent-jobs/operations.server";
import { addComment } from "~/nouns/comments/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { reviewJob, saveJobGuide } from "~/nouns/reviews/operations.server";
import { startRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { exportDocumentSchema } from "~/nouns/transfers/export-document";
import { readLinear } from "~/nouns/transfers/formats/linear.server";
import { importBacklog } from "~/nouns/transfers/import-backlog.server";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { prepareImport } from "~/nouns/transfers/prepared-import";
import type { JobPayload } from "~/wire/workers/contract";
import type { Store } from "../world";
import { backlogOf, exportedIssues, otherWork, type ProductCode, products } from "./backlogs";
import { type Change, type ReviewedStory, type Round, reviewedStories } from "./changes";
import type { Files } from "./code";
import { diffsOf } from "./diff-of";
import { knowMain } from "./known-changes";
import { asHistory, finishedWork, knownFolders, nightsTimes } from "./year";

/** A store with the addresses of its roles. */
export type MorningStore = Store & { urlFor(role: string): string };

export const password = "a quiet morning";
type Diff = Awaited<ReturnType<typeof diffsOf>>[number];

/** A task in review: what its story has of criteria, and each of its rounds with its diff. */
type Work = { story: ReviewedStory; rounds: { round: Round; diff: Diff }[]; isLast: boolean };

export interface Morning {
  mira: Person;
  jonas: Person;
  /** Ids of products by their code. */
  products: Record<ProductCode | "PUBLIC", string>;
}
type Person = { id: string; username: string; email: string };

/**
 * What a team finds in the morning: three products with a year behind them, ten changes that wait for a verdict, and
 * what else came up in the night. The same each time, but for the dates, which end now.
 */
export async function openMorning(t: MorningStore): Promise<Morning> {
  const now = Date.now();
  const [mira, jonas, works] = await Promise.all([person(t, "mira"), person(t, "jonas"), worksOf(reviewedStories)]);
  const ids = {} as Record<ProductCode | "PUBLIC", string>;
  for (const product of products) {
    const document = exportDocumentSchema.parse(backlogOf(product, now));
    const owner = product.owner === "mira" ? mira : jonas;
    ids[product.code] = (await importDocument(t.database, owner.id, document, { isTrusted: true })).id;
  }
  await asHistory(t.urlFor("supabase_admin"), finishedWork);
  await t.sql.query(knownFolders, [JSON.stringify(pathsBefore())]);
  for (const { code, owner } of products) {
    const actor = t.actorOf(owner === "mira" ? mira : jonas);
    await knowMain(t, actor, code, ids[code]);
    await workThroughTheNight(t, { actor, reviewer: t.actorOf(jonas), code, id: ids[code], works });
  }
  await comment(t, t.actorOf(jonas), ids.SHOP);
  const issues = prepareImport(readLinear(exportedIssues(now)));
  const target = { product_id: null, name: "Public backlog", code: "PUBLIC", done_requires: "person" as const };
  ids.PUBLIC = (await importBacklog(t.actorOf(mira), target, issues, false)).product.id ?? "";
  await setActiveProduct(t.actorOf(mira), { product_id: ids.SHOP });
  await asHistory(t.urlFor("supabase_admin"), nightsTimes);
  await t.sql.query("analyze");
  return { mira, jonas, products: ids };
}

async function person({ database }: Store, username: string): Promise<Person> {
  const account = { username, email: `${username}@example.com` };
  return {
    ...account,
    ...(await createAccount(database, { ...account, password, role: username === "mira" ? "ADMIN" : "DEVELOPER" })),
  };
}

/** Tasks in review by their title. */
async function worksOf(stories: readonly ReviewedStory[]): Promise<Map<string, Work>> {
  const works = await Promise.all(
    stories.map(async (story): Promise<[string, Work][]> => {
      const isOneTask = story.changes.length === 1;
      const rounds = story.changes.flatMap(({ rounds }) => rounds);
      const diffs = await diffsOf([story.before, ...rounds.map(({ after }) => after)], isOneTask ? "first" : "before");
      const told = rounds.map((round, n) => ({ round, diff: diffs[n] as Diff }));
      return story.changes.map((change: Change, n) => [
        change.task,
        { story, rounds: isOneTask ? told : told.slice(n, n + 1), isLast: n === story.changes.length - 1 },
      ]);
    }),
  );
  return new Map(works.flat());
}

/** Where agents have worked before: not in the migrations of routes, nor in the sync of notes. */
function pathsBefore(): { product: string; path: string }[] {
  const paths = ({ before, changes }: ReviewedStory) =>
    Object.keys(
      Object.assign({}, before, ...changes.flatMap(({ rounds }) => rounds.map(({ after }) => after))) as Files,
    );
  return reviewedStories.flatMap((story) =>
    paths(story)
      .filter((path) => !/sync\/|cmd\//.test(path))
      .map((path) => ({ product: story.product, path })),
  );
}

type Night = { actor: Actor; reviewer: Actor; code: ProductCode; id: string; works: Map<string, Work> };

/** Runs begin in the evening; a worker takes what it gets until nothing is left. */
async function workThroughTheNight(t: Store, night: Night): Promise<void> {
  const { actor, id } = night;
  const find = async (table: "sprints" | "tasks", where: string, value: string) =>
    (
      await t.sql.query<{ id: string }>(`select id from public.${table} where product_id = $1 and ${where} = $2`, [
        id,
        value,
      ])
    ).rows[0]?.id ?? "";
  await startSprintRun(actor, { sprint_id: await find("sprints", "status", "ACTIVE"), leave_out: true });
  for (const [product, , task] of [otherWork.conflicts, otherWork.plans]) {
    if (product !== night.code) continue;
    const isPlan = task === otherWork.plans[2];
    const plans = isPlan ? { plan_first: true, plan_review: "person" as const } : {};
    await startRun(actor, { task_ids: [await find("tasks", "title", task)], ...plans });
  }
  const worker = night.code === "ROUTE" ? "loft" : "attic";
  for (;;) {
    const { job } = await claimAgentJob(actor, { worker, product_id: id, agents: [{ id: "claude" }] });
    if (job === null) return;
    await t.sql.query("select private.follow_forecasts()");
    await workOn(night, job);
  }
}

async function workOn({ actor, reviewer, works }: Night, job: JobPayload): Promise<void> {
  const attempt = { job_id: job.id, attempt: job.attempt };
  const title = job.task?.title ?? "";
  const work = works.get(title);
  if (work) {
    await handIn(actor, job, work);
    if (work.rounds.length > job.attempt) await askForMore(reviewer, attempt);
    return;
  }
  const lines = ["Reading the plan and what is there", `Working on: ${title}`];
  const at = new Date().toISOString();
  await appendJobOutput(actor, {
    ...attempt,
    entries: lines.map((text, n) => ({ seq: n + 1, at, kind: "text", text })),
  });
  switch (title) {
    case otherWork.runs[2]:
      await reportAgentJob(actor, { ...attempt, status: "running" });
      return;
    case otherWork.asks[2]:
    case otherWork.asksToo[2]:
      await askQuestion(actor, { ...attempt, ...questions[title], task_id: job.task_id ?? "", park: true });
      return;
    case otherWork.fails[2]:
      await reportAgentJob(actor, {
        ...attempt,
        status: "failed",
        failure_class: "agent_error",
        failure_reason: "The feed answers 403 to every request of the tests. Its key may have expired",
      });
      return;
    case otherWork.plans[2]:
      await reportAgentJob(actor, { ...attempt, status: "running", implementation_plan: plan });
      return;
    case otherWork.conflicts[2]:
      await reportJobConflict(actor, { ...attempt, ...conflict, in_vain: job.attempt > 1 });
      return;
    default:
      await reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED" });
  }
}

/** As the worker does it: changes, guide, and a report with the evidence that it has seen. */
async function handIn(actor: Actor, job: JobPayload, { story, rounds, isLast }: Work): Promise<void> {
  const { round, diff } = rounds[job.attempt - 1] ?? {};
  if (!round || !diff) throw new Error(`${job.task?.title} has no round ${job.attempt}`);
  const attempt = { job_id: job.id, attempt: job.attempt };
  await saveJobDiff(actor, { ...attempt, ...diff });
  const chapters = round.guide.map(([title, why, ...paths]) => ({
    title,
    why,
    parts: paths.map((path) => ({ path })),
  }));
  await saveJobGuide(actor, { ...attempt, head_sha: diff.head_sha, chapters });
  const own = isLast ? job.criteria.slice(0, job.criteria.length - (story.unproven ?? 0)) : [];
  const command = products.find(({ code }) => code === story.product)?.check ?? "";
  const lessons = job.attempt > 1 ? { lessons: ["Try names of files on Windows, too."] } : {};
  await reportAgentJob(actor, {
    ...attempt,
    base_sha: diff.base_sha,
    head_sha: diff.head_sha,
    status: "done",
    verify_result: round.result ?? "ALIGNED",
    summary: round.summary,
    agent: "claude",
    model_id: "claude-sonnet-4-5",
    input_tokens: 84_000 + diff.files.length * 5_200,
    output_tokens: 6_400 + diff.files.length * 410,
    cache_read_tokens: 410_000,
    evidence: own.map(({ id, kind }) => ({
      criterion: id,
      grade: "worker",
      kind: "command",
      verdict: "pass",
      command,
      exit_code: 0,
      base_exit_code: kind === "definition_of_done" ? 0 : 1,
      guards: true,
      excerpt: "All tests pass.",
      head_sha: diff.head_sha,
    })),
    ...lessons,
  });
}

async function askForMore(reviewer: Actor, attempt: { job_id: string; attempt: number }): Promise<void> {
  await addJobComment(reviewer, {
    ...attempt,
    path: "src/notes/export.py",
    line: 8,
    side: "new",
    body: "A title with a slash ends in another folder. And what of two notes with one title?",
  });
  await reviewJob(reviewer, {
    ...attempt,
    verdict: "request_changes",
    summary: "Notes of other notebooks come along, and names break on Windows.",
  });
}

const questions = {
  [otherWork.asks[2]]: {
    question: "The carrier reaches 214 of our 260 places on Saturdays. What should the other 46 see?",
    options: [
      { label: "Monday, with the reason", description: "The cart says that Saturday is not possible there." },
      { label: "Nothing about Saturday", description: "They see what they see today." },
    ],
    recommended_option: 0,
  },
  [otherWork.asksToo[2]]: {
    question:
      "Recording in the background needs a permission that the store shows on the page of the app. May I ask for it?",
    options: [{ label: "Yes, when someone first records" }, { label: "No, stop when the screen goes off" }],
    recommended_option: 0,
  },
};

const plan = `1. \`internal/planning/order.go\`: begin with the nearest stop, then improve by swapping pairs for two seconds
2. \`cmd/nightly/main.go\`: each van at 02:00, the result into \`route_stops\`
3. Stops with a time window keep it; where two cannot both be kept, the earlier one wins
4. \`internal/planning/order_test.go\`: 40 stops in less than three seconds, windows kept`;

const conflict = {
  kind: "base" as const,
  ours_sha: "5f3a".repeat(10),
  theirs_sha: "c19e".repeat(10),
  files: [
    {
      path: "src/notes/editor/links.py",
      ours: "def open_link(link):\n    return notes.find(link.target) or new_note(link.target)\n",
      theirs: "def open_link(link, *, in_new_tab=False):\n    return tabs.open(link.target, in_new_tab)\n",
    },
  ],
};

async function comment(t: Store, author: Actor, product_id: string): Promise<void> {
  const { rows } = await t.sql.query("select id from public.stories where product_id = $1 and title = $2", [
    product_id,
    reviewedStories[0]?.title,
  ]);
  const { id } = z.object({ id: z.string() }).parse(rows[0]);
  await addComment(author, {
    kind: "story",
    id,
    body: "@mira the carrier raises the price in spring. Should the 4.90 be a setting?",
  });
}
