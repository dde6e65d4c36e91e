/** Name of the idempotency key in tool arguments and form fields. */
export const idempotencyField = "idempotency_key";
