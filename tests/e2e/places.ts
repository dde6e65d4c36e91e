import { expect, type Locator, type Page, type Request } from "@playwright/test";
import type { World } from "./world";

/** A column of a board; its name also says how many cards it has. */
export const column = (page: Page, name: string): Locator =>
  page.getByRole("region", { name: new RegExp(`^${name}: `) });

/** Changes of others reach the page from here on. */
export const expectLive = (page: Page): Promise<void> => expect(page.locator('[data-live="live"]')).toBeAttached();

export async function openLive(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expectLive(page);
}

/** The same, and the keys of its rows are there: they come after the page. */
export async function openWithKeys(page: Page, address: string): Promise<void> {
  await openLive(page, address);
  await expect(page.locator("[data-item-keys]")).toBeAttached();
}

/** The same, and the cards of its board can be moved by keys and by the mouse. */
export async function openBoard(page: Page, address: string): Promise<void> {
  await openWithKeys(page, address);
  await expect(page.locator("[data-board-keys]")).toBeAttached();
}

/** Holds requests for an address up until they are let go: all, or those that fit. */
export async function hold(
  page: Page,
  address: Parameters<Page["route"]>[0],
  fits = (_request: Request) => true,
): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(address, async (route) => {
    if (fits(route.request())) await held;
    await route.continue();
  });
  return letGo;
}

/** A page as it stands before any of its script has come. */
export async function openWithoutScript(page: Page, address: string): Promise<() => Promise<void>> {
  const scripts = /\/assets\/.*\.js/;
  const letGo = await hold(page, scripts);
  await page.goto(address, { waitUntil: "commit" });
  return async () => {
    letGo();
    await expectLive(page);
    await page.unroute(scripts);
  };
}

export function placesOf(world: World): string[] {
  const { product, sprint, storyId, pbiId, taskIds } = world;
  return [
    `${product}/backlog`,
    `${product}/backlog?panel=story:${storyId}`,
    `${product}/backlog?panel=pbi:${pbiId}`,
    `${product}/backlog?panel=new-story`,
    `${product}/sprints`,
    sprint,
    `${sprint}/review`,
    `${sprint}?group=story&dense=1`,
    `${sprint}?group=priority&fold=3`,
    `${sprint}?q=-status:done&as=list`,
    `${product}/solo`,
    `${product}/lessons`,
    `${product}/triage`,
    `${product}/files`,
    `${product}/members`,
    `${product}/settings`,
    `${product}/settings/agents`,
    `${product}/settings/code-host`,
    `${product}/settings/automation`,
    `${product}/settings/integrations`,
    `${product}/settings/danger`,
    `/stories/${storyId}`,
    `/stories/${storyId}?edit=description`,
    `/tasks/${taskIds[0]}`,
  ];
}

/** The pages of a person. */
export const places =
  `/dashboard /products/new /inbox /inbox?show=invitations /inbox?show=questions /ideas /agents /agents/runs
  /agents/workers /insights /connect /start /search?q=greeting /settings /settings/tokens /settings/devices
  /settings/notifications /settings/chats /settings/activity /nowhere`.split(/\s+/);
