import { gzipSync } from "node:zlib";
import { expect } from "@playwright/test";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

const limit = 140_000;

for (const name of ["board", "backlog"]) {
  test(`the ${name} loads at most 140 kB of script at first, and none of Supabase's code`, async ({
    browser,
  }) => {
    const { context } = await newPerson(browser);
    const world = await newWorld(context);
    const address = name === "board" ? world.sprint : `${world.product}/backlog`;
    const html = await (await context.request.get(address)).text();
    const files = [...new Set(html.match(/\/assets\/[^"' ]+\.js/g))];
    expect(files.length).toBeGreaterThan(3);
    let size = 0;
    for (const file of files) {
      const source = await (await context.request.get(file)).text();
      expect(source, file).not.toMatch(/supabase|postgrest|GoTrue/i);
      size += gzipSync(source, { level: 9 }).length;
    }
    expect(size).toBeLessThanOrEqual(limit);
    await context.close();
  });
}
