import {
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Endpoint } from "~/http/api-route.server";
import { problem } from "~/http/responses.server";
import type { Audience, Scope } from "~/nouns/oauth/contract";
import { resourceMetadataUrl, scopesOf } from "~/oauth/metadata.server";
import type { Tool } from "./tool.server";

/**
 * Wraps an endpoint so that its 401 says where a program reads how to sign in (RFC 9728). The body stays that of all
 * refusals, which clients with an API token know.
 */
export function challenging(endpoint: Endpoint, audience: Audience): Endpoint {
  const answer: typeof endpoint = Object.assign(
    async (args: Parameters<Endpoint>[0]) => {
      try {
        return await endpoint(args);
      } catch (error) {
        if (!(error instanceof ContractError) || error.status !== 401) throw error;
        const { origin } = args.context;
        const hasToken = args.request.headers.has("authorization");
        return problem(error, { "www-authenticate": challenge(origin, audience, hasToken) });
      }
    },
    { description: endpoint.description },
  );
  return answer;
}

function challenge(origin: string, audience: Audience, hasToken: boolean): string {
  const resource = resourceMetadataUrl(origin, audience);
  // A request without a token gets no error code (RFC 6750, 3.1).
  if (!hasToken)
    return `Bearer resource_metadata="${resource}", scope="${scopesOf(audience).join(" ")}"`;
  const error = new OAuthError(
    OAuthErrorCode.InvalidToken,
    "The token is unknown, expired or revoked",
  );
  const refusal = bearerAuthChallengeResponse(error, {
    requiredScopes: [...scopesOf(audience)],
    resourceMetadataUrl: resource,
  });
  return refusal.headers.get("www-authenticate") ?? "Bearer";
}

const toolCall = z.looseObject({
  method: z.literal("tools/call"),
  params: z.looseObject({ name: z.string() }),
});

/** Whether a token with these scopes sees and may call the tool. Null scopes allow every tool. */
export function isInScope(tool: Pick<Tool, "scopes">, granted: readonly Scope[] | null): boolean {
  return granted === null || tool.scopes.some((scope) => granted.includes(scope));
}

interface ScopeQuestion {
  tools: readonly Tool[];
  granted: readonly Scope[] | null;
  origin: string;
  audience: Audience;
}

/**
 * Refuses calls beyond the token's scopes with 403 before any tool of the request runs: only then does a program ask
 * its user for more. Also names the scopes the token has, since some programs request exactly those named.
 */
export function refuseOutOfScope(message: unknown, asked: ScopeQuestion): Response | undefined {
  const { tools, granted, origin, audience } = asked;
  if (granted === null) return undefined;
  for (const each of Array.isArray(message) ? message : [message]) {
    const called = toolCall.safeParse(each);
    const tool = called.success && tools.find(({ name }) => name === called.data.params.name);
    if (!tool || isInScope(tool, granted)) continue;
    const [needed = "read"] = tool.scopes;
    const text = `The tool ${tool.name} needs the scope ${needed}`;
    return bearerAuthChallengeResponse(new OAuthError(OAuthErrorCode.InsufficientScope, text), {
      requiredScopes: [...granted, needed],
      resourceMetadataUrl: resourceMetadataUrl(origin, audience),
    });
  }
  return undefined;
}
