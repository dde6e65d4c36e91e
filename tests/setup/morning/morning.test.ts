import { expect, it } from "vitest";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { getForecastQuality, getTaskForecast } from "~/nouns/forecasts/operations.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import { getCosts } from "~/nouns/insights/operations.server";
import { waitingReviewsSchema } from "~/wire/reviews/contract";
import { openApp } from "../app";
import { reviewedStories } from "./changes";
import { openMorning } from "./open-morning";

const { t, app } = await openApp();
const { mira, products } = await openMorning(t);
const actor = t.actorOf(mira);
const answer = await app.request("/api/reviews", { headers: { cookie: await app.signIn(mira) } });
const { reviews } = waitingReviewsSchema.parse(await answer.json());

/** What tells each planted thing in the patches of its story. */
const signs: Record<string, RegExp> = {
  key: /^\+.*"AKIA[0-9A-Z]{16}"/m,
  "a deleted test": /^-func Test\w+\(/m,
  "weakened assertion": /^-.*toEqual\(.*\n\+.*toBeTruthy\(\)/m,
  "a change outside the plan": /^\+.*verify=False/m,
  "a second round": /^\+def file_name/m,
  "a migration": /^\+create table/m,
  "a new dependency": /^\+ +"date-fns":/m,
  "a lock file": /^\+\+\+ b\/package-lock\.json/m,
  CI: /^\+\+\+ b\/\.github\/workflows/m,
  "a picture": /^GIT binary patch/m,
  "a rename": /^rename to internal\/drivers/m,
};

it("Ten changes of 3 to 40 files and 20 to 2,000 lines wait for a verdict", () => {
  expect(reviews.map(({ story }) => story.title).sort()).toEqual(reviewedStories.map(({ title }) => title).sort());
  // The story of four tasks is judged as one.
  expect(reviews.map(({ tasks }) => tasks).sort()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 4]);
  const lines = reviews.map(({ size }) => size.additions + size.deletions);
  expect(reviews.map(({ size }) => size.files).sort((a, b) => a - b)).toMatchObject({ 0: 3, 9: 40 });
  expect([Math.min(...lines), Math.max(...lines)]).toEqual([20, 1992]);
});

it.each(reviewedStories.flatMap(({ title, planted }) => planted.map((thing) => [thing, title] as const)))(
  "%s is in the change of %s",
  async (thing, title) => {
    const jobs = await t.query<{
      id: string;
    }>`select j.id from agent_jobs j join tasks k on k.id = j.task_id join stories s on s.id = k.story_id where s.title = ${title}`;
    const diffs = await Promise.all(jobs.map(({ id }) => getJobDiff(actor, { job_id: id })));
    expect(diffs.flatMap((diff) => diff?.files.map(({ patch }) => patch ?? "") ?? []).join("")).toMatch(
      signs[thing] ?? thing,
    );
  },
);

it("Two questions, a failure, a conflict and a plan hold jobs, and one job runs", async () => {
  const { items } = await getInbox(actor, {});
  const subjects = items.map((item) => (item.kind === "question" ? item.question.asks : item.kind));
  // What holds work comes first, and reviews come in the order of their queue.
  expect(subjects.slice(0, 5)).toEqual(["question", "question", "plan", "conflict", "failure"]);
  expect(subjects.slice(5)).toEqual([...reviews.map(() => "review"), "mention", "lesson"]);
  const queue = items.flatMap((item) => (item.kind === "review" && item.review ? [item.review] : []));
  expect(queue.map(({ job_id }) => job_id)).toEqual(reviews.map(({ job_id }) => job_id));
  const stopped = (await getInbox(actor, { kinds: ["run", "job"] })).items;
  expect(stopped.map((item) => item.kind === "question" && item.question.asks)).toEqual(["conflict", "failure"]);
  const waiting = await t.query`
      select coalesce(r.pause_context ->> 'reason', j.failure_class::text, j.phase::text) as why from agent_questions q
      join agent_jobs j on j.id = q.job_id left join sprint_runs r on r.id = j.sprint_run_id and r.status = 'PAUSED'
      where q.status = 'OPEN' order by why`;
  expect(waiting.map(({ why }) => why)).toEqual(["agent_error", "implement", "implement", "merge_conflict", "plan"]);
  expect(await t.query`select id from agent_jobs where status = 'RUNNING'`).toHaveLength(1);
});

it("Three products have a year of finished work that people accepted, and the imported one 400 rows", async () => {
  const counts = await t.query`
      select p.code, count(distinct s.id)::integer as stories, count(distinct t.id)::integer as tasks,
        count(distinct j.id) filter (where j.status = 'DONE' and j.finished_at < now() - interval '350 days') > 0 as is_old
      from products p join stories s on s.product_id = p.id left join tasks t on t.story_id = s.id left join agent_jobs j on j.task_id = t.id
      group by p.code order by p.code`;
  expect(counts).toEqual([
    { code: "NOTES", stories: 110, tasks: 267, is_old: true },
    { code: "PUBLIC", stories: 267, tasks: 363, is_old: false },
    { code: "ROUTE", stories: 111, tasks: 268, is_old: true },
    { code: "SHOP", stories: 114, tasks: 273, is_old: true },
  ]);
  await t.expectRightCounters();
  const [shop] = await t.query<{ id: string }>`select id from products where code = 'SHOP'`;
  const { rows } = await getCosts(actor, { product_id: shop?.id ?? "" });
  expect(rows).toMatchObject([
    { key: "claude", too_few: false },
    { key: "codex", too_few: false },
  ]);
});

it("Main's changes say what a task touches, who is at work there, and how often that was right", async () => {
  const read = async (title: string) => {
    const [task] = await t.query<{ id: string }>`select id from tasks where title = ${title}`;
    return getTaskForecast(actor, { task_id: task?.id ?? "" });
  };
  const { touches, meets } = await read("Charge two cards at the payment service");
  expect(touches.slice(0, 2).map(({ path }) => path)).toEqual(["src/payments/card.ts", "src/payments/service.ts"]);
  expect(meets).toMatchObject([{ paths: ["src/payments/card.ts", "src/payments/service.ts"] }]);
  expect((await read("Add shipping to the total and show it")).result).toEqual({ named: 3, changed: 3, hit: 3 });
  for (const product_id of [products.SHOP, products.ROUTE, products.NOTES]) {
    const { hidden, methods } = await getForecastQuality(actor, { product_id });
    expect([hidden, methods.every(({ tasks }) => tasks >= 60)]).toEqual([false, true]);
  }
});
