import { expect } from "@playwright/test";
import { hold, openLive } from "./places";
import { test } from "./test";

test("The code of a page is preloaded before a person opens it, and its data is loaded once", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, world.sprint);
  const ahead = page.locator("head > link[rel=modulepreload]");
  /** The file of a page, as the list of routes names it. */
  const fileOf = (route: string) => page.evaluate((id) => window.__remixManifest.routes[id]?.module ?? "", route);
  const isAhead = async (route: string) => {
    const file = await fileOf(route);
    expect(file).not.toBe("");
    return ahead.and(page.locator(`[href="${file}"]`));
  };

  // A row of the board, by the pointer; loaded after the page, so until it is there.
  const task = await isAhead("routes/_app.tasks.$taskId");
  await expect(async () => {
    await page.getByRole("link", { name: "Write the greeting" }).hover();
    await page.mouse.move(0, 0);
    await expect(task).toBeAttached({ timeout: 500 });
  }).toPass();
  const story = await isAhead("routes/_app.stories.$storyId");
  await expect(story).not.toBeAttached();
  await page.getByRole("link", { name: "See a greeting" }).focus();
  await expect(story).toBeAttached();

  const data: string[] = [];
  page.on("request", (request) => {
    const route = new URL(request.url()).searchParams.get("_data");
    if (route !== null) data.push(route);
  });
  // Those with a key, once it began.
  await expect(await isAhead("routes/_app.insights")).not.toBeAttached();
  await page.keyboard.press("g");
  await expect(await isAhead("routes/_app.insights")).toBeAttached();
  await expect(await isAhead("routes/_app.products.$productId.backlog")).toBeAttached();
  // A page reads its data again when its stream begins, which comes after.
  const letStreams = await hold(page, /\/api\/realtime\//);
  // Within a second the first letter would still be waiting for its second.
  await page.keyboard.press("Escape");
  await page.keyboard.type("gn");
  await expect(page).toHaveURL(/insights/);
  await expect(page.getByRole("heading", { name: "Insights" })).toBeVisible();
  await page.getByRole("link", { name: "Agents", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Agents" })).toBeVisible();
  expect(data.filter((route) => route === "routes/_app.agents._index")).toHaveLength(1);
  expect(data.filter((route) => route === "routes/_app.insights")).toHaveLength(1);
  letStreams();

  // Routes without code are not asked for theirs.
  const empty = () =>
    performance.getEntriesByType("resource").filter((file) => Reflect.get(file, "decodedBodySize") === 1);
  expect(await page.evaluate(empty)).toEqual([]);

  // One whose data takes its time says so, until it is there.
  const letGo = await hold(page, /_data=.*insights/);
  const sign = page.getByRole("progressbar", { name: "Loading" });
  await expect(sign).not.toBeAttached();
  await page.keyboard.type("gn");
  await expect(sign).toHaveCSS("opacity", "1");
  letGo();
  await expect(page.getByRole("heading", { name: "Insights" })).toBeVisible();
  await expect(sign).not.toBeAttached();
});
