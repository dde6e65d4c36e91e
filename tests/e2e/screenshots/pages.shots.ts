import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "../test";
import { newPerson, signedIn } from "../world";
import { folder, looks } from "./looks";
import { newScene, type Scene } from "./scene";

function pagesOf(scene: Scene): Record<string, string> {
  const { product, sprint, run, job, story, task, idea } = scene;
  return {
    dashboard: "/dashboard",
    "product-new": "/products/new",
    backlog: `${product}/backlog`,
    "backlog-panel": `${product}/backlog?panel=story:${story}`,
    sprints: `${product}/sprints`,
    board: sprint,
    solo: `${product}/solo`,
    "sprint-review": `${sprint}/review`,
    run,
    job,
    attempts: `${job}/attempts`,
    changes: `${job}/changes`,
    proof: `${job}/proof`,
    "story-changes": `/stories/${story}/changes`,
    lessons: `${product}/lessons`,
    triage: `${product}/triage`,
    members: `${product}/members`,
    "product-settings": `${product}/settings`,
    "agent-settings": `${product}/settings/agents`,
    story: `/stories/${story}`,
    task: `/tasks/${task}`,
    inbox: "/inbox",
    questions: "/inbox?show=questions",
    reviews: "/inbox?show=reviews",
    ideas: "/ideas",
    idea,
    jobs: "/agents",
    runs: "/agents/runs",
    workers: "/agents/workers",
    insights: "/insights",
    agents: "/insights/agents",
    import: "/import",
    connect: "/connect",
    start: "/start",
    search: "/search?q=fold",
    settings: "/settings",
    tokens: "/settings/tokens",
    devices: "/settings/devices",
    notifications: "/settings/notifications",
    activity: "/settings/activity",
  };
}

test("Every page is photographed in every look", async ({ browser }) => {
  mkdirSync(folder, { recursive: true });
  const owner = await newPerson(browser);
  const scene = await newScene(owner.context);
  for (const [look, options] of looks) {
    const context = await signedIn(browser, owner.name, { ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    for (const [name, path] of Object.entries(pagesOf(scene))) {
      await page.goto(path);
      await page.locator('[data-live="live"]').waitFor({ state: "attached" });
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
    }
    await context.clearCookies();
    for (const name of ["login", "register"]) {
      await page.goto(`/${name}`);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
    }
    await context.close();
  }
  await owner.context.close();
});
