import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { expectLive, openWithKeys, places, placesOf } from "./places";
import { type Program, testWithTerminal as test } from "./programs";
import { newPerson, newWorld, password, post } from "./world";

// Chromium says of each page over plain http that it ignores this header.
test.use({ expectedProblems: /^The Cross-Origin-Opener-Policy header has been ignored/ });

/** The service on a name of a home network, and someone who is signed in there. */
async function atHome(browser: Browser, terminal: (line: string) => Program) {
  const port = await findFreePort();
  const origin = `http://backlog.lan:${port}`;
  const settings = `PORT=${port} APP_ORIGIN=${origin} E2E_DATA_DIR= REGISTRATION=open TRUST_PROXY=loopback`;
  const service = terminal(`${settings} exec node tests/setup/e2e-server.mjs`);
  await service.said(/http:\/\/backlog\.lan/);
  // Playwright's own requests do not know the name.
  const owner = await newPerson(browser, { baseURL: `http://127.0.0.1:${port}` });
  const world = await newWorld(owner.context);

  const context = await browser.newContext({ baseURL: origin });
  const page = await context.newPage();
  await page.goto("/login");
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await page.getByLabel("Username or email address").fill(owner.name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  return { origin, owner, world, context, page };
}

test("Over plain http on a host name, as at home, every page opens, stays live and copies", async ({
  browser,
  terminal,
}) => {
  test.setTimeout(300_000);
  const { origin, world, page } = await atHome(browser, terminal);

  for (const place of [...placesOf(world), ...places]) {
    const isThere = place !== "/nowhere";
    expect((await page.goto(place))?.status(), place).toBe(isThere ? 200 : 404);
    await expect(page.getByText("Something broke"), place).toBeHidden();
    if (isThere) await expectLive(page);
  }

  await openWithKeys(page, world.sprint);
  const pasted = async () => {
    await page.evaluate(() => {
      const field = document.createElement("textarea");
      document.body.append(field);
      field.id = "pasted";
      field.focus();
    });
    await page.keyboard.press("ControlOrMeta+v");
    return page.locator("#pasted").inputValue();
  };
  await page.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("ControlOrMeta+Shift+,");
  await expect(page.getByText(/^Copied the link to/)).toBeVisible();
  expect(await pasted()).toBe(`${origin}/tasks/${world.taskIds[0]}`);
});

/** The streams that the browser has open now, with the page of each. */
function openStreams(context: BrowserContext): () => { url: string; holder: Page }[] {
  const open = new Map<object, { url: string; holder: Page }>();
  context.on("request", (request) => {
    const url = request.url();
    if (url.includes("/api/realtime/")) open.set(request, { url, holder: request.frame().page() });
  });
  context.on("requestfinished", (request) => open.delete(request));
  context.on("requestfailed", (request) => open.delete(request));
  return () => [...open.values()].filter(({ holder }) => !holder.isClosed());
}

test("Nine tabs over plain http are live without waiting, even if one closes, freezes or crashes", async ({
  browser,
  terminal,
}) => {
  test.setTimeout(300_000);
  const { owner, world, context, page } = await atHome(browser, terminal);
  const open = openStreams(context);
  const backlogs = [`${world.product}/backlog`];
  for (const name of ["Warp", "Weft", "Reed"]) backlogs.push(await post(owner.context, "/products/new", { name }));
  const [backlog = ""] = backlogs;

  await page.goto(backlog);
  const tabs = new Map([[page, backlog]]);
  for (const own of [backlog, backlog, backlog, backlog, ...backlogs]) {
    const tab = await context.newPage();
    await tab.goto(own);
    tabs.set(tab, own);
  }
  expect(tabs.size).toBe(9);
  for (const tab of tabs.keys()) await expectLive(tab);

  const expectNews = async (title: string) => {
    for (const own of backlogs) await post(owner.context, own, { intent: "create-pbi", title });
    for (const tab of tabs.keys()) await expect(tab.getByText(title).first()).toBeVisible();
  };
  /** No stream is held twice, and three of six connections are free; a turn takes one for a moment. */
  const expectRoom = async () => {
    await expect.poll(() => open().length).toBeLessThanOrEqual(4);
    await expect.poll(() => open().length - new Set(open().map(({ url }) => url)).size).toBe(0);
  };
  /** A tab that forwards a stream to others. */
  const loseHolder = async () => {
    await expectRoom();
    const holders = () => open().flatMap(({ holder }) => (tabs.has(holder) ? [holder] : []));
    await expect.poll(() => holders().length).toBeGreaterThan(0);
    const lost = holders()[0] ?? page;
    tabs.delete(lost);
    return { lost, devtools: await context.newCDPSession(lost) };
  };
  await expectNews("All nine are live");
  for (const [tab, own] of tabs) {
    await tab.getByRole("link", { name: "Members" }).first().click();
    await expect(tab).toHaveURL(/\/members$/);
    await tab.goto(own);
  }

  await (await loseHolder()).lost.close();
  await expectNews("One has closed");

  const frozen = await loseHolder();
  await frozen.devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await expectNews("One is frozen");

  // A page with a paused script cannot give its connection back until it is itself again.
  const still = await loseHolder();
  await still.devtools.send("Debugger.enable");
  await still.devtools.send("Debugger.pause");
  void still.lost.evaluate(() => 0).catch(() => {});
  await expectNews("One is paused");
  await still.devtools.send("Debugger.resume");
  const own = new URL(still.lost.url()).pathname;
  tabs.set(still.lost, own);
  await expectNews("It is back");

  const crashed = await loseHolder();
  void crashed.devtools.send("Page.crash").catch(() => {});
  await expectNews("One has crashed");
});
