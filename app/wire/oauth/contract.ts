import { z } from "zod";
import { idSchema } from "../text";

/** What a token may do: read, plan the work, or do it. */
export const scopes = ["read", "plan", "work"] as const;
export type Scope = (typeof scopes)[number];
export const scopeSchema = z.enum(scopes);

export const scopeWords: Readonly<Record<Scope, { title: string; about: string }>> = {
  read: { title: "Read", about: "See the backlog, sprints, runs and questions." },
  plan: { title: "Plan", about: "Create and change stories, tasks, sprints and ideas, and start or stop runs." },
  work: { title: "Work", about: "Take jobs, report and land their work, log commits and test results, ask questions." },
};

/** The MCP endpoints. Each is a separate resource: a token for one is not valid at the other. */
export const audiences = ["/mcp", "/mcp/all", "/mcp/worker"] as const;
export type Audience = (typeof audiences)[number];

/** An OAuth client or API token with access to the account. */
export const grantSchema = z.object({
  id: idSchema,
  label: z.string(),
  /** Null for an API token. */
  client_id: z.string().nullable(),
  audience: z.enum(audiences).nullable(),
  /** Null: all scopes. */
  scopes: z.array(scopeSchema).nullable(),
  products: z.array(z.object({ id: idSchema, code: z.string(), name: z.string() })).nullable(),
  created_at: z.string(),
  first_used_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
});
export type Grant = z.infer<typeof grantSchema>;

/** Registration request of an OAuth client (RFC 7591). Unknown fields are allowed and ignored. */
export const clientMetadataSchema = z.looseObject({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(20),
});
