import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, expect } from "@playwright/test";
import { column, openLive } from "../places";
import { testWithTerminal as test } from "../programs";
import { lastId, newPerson, newToken, post, signedIn } from "../world";
import { Film, filmScale, filmSize } from "./film";

const folder = process.env.FILM_DIR ?? join("docs", "images");

/** A plan that contains its files, so that the demo agent can follow it. */
const plan = `1. Write the tests first:

\`\`\`js app/path.test.mjs
import assert from "node:assert";
import { path } from "./fold.mjs";

assert.equal(path([0, 0], [1, 1]), "M0 0 L1 1");
\`\`\`

\`\`\`js app/mirror.test.mjs
import assert from "node:assert";
import { mirror } from "./fold.mjs";

assert.deepEqual(mirror([3, 1], 4), [1, 1]);
\`\`\`

2. Make them pass:

\`\`\`js app/fold.mjs
/** The line of a fold as an SVG path. */
export function path(from, to) {
  return "M" + from.join(" ") + " L" + to.join(" ");
}

/** The same point on the other half of the sheet. */
export function mirror([x, y], width) {
  return [width - x, y];
}
\`\`\`

3. Name the package that rounds the corners:

\`\`\`json package.json
{
  "type": "module",
  "dependencies": { "svgpath": "^2.6.0" }
}
\`\`\`
`;

const stories = [
  {
    title: "See each fold as an animation",
    criteria: "- Each fold is one path: `node app/path.test.mjs`\n- A fold can be mirrored: `node app/mirror.test.mjs`",
    tasks: [{ title: "Draw a fold as a path", plan }],
  },
  {
    title: "Go back one fold",
    criteria: "- One step back undoes one fold",
    tasks: [
      { title: "Keep the folds in a list", plan: "1. Write the test first\n2. Make it pass" },
      { title: "Step back with a swipe", plan: "1. Write the test first\n2. Make it pass" },
    ],
  },
];

/** A product with a started sprint, whose finished work waits for a person. */
async function planSprint(context: BrowserContext) {
  const backlog = await post(context, "/products/new", { name: "Paper planes" });
  const product = backlog.replace(/\/backlog$/, "");
  const settings = { intent: "update", pr_strategy: "STORY", done_requires: "person" };
  await post(context, `${product}/settings`, settings);
  const pbi = lastId(await post(context, backlog, { intent: "create-pbi", title: "Fold a plane step by step" }));
  const goal = { sprint_goal: "A first plane flies across the room" };
  const sprint = await post(context, `${product}/sprints`, goal);
  const sprint_id = lastId(sprint);
  const tasks: string[] = [];
  for (const story of stories) {
    const fields = { title: story.title, acceptance_criteria: story.criteria, pbi_id: pbi };
    const story_id = lastId(await post(context, backlog, { intent: "create-story", ...fields }));
    for (const task of story.tasks) {
      const words = { title: task.title, implementation_plan: task.plan };
      const form = { intent: "create-task", story_id, ...words };
      tasks.push(lastId(await post(context, backlog, form)));
    }
    await post(context, sprint, { intent: "add-story", sprint_id, story_id });
  }
  await post(context, sprint, { intent: "start-sprint" });
  return { sprint, task: `/tasks/${tasks[0]}`, productId: lastId(product) };
}

function newRepository(home: string): string {
  const repository = join(home, "repository");
  mkdirSync(join(repository, "app"), { recursive: true });
  writeFileSync(join(repository, "app", "fold.mjs"), "export const fold = null;\n");
  writeFileSync(join(repository, "package.json"), '{\n  "type": "module"\n}\n');
  const git = (...words: string[]) => execFileSync("git", words, { cwd: repository });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Begin");
  return repository;
}

const people = { light: "ada", dark: "grace" } as const;

for (const theme of ["light", "dark"] as const) {
  test(`the demo agent plays the loop of the film, ${theme}`, async ({ browser, baseURL, home, terminal }) => {
    const look = { colorScheme: theme, reducedMotion: "reduce", deviceScaleFactor: filmScale } as const;
    const { name, context } = await newPerson(browser, { ...look, viewport: filmSize }, people[theme]);
    const world = await planSprint(context);
    const desk = await context.newPage();
    await desk.goto("/settings");
    const film = new Film(desk);
    const page = await context.newPage();
    const pocket = { width: 360, height: filmSize.height };
    const held = { viewport: pocket, isMobile: true, hasTouch: true };
    const phone = await (await signedIn(browser, name, { ...look, ...held })).newPage();
    const repository = newRepository(home);
    const token = await newToken(context);
    const work = (worker: string, options: string) =>
      terminal(
        `BACKLOOM_DEMO_SECONDS=24 exec node app/cli/launch.mjs worker --url ${baseURL} --token ${token} --repo ${repository} --product ${world.productId} --name ${worker} --exec demo ${options}`,
      );

    await openLive(page, world.sprint);
    await page.getByRole("link", { name: "Start run" }).click();
    await page.getByRole("button", { name: /^Start run/ }).click();
    await expect(page.getByRole("heading", { name: /^Run of sprint SP-1/ })).toBeVisible();
    work("loom-1", "--once");
    await openLive(page, world.task);
    await page.locator("a[href^='/jobs/']").first().click();
    const output = page.getByRole("list", { name: "Output" });
    for (const line of ["path.test", "mirror.test", "fold.mjs", "Checking"]) {
      await expect(output.getByText(line).first()).toBeVisible();
      await film.take(page, "An agent works on a task while you watch", 900);
    }

    await openLive(page, world.sprint);
    await expect(column(page, "Review")).toContainText("Draw a fold");
    work("loom-2", "--demo-ask");
    await expect(page.getByText("loom-2").first()).toBeVisible();
    await film.take(page, "The board shows what runs and what waits for you", 2600);

    await openLive(phone, "/inbox");
    await phone
      .getByRole("list", { name: "Inbox" })
      .getByRole("link", { name: /Keep the folds/ })
      .tap();
    const answer = phone.getByRole("button", { name: "In a separate file" });
    await expect(answer).toBeVisible();
    await film.take(phone, "An agent asks when it cannot decide: answer from anywhere", 3000);
    await answer.tap();
    await phone.getByRole("button", { name: "Send now" }).tap();

    await openLive(page, world.task);
    await page.getByRole("link", { name: /^Review/ }).click();
    await expect(page.getByRole("region", { name: "app/fold.mjs" })).toBeVisible();
    film.beginHere();
    await film.take(page, "Review its work: what is proven, and marks for what to check", 2600);
    const chapters = page.getByRole("navigation", { name: "Changed files" });
    await chapters.evaluate((list) => scrollTo(0, list.getBoundingClientRect().top + scrollY - 90));
    await film.take(page, "Read the changes by chapter", 2600);
    await page.getByRole("link", { name: "Proof", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Proof 2/2" })).toBeVisible();
    await film.take(page, "See the proof of each acceptance criterion", 2400);
    await page.getByRole("link", { name: /^Changes/ }).click();
    const approve = page.getByRole("button", { name: "Approve", exact: true });
    await expect(approve).toBeVisible();
    await film.take(page, "Approve it, or send it back with comments", 2000);
    await approve.click();
    await expect(page.getByText("approved attempt 1")).toBeVisible();
    await openLive(page, world.sprint);
    await expect(column(page, "Done")).toContainText("Draw a fold", { timeout: 45_000 });
    await column(page, "Done").scrollIntoViewIfNeeded();
    await film.take(page, "The task is done, and the next one is running", 2600);

    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `loop-${theme}.webp`), film.write());
    await phone.context().close();
    await context.close();
  });
}
