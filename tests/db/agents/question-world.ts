import { addMember } from "../../setup/backlog";
import type { TestDatabase } from "../../setup/database";
import { createUser } from "../../setup/users";

/** Someone new with access to the product. */
export async function newMember(
  t: TestDatabase,
  productId: string,
  options: { demo?: boolean } = {},
) {
  const user = await createUser(t, options);
  await addMember(t, productId, user);
  return { user, actor: t.actorOf(user) };
}

/** Lets the time of a question run out. */
export async function expireQuestion(t: TestDatabase, questionId: string): Promise<void> {
  await t.sql.query(
    "update public.agent_questions set expires_at = now() - interval '1 second' where id = $1",
    [questionId],
  );
}
