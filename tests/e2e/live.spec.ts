import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import { expectLive, openLive } from "./places";
import { test } from "./test";
import { callTool, newToken } from "./world";

const password = "a long enough password";
const unique = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;

const username = `live-${unique()}`;

let backlog: string;

// What all of them share is made once.
test.describe.configure({ mode: "default" });

/** One account and one product for all, because registering and creating products are limited. */
test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext();
  const registered = await context.request.post("/register", {
    form: { username, email: `${username}@example.com`, password },
  });
  expect(registered.ok()).toBe(true);
  const created = await context.request.post("/products/new", { form: { name: `Loom ${unique()}` }, maxRedirects: 0 });
  backlog = created.headers().location ?? "";
  expect(backlog).toMatch(/\/backlog$/);
  await addPbi(context, "First thread");
});

test.beforeEach(({ context }) => signIn(context));

async function signIn(context: BrowserContext): Promise<void> {
  const answer = await context.request.post("/login", { form: { identifier: username, password } });
  expect(answer.ok()).toBe(true);
}

async function addPbi(context: BrowserContext, title: string): Promise<void> {
  const answer = await context.request.post(backlog, { form: { intent: "create-pbi", title } });
  expect(answer.ok()).toBe(true);
}

async function secondWindow(browser: Browser): Promise<BrowserContext> {
  const other = await browser.newContext();
  await signIn(other);
  return other;
}

test("Each of two windows shows what the other one changes", async ({ page, context, browser }) => {
  const other = await secondWindow(browser);
  const otherPage = await other.newPage();
  await openLive(page, backlog);
  await openLive(otherPage, backlog);

  await addPbi(context, "From the first window");
  await expect(otherPage.getByText("From the first window")).toBeVisible();
  await addPbi(other, "From the second window");
  await expect(page.getByText("From the second window")).toBeVisible();
  await other.close();
});

test.describe("without network", () => {
  test.use({ expectedProblems: /ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|Failed to fetch/ });

  test("a window that was without network catches up", async ({ page, context, browser }) => {
    const other = await secondWindow(browser);
    await openLive(page, backlog);

    await context.setOffline(true);
    await expect(page.locator('[data-live="offline"]')).toBeVisible();
    await addPbi(other, "Meanwhile");
    await context.setOffline(false);
    await expect(page.getByText("Meanwhile")).toBeVisible();
    await expectLive(page);
    await other.close();
  });
});

test("A hidden tab keeps its stream and shows the changes when it is visible again", async ({ page, context }) => {
  await openLive(page, backlog);
  const show = (state: "hidden" | "visible") =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);

  await show("hidden");
  await addPbi(context, "While hidden");
  await expectLive(page);
  await show("visible");
  await expect(page.getByText("While hidden")).toBeVisible();
});

test("Four tabs share one connection per stream, and links still open pages", async ({ context }) => {
  const streams: string[] = [];
  context.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/realtime/")) streams.push(pathname);
  });

  const tabs: Page[] = [];
  for (let i = 0; i < 4; i++) {
    const tab = await context.newPage();
    await openLive(tab, backlog);
    tabs.push(tab);
  }
  expect([...streams].sort()).toEqual(["/api/realtime/backlog", "/api/realtime/notifications"]);

  await addPbi(context, "For every tab");
  for (const tab of tabs) await expect(tab.getByText("For every tab")).toBeVisible();
  const last = tabs[3];
  await last?.getByRole("link", { name: "Members" }).first().click();
  await expect(last ?? fail()).toHaveURL(/\/members$/, { timeout: 5000 });
});

test("The next page of a product takes over the stream of the last", async ({ page, context }) => {
  // A page is live with its first stream; the one of the product may begin a little later.
  const began = page.waitForResponse(/\/api\/realtime\/backlog/);
  await openLive(page, backlog);
  await began;
  const streams: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/realtime/")) streams.push(request.url());
  });
  const tabs = page.getByRole("navigation", { name: /^Pages of/ });
  await tabs.getByRole("link", { name: "Sprints" }).click();
  await expect(page).toHaveURL(/\/sprints$/);
  await tabs.getByRole("link", { name: "Backlog" }).click();
  await expect(page).toHaveURL(/\/backlog$/);
  await addPbi(context, "After two pages");
  await expect(page.getByText("After two pages")).toBeVisible();
  expect(streams).toEqual([]);
});

test("When the tab with the shared connection closes, another tab continues", async ({ context }) => {
  const first = await context.newPage();
  await openLive(first, backlog);
  const second = await context.newPage();
  await openLive(second, backlog);

  const takenOver = second.waitForRequest(/\/api\/realtime\/backlog/);
  await first.close();
  await takenOver;
  await expectLive(second);
  await addPbi(context, "After the change of hands");
  await expect(second.getByText("After the change of hands")).toBeVisible();
});

test("a live change does not overwrite an edit in progress", async ({ page, context }) => {
  await openLive(page, backlog);
  await page.getByText("First thread").first().click();
  await page.getByRole("button", { name: "Edit title" }).click();
  const title = page.getByRole("textbox", { name: "Title" }).first();
  await title.fill("My half-written ti");

  await addPbi(context, "Someone else's work");
  await expect(page.getByText("Someone else's work")).toBeVisible();
  await expect(title).toHaveValue("My half-written ti");
});

/** Puts elements in the place of all texts, also of later ones, as a browser does that translates the page. */
const translate = (page: Page) =>
  page.evaluate(() => {
    const wrapAll = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) {
        const { currentNode: text } = walker;
        const isWords = text instanceof Text && text.data.trim() !== "";
        if (isWords && !text.parentElement?.closest("font, script, style, textarea, svg")) texts.push(text);
      }
      for (const text of texts) {
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        inner.textContent = text.data;
        outer.append(inner);
        text.replaceWith(outer);
      }
    };
    wrapAll();
    const changes = { childList: true, characterData: true, subtree: true };
    new MutationObserver(wrapAll).observe(document.body, changes);
  });

/** All words of a page but its times, which pass. */
const wordsOf = (page: Page) =>
  page.locator("body").evaluate((body) => {
    const copy = document.createElement("div");
    copy.append(...[...body.querySelectorAll("header, main")].map((part) => part.cloneNode(true)));
    for (const time of copy.querySelectorAll("time")) time.remove();
    return copy.textContent;
  });

test("A page translated by the browser still follows titles, statuses and counts", { tag: "@thorough" }, async ({
  owner,
  world,
}) => {
  const { context } = owner;
  const { product, sprint, storyId, taskIds } = world;
  const [task = ""] = taskIds;
  const token = await newToken(context);
  const places = [sprint, `${product}/backlog`, `/tasks/${task}`, `/stories/${storyId}`, "/inbox"];
  const tabs = await Promise.all(places.map(() => context.newPage()));
  for (const [index, tab] of tabs.entries()) {
    await openLive(tab, places[index] ?? fail());
    await translate(tab);
  }
  const fresh = await context.newPage();
  const change = async (kind: string, id: string, data: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await context.request.patch(`/api/${kind}/${id}`, { headers, data });
    expect(answer.ok(), await answer.text()).toBe(true);
  };
  const ask = (question: string) => callTool(context, token, "ask_user_question", { story_id: storyId, question });
  const steps = [
    async () => {
      await change("tasks", task, { title: "Weave the greeting", status: "in_progress" });
      await change("stories", storyId, { title: "Be greeted by name" });
      await ask("Which words?");
    },
    async () => {
      await ask("Which name?");
      await change("tasks", task, { title: "Weave it again", status: "done" });
    },
  ];
  for (const step of steps) {
    await step();
    for (const [index, tab] of tabs.entries()) {
      await openLive(fresh, places[index] ?? fail());
      // What arrives above the selected item waits for a press, and the item stays selected.
      if (places[index] === "/inbox" && step === steps[1]) {
        await tab.getByRole("button", { name: "1 new" }).click();
        await fresh.getByRole("link", { name: "Which words?" }).click();
      }
      await expect(async () => expect(await wordsOf(tab)).toBe(await wordsOf(fresh))).toPass({ timeout: 15_000 });
    }
  }

  const [board = fail()] = tabs;
  await board.getByRole("link", { name: "Show the greeting" }).focus();
  await board.keyboard.press("x");
  await expect(board.getByRole("link", { name: "Selected: Show the greeting" })).toBeVisible();
});

function fail(): never {
  throw new Error("The tab is missing");
}
