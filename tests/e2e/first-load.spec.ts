import { gzipSync } from "node:zlib";
import { expect } from "@playwright/test";
import { test } from "./test";

const limit = 140_000;

for (const name of ["board", "backlog"]) {
  test(`the ${name} loads at most 140 kB of script at first, and none of Supabase's code`, async ({ owner, world }) => {
    const address = name === "board" ? world.sprint : `${world.product}/backlog`;
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
