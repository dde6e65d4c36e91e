import { expect, it } from "vitest";
import { createPbi } from "~/nouns/pbis/operations.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const pages = [
  "_app",
  "_app.search",
  "_app.products.$productId",
  "_app.products.$productId.backlog",
];
const app = await startTestApp(t, { pages });

it("what is looked for is cut after 200 characters, and between two of them", async () => {
  const { actor, owner, product } = await t.seedWorld(0);
  await createPbi(actor, { product_id: product.id, title: "Zebra" });
  const cookie = await app.signIn(owner);
  const padded = (end: string) => encodeURIComponent(`zebra${" ".repeat(194)}${end}`);
  for (const end of ["x", "🦓", " nothing has this", "🦓 nothing has this"]) {
    for (const place of ["/search?q=", `/products/${product.id}/backlog?q=`]) {
      const answer = await app.request(`${place}${padded(end)}`, { headers: { cookie } });
      expect([answer.status, place, end]).toEqual([200, place, end]);
      expect(await answer.text()).not.toContain("\ufffd");
    }
  }
  const found = await app.request(`/search?q=${padded("  nothing has this")}`, {
    headers: { cookie },
  });
  expect(await found.text()).toContain("Zebra");
});
