import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { skills } from "~/mcp/skills.server";
import { ContractError } from "~/wire/errors";

/** `GET /skills/:name/SKILL.md`: a skill that any agent can load, without a token. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getSkill",
    summary: "A skill for agents: take-next, plan-story or split-epic",
    auth: "none",
    answer: z.string(),
    handle: async ({ params }) => {
      const text = skills.get(params.name ?? "");
      if (text === undefined) {
        throw new ContractError(404, `No such skill. There are ${[...skills.keys()].join(", ")}.`);
      }
      return new Response(text, {
        headers: { "content-type": "text/markdown; charset=utf-8", "cache-control": "no-store" },
      });
    },
  }),
});
export const action = loader;
