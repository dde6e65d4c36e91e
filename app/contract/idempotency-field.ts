/** The name of an idempotency key in the arguments of a tool and among the fields of a form. */
export const idempotencyField = "idempotency_key";
