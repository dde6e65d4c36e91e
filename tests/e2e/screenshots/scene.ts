import type { BrowserContext } from "@playwright/test";
import { z } from "zod";
import { connectClient } from "../../mcp/clients";
import { claimed, patchOf } from "../held-job";
import { callTool, newToken } from "../world";

const backlog: readonly [pbi: string, stories: readonly [title: string, tasks: readonly string[]][]][] = [
  [
    "Fold a plane step by step",
    [
      ["See each fold as an animation", ["Model a fold", "Draw a fold as a path", "Animate between two folds"]],
      ["Go back one fold", ["Keep the folds in a list", "Step back with a swipe"]],
    ],
  ],
  [
    "Share a folding with a link",
    [
      ["Copy a link to a folding", ["Give each folding a short address", "Copy it with one tap"]],
      ["Open a shared folding without an account", ["Show a folding to everyone"]],
    ],
  ],
  ["Printable sheets", [["Print two planes per sheet", ["Lay out two planes on A4"]]]],
];

export interface Scene {
  product: string;
  sprint: string;
  run: string;
  /** Its attempt has ended, and its change waits for a person. */
  job: string;
  story: string;
  task: string;
  idea: string;
}

/** A product in the middle of its work, made the way people and agents make it. */
export async function newScene(context: BrowserContext): Promise<Scene> {
  const post = async (path: string, form: Record<string, string>) =>
    (await context.request.post(path, { form, maxRedirects: 0 })).headers().location ?? "";
  const lastId = (location: string) => /([0-9a-f-]{36})(?:\?[^?]*)?$/.exec(location)?.[1] ?? "";

  const home = await post("/products/new", {
    name: "Paper planes",
    repo_url: "https://git.example.org/planes.git",
    definition_of_done: "- its test passes\n- it works with one thumb",
  });
  const product = home.replace(/\/backlog$/, "");
  const sprint = await post(`${product}/sprints`, {
    sprint_goal: "A first plane flies across the room",
    start_date: new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10),
    end_date: new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10),
  });
  const stories: string[] = [];
  const tasks: string[] = [];
  for (const [pbi, ofPbi] of backlog) {
    const pbiId = lastId(await post(home, { intent: "create-pbi", title: pbi }));
    for (const [title, ofStory] of ofPbi) {
      const storyId = lastId(
        await post(home, {
          intent: "create-story",
          pbi_id: pbiId,
          title,
          description: "With paper in both hands I want to **see** what comes next.",
          acceptance_criteria: "- works with one thumb\n- reads well in both themes\n- [ ] no text longer than a line",
        }),
      );
      stories.push(storyId);
      for (const name of ofStory) {
        const made = await post(home, {
          intent: "create-task",
          story_id: storyId,
          title: name,
          implementation_plan:
            "1. Read `app/fold.ts`\n2. Write the test first\n3. Make it pass\n\n```ts\nexport function path(fold: Fold): string\n```",
        });
        tasks.push(lastId(made));
      }
      if (stories.length <= 4) {
        await post(sprint, { intent: "add-story", sprint_id: lastId(sprint), story_id: storyId });
      }
    }
  }
  await post(sprint, { intent: "start-sprint" });
  const [first = "", second = "", third = ""] = tasks;
  await post(sprint, { intent: "move-task", task_id: first, status: "done" });
  await post(sprint, { intent: "move-task", task_id: second, status: "review" });
  await post(sprint, { intent: "move-task", task_id: third, status: "in_progress" });

  const run = await post(sprint, { intent: "start-run" });
  const token = await newToken(context);
  await callTool(context, token, "log_commit", {
    story_id: stories[0] ?? "",
    content: "Draws the fold as a path",
    commit_hash: "4f2a9c1d7e",
    commit_message: "Draw a fold as a path",
  });
  await callTool(context, token, "worker_heartbeat", { worker: "loom-1", hostname: "attic", quota_pct: 71 });
  const job = await changeToReview(context, product, token);
  const idea = await post("/ideas", {
    title: "Planes that glow in the dark",
    description: "With *phosphorescent* paper.",
    product_id: lastId(product),
  });
  await post(idea, { intent: "ask", question: "Does the repository know about kinds of paper already?" });
  await callTool(context, token, "ask_user_question", {
    story_id: stories[1] ?? "",
    question: "The sample sheets are too narrow for the plan. Which way should I go?",
    options: [
      { label: "Glue two sheets", description: "Keeps the size; one more step for the person." },
      { label: "Make the plane smaller", description: "No glue; flies less far." },
    ],
    recommended_option: 1,
  });
  return { product, sprint, run, job, story: stories[0] ?? "", task: first, idea };
}

const upkeepOf = z.object({ upkeep: z.object({ id: z.string(), lease: z.string(), digest: z.string() }) });
const lessonsOf = z.object({ lessons: z.array(z.object({ id: z.string() })) });

/** A job that came back once: its change in chapters, an accepted and a proposed lesson, and a file they do not fit. */
async function changeToReview(context: BrowserContext, product: string, token: string) {
  const api = `/api/products/${product.split("/").at(-1)}`;
  const request = async (method: string, path: string, data: object, headers = {}) => {
    const answer = await context.request.fetch(path, { method, data, headers });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.status() === 204 ? null : await answer.json();
  };
  const ofWorker = { authorization: `Bearer ${token}` };
  const { origin } = new URL((await context.request.get("/dashboard")).url());
  const agent = await connectClient({ origin }, token, "2026-07-28", "/mcp");
  const work = async (report: object) => {
    const { result } = await agent.call("wait_for_job", { worker: "loom-1", wait_seconds: 0 });
    const { job } = claimed.parse(result);
    const files = [
      patchOf("app/fold.ts", ["-export const steps = 1;", "+export const steps = 24;", " export const path = fold;"]),
      patchOf("app/fold.test.ts", ["+it('moves between two folds', () => {});"]),
      patchOf("package.json", ['+  "motion": "12.0.0"']),
    ];
    const commits = { base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
    const diff = { attempt: job.attempt, ...commits, files };
    await request("PUT", `/api/jobs/${job.id}/diff`, diff, ofWorker);
    const end = { job_id: job.id, attempt: job.attempt, status: "done", verify_result: "ALIGNED" };
    await agent.call("update_job_status", { ...end, ...commits, ...report });
    return job.id;
  };
  const settings = { done_requires: "person", pull_requests: "open", allowed_workers: "members" };
  await context.request.post(`${product}/settings`, { form: { intent: "update", ...settings } });
  const job = await work({ summary: "Folds move." });
  const back = { verdict: "request_changes", summary: "It jumps on a phone." };
  await request("POST", `/api/jobs/${job}/review`, back);
  await work({
    summary: "Folds move in 24 steps.",
    guide: [
      {
        title: "More steps between two folds",
        why: "I was not sure about 24: 60 looked no better on a phone.",
        parts: [{ path: "app/fold.ts" }, { path: "app/fold.test.ts" }],
      },
    ],
    lessons: ["Draw with CSS, not with a canvas.", "Try each fold on a phone."],
  });
  const { lessons } = lessonsOf.parse(await request("GET", `${api}/lessons`, {}));
  await request("POST", `/api/lessons/${lessons[0]?.id}/verdict`, { verdict: "accept" });
  const { upkeep } = upkeepOf.parse(await request("POST", `${api}/upkeeps`, { worker: "loom-1" }, ofWorker));
  const words = "AGENTS.md has two blocks of lessons. Remove one of them.";
  const { id, ...held } = upkeep;
  await request("PUT", `/api/upkeeps/${id}`, { ...held, state: "conflict", words }, ofWorker);
  return `/jobs/${job}`;
}
