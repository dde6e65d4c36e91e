import { idempotencyKeySchema } from "~/contract/idempotency";
import { idempotencyField } from "~/contract/idempotency-field";
import { Once } from "~/db/once.server";
import { validate } from "./validation.server";

const header = "idempotency-key";

/** The key that a program sent with a POST, so that a request whose answer was lost can be sent again. */
export function onceOf({ method, headers }: Request): Once | undefined {
  const key = method === "POST" ? headers.get(header) : null;
  if (key === null) return undefined;
  return new Once(validate(idempotencyKeySchema, key, "header Idempotency-Key"));
}

/** The same for a form, in which the page has put a key; what is no key is as good as none. */
export function onceOfForm(form: FormData): Once | undefined {
  const key = idempotencyKeySchema.safeParse(form.get(idempotencyField));
  return key.success ? new Once(key.data) : undefined;
}

/** The answer, marked when it is that of an earlier request with the same key. */
export function markReplayed(answer: Response, once: Once | undefined): Response {
  if (once?.wasReplayed) answer.headers.set("idempotency-replayed", "true");
  return answer;
}
