import { json } from "~/http/responses.server";
import { ContractError } from "~/wire/errors";

/** The codes of RFC 6749, 7591 and 8707 that we use. */
export type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied";

/** A refusal with an OAuth error code, for programs. */
export class OAuthRefusal extends Error {
  constructor(
    readonly code: OAuthCode,
    message: string,
  ) {
    super(message);
    this.name = "OAuthRefusal";
  }
}

/** Runs an endpoint for programs and answers refusals in the format of RFC 6749, 5.2. */
export async function answerProgram(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthRefusal) return refuse(error);
    if (!(error instanceof ContractError) || error.status >= 500) throw error;
    return refuseAsContract(error);
  }
}

function refuse({ code, message }: OAuthRefusal): Response {
  const status = code === "invalid_client" ? 401 : 400;
  return json({ error: code, error_description: message }, { status });
}

function refuseAsContract({ status, message, retryAfter }: ContractError): Response {
  const error = status === 429 ? "temporarily_unavailable" : "invalid_request";
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return json({ error, error_description: message }, { status, headers });
}
