import { ContractError } from "~/wire/errors";

/** Whether an operation went through, or came second; anything else fails. */
export const outcome = (operation: Promise<unknown>): Promise<"won" | "lost"> =>
  operation.then(
    () => "won",
    (error: unknown) => {
      if (error instanceof ContractError && error.status === 409) return "lost";
      throw error;
    },
  );
