import { expect, it } from "vitest";
import { listLessons } from "~/nouns/lessons/operations.server";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });

it("decides about lessons without script, in the inbox and on the page of lessons", async () => {
  const { actor, owner, product } = await t.seedWorld(1);
  await t.sql.query(
    `insert into public.lessons (product_id, text, cause)
     values ($1, 'First <b>lesson</b>', 'ci_failed'), ($1, 'Second lesson', 'proof_voided')`,
    [product.id],
  );
  const { read, submit } = await app.visitorOf(owner);
  const page = `/products/${product.id}/lessons`;
  const inbox = await read("/inbox");
  expect(inbox).toContain("Lesson proposed");
  expect(inbox).toContain("First &lt;b&gt;lesson&lt;/b&gt;");
  expect(inbox).not.toContain("<b>lesson</b>");
  expect(await read(`/products/${product.id}/settings/agents`)).toContain(page);

  const idOf = async (text: string) =>
    (await listLessons(actor, { product_id: product.id })).lessons.find(
      (lesson) => lesson.text === text,
    )?.id ?? "";
  const first = await idOf("First <b>lesson</b>");
  const edited = { lesson_id: first, text: "Edited lesson", verdict: "accept" };
  expect(await submit("/inbox", "decide-lesson", edited)).toBe("/inbox");
  const second = { lesson_id: await idOf("Second lesson"), verdict: "decline" };
  expect(await submit(page, "decide-lesson", second)).toBe(page);
  const { lessons } = await listLessons(actor, { product_id: product.id });
  expect(lessons).toMatchObject([
    { text: "Edited lesson", status: "accepted", accepted_by: owner.username },
    { text: "Second lesson", status: "declined" },
  ]);
  await t.query`update products set pull_requests = 'open' where id = ${product.id}`;
  expect(await read(page)).toContain("Waiting for a worker started with --pr.");
  const shown = (await read(page)).replaceAll("<!-- -->", "");
  expect(shown).toContain("Came back for this: 0 of 0 tasks before, 0 of 0 since.");
  await submit(page, "decide-lesson", { lesson_id: first, verdict: "retire" });
  expect(await read(page)).toContain("Retired");
});
