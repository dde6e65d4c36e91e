import { createIdea, promoteIdea, updateIdea } from "~/nouns/ideas/operations.server";
import { createIdeaInput, promoteIdeaInput, updateIdeaInput } from "~/wire/ideas/contract";
import { idOrCode, reference, resolveId, resolveOptionalId } from "../references.server";
import { defineTool, duplicates, refusesSimilar } from "../tool.server";

const ideaReference = reference.describe("Id or code of one of your ideas");
const optionalProduct = idOrCode.optional();

export const createIdeaTool = defineTool({
  name: "create_idea",
  title: "Create an idea",
  description: "Create a private idea for a product, with the next code IDEA-<nnn>.",
  access: "write",
  creates: true,
  input: createIdeaInput.safeExtend({ product_id: idOrCode }).safeExtend(duplicates),
  run: async ({ actor }, { product_id, allow_duplicate, ...fields }) =>
    createIdea(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate),
      product_id: await resolveId(actor, "product", product_id),
    }),
});

export const updateIdeaTool = defineTool({
  name: "update_idea",
  title: "Update an idea",
  description: "Change an idea's title, description, product or status. A status only moves forward.",
  access: "write",
  effect: { destructive: true, repeatable: true },
  input: updateIdeaInput.safeExtend({ idea_id: ideaReference, product_id: optionalProduct }),
  run: async ({ actor }, { idea_id, product_id, ...fields }) =>
    updateIdea(actor, {
      ...fields,
      idea_id: await resolveId(actor, "idea", idea_id),
      product_id: await resolveOptionalId(actor, "product", product_id),
    }),
});

export const promoteIdeaTool = defineTool({
  name: "promote_idea",
  title: "Promote an idea to a PBI",
  description: "Turn an idea into a PBI. The idea becomes planned; both stay linked.",
  access: "write",
  creates: true,
  input: promoteIdeaInput.safeExtend({ idea_id: ideaReference, product_id: optionalProduct }),
  run: async ({ actor }, { idea_id, product_id, ...fields }) =>
    promoteIdea(actor, {
      ...fields,
      idea_id: await resolveId(actor, "idea", idea_id),
      product_id: await resolveOptionalId(actor, "product", product_id),
    }),
});
