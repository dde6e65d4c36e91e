import { ContractError } from "~/contract/errors";

/**
 * For clients that look for OAuth, or try to register, because they have no token: they show their person what we answer.
 * `error_description` is where they look.
 */
export function howProgramsSignIn(status: 400 | 404): ContractError {
  const sentence =
    "Programs sign in here with an API token: make one on the page Connect and send it as Authorization: Bearer <token>. There is no OAuth.";
  return new ContractError(status, sentence, { detail: { error_description: sentence } });
}
