import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { decideLesson, listLessons } from "~/nouns/lessons/operations.server";
import { addEvidence, getProof, waiveCriterion } from "~/nouns/proof/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { cancelSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { openApp } from "../setup/app";
import { at, claim, create, type SprintWorld } from "../setup/world";

const { t, app } = await openApp({ pages: true });

const pageOf = ({ product, sprint }: Pick<SprintWorld, "product" | "sprint">) =>
  `/products/${product.id}/sprints/${sprint.id}`;
const reviewOf = (world: SprintWorld) => `${pageOf(world)}/review`;
const plain = (html: string) => html.replaceAll("<!-- -->", "");

function storyIn(html: string, code: string): string {
  const articles = html.match(/<article\b.*?<\/article>/gs) ?? [];
  return articles.find((article) => article.includes(`aria-label="${code} `)) ?? "";
}

async function visit(world: SprintWorld, user: { id: string } = world.owner) {
  const { read } = await app.visitorOf(user);
  return plain(await read(reviewOf(world)));
}

/** A run of two stories, of which the first has changes, costs in two currencies, proof, a waiver and a question. */
async function scene() {
  const world = await t.seedSprint({ stories: [1, 1] });
  const { actor, owner, stories, start } = world;
  const [first, second] = [at(stories, 0), at(stories, 1)];
  const of = { story_id: first.id };
  await updateStory(actor, { ...of, acceptance_criteria: "- Opens <b>fast</b>\n- Says \u202eso" });
  const run = await start();
  const job = await claim(actor);
  const [opens, says] = (await getProof(actor, of)).criteria;
  const seen = { command: "npm test -- opens", exit_code: 0, excerpt: "<script>alert(1)</script>\u001b[31m" };
  await addEvidence.json(actor, { ...of, criterion: opens?.id ?? "", verdict: "pass", ...seen });
  await waiveCriterion(actor, { ...of, criterion: says?.id ?? "", reason: "No one <i>reads</i> it" });
  await askQuestion(actor, { ...of, question: "Which <u>words</u>?" });
  const files = [{ path: "a.txt", status: "added", additions: 120, deletions: 8, binary: false }];
  const diff = { attempt: 1, base_sha: "a".repeat(40), head_sha: "b".repeat(40), files };
  const sent = await app.send("PUT", `/api/jobs/${job.id}/diff`, diff, await t.bearerOf(owner));
  expect(sent.status).toBe(204);
  await t.query`
    insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, attempt, seq, cost, currency, source, subscription)
    select j.product_id, j.id, j.task_id, j.sprint_run_id, 1, u.seq, u.cost, u.currency, 'reported', u.paid from public.agent_jobs j,
      (values (101, 1.2, 'USD', false), (102, 0.3, 'USD', false), (103, 2.5, 'EUR', false), (104, 99, 'USD', true)) u (seq, cost, currency, paid)
    where j.id = ${job.id}`;
  return { world, run, job, first, second };
}

it("A sprint review reports goal, proof, changes, cost per currency and open ends, all as plain text", async () => {
  const { world, run, job, first, second } = await scene();
  const page = await visit(world);
  expect(page).toContain("Review of");
  expect(page).toContain(">Goal</p>");
  expect(page).toContain('aria-label="Burndown.');
  const told = storyIn(page, first.code);
  expect(told).toContain("Opens &lt;b&gt;fast&lt;/b&gt;");
  expect(told).toContain("npm test -- opens");
  expect(told).toContain("&lt;script&gt;alert(1)&lt;/script&gt;⟨U+001B⟩[31m");
  expect(told).toContain("Says ⟨U+202E⟩so");
  expect(told).toContain("No one &lt;i&gt;reads&lt;/i&gt; it");
  expect(told).toContain("€2.50 + $1.50");
  expect(told).toContain("+120");
  expect(told).toContain("−8");
  expect(told).toContain(`href="/jobs/${job.id}/changes"`);
  expect(storyIn(page, second.code)).toContain("No data");
  expect(storyIn(page, second.code)).toContain("Not proven");
  const open = page.slice(page.indexOf('aria-label="Unfinished"'));
  expect(open).toContain("Unfinished stories (2)");
  expect(open).toContain("Which &lt;u&gt;words&lt;/u&gt;?");
  expect(open).toContain("Waived criteria (1)");
  expect(open).toContain(`/runs/${run.id}`);
  // What the browser script reads is not markup.
  const [shown = ""] = page.split("window.__remixContext");
  for (const raw of ["<script>alert", "<b>fast", "<i>reads", "<u>words", "\u202e", "\u001b"]) {
    expect(shown).not.toContain(raw);
  }
});

it("A sprint review gives the facts of a retrospective: returns, waits, estimates and lessons", async () => {
  const world = await t.seedSprint({ stories: [2] });
  const { actor, sprint, product, tasks } = world;
  const empty = await visit(world);
  expect(empty).toContain("Work that came back, waits for people, estimates and lessons appear here.");
  await editTask(actor, { task_id: at(tasks, 0).id, estimated_minutes: 90 });
  await startSprintRun(actor, { sprint_id: sprint.id });
  const person = t.actorOf(await t.createMember(product.id));
  const hand_in = async (lessons?: string[]) => {
    const { id, attempt } = await claim(actor);
    const report = { job_id: id, attempt, status: "done", verify_result: "ALIGNED" } as const;
    await reportAgentJob(actor, { ...report, lessons });
    return id;
  };
  await reviewJob(person, { job_id: await hand_in(), verdict: "request_changes", summary: "Look again" });
  const job_id = await hand_in(["Run <b>all</b> tests."]);
  await reviewJob(person, { job_id, verdict: "approve" });
  const [lesson] = (await listLessons(person, { product_id: product.id })).lessons;
  await decideLesson(person, { lesson_id: lesson?.id ?? "", verdict: "accept" });

  const told = (await visit(world)).split('aria-label="Retrospective"')[1] ?? "";
  expect(told).toContain("1 task, 1 time: changes were requested");
  expect(told).toContain("for 1 review");
  expect(told).toContain("1 h 30 min and ");
  expect(told).toContain("Run &lt;b&gt;all&lt;/b&gt; tests.");
});

it("A job's added and deleted lines are the same in its story's tasks and in the list of jobs", async () => {
  const { world, job, first } = await scene();
  const { read } = await app.visitorOf(world.owner);
  const story = plain(await read(`/stories/${first.id}`));
  const link = story.slice(story.indexOf(`href="/jobs/${job.id}/changes"`) - 200);
  expect(link).toMatch(/^.{0,500}\+120.{0,200}−8/s);
  expect(plain(await read("/agents"))).toMatch(/\+120.{0,200}−8/s);
});

it("A sprint review is linked from its sprint, and keeps the stories that left when it was completed", async () => {
  const { world, run, first, second } = await scene();
  const { read } = await app.visitorOf(world.owner);
  const untouched = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "No one came to it" });
  await create(world.actor, "add_story_to_sprint", { p_sprint_id: world.sprint.id, p_story_id: untouched.id });
  expect(await read(pageOf(world))).toContain(`href="${reviewOf(world)}"`);
  expect(await visit(world)).not.toContain("No longer in this sprint");
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  await completeSprint(world.actor, { sprint_id: world.sprint.id });
  expect(await read(pageOf(world))).toContain("with those of stories that left when it ended or later");
  const page = await visit(world);
  for (const { code } of [first, second, untouched]) {
    expect(storyIn(page, code)).toContain("No longer in this sprint");
  }
  const open = page.slice(page.indexOf('aria-label="Unfinished"'));
  expect(open).toContain("Unfinished stories (3)");
  expect(open).toContain("No one came to it");
  expect(storyIn(page, first.code)).toContain("€2.50 + $1.50");
});

it("A sprint review of an empty sprint says that there is nothing, instead of failing", async () => {
  const page = await visit(await t.seedSprint({ stories: [] }));
  expect(page).toContain("No stories in this sprint");
  expect(page).toContain("Nothing is unfinished.");
  expect(page).not.toContain("No data");
});

it("A sprint review is open to members and demo accounts, also once archived, and to no one else", async () => {
  const { world } = await scene();
  for (const user of [await t.createUser(), await t.createUser({ demo: true })]) {
    await t.addMember(world.product.id, user);
    expect(await visit(world, user)).toContain("npm test -- opens");
  }
  const stranger = { headers: { cookie: await app.signIn(await t.createUser()) } };
  const refused = await app.request(reviewOf(world), stranger);
  expect(refused.status).toBe((await app.request(pageOf(world), stranger)).status);
  expect(refused.status).toBeGreaterThanOrEqual(403);
  expect(await refused.text()).not.toContain("npm test -- opens");
  const unknown = await app.request(reviewOf(world));
  const login = `/login?redirectTo=${encodeURIComponent(reviewOf(world))}`;
  expect([unknown.status, unknown.headers.get("location")]).toEqual([302, login]);
  const other = await t.seedSprint({ stories: [] });
  const foreign = `${pageOf({ product: other.product, sprint: world.sprint })}/review`;
  const their = { headers: { cookie: await app.signIn(other.owner) } };
  const answer = await app.request(foreign, their);
  expect(answer.status).toBe((await app.request(foreign.replace(/\/review$/, ""), their)).status);
  expect(await answer.text()).not.toContain("npm test -- opens");
  await t.query`update public.products set archived_at = now() where id = ${world.product.id}`;
  expect(await visit(world)).toContain("npm test -- opens");
});
