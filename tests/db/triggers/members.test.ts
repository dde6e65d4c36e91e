import { expect, it } from "vitest";
import { answerInvitation, invitePerson } from "~/nouns/products/invitations.server";
import {
  archiveProduct,
  leaveProduct,
  listProductMembers,
  removeProductMember,
} from "~/nouns/products/operations.server";
import { assignStory, getStory } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import type { World } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function join(world: World) {
  const user = await t.createMember(world.product.id);
  await setActive(user.id, world);
  return user;
}

async function setActive(userId: string, world: World) {
  await t.query`update public.users set active_product_id = ${world.product.id} where id = ${userId}`;
}

async function activeProductOf(user: { id: string }) {
  const rows = await t.query`select active_product_id from public.users where id = ${user.id}`;
  return rows[0]?.active_product_id;
}

it("An archived product stops being anyone's active product", async () => {
  const world = await t.seedWorld(0);
  const member = await join(world);
  await setActive(world.owner.id, world);
  await archiveProduct(world.actor, { product_id: world.product.id });
  expect([await activeProductOf(world.owner), await activeProductOf(member)]).toEqual([null, null]);
});

it("A product stops being active for a member who left or was removed, and stays so for others", async () => {
  const world = await t.seedWorld(0);
  const [leaver, removed, stayer] = [await join(world), await join(world), await join(world)];
  await leaveProduct(t.actorOf(leaver), { product_id: world.product.id });
  await removeProductMember(world.actor, { product_id: world.product.id, user_id: removed.id });
  expect([await activeProductOf(leaver), await activeProductOf(removed)]).toEqual([null, null]);
  expect(await activeProductOf(stayer)).toBe(world.product.id);
});

it("A product has one row for its owner and one per member, invited by name or email in any case", async () => {
  const world = await t.seedWorld(0);
  const byName = await t.createUser({ username: "Grace.H" });
  const byMail = await t.createUser({ username: "katherine" });
  const product_id = world.product.id;
  await invitePerson(world.actor, { product_id, identifier: "grace.h" });
  await invitePerson(world.actor, { product_id, identifier: " KATHERINE@example.com " });
  const rows = await t.query`select id, invited_user_id from product_invitations where product_id = ${product_id}`;
  for (const user of [byName, byMail]) {
    const invitation_id = rows.find((row) => row.invited_user_id === user.id)?.id;
    await answerInvitation(t.actorOf(user), { invitation_id, accept: true });
  }
  const members = await listProductMembers(world.actor, { product_id });
  expect(members.map(({ user_id, role }) => [user_id, role])).toEqual([
    [world.owner.id, "OWNER"],
    [byName.id, "MEMBER"],
    [byMail.id, "MEMBER"],
  ]);
  expect(await statusOf(invitePerson(world.actor, { product_id, identifier: "grace.h" }))).toBe(409);
  expect(await statusOf(invitePerson(world.actor, { product_id, identifier: "no one" }))).toBe(422);
});

it("Only the owner adds and removes members, and the owner stays", async () => {
  const world = await t.seedWorld(0);
  const member = await join(world);
  const product_id = world.product.id;
  const asMember = t.actorOf(member);
  expect(await statusOf(invitePerson(asMember, { product_id, identifier: "no one" }))).toBe(403);
  expect(await statusOf(removeProductMember(asMember, { product_id, user_id: world.owner.id }))).toBe(403);
  expect(await statusOf(removeProductMember(world.actor, { product_id, user_id: world.owner.id }))).toBe(409);
  expect(await statusOf(leaveProduct(world.actor, { product_id }))).toBe(409);
});

it("Members lose their assignments with their membership, and only members are assigned", async () => {
  const world = await t.seedWorld(0);
  const member = await join(world);
  const stranger = await t.createUser();
  const story_id = world.story.id;
  expect(await statusOf(assignStory(world.actor, { story_id, assignee_id: stranger.id }))).toBe(422);
  await assignStory(world.actor, { story_id, assignee_id: member.id });
  expect((await getStory(world.actor, { story_id })).assignee_username).toBe(member.username);
  await leaveProduct(t.actorOf(member), { product_id: world.product.id });
  expect((await getStory(world.actor, { story_id })).assignee_id).toBeNull();
  expect(await statusOf(getStory(t.actorOf(member), { story_id }))).toBe(403);
});
