import { ContractError } from "~/wire/errors";

/** The refusal of an operation, for comparing its status; fails when the operation went through. */
export async function refusalOf(operation: Promise<unknown>): Promise<ContractError> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof ContractError) return error;
    throw error;
  }
  throw new Error("The operation was not refused.");
}

export async function statusOf(operation: Promise<unknown>): Promise<number> {
  return (await refusalOf(operation)).status;
}
