import { idempotencyKeySchema } from "~/contract/concurrency";
import { idempotencyField } from "~/contract/idempotency-field";
import { Once } from "~/db/rpc.server";
import { validate } from "./validation.server";

const header = "idempotency-key";

/** Returns the `Idempotency-Key` of a POST, with which a client can safely resend a request whose answer was lost. */
export function onceOf({ method, headers }: Request): Once | undefined {
  const key = method === "POST" ? headers.get(header) : null;
  if (key === null) return undefined;
  return new Once(validate(idempotencyKeySchema, key, "header Idempotency-Key"));
}

/** Returns the idempotency key the page put into a form. An invalid key counts as none. */
export function onceOfForm(form: FormData): Once | undefined {
  const key = idempotencyKeySchema.safeParse(form.get(idempotencyField));
  return key.success ? new Once(key.data) : undefined;
}

/** Adds `Idempotency-Replayed` if the answer is that of an earlier request with the same key. */
export function markReplayed(answer: Response, once: Once | undefined): Response {
  if (once?.wasReplayed) answer.headers.set("idempotency-replayed", "true");
  return answer;
}
