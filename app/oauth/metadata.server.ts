import {
  type AuthMetadataOptions,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
} from "@modelcontextprotocol/server";
import { type Audience, audiences, type Scope, scopes } from "~/wire/oauth/contract";

const resourceDocument = "/.well-known/oauth-protected-resource";

/** Scopes that a token for this audience can have. */
export function scopesOf(audience: Audience): readonly Scope[] {
  return audience === "/mcp/worker" ? ["work"] : scopes;
}

/** Address where a refused program reads how to sign in. */
export function resourceMetadataUrl(origin: string, audience: Audience): string {
  return getOAuthProtectedResourceMetadataUrl(new URL(audience, origin));
}

/** Returns which of our resources an address names, under any of our origins. Ignores a trailing slash. */
export function audienceOf(origins: readonly string[], resource: string): Audience | undefined {
  if (!URL.canParse(resource)) return undefined;
  const { origin, pathname, search, hash } = new URL(resource);
  if (!origins.includes(origin) || search || hash) return undefined;
  return audiences.find((audience) => audience === pathname.replace(/\/$/, ""));
}

/** Answers one of the two metadata documents for the requested origin. Returns undefined for other paths. */
export function answerMetadata(origin: string, method: string, path: string): Response | undefined {
  // Clients that know only the host ask without a path: describe the endpoint with all tools.
  const wanted = path === resourceDocument ? `${resourceDocument}/mcp` : path;
  const request = new Request(`${origin}${wanted}`, { method });
  for (const audience of audiences) {
    const answer = oauthMetadataResponse(request, describeResource(origin, audience));
    if (answer) return answer;
  }
  return undefined;
}

function describeResource(origin: string, audience: Audience): AuthMetadataOptions {
  return {
    resourceServerUrl: new URL(audience, origin),
    resourceName: audience === "/mcp/worker" ? "Backloom (worker)" : "Backloom",
    scopesSupported: [...scopesOf(audience)],
    // The operator may choose plain http, on one machine or in a private network.
    dangerouslyAllowInsecureIssuerUrl: true,
    oauthMetadata: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      // Some programs use their metadata document as client id only if both of these fields are present.
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: [...scopes],
    },
  };
}
