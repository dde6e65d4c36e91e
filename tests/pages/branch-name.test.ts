import { expect, it } from "vitest";
import { signIn, startTestApp } from "../setup/app";
import { addMember, seedBacklog } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: true });

it("says the branch of a task or story to everyone in its product, and to no one else", async () => {
  const owner = await createUser(t);
  const member = await createUser(t);
  const stranger = await createUser(t);
  const { product, story, task } = await seedBacklog(t, owner);
  await addMember(t, product.id, member);
  const ask = async (user: typeof owner, query: string) =>
    app.request(`/branch?${query}`, { headers: { cookie: await signIn(t, app, user) } });
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
