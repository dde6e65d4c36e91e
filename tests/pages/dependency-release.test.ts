import { expect, it } from "vitest";
import { reportAgentJob } from "~/domain/agent-jobs/operations.server";
import { startSprintRun } from "~/domain/sprint-runs/operations.server";
import { claim, columnOf, seedSprint } from "../db/agents/sprint-world";
import { wait } from "../db/dependency-world";
import { at } from "../db/world";
import { signIn, startTestApp } from "../setup/app";
import { addMember } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { createVisitor } from "../setup/page-forms";
import { createUser } from "../setup/users";

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: true });

it("the owner sets it, sees whose code is waited for, and says that it is there", async () => {
  const world = await seedSprint(t, { strategy: "STORY", stories: [1, 1] });
  const { product } = world;
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  const visitor = createVisitor(app, await signIn(t, app, world.owner));
  await visitor.submit(`/products/${product.id}/settings`, "update", {
    dependency_release: "merged",
  });
  expect(await columnOf(t, "products", product.id, "dependency_release::text")).toBe("merged");

  await wait(world.actor, second, first);
  await startSprintRun(world.actor, { sprint_id: world.sprint.id });
  const job = await claim(world.actor);
  await reportAgentJob(world.actor, {
    ...{ job_id: job.id, attempt: job.attempt, status: "done", verify_result: "ALIGNED" },
    ...{ base_sha: "0".repeat(40), head_sha: "a".repeat(40) },
  });

  const member = await createUser(t);
  await addMember(t, product.id, member);
  const guest = createVisitor(app, await signIn(t, app, member));
  const seen = await guest.read(`/tasks/${second.id}`);
  expect(seen).toContain("its code is not on the main branch yet");
  expect(seen).not.toContain("It is on the main branch");

  await visitor.submit(`/tasks/${second.id}`, "mark-merged");
  expect(await columnOf(t, "agent_jobs", job.id, "merged_at")).not.toBeNull();
  expect((await claim(world.actor)).task?.code).toBe(second.code);
});
