import { createHash, createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { operation, serviceOperation } from "~/nouns/operation.server";
import { intakeHookSchema, keptItemSchema, receivedItemInput } from "~/wire/intake/contract";
import { productIdInput } from "~/wire/products/contract";

/** Derived from the service's secret and the hook's id, so that settings can show it; the database has its hash. */
function keyOf(secret: string, hookId: string): string {
  return createHmac("sha256", secret).update(`intake-hook:${hookId}`).digest("base64url");
}

export const hashHookKey = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Creates a new address; the previous one stops working at once. Owner only. */
export async function setIntakeHook(
  actor: Actor,
  { product_id, secret }: { product_id: string; secret: string },
): Promise<void> {
  const id = randomUUID();
  const given = { p_product_id: product_id, p_id: id, p_key_hash: hashHookKey(keyOf(secret, id)) };
  await callAs(actor, "set_intake_hook", given, z.object({ id: z.string() }));
}

/** Revokes the address at once. Owner only. */
export const revokeIntakeHook = operation("revoke_intake_hook", productIdInput, z.object({ product_id: z.string() }));

const getIntakeHook = operation("get_intake_hook", productIdInput, z.object({ hook: intakeHookSchema.nullable() }));

/** The product's hook with its key. The key is null if it was made with a secret that is not among these. */
export async function readIntakeHook(
  actor: Actor,
  { product_id, secrets }: { product_id: string; secrets: readonly string[] },
) {
  const { hook } = await getIntakeHook(actor, { product_id });
  if (hook === null) return null;
  const { key_hash, ...shown } = hook;
  const keys = secrets.map((secret) => keyOf(secret, hook.id));
  return { ...shown, key: keys.find((key) => hashHookKey(key) === key_hash) ?? null };
}

/** Adds an item from another service to the triage of the key's product. */
export const receiveItem = serviceOperation(
  "receive_item",
  receivedItemInput.extend({ key_hash: z.string() }),
  keptItemSchema,
);
