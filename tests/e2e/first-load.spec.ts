import { gzipSync } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";

const limit = 140_000;

for (const name of ["board", "backlog", "Insights page"]) {
  test(`the ${name} loads at most 140 kB of script at first, and none of Supabase's code`, async ({ owner, world }) => {
    const addresses: Record<string, string> = { board: world.sprint, backlog: `${world.product}/backlog` };
    const address = addresses[name] ?? "/insights";
    const html = await (await owner.context.request.get(address)).text();
    const files = [...new Set(html.match(/\/assets\/[^"' ]+\.js/g))];
    expect(files.length).toBeGreaterThan(3);
    let size = 0;
    for (const file of files) {
      const source = await (await owner.context.request.get(file)).text();
      expect(source, file).not.toMatch(/supabase|postgrest|GoTrue/i);
      size += gzipSync(source, { level: 9 }).length;
    }
    expect(size).toBeLessThanOrEqual(limit);
  });
}

test("A board loads at most 18 files", async ({ world, ownPage }) => {
  const files = await askedFiles(ownPage, world.sprint);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(18);
});

/** Built files that a page asks the network for until it is live and has loaded what comes after it is drawn. */
async function askedFiles(page: Page, address: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const sent = new Map<string, string>();
  session.on("Network.requestWillBeSent", ({ requestId, request }) => sent.set(requestId, request.url));
  await openLive(page, address);
  // The last file: what every page loads once it is drawn.
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("/later-")),
  );
  await session.detach();
  return [...sent.values()].map((url) => new URL(url).pathname).filter((path) => path.startsWith("/assets/"));
}
