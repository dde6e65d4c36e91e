import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import { test } from "../test";
import { callTool, lastId, newAdministrator, newDemo, newPerson, newToken, post, signedIn } from "../world";
import { folder, looks } from "./looks";
import { newScene, type Scene } from "./scene";

/** States that no address alone shows: empty, refused, blocked, paused, and what opens over a page. */
const states: Record<string, (page: Page, scene: Scene) => Promise<void>> = {
  palette: async (page, { sprint }) => {
    await page.goto(sprint);
    await page.getByRole("button", { name: "Search and actions" }).click();
    await page.getByRole("dialog").getByRole("combobox").fill("fold");
    await page.getByRole("option", { name: /fold/ }).first().waitFor();
  },
  keys: async (page, { sprint }) => {
    await page.goto(sprint);
    await page.getByRole("button", { name: /Move T-4/ }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
  },
  "move-menu": async (page, { sprint }) => {
    await page.goto(sprint);
    await page.getByRole("button", { name: /Move T-4/ }).click();
    await page.getByText("Move T-4 to").waitFor();
  },
  "move-keys": async (page, { sprint }) => {
    await page.goto(sprint);
    await page.locator("[data-board-keys]").waitFor({ state: "attached" });
    await page.keyboard.press("j");
    await page.keyboard.press("m");
    await page.getByText("choose the column").waitFor();
  },
  confirm: async (page, { sprint }) => {
    await page.goto(sprint);
    await page.getByRole("button", { name: /: dates, review and more$/ }).click();
    await page.getByRole("button", { name: "Complete sprint" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Complete sprint" }).waitFor();
  },
  "user-menu": async (page) => {
    await page.goto("/dashboard");
    await page.getByRole("button", { name: /account and appearance/ }).click();
  },
  "board-end": async (page, { sprint }) => {
    await page.goto(sprint);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  },
  "wrong-form": async (page) => {
    await page.goto("/products/new");
    await page.getByLabel("Name", { exact: true }).fill(" ");
    await page.getByRole("button", { name: "Create product" }).click();
    await page.locator("[aria-invalid=true]").first().waitFor();
  },
  "not-found": async (page) => void (await page.goto("/nowhere")),
  offline: async (page) => void (await page.goto("/offline.html")),
};

test.use({ expectedProblems: /404|403/ });

test("Every state of a page, such as empty or forbidden, is photographed in every look", async ({ browser }) => {
  mkdirSync(folder, { recursive: true });
  const owner = await newPerson(browser);
  const scene = await newScene(owner.context);
  const blocked = await blockedSprint(owner.context);
  const keeper = await newPerson(browser);
  const paused = await pausedRun(keeper.context);
  const stranger = await newPerson(browser);
  const demo = await newDemo();
  const administrator = await newAdministrator();

  for (const [look, options] of looks) {
    const shoot = async (page: Page, name: string) =>
      void (await page.screenshot({ path: join(folder, `${name}-${look}.png`) }));
    const visit = async (name: string, paths: Record<string, string>) => {
      const context = await signedIn(browser, name, { ...options, reducedMotion: "reduce" });
      const page = await context.newPage();
      for (const [label, path] of Object.entries(paths)) {
        await page.goto(path);
        await page.locator('[data-live="live"]').waitFor({ state: "attached" });
        await shoot(page, label);
      }
      await context.close();
    };

    const context = await signedIn(browser, owner.name, { ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    for (const [name, show] of Object.entries(states)) {
      await show(page, scene);
      await shoot(page, name);
    }
    await context.close();
    await visit(owner.name, { blockers: blocked });
    await visit(keeper.name, { paused });
    await visit(stranger.name, {
      "dashboard-empty": "/dashboard",
      "questions-empty": "/inbox?show=questions",
      "ideas-empty": "/ideas",
      "jobs-empty": "/agents",
      "workers-empty": "/agents/workers",
      "insights-empty": "/insights",
      forbidden: scene.sprint,
    });
    await visit(demo, { demo: "/products/new" });
    await visit(administrator, { admin: "/admin", "admin-prices": "/admin/prices", audit: "/admin/audit" });
  }
  await owner.context.close();
  await keeper.context.close();
  await stranger.context.close();
});

/** An active sprint with everything in the way that can be: no plan, a question, a blocked PBI. */
async function blockedSprint(context: BrowserContext): Promise<string> {
  const home = await post(context, "/products/new", { name: "Kites" });
  const pbi = lastId(await post(context, home, { intent: "create-pbi", title: "A kite flies" }));
  const story = lastId(await post(context, home, { intent: "create-story", pbi_id: pbi, title: "Build the frame" }));
  for (const title of ["Cut the sticks", "Tie the knots"]) {
    await post(context, home, { intent: "create-task", story_id: story, title });
  }
  const product = home.replace(/\/backlog$/, "");
  const sprint = await post(context, `${product}/sprints`, { sprint_goal: "A kite in the air" });
  await post(context, sprint, { intent: "add-story", sprint_id: lastId(sprint), story_id: story });
  await post(context, sprint, { intent: "start-sprint" });
  await callTool(context, await newToken(context), "ask_user_question", {
    story_id: story,
    question: "Bamboo or pine?",
    options: [{ label: "Bamboo" }, { label: "Pine" }],
  });
  await post(context, home, { intent: "block-pbi", pbi_id: pbi, status: "blocked" });
  return sprint;
}

/** A run that an agent paused, because its branch does not merge. */
async function pausedRun(context: BrowserContext): Promise<string> {
  const { run } = await newScene(context);
  await callTool(context, await newToken(context), "pause_sprint_run", {
    sprint_run_id: lastId(run),
    reason: "merge_conflict",
    pr_url: "https://git.example.org/planes/pulls/7",
    conflict_files: ["app/fold.ts", "app/fold.test.ts"],
  });
  return run;
}
