-- Why: an address of its own, and so tokens of its own, for the list of every tool.
ALTER TABLE "public"."api_tokens" DROP CONSTRAINT "api_tokens_audience_known";

ALTER TABLE "public"."oauth_codes" DROP CONSTRAINT "oauth_codes_audience_known";

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/all'::text, '/mcp/worker'::text])));

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/all'::text, '/mcp/worker'::text])));
