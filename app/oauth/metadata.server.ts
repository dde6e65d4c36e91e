import {
  type AuthMetadataOptions,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
} from "@modelcontextprotocol/server";
import { type Audience, audiences, type Scope, scopes } from "~/contract/oauth";

const resourceDocument = "/.well-known/oauth-protected-resource";

/** What a token for this address can be asked for. */
export function scopesOf(audience: Audience): readonly Scope[] {
  return audience === "/mcp" ? scopes : ["work"];
}

/** Where a program that was refused reads how to sign in. */
export function resourceMetadataUrl(origin: string, audience: Audience): string {
  return getOAuthProtectedResourceMetadataUrl(new URL(audience, origin));
}

/** Which of our resources an address names, under any of our own origins; a trailing slash changes nothing. */
export function audienceOf(origins: readonly string[], resource: string): Audience | undefined {
  if (!URL.canParse(resource)) return undefined;
  const { origin, pathname, search, hash } = new URL(resource);
  if (!origins.includes(origin) || search || hash) return undefined;
  return audiences.find((audience) => audience === pathname.replace(/\/$/, ""));
}

/** One of the two documents, said for the origin under which it was asked for; nothing for other paths. */
export function answerMetadata(origin: string, method: string, path: string): Response | undefined {
  // Whoever asks without a path has only the host: that is the endpoint with every tool.
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
    resourceName: audience === "/mcp" ? "Backloom" : "Backloom (worker)",
    scopesSupported: [...scopesOf(audience)],
    // Whether the service speaks http, on its own machine or in a house's network, is its operator's choice.
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
      // Some programs send the address of their document only where both of these are said.
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: [...scopes],
    },
  };
}
