import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, expect } from "@playwright/test";
import { z } from "zod";
import { storyProofSchema } from "~/nouns/proof/contract";
import { connectClient } from "../../mcp/clients";
import { patchOf } from "../held-job";
import { openLive } from "../places";
import { test } from "../test";
import { lastId, newPerson, newToken, post, signedIn } from "../world";
import { Film, filmSize } from "./film";

const folder = process.env.FILM_DIR ?? join("docs", "images");
const claimed = z.object({ job: z.object({ id: z.string(), attempt: z.number() }) });

const stories: readonly [title: string, tasks: readonly string[]][] = [
  ["See each fold as an animation", ["Draw a fold as a path"]],
  ["Go back one fold", ["Keep the folds in a list", "Step back with a swipe"]],
  ["Copy a link to a folding", ["Give each folding a short address", "Copy it with one tap"]],
];

/** A planned product with a started sprint; its stories are done when a worker has proven them. */
async function plan(context: BrowserContext) {
  const backlog = await post(context, "/products/new", { name: "Paper planes" });
  const product = backlog.replace(/\/backlog$/, "");
  const settings = { intent: "update", pr_strategy: "STORY", done_requires: "worker" };
  await post(context, `${product}/settings`, settings);
  const pbi = lastId(
    await post(context, backlog, { intent: "create-pbi", title: "Fold a plane step by step" }),
  );
  const goal = { sprint_goal: "A first plane flies across the room" };
  const sprint = await post(context, `${product}/sprints`, goal);
  const made: string[] = [];
  for (const [title, tasks] of stories) {
    const story = { intent: "create-story", pbi_id: pbi, title };
    const acceptance_criteria = "- each fold is one path\n- it works with one thumb";
    const storyId = lastId(await post(context, backlog, { ...story, acceptance_criteria }));
    made.push(storyId);
    for (const task of tasks) {
      const implementation_plan = "1. Write the test first\n2. Make it pass";
      const fields = { intent: "create-task", story_id: storyId, title: task };
      await post(context, backlog, { ...fields, implementation_plan });
    }
    await post(context, sprint, {
      intent: "add-story",
      sprint_id: lastId(sprint),
      story_id: storyId,
    });
  }
  await post(context, sprint, { intent: "start-sprint" });
  return { backlog, sprint, story: made[0] ?? "", productId: lastId(product) };
}

/** The agent of the film: it says, asks, changes and proves by the same calls as every worker. */
async function newAgent(context: BrowserContext, origin: string, productId: string) {
  const token = await newToken(context);
  const client = await connectClient({ origin }, token, "2026-07-28", "/mcp");
  const headers = { authorization: `Bearer ${token}` };
  const { result } = await client.call("wait_for_job", {
    worker: "loom-1",
    product_id: productId,
    wait_seconds: 0,
  });
  const { job } = claimed.parse(result);
  const send = async (method: string, part: string, data: Record<string, unknown>) => {
    const path = `/api/jobs/${job.id}/${part}`;
    const body = { attempt: job.attempt, ...data };
    const answer = await context.request.fetch(path, { method, headers, data: body });
    expect(answer.ok(), await answer.text()).toBe(true);
  };
  let seq = 0;
  const say = (entry: Record<string, unknown>) => {
    seq += 1;
    const at = new Date().toISOString();
    return send("POST", "output", { entries: [{ seq, at, kind: "text", text: "", ...entry }] });
  };
  return { ...job, client, say, send };
}

const change = patchOf("app/fold.ts", [
  " export interface Point { x: number; y: number }",
  "-export const fold = null;",
  "+export interface Fold { from: Point; to: Point }",
  "+",
  "+/** The line of a fold as an SVG path. */",
  "+export function path({ from, to }: Fold): string {",
  "+  return ['M', from.x, from.y, 'L', to.x, to.y].join(' ');",
  "+}",
]);
const proof = patchOf("app/fold.test.ts", [
  "+import { path } from './fold';",
  "+",
  "+it('draws a fold as one path', () => {",
  "+  expect(path(half)).toBe('M0 0L1 1');",
  "+});",
]);

const people = { light: "ada", dark: "grace" } as const;

for (const theme of ["light", "dark"] as const) {
  test(`the loop as a film, ${theme}`, async ({ browser, baseURL }) => {
    const look = { colorScheme: theme, reducedMotion: "reduce" } as const;
    const { name, context } = await newPerson(
      browser,
      { ...look, viewport: filmSize },
      people[theme],
    );
    const world = await plan(context);
    const desk = await context.newPage();
    await desk.goto("/settings");
    const film = new Film(desk);
    const page = await context.newPage();
    const pocket = { width: 390, height: 700 };
    const held = { viewport: pocket, isMobile: true, hasTouch: true };
    const phone = await (await signedIn(browser, name, { ...look, ...held })).newPage();

    await openLive(page, world.backlog);
    await film.take(page, "You plan: stories, and tasks that an agent can do", 2600);
    await openLive(page, world.sprint);
    await film.take(page, "A sprint is ready for the agents", 2200);
    await page.getByRole("button", { name: /^Start run/ }).click();
    await expect(page.getByRole("heading", { name: /^Run of sprint SP-1/ })).toBeVisible();
    await openLive(page, world.sprint);
    const agent = await newAgent(context, String(baseURL), world.productId);
    const card = page.locator("[data-task]", { hasText: "Draw a fold as a path" });
    await agent.say({ kind: "tool", title: "Read app/fold.ts" });
    await expect(card.locator("[data-doing]")).toContainText("app/fold.ts");
    await film.take(page, "You start its run: a worker takes the first task", 2400);

    await openLive(page, `/jobs/${agent.id}`);
    const steps = [
      { text: "I write the test first." },
      { kind: "edit", title: "Write", path: "app/fold.test.ts" },
      { kind: "test", title: "npm test", text: "1 failed", status: "exit 1" },
      { kind: "edit", title: "Edit", path: "app/fold.ts" },
    ];
    const output = page.getByRole("list", { name: "Output" }).getByRole("listitem");
    for (const [index, step] of steps.entries()) {
      await agent.say(step);
      await expect(output).toHaveCount(index + 2);
      await film.take(page, "It works, and you watch", 800);
    }

    const { result: asked } = await agent.client.call("ask_user_question", {
      story_id: world.story,
      question: "The sheet is too narrow for the plan. Which way should I go?",
      options: [
        { label: "Glue two sheets", description: "Keeps the size; one more step." },
        { label: "Make the plane smaller", description: "No glue; flies less far." },
      ],
      recommended_option: 1,
    });
    await openLive(phone, "/inbox");
    await film.take(phone, "It cannot decide something: you answer, wherever you are", 2800);
    await phone.getByRole("button", { name: "Make the plane smaller" }).tap();
    await expect(phone.getByRole("article")).toHaveCount(0);
    await film.take(phone, "One tap", 1000);
    const { result: told } = await agent.client.call("get_question_answer", {
      question_id: asked.id,
    });
    expect(told).toMatchObject({ answer: "Make the plane smaller" });

    await agent.say({ text: "Smaller it is. The path is drawn from the fold." });
    await agent.say({ kind: "test", title: "npm test", text: "3 passed", status: "exit 0" });
    const files = { files: [change, proof], base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
    await agent.send("PUT", "diff", files);
    await expect(page.getByText("3 passed")).toBeVisible();
    await film.take(page, "It goes on with your answer", 1800);
    const evidence = await context.request.get(`/api/stories/${world.story}/evidence`);
    const { criteria } = storyProofSchema.parse(await evidence.json());
    await agent.client.call("report_job_usage", {
      job_id: agent.id,
      attempt: agent.attempt,
      events: [{ model_id: "sonnet", input_tokens: 18_200, output_tokens: 5_400, cost: 0.42 }],
    });
    const { isError, result } = await agent.client.call("update_job_status", {
      job_id: agent.id,
      attempt: agent.attempt,
      status: "done",
      verify_result: "ALIGNED",
      evidence: criteria.map(({ id }) => ({
        ...{ criterion: id, verdict: "pass", kind: "command", grade: "worker" },
        ...{ command: "npm test -- fold", exit_code: 0, excerpt: "3 passed" },
      })),
    });
    expect(isError, JSON.stringify(result)).toBeFalsy();

    await openLive(page, `/jobs/${agent.id}/changes`);
    await film.take(page, "You look at what it changed", 2600);
    await openLive(page, `/jobs/${agent.id}/proof`);
    await film.take(page, "Each criterion has its proof", 2400);
    await openLive(page, `/jobs/${agent.id}/changes`);
    const approve = page.getByRole("button", { name: "Approve" });
    await approve.scrollIntoViewIfNeeded();
    await approve.click();
    await expect(page.getByText("approved attempt 1")).toBeVisible();
    await film.take(page, "You approve", 1600);
    await openLive(page, world.sprint);
    await expect(page.getByRole("region", { name: "Done: 1" })).toBeVisible();
    await film.take(page, "Done, and the next one can begin", 2800);

    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `loop-${theme}.webp`), film.write());
    await phone.context().close();
    await context.close();
  });
}
