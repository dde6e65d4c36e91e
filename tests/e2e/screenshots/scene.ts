import type { BrowserContext } from "@playwright/test";
import { callTool, newToken } from "../world";

const backlog: readonly [
  pbi: string,
  stories: readonly [title: string, tasks: readonly string[]][],
][] = [
  [
    "Fold a plane step by step",
    [
      [
        "See each fold as an animation",
        ["Model a fold", "Draw a fold as a path", "Animate between two folds"],
      ],
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
          acceptance_criteria:
            "- works with one thumb\n- reads well in both themes\n- [ ] no text longer than a line",
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

  const idea = await post("/ideas", {
    title: "Planes that glow in the dark",
    description: "With *phosphorescent* paper.",
    product_id: lastId(product),
  });
  await post(idea, {
    intent: "ask",
    question: "Does the repository know about kinds of paper already?",
  });

  const run = await post(sprint, { intent: "start-run" });
  const token = await newToken(context);
  await callTool(context, token, "log_commit", {
    story_id: stories[0] ?? "",
    content: "Draws the fold as a path",
    commit_hash: "4f2a9c1d7e",
    commit_message: "Draw a fold as a path",
  });
  await callTool(context, token, "worker_heartbeat", {
    worker: "loom-1",
    hostname: "attic",
    quota_pct: 71,
  });
  await callTool(context, token, "ask_user_question", {
    story_id: stories[1] ?? "",
    question: "The sample sheets are too narrow for the plan. Which way should I go?",
    options: [
      { label: "Glue two sheets", description: "Keeps the size; one more step for the person." },
      { label: "Make the plane smaller", description: "No glue; flies less far." },
    ],
    recommended_option: 1,
  });
  return { product, sprint, run, story: stories[0] ?? "", task: first, idea };
}
