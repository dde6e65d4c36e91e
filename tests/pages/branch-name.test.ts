import { expect, it } from "vitest";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });

it("says the branch of a task or story to everyone in its product, and to no one else", async () => {
  const owner = await t.createUser();
  const member = await t.createUser();
  const stranger = await t.createUser();
  const { product, story, task } = await t.seedBacklog(owner);
  await t.addMember(product.id, member);
  const ask = async (user: typeof owner, query: string) =>
    app.request(`/branch?${query}`, { headers: { cookie: await app.signIn(user) } });
  for (const user of [owner, member]) {
    for (const query of [`kind=task&id=${task.id}`, `kind=story&id=${story.id}`]) {
      const answer = await ask(user, query);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { branch: `backloom/${story.code}` },
      ]);
    }
  }
  expect((await ask(stranger, `kind=task&id=${task.id}`)).status).toBe(403);
  expect((await ask(owner, `kind=pbi&id=${task.id}`)).status).toBe(422);
});
